//! Informers, a queue and workers, put together: what turns what is seen into what is done.
//!
//! | file | what is there |
//! |---|---|
//! | `builder` | [`Controller`]: what is watched, and how it is worked on |
//! | `sources` | from events of informers to keys |
//! | `reconcile` | [`Action`], [`Context`]: what a reconciler is given and gives back |
//! | `worker` | one worker: takes a key, runs the reconciler, decides about the next run |
//! | `run` | a life: sync, gate, work, stop |
//! | `handle` | [`ControllerHandle`]: status, health, stop |
//! | `gate`, `elected` | [`Gate`]: whether this replica may work; [`Elected`]: by leader election |
//! | `metrics` | [`ControllerMetrics`] |
//! | `finalizer` | [`Finalizer`]: a last word before an object goes |
//!
//! A reconciler is given a key, never an event: it reads what there is, from the informers' stores, and brings the world
//! nearer to it. It must stand being run again.
//!
//! ```no_run
//! # async fn example<Site: kubeloom::cache::Informed, ConfigMap: kubeloom::cache::Informed>(
//! #     client: kubeloom::RestClient,
//! # ) -> Result<(), Box<dyn std::error::Error>> {
//! use std::time::Duration;
//! use kubeloom::cache::SharedInformerFactory;
//! use kubeloom::controller::{Action, Controller};
//!
//! let factory = SharedInformerFactory::new(&client);
//! let (sites, config_maps) = (factory.informer::<Site>(), factory.informer::<ConfigMap>());
//! let lister = sites.lister();
//! let handle = Controller::new("sites")
//!     .reconciles(&sites)
//!     .owns::<Site, _>(&config_maps)
//!     .workers(4)
//!     .timeout(Duration::from_secs(60))
//!     .start(move |_context, key| {
//!         let site = lister.namespace(&key.namespace).get(&key.name);
//!         async move {
//!             let Some(site) = site else { return Ok(Action::Done) };
//!             println!("{key} is at {}", site.metadata().generation);
//!             Ok::<_, kubeloom::Error>(Action::After(Duration::from_secs(600)))
//!         }
//!     });
//! handle.ready().await;
//! handle.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! All of it stands on public pieces: [`SharedInformer`](crate::cache::SharedInformer) and
//! [`WorkQueue`](crate::workqueue::WorkQueue) make the same loop by hand.
//!
//! This module must not know any kind.

mod builder;
mod elected;
mod finalizer;
mod gate;
mod handle;
mod metrics;
mod reconcile;
mod run;
mod sources;
mod worker;

pub use builder::{Controller, OnStop};
pub use elected::Elected;
pub use finalizer::{Finalizer, FinalizerError};
pub use gate::{Gate, Open};
pub use handle::{
    ControllerHandle, ControllerStatus, Failure, FailureKind, Phase, SourceStatus, Unhealthy, WorkerStatus,
};
pub use metrics::{ControllerMetrics, Outcome};
pub use reconcile::{Action, BoxError, Context, ReconcileKey};
