//! What tasks that share something need: locks, wakers, the text of a panic.
//!
//! The holder of a lock cannot leave it unusable: what it guards is changed in steps that do not panic, so a lock that
//! was poisoned by a panic elsewhere is taken all the same.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::task::Waker;

pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn read<T: ?Sized>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn write<T: ?Sized>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// The one task that waits for something; kept beside the state it waits for, under the same lock.
#[derive(Debug, Default)]
pub(crate) struct Waiter(Option<Waker>);

impl Waiter {
    pub(crate) fn register(&mut self, waker: &Waker) {
        match &self.0 {
            Some(known) if known.will_wake(waker) => {}
            _ => self.0 = Some(waker.clone()),
        }
    }

    /// Hands out the waker, to be woken when the lock is free again.
    #[must_use]
    pub(crate) fn take(&mut self) -> Option<Waker> {
        self.0.take()
    }
}

/// Wakes whoever waits, if anyone does.
pub(crate) fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// What a panic said.
pub(crate) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a text").to_owned()
}
