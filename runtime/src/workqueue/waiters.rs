//! Who waits for keys.
//!
//! A waiter that is told is taken out of the list; it comes back if it finds nothing. As many are told as there are keys
//! that became ready. One of those that wait, the keeper, also waits for the time at which the next later run is due:
//! there is no task behind a queue.

use std::collections::VecDeque;
use std::task::Waker;

/// Who waits, first come, first told.
#[derive(Debug, Default)]
pub(super) struct Waiters {
    /// By ascending number.
    list: VecDeque<(u64, Waker)>,
    next: u64,
    /// The waiter that keeps the time; it may have been told and not have come back yet.
    keeper: Option<u64>,
}

impl Waiters {
    fn place(&self, number: u64) -> Option<usize> {
        self.list.binary_search_by_key(&number, |(known, _)| *known).ok()
    }

    /// Waits, at the place that `number` has or at the end, and keeps the time if `timed` and nobody does. Says whether it
    /// does.
    pub(super) fn wait(&mut self, number: &mut Option<u64>, waker: &Waker, timed: bool) -> bool {
        let old = *number;
        match old.and_then(|old| self.place(old)) {
            Some(place) => self.list[place].1.clone_from(waker),
            None => {
                *number = Some(self.next);
                self.list.push_back((self.next, waker.clone()));
                self.next += 1;
            }
        }
        if timed && (self.keeper.is_none() || self.keeper == old) {
            self.keeper = *number;
        } else if self.keeper == old {
            self.keeper = None;
        }
        self.keeper == *number
    }

    /// No longer waits. Says whether it had been told already.
    pub(super) fn leave(&mut self, number: u64) -> bool {
        if self.keeper == Some(number) {
            self.keeper = None;
        }
        match self.place(number) {
            Some(place) => {
                self.list.remove(place);
                false
            }
            None => true,
        }
    }

    /// Who is told of so many keys.
    pub(super) fn tell(&mut self, keys: usize) -> Told {
        let count = keys.min(self.list.len());
        match count {
            0 => Told::Nobody,
            1 => self.pop().map_or(Told::Nobody, Told::One),
            _ => Told::Many((0..count).map_while(|_| self.pop()).collect()),
        }
    }

    fn pop(&mut self) -> Option<Waker> {
        self.list.pop_front().map(|(_, waker)| waker)
    }

    /// Who is told that the next later run is due at another time.
    #[must_use]
    pub(super) fn tell_keeper(&mut self) -> Option<Waker> {
        let Some(keeper) = self.keeper else {
            return self.pop();
        };
        // One that has been told looks at the time when it comes back.
        let place = self.place(keeper)?;
        self.list.remove(place).map(|(_, waker)| waker)
    }

    pub(super) fn has_keeper(&self) -> bool {
        self.keeper.is_some()
    }
}

/// Wakers, to be woken when the lock is free again.
#[must_use]
#[derive(Debug)]
pub(super) enum Told {
    Nobody,
    One(Waker),
    Many(Vec<Waker>),
}

impl Told {
    pub(super) fn wake(self) {
        match self {
            Self::Nobody => {}
            Self::One(waker) => waker.wake(),
            Self::Many(wakers) => wakers.into_iter().for_each(Waker::wake),
        }
    }
}
