//! The metrics endpoint: `/metrics` for Prometheus, `/healthz` and `/readyz` for probes.

use std::fmt::Write as _;

use kubeloom::controller::ControllerHandle;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// What is scraped. All label values come from a fixed set.
pub fn text(handle: &ControllerHandle) -> String {
    let status = handle.status();
    let name = &status.name;
    let mut text = String::new();
    let mut line = |metric: &str, labels: &str, value: f64| {
        // Writing to a String does not fail.
        let _ = writeln!(text, "{metric}{{controller=\"{name}\"{labels}}} {value}");
    };
    for (outcome, count) in &status.outcomes {
        let labels = format!(",outcome=\"{}\"", outcome.as_str());
        line("controller_runs_total", &labels, *count as f64);
    }
    line("workqueue_depth", "", status.queue.ready as f64);
    line("workqueue_delayed", "", status.queue.delayed as f64);
    line("workqueue_running", "", status.queue.running as f64);
    line("workqueue_adds_total", "", status.queue.added as f64);
    line(
        "workqueue_unfinished_work_seconds",
        "",
        status.queue.unfinished.as_secs_f64(),
    );
    let longest = status.queue.longest_running.unwrap_or_default();
    line(
        "workqueue_longest_running_processor_seconds",
        "",
        longest.as_secs_f64(),
    );
    text
}

fn answer(handle: &ControllerHandle, path: &str) -> (&'static str, String) {
    let is = |holds: bool| {
        if holds {
            "200 OK"
        } else {
            "503 Service Unavailable"
        }
    };
    match path {
        "/metrics" => ("200 OK", text(handle)),
        "/readyz" => (is(handle.is_ready()), format!("{:?}\n", handle.phase())),
        "/healthz" => match handle.health() {
            Ok(()) => ("200 OK", "ok\n".to_owned()),
            Err(reason) => (is(false), format!("{reason}\n")),
        },
        _ => ("404 Not Found", String::new()),
    }
}

/// Answers one request for each connection, for ever. A real program uses the HTTP server that it has.
pub async fn serve(listener: TcpListener, handle: ControllerHandle) {
    while let Ok((mut stream, _)) = listener.accept().await {
        let handle = handle.clone();
        tokio::spawn(async move {
            let mut request = [0; 1024];
            let length = stream.read(&mut request).await.unwrap_or_default();
            let request = String::from_utf8_lossy(&request[..length]).into_owned();
            let path = request.split(' ').nth(1).unwrap_or_default();
            let (status, body) = answer(&handle, path);
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            // A client that is gone needs no answer.
            let _ = stream.write_all((head + &body).as_bytes()).await;
        });
    }
}
