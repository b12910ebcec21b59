//! The leader's task: begun, watched, and ended when there is no other way.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinHandle;

use crate::sync::panic_message;

/// How a task ended.
#[derive(Debug, PartialEq)]
pub(super) enum TaskEnd<T> {
    Returned(T),
    Panicked(String),
    Aborted,
}

/// A task that is aborted when this is dropped.
#[derive(Debug)]
pub(super) struct Task<T> {
    handle: JoinHandle<T>,
}

impl<T: Send + 'static> Task<T> {
    /// Begins a task. The permit is given back when the task has ended, be it long after this was dropped: a task that
    /// blocks cannot be ended.
    pub(super) fn spawn(
        work: impl Future<Output = T> + Send + 'static,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Self {
        let handle = tokio::spawn(async move {
            let _permit = permit;
            work.await
        });
        Self { handle }
    }

    pub(super) fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<TaskEnd<T>> {
        Pin::new(&mut self.handle).poll(cx).map(|result| match result {
            Ok(output) => TaskEnd::Returned(output),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => TaskEnd::Panicked(panic_message(&*panic)),
                Err(_) => TaskEnd::Aborted,
            },
        })
    }

    /// Completes when the task has ended. Cancel-safe.
    pub(super) async fn end(&mut self) -> TaskEnd<T> {
        poll_fn(|cx| self.poll_end(cx)).await
    }

    pub(super) fn abort(&self) {
        self.handle.abort();
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.handle.abort();
    }
}
