//! A server of events without a socket; it fails as it is told.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kubeloom::RestClient;
use kubeloom::clock::VirtualClock;
use kubeloom::events::{EventOptions, Recorder};
use kubeloom::rest::ClientOptions;
use kubeloom::transport::{
    Body, BoxFuture, Headers, Method, Request, Response, Transport, TransportError, TransportErrorKind,
};
use kubeloom::wire::Format;
use serde_json::{Value, json};
use tokio::time::sleep;

/// What happens to a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    None,
    Refused,
    Hangs,
    Says(u16, &'static str),
    AnswerLost,
}

/// Events by name, and the requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Server {
    pub(crate) events: Arc<Mutex<BTreeMap<String, Value>>>,
    pub(crate) seen: Arc<Mutex<Vec<(Method, String, Value)>>>,
    pub(crate) next: Arc<Mutex<VecDeque<Fault>>>,
    pub(crate) always: Arc<Mutex<Option<Fault>>>,
    pub(crate) delay: Arc<Mutex<Duration>>,
}

impl Server {
    pub(crate) fn recorder(&self, change: impl FnOnce(&mut EventOptions)) -> Recorder {
        let clock = VirtualClock::starting_at(jiff::Timestamp::from_second(1_800_000_000).unwrap());
        let mut options = EventOptions::new("example.com/reaper").clock(Arc::new(clock));
        change(&mut options);
        let client_options = {
            let mut options = ClientOptions::default();
            options.format = Format::Json;
            options
        };
        let client = RestClient::with_transport(self.clone(), client_options);
        Recorder::start(&client, options).unwrap()
    }

    pub(crate) fn events(&self) -> Vec<Value> {
        self.events.lock().unwrap().values().cloned().collect()
    }

    pub(crate) fn methods(&self) -> Vec<Method> {
        self.seen.lock().unwrap().iter().map(|seen| seen.0).collect()
    }

    fn handle(&self, request: &Request) -> (u16, Value) {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let path = request.path.split('?').next().unwrap();
        let mut events = self.events.lock().unwrap();
        match request.method {
            Method::Post => {
                let key = format!("{path}/{}", body["metadata"]["name"].as_str().unwrap());
                if events.contains_key(&key) {
                    return (409, status(409, "AlreadyExists"));
                }
                events.insert(key, body.clone());
                (201, body)
            }
            Method::Patch => {
                let Some(event) = events.get_mut(path) else {
                    return (404, status(404, "NotFound"));
                };
                for (field, value) in body.as_object().unwrap() {
                    event[field] = value.clone();
                }
                (200, event.clone())
            }
            method => panic!("{method}"),
        }
    }
}

fn status(code: u16, reason: &str) -> Value {
    json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason})
}

impl Transport for Server {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        let fault = self.next.lock().unwrap().pop_front();
        let fault = fault.or(*self.always.lock().unwrap()).unwrap_or(Fault::None);
        let body = serde_json::from_slice(&request.body).unwrap_or_default();
        let path = request.path.clone();
        self.seen.lock().unwrap().push((request.method, path, body));
        let delay = *self.delay.lock().unwrap();
        let failed = |text: &'static str| Err(TransportError::new(TransportErrorKind::Closed, text));
        Box::pin(async move {
            sleep(delay).await;
            let (code, answer) = match fault {
                Fault::Refused => return failed("refused"),
                Fault::Hangs => std::future::pending().await,
                Fault::Says(code, reason) => (code, status(code, reason)),
                Fault::None => self.handle(&request),
                Fault::AnswerLost => {
                    self.handle(&request);
                    return failed("lost");
                }
            };
            let mut headers = Headers::new();
            headers.set("content-type", "application/json");
            Ok(Response {
                status: code,
                headers,
                body: Body::stream(futures_util::stream::iter([Ok(answer.to_string().into())])),
            })
        })
    }
}
