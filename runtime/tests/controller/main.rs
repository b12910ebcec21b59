//! Controllers against a scripted list/watch server, in paused time.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "helpers of tests fail as tests do; the server has more than is needed here"
)]

mod failures;
mod life;
mod objects;
mod owners;
#[path = "../cache/server.rs"]
mod server;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use kubeloom::cache::{ApiListWatch, ObjectKey, SharedInformer};
use kubeloom::controller::{Action, Context, Controller, ControllerHandle};

use self::server::{Server, Streams, Thing};

/// Waits, in virtual time, until something holds.
async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..20_000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("never: {what}");
}

/// The keys that a reconciler was run for.
#[derive(Clone, Default)]
struct Runs(Arc<Mutex<Vec<String>>>);

impl Runs {
    fn push(&self, text: impl ToString) {
        self.0.lock().unwrap().push(text.to_string());
    }

    fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    fn sorted(&self) -> Vec<String> {
        let mut runs = self.take();
        runs.sort();
        runs
    }
}

struct World {
    server: Server,
    informer: SharedInformer<Thing>,
    runs: Runs,
}

impl World {
    fn new() -> Self {
        let server = Server::new(Streams::Offered);
        Self {
            informer: SharedInformer::new(ApiListWatch::new(&server.client(), None)),
            server,
            runs: Runs::default(),
        }
    }

    fn controller(&self) -> Controller {
        Controller::new("things").reconciles(&self.informer)
    }

    /// Runs a controller whose reconciler does what `react` says.
    fn start(
        &self,
        controller: Controller,
        react: impl Fn(&Context, &ObjectKey) -> Result<Action, std::io::Error> + Send + Sync + 'static,
    ) -> ControllerHandle {
        let runs = self.runs.clone();
        controller.start(move |context, key| {
            runs.push(&key);
            std::future::ready(react(&context, &key))
        })
    }
}
