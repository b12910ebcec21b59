//! [`Gate`]: whether this replica may work.

use std::fmt::Debug;

use futures_core::future::BoxFuture;

/// Whether this replica may work: what a leader election is to a controller.
///
/// The controller waits for [`Gate::opened`], works until [`Gate::closed`], and begins anew. When it is stopped it calls
/// [`Gate::release`] once, after its last worker has ended.
pub trait Gate: Debug + Send + Sync {
    /// Completes when this replica may work. Called again after [`Gate::closed`] has completed; dropped when the
    /// controller is stopped meanwhile.
    fn opened(&self) -> BoxFuture<'_, ()>;

    /// Completes when this replica may no longer work. The reconcilers that run are then dropped at once, wherever they
    /// wait; their keys stay in the queue.
    fn closed(&self) -> BoxFuture<'_, ()>;

    /// No reconciler runs and none will: another replica may be let in.
    fn release(&self) -> BoxFuture<'_, ()>;
}

/// A gate that is always open.
#[derive(Clone, Copy, Debug, Default)]
pub struct Open;

impl Gate for Open {
    fn opened(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
    fn closed(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }
    fn release(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}
