use std::collections::VecDeque;
use std::sync::Mutex;

use super::*;
use crate::clock::{TokioClock, VirtualClock};
use crate::transport::deadline::Deadline;
use crate::transport::{Body, BoxFuture, ConnectFailure, Headers, NoMetrics};

/// What the scripted server does with an attempt.
#[derive(Clone, Copy, Debug)]
enum Does {
    Answer(u16, Option<&'static str>),
    Fail(TransportErrorKind),
    Hang,
}
use Does::{Answer, Fail, Hang};

#[derive(Debug)]
struct Script {
    does: Mutex<VecDeque<Does>>,
    sent_at: Mutex<Vec<Duration>>,
    started: tokio::time::Instant,
    bodies: Mutex<Vec<bytes::Bytes>>,
}

impl Transport for Script {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        self.sent_at.lock().unwrap().push(self.started.elapsed());
        self.bodies.lock().unwrap().push(request.body);
        let mut script = self.does.lock().unwrap();
        // The last step goes on for ever.
        let does = if script.len() > 1 {
            script.pop_front().unwrap()
        } else {
            script[0]
        };
        Box::pin(async move {
            match does {
                Answer(status, after) => Ok(Response {
                    status,
                    headers: after
                        .map(|after| ("Retry-After", after))
                        .into_iter()
                        .collect::<Headers>(),
                    body: Body::full("answer"),
                }),
                Fail(kind) => Err(TransportError::new(kind, "it broke")),
                Hang => std::future::pending().await,
            }
        })
    }
}

const EPOCH: &str = "Thu, 01 Jan 1970 00:00:00 GMT";

struct Run {
    script: Arc<Script>,
    result: Result<Response, TransportError>,
    took: Duration,
}

async fn run(request: Request, does: &[Does], config: RetryConfig) -> Run {
    let started = tokio::time::Instant::now();
    let script = Arc::new(Script {
        does: Mutex::new(does.iter().copied().collect()),
        sent_at: Mutex::default(),
        started,
        bodies: Mutex::default(),
    });
    let clock: Arc<dyn Clock> = Arc::new(VirtualClock::starting_at(jiff::Timestamp::UNIX_EPOCH));
    let deadline = Deadline {
        next: Retry {
            next: script.clone(),
            authenticate: None,
            clock: clock.clone(),
            config,
            limiter: None,
            metrics: Arc::new(NoMetrics),
            trouble: Trouble::default(),
        },
        clock,
        default: None,
    };
    let result = deadline.send(request).await;
    Run {
        script,
        result,
        took: started.elapsed(),
    }
}

fn request(method: Method, kind: CallKind) -> Request {
    let mut request = Request::new(method, "/api");
    request.kind = kind;
    request.body = bytes::Bytes::from_static(b"body");
    request
}

/// The attempts went out at these seconds, or up to a fifth of the whole wait later.
#[track_caller]
fn check_times(run: &Run, expected: &[f64], what: &str) {
    let sent = run.script.sent_at.lock().unwrap();
    assert_eq!(sent.len(), expected.len(), "{what}: {sent:?}");
    for (sent, expected) in sent.iter().zip(expected) {
        let sent = sent.as_secs_f64();
        // Tokio's timer counts whole milliseconds, rounded up.
        let latest = expected * 1.2 + 0.002 * expected.ceil();
        assert!(
            sent >= *expected && sent <= latest,
            "{what}: {sent} for {expected}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn each_row_of_the_table() {
    let unary = CallKind::Unary;
    let check = async |method, kind, first: Does, expected: &[f64]| {
        let run = run(
            request(method, kind),
            &[first, Answer(200, None)],
            RetryConfig::default(),
        )
        .await;
        check_times(&run, expected, &format!("{method} {kind:?} {first:?}"));
        assert_eq!(run.result.is_ok_and(|r| r.status == 200), expected.len() == 2);
    };
    for method in [
        Method::Get,
        Method::Post,
        Method::Put,
        Method::Patch,
        Method::Delete,
    ] {
        check(method, unary, Answer(429, Some("2")), &[0.0, 2.0]).await;
        check(method, unary, Answer(503, Some("1")), &[0.0, 1.0]).await;
        check(method, unary, Answer(500, Some("1")), &[0.0, 1.0]).await;
        check(method, unary, Answer(429, None), &[0.0]).await;
        check(method, unary, Answer(503, None), &[0.0]).await;
        check(method, unary, Answer(409, Some("1")), &[0.0]).await;
        let reset: &[f64] = if method == Method::Get {
            &[0.0, 1.0]
        } else {
            &[0.0]
        };
        check(method, unary, Fail(TransportErrorKind::Reset), reset).await;
        check(method, unary, Fail(TransportErrorKind::Closed), reset).await;
        check(method, unary, Fail(TransportErrorKind::Timeout), &[0.0]).await;
        check(
            method,
            unary,
            Fail(TransportErrorKind::Connect(ConnectFailure::Refused)),
            &[0.0],
        )
        .await;
        check(method, unary, Fail(TransportErrorKind::Tls), &[0.0]).await;
        check(method, unary, Fail(TransportErrorKind::Protocol), &[0.0]).await;
    }
    let stream = CallKind::Stream;
    check(Method::Get, stream, Answer(429, Some("1")), &[0.0, 1.0]).await;
    check(Method::Get, stream, Answer(429, None), &[0.0]).await;
    check(Method::Get, stream, Fail(TransportErrorKind::Closed), &[0.0, 1.0]).await;
    check(
        Method::Get,
        stream,
        Fail(TransportErrorKind::Timeout),
        &[0.0, 1.0],
    )
    .await;
    let upgrade = CallKind::Upgrade;
    check(Method::Get, upgrade, Answer(429, Some("1")), &[0.0, 1.0]).await;
    check(Method::Get, upgrade, Fail(TransportErrorKind::Reset), &[0.0]).await;
    check(
        Method::Get,
        unary,
        Answer(429, Some("Thu, 01 Jan 1970 00:00:07 GMT")),
        &[0.0, 7.0],
    )
    .await;
    check(Method::Get, unary, Answer(429, Some(EPOCH)), &[0.0, 0.05]).await;
    check(Method::Get, unary, Answer(429, Some("0")), &[0.0, 0.05]).await;
    check(Method::Get, unary, Answer(429, Some("soon")), &[0.0]).await;
    check(Method::Get, unary, Answer(429, Some("301")), &[0.0]).await;
}

#[tokio::test(start_paused = true)]
async fn attempts_are_bounded_and_the_last_answer_is_handed_out() {
    let run = run(
        request(Method::Post, CallKind::Unary),
        &[Answer(429, Some("1"))],
        RetryConfig::default(),
    )
    .await;
    assert_eq!(run.script.sent_at.lock().unwrap().len(), 10);
    assert!(
        run.script
            .bodies
            .lock()
            .unwrap()
            .iter()
            .all(|body| body == "body")
    );
    let response = run.result.unwrap();
    assert_eq!(response.status, 429);
    assert_eq!(response.body.collect(100).await.unwrap(), "answer");
}

#[tokio::test(start_paused = true)]
async fn one_attempt_means_no_repetition() {
    let config = RetryConfig {
        max_attempts: 1,
        ..RetryConfig::default()
    };
    let run = run(
        request(Method::Get, CallKind::Unary),
        &[Answer(429, Some("1"))],
        config,
    )
    .await;
    check_times(&run, &[0.0], "one");
    assert_eq!(run.result.unwrap().status, 429);
}

#[tokio::test(start_paused = true)]
async fn waits_without_a_named_time_grow() {
    let script = [Answer(429, Some("0")); 4];
    let run = run(
        request(Method::Get, CallKind::Unary),
        &[&script[..], &[Answer(200, None)]].concat(),
        RetryConfig::default(),
    )
    .await;
    check_times(&run, &[0.0, 0.05, 0.15, 0.35, 0.75], "growing");
}

#[tokio::test(start_paused = true)]
async fn the_last_error_tells_of_the_attempt_before() {
    let mut limited = request(Method::Get, CallKind::Unary);
    limited.timeout = Some(Duration::from_secs(5));
    let script = [Answer(503, Some("2")), Fail(TransportErrorKind::Reset), Hang];
    let run = run(limited, &script, RetryConfig::default()).await;
    let error = run.result.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Timeout);
    assert!(
        error.to_string().contains("attempt 2 failed: it broke"),
        "{error}"
    );
    assert_eq!(error.earlier(), Some("attempt 2 failed: it broke"));
    assert_eq!(run.took.as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_wait_beyond_the_timeout_is_not_begun() {
    let mut limited = request(Method::Get, CallKind::Unary);
    limited.timeout = Some(Duration::from_secs(5));
    let run = run(limited, &[Answer(429, Some("6"))], RetryConfig::default()).await;
    assert_eq!(run.result.unwrap().status, 429);
    assert_eq!(run.took, Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_call_ends_the_wait() {
    let call = run(
        request(Method::Get, CallKind::Unary),
        &[Answer(429, Some("60"))],
        RetryConfig::default(),
    );
    let clock = TokioClock;
    assert!(
        crate::clock::within(&clock, Duration::from_secs(1), call)
            .await
            .is_none()
    );
}

#[test]
fn retry_after_is_seconds_or_a_date() {
    let now: jiff::Timestamp = "2015-10-21T07:28:00Z".parse().unwrap();
    let check = |value: &str, expected: Option<u64>| {
        assert_eq!(
            retry_after(value, now),
            expected.map(Duration::from_secs),
            "{value:?}"
        );
    };
    check("0", Some(0));
    check(" 120 ", Some(120));
    check("Wed, 21 Oct 2015 07:28:30 GMT", Some(30));
    check("Wed, 21 Oct 2015 07:00:00 GMT", Some(0));
    for nonsense in [
        "",
        " ",
        "-1",
        "+1",
        "1.5",
        "1s",
        "soon",
        "99999999999999999999",
        "Wed, 99 Oct 2015 07:28:30 GMT",
        "\u{0}",
    ] {
        check(nonsense, None);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_in_trouble_is_left_alone_for_longer_and_longer() {
    use crate::config::UrlBackoff;

    let answers = [500, 503, 429, 500, 404, 500, 200].map(|status| Answer(status, None));
    let started = tokio::time::Instant::now();
    let script = Arc::new(Script {
        does: Mutex::new(answers.into_iter().collect()),
        sent_at: Mutex::default(),
        started,
        bodies: Mutex::default(),
    });
    let backoff = UrlBackoff {
        base: Duration::from_secs(1),
        most: Duration::from_secs(3),
    };
    let retry = Retry {
        next: script.clone(),
        authenticate: None,
        clock: Arc::new(VirtualClock::starting_at(jiff::Timestamp::UNIX_EPOCH)),
        config: RetryConfig {
            backoff: Some(backoff),
            ..RetryConfig::default()
        },
        limiter: None,
        metrics: Arc::new(NoMetrics),
        trouble: Trouble::default(),
    };
    for _ in answers {
        let earlier = Earlier::default();
        retry
            .send(request(Method::Get, CallKind::Unary), None, &earlier)
            .await
            .unwrap();
    }
    let sent: Vec<u64> = script
        .sent_at
        .lock()
        .unwrap()
        .iter()
        .map(Duration::as_secs)
        .collect();
    // After 500, 503, 429, 500 it waits 1, 2, 3, 3; the 404 ends that.
    assert_eq!(sent, [0, 1, 3, 6, 9, 9, 10]);
}
