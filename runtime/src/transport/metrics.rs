//! [`Metrics`]: what the transport tells about its work, for whoever counts it.

use std::fmt::Debug;
use std::time::Duration;

use super::{CallKind, Method, Request};

/// What a measurement is about. The values are few: paths have their variable segments named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Labels<'a> {
    /// The HTTP method.
    pub method: Method,
    /// The path with its variable segments named: `/api/v1/namespaces/{namespace}/pods/{name}`.
    pub path: &'a str,
    /// Unary call, stream or upgrade.
    pub kind: CallKind,
}

impl<'a> Labels<'a> {
    pub(super) fn of(request: &'a Request) -> Self {
        Self {
            method: request.method,
            path: &request.template,
            kind: request.kind,
        }
    }
}

/// What came of reading the files of authorities and client certificates again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reload {
    /// Nothing has changed.
    Unchanged,
    /// New connections use what has changed.
    Changed {
        /// The authorities have.
        authority: bool,
        /// The client certificate or its key has.
        identity: bool,
    },
    /// They cannot be used; the old ones are.
    Failed,
}

/// Receives measurements. All methods do nothing unless implemented; they are called on the tasks that make the calls,
/// any number at once, and must not block.
pub trait Metrics: Debug + Send + Sync {
    /// An attempt was sent.
    fn started(&self, labels: &Labels<'_>) {
        let _ = labels;
    }

    /// An attempt ended, once for each [`Metrics::started`]: its body was read or dropped, or there was none. The
    /// difference of the two is the number of calls in flight.
    fn ended(&self, labels: &Labels<'_>) {
        let _ = labels;
    }

    /// The header of an attempt's response has arrived `latency` after the attempt was sent; `status` is `None` if none
    /// came.
    fn answered(&self, labels: &Labels<'_>, status: Option<u16>, latency: Duration) {
        let _ = (labels, status, latency);
    }

    /// `sent` bytes of an attempt's request body went out; called once.
    fn sent(&self, labels: &Labels<'_>, sent: u64) {
        let _ = (labels, sent);
    }

    /// `received` bytes of an attempt's response body came in, as they arrive, before they are decompressed.
    fn received(&self, labels: &Labels<'_>, received: u64) {
        let _ = (labels, received);
    }

    /// A call is sent again after its attempt number `attempt` (from 1).
    fn retry(&self, labels: &Labels<'_>, attempt: u32) {
        let _ = (labels, attempt);
    }

    /// The host `host` was looked up in the name service.
    fn resolved(&self, host: &str, took: Duration, succeeded: bool) {
        let _ = (host, took, succeeded);
    }

    /// TLS was agreed on with the server `host`, or not.
    fn secured(&self, host: &str, took: Duration, succeeded: bool) {
        let _ = (host, took, succeeded);
    }

    /// The files of authorities and client certificates were read again.
    fn reloaded(&self, outcome: Reload) {
        let _ = outcome;
    }

    /// The credential plugin `command` has run.
    fn plugin_ran(&self, command: &str, took: Duration, succeeded: bool) {
        let _ = (command, took, succeeded);
    }

    /// A call was held back by the client-side rate limit.
    fn throttled(&self, labels: &Labels<'_>, waited: Duration) {
        let _ = (labels, waited);
    }
}

/// Counts nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMetrics;

impl Metrics for NoMetrics {}
