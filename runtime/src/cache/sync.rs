//! Locks whose holder cannot leave them unusable: what they guard is changed in steps that do not panic, so a lock
//! that was poisoned by a panic elsewhere is taken all the same.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::task::Waker;

pub(super) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn read<T: ?Sized>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn write<T: ?Sized>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// The one task that waits for something; kept beside the state it waits for, under the same lock.
#[derive(Debug, Default)]
pub(super) struct Waiter(Option<Waker>);

impl Waiter {
    pub(super) fn register(&mut self, waker: &Waker) {
        match &self.0 {
            Some(known) if known.will_wake(waker) => {}
            _ => self.0 = Some(waker.clone()),
        }
    }

    /// Hands out the waker, to be woken when the lock is free again.
    #[must_use]
    pub(super) fn take(&mut self) -> Option<Waker> {
        self.0.take()
    }
}

/// Wakes whoever waits, if anyone does.
pub(super) fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}
