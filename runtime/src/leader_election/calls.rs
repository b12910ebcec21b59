//! Does what the state machine says: one call, bounded in time.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures_core::future::BoxFuture;

use super::lease::Lease;
use super::state::{Answer, Failure, State, Write};
use crate::clock::{Clock, within};
use crate::error::Error;
use crate::rest::Api;

/// The lease on the server.
#[derive(Clone, Debug)]
pub(super) struct Calls {
    pub(super) api: Api<Lease>,
    pub(super) name: String,
    pub(super) clock: Arc<dyn Clock>,
    /// No call takes longer.
    pub(super) limit: Duration,
}

/// An answer, and why it is a failure if it is one.
pub(super) type Told = (Answer, Option<String>);

impl Calls {
    /// Does what `state` says.
    pub(super) fn perform(&self, state: &State) -> BoxFuture<'static, Told> {
        let calls = self.clone();
        match state {
            State::Reading => Box::pin(async move {
                let (result, why) = calls.read().await;
                (Answer::Read(result), why)
            }),
            State::Writing(write) => {
                let sent = self.clock.now();
                let request = match write {
                    Write::Create(lease) => self.api.create(lease).into_future(),
                    Write::Update(lease) => self.api.update(lease).into_future(),
                };
                Box::pin(async move {
                    let (result, why) = calls.bounded(request).await;
                    (Answer::Wrote(sent, result.map(Box::new)), why)
                })
            }
            State::Waiting(until) => {
                let wait = self
                    .clock
                    .sleep(until.saturating_duration_since(self.clock.now()));
                Box::pin(async move {
                    wait.await;
                    (Answer::Waited, None)
                })
            }
            State::Over(_) => Box::pin(pending()),
        }
    }

    /// Reads the lease.
    pub(super) async fn read(&self) -> (Result<Option<Box<Lease>>, Failure>, Option<String>) {
        let request = self.api.get(&self.name).into_future();
        match within(&*self.clock, self.limit, request).await {
            Some(Ok(lease)) => (Ok(Some(Box::new(lease))), None),
            Some(Err(error)) if error.is_not_found() => (Ok(None), None),
            Some(Err(error)) => (Err(Failure::Unknown), Some(error.to_string())),
            None => (Err(Failure::Unknown), Some(self.late())),
        }
    }

    /// Writes the lease over the version that it has.
    pub(super) async fn update(&self, lease: &Lease) -> (Result<Lease, Failure>, Option<String>) {
        self.bounded(self.api.update(lease).into_future()).await
    }

    async fn bounded(
        &self,
        request: BoxFuture<'static, Result<Lease, Error>>,
    ) -> (Result<Lease, Failure>, Option<String>) {
        match within(&*self.clock, self.limit, request).await {
            Some(Ok(lease)) => (Ok(lease), None),
            Some(Err(error)) => (Err(failure(&error)), Some(error.to_string())),
            None => (Err(Failure::Unknown), Some(self.late())),
        }
    }

    fn late(&self) -> String {
        format!("no answer within {:?}", self.limit)
    }
}

/// Only what servers say about the state of the lease is sure; all else, a proxy's failure for one, may come after the
/// write was done.
fn failure(error: &Error) -> Failure {
    if error.is_conflict() || error.is_already_exists() || error.is_not_found() {
        Failure::Refused
    } else {
        Failure::Unknown
    }
}
