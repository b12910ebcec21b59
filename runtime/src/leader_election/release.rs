//! Gives the lease up.

use std::time::Duration;

use super::driver::Driver;
use super::lease::Lease;
use crate::clock::within;
use crate::value::MicroTime;

/// Between two attempts to give the lease up that conflict.
const RELEASE_PAUSE: Duration = Duration::from_millis(10);

impl Driver {
    /// Gives the lease up, if this candidate holds it. Bounded by the renew deadline; conflicts are retried.
    pub(super) async fn release(&mut self) {
        let options = self.shared.options.clone();
        let known = self
            .memory
            .observed
            .as_ref()
            .map(|observed| observed.lease.clone());
        let known = known.filter(|lease| lease.spec.holder() == options.identity);
        let released = within(&*options.clock, options.timing.renew, self.try_release(known)).await;
        match released {
            Some(Some(lease)) => {
                tracing::info!(lease = %self.shared.lease, identity = %options.identity, "lease given up");
                if let Some(observed) = &mut self.memory.observed {
                    observed.lease = lease;
                }
            }
            Some(None) => {}
            None => {
                tracing::warn!(lease = %self.shared.lease, "the lease could not be given up in time; it expires");
            }
        }
        self.show(None);
    }

    /// The lease as it was given up; `None` if this candidate does not hold it.
    async fn try_release(&self, mut known: Option<Lease>) -> Option<Lease> {
        let options = &self.shared.options;
        loop {
            let lease = match known.take() {
                Some(lease) => lease,
                None => match self.calls.read().await.0 {
                    Ok(Some(lease)) if lease.spec.holder() == options.identity => *lease,
                    Ok(_) => return None,
                    Err(_) => {
                        options.clock.sleep(options.timing.retry).await;
                        continue;
                    }
                },
            };
            let released = self
                .memory
                .released(&lease, MicroTime::from(options.clock.wall()));
            match self.calls.update(&released).await.0 {
                Ok(lease) => return Some(lease),
                // A renewal that was under way, or an answer that was lost: the next look tells.
                Err(_) => options.clock.sleep(RELEASE_PAUSE).await,
            }
        }
    }
}
