//! [`Report`]: what a run of a reflector shows and logs.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::watch;

use super::classify::classify;
use super::state::{Failure, State, WatchList};
use super::{Failed, ReflectorState, ReflectorStatus};
use crate::cache::list_watch::Skipped;
use crate::error::Error;
use crate::rest::GroupVersionResource;
use crate::value::Str;

pub(super) struct Report<'a> {
    resource: GroupVersionResource,
    status: &'a watch::Sender<ReflectorStatus>,
    failed: Option<Failed>,
    shown: Shown,
}

/// Which state was shown last: a change of state is shown, an event is not.
#[derive(PartialEq)]
enum Shown {
    Nothing,
    Listing,
    Watching,
    BackingOff,
}

impl<'a> Report<'a> {
    pub(super) fn new(resource: GroupVersionResource, status: &'a watch::Sender<ReflectorStatus>) -> Self {
        Self {
            resource,
            status,
            failed: None,
            shown: Shown::Nothing,
        }
    }

    pub(super) fn state(&mut self, state: &State, watch_list: WatchList, now: Instant) {
        let shown = match state {
            State::Listing(_) | State::Streaming { .. } | State::Probing => Shown::Listing,
            State::Watching => Shown::Watching,
            State::BackingOff { .. } => Shown::BackingOff,
        };
        if shown == self.shown && shown != Shown::BackingOff {
            return;
        }
        self.shown = shown;
        let state = match state {
            State::Watching => ReflectorState::Watching,
            State::BackingOff { wait, .. } => ReflectorState::BackingOff {
                until: now + *wait,
                last_error: self.failed.clone().unwrap_or(Failed::ShortWatch),
            },
            _ => ReflectorState::Listing,
        };
        self.status.send_modify(|status| {
            status.state = state;
            status.watch_list = watch_list;
        });
    }

    /// A call or a stream failed.
    pub(super) fn failed(&mut self, error: Error) -> Failure {
        let failure = classify(&error);
        tracing::debug!(resource = %self.resource, %error, ?failure, "a list or watch failed");
        self.remember(Failed::Call(Arc::new(error)));
        failure
    }

    fn remember(&mut self, failed: Failed) {
        self.failed = Some(failed.clone());
        self.status.send_modify(|status| status.last_error = Some(failed));
    }

    /// The server ended a watch. Only if that was too early it is a failure, which a wait then shows.
    pub(super) fn ended(&mut self) {
        self.failed = Some(Failed::ShortWatch);
    }

    pub(super) fn stalled(&self) {
        tracing::warn!(resource = %self.resource, "a streaming list did not end; listing");
    }

    pub(super) fn went_back(&mut self, count: u64) {
        tracing::warn!(resource = %self.resource, "the server's version went back; listing anew");
        self.status.send_modify(|status| status.went_back = count);
        self.remember(Failed::WentBack);
    }

    pub(super) fn panicked(&mut self, message: String) {
        tracing::error!(resource = %self.resource, panic = message, "a panic while listing or watching");
        self.status.send_modify(|status| status.panics += 1);
        self.remember(Failed::Panicked(message));
    }

    pub(super) fn skipped(&self, skipped: Skipped) {
        tracing::warn!(resource = %self.resource, object = %skipped.key, reason = skipped.reason, "an object is left out");
        self.status.send_modify(|status| {
            status.skipped += 1;
            status.last_skipped = Some(skipped);
        });
    }

    /// A list is complete.
    pub(super) fn listed(&self, version: Str, watch_list: WatchList) {
        self.status.send_modify(|status| {
            status.lists += 1;
            status.listed_version = version;
            status.watch_list = watch_list;
        });
    }
}
