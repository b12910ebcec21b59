//! One of many does the work: `cargo run -p kubeloom-tests --example leader -- NAMESPACE`, any number of times. Ctrl-C
//! hands the leadership on.

use std::time::Duration;

use kubeloom::RestClient;
use kubeloom::events::{EventOptions, ObjectReference, Recorder, Type};
use kubeloom::leader_election::{ElectionOptions, LeaderElector};
use tokio::time::sleep;

/// Between two rounds of work.
const PERIOD: Duration = Duration::from_secs(5);

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = RestClient::from_env().await?;
    let namespace = std::env::args()
        .nth(1)
        .unwrap_or_else(|| client.default_namespace().to_owned());
    let recorder = Recorder::start(&client, EventOptions::new("example.com/reaper"))?;
    let options = ElectionOptions::new(&namespace, "reaper").recorder(&recorder);
    let elector = LeaderElector::new(&client, options)?;
    println!("{} stands for election", elector.identity());

    let stop = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    let teller = recorder.clone();
    let outcome = elector
        .run_until(stop, async move |leadership| {
            println!("{} leads, term {}", leadership.identity(), leadership.token());
            let object = ObjectReference {
                api_version: "v1".into(),
                kind: "Namespace".into(),
                name: namespace.into(),
                ..ObjectReference::default()
            };
            // Asked before each step that two must not do.
            while leadership.is_valid() {
                teller.event(&object, Type::Normal, "Reaped", "Reap", "nothing was left");
                println!("reaped");
                // Ends early when the leadership does.
                if leadership.guard(sleep(PERIOD)).await.is_err() {
                    break;
                }
            }
        })
        .await;
    println!("{outcome:?}");
    recorder.shutdown(Duration::from_secs(5)).await;
    Ok(())
}
