//! [`FixedServer`]: pods over plain HTTP, the same bytes for everyone, at no cost to speak of.
//!
//! It lists and watches pods, as JSON and as protobuf, with streaming lists (KEP-3157), and does nothing else. What it sends
//! after the first list it sends when it is told: changes, or the word that all is too old and the list has to be read
//! again. A real API server would take more of the machine than the programs that are measured.

use std::fmt;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

use anyhow::{Context, Result};
use kubeloom::meta::{List, ListMeta, ObjectMeta, Status};
use kubeloom::wire::{EncodeError, Format, Wire};
use kubeloom_k8s::core_v1::Pod;

use crate::frames::watch_event;

/// The version of the first pod in the second list; as in `peer_harness::caches`.
const MARK: &str = "2900000";
/// The versions of the lists.
const VERSIONS: [&str; 2] = ["1000000", "3000000"];

/// A server that ends with the process.
pub(super) struct FixedServer {
    port: u16,
    shared: Arc<Shared>,
}

impl fmt::Debug for FixedServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FixedServer")
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

struct Shared {
    pods: Vec<Pod>,
    bodies: [Bodies; 2],
    state: Mutex<State>,
    changed: Condvar,
}

/// What is sent in one format, made when it is first asked for.
struct Bodies {
    format: Format,
    lists: [OnceLock<Vec<u8>>; 2],
    added: OnceLock<Vec<Vec<u8>>>,
    marked: OnceLock<Vec<u8>>,
    changes: OnceLock<Vec<Vec<u8>>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Which list is sent.
    list: usize,
    /// How many changes are sent.
    changes: usize,
    /// Whoever began before has nothing more to expect.
    era: usize,
}

impl FixedServer {
    /// Serves these pods on a free port.
    pub(super) fn start(pods: Vec<Pod>) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("listen")?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared {
            pods,
            bodies: [Format::Json, Format::Protobuf].map(|format| Bodies {
                format,
                lists: [OnceLock::new(), OnceLock::new()],
                added: OnceLock::new(),
                marked: OnceLock::new(),
                changes: OnceLock::new(),
            }),
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let served = shared.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let served = served.clone();
                // A client that goes away ends its thread.
                thread::spawn(move || serve(&stream, &served));
            }
        });
        Ok(Self { port, shared })
    }

    /// A kubeconfig document for it.
    pub(super) fn kubeconfig(&self) -> String {
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: fixed\nclusters:\n- name: fixed\n  cluster:\n    server: \
             http://127.0.0.1:{}\ncontexts:\n- name: fixed\n  context:\n    cluster: fixed\n    user: nobody\nusers:\n- name: \
             nobody\n  user: {{}}\n",
            self.port
        )
    }

    /// Makes all that may be asked for, so that no program waits for it.
    pub(super) fn prepare(&self) {
        let [json, protobuf] = &self.shared.bodies;
        for list in [0, 1] {
            json.list(&self.shared.pods, list);
        }
        protobuf.added(&self.shared.pods);
        for bodies in [json, protobuf] {
            bodies.changes(&self.shared.pods);
            bodies.marked(&self.shared.pods);
        }
    }

    /// Begins anew, for the next program.
    pub(super) fn reset(&self) {
        self.change(|state| {
            *state = State {
                era: state.era + 1,
                ..State::default()
            };
        });
    }

    /// Sends so many changes, each of another pod.
    pub(super) fn send_changes(&self, count: usize) {
        self.change(|state| state.changes = count);
    }

    /// Says that what was sent is too old; the next list is the second.
    pub(super) fn expire(&self) {
        self.change(|state| {
            state.list = 1;
            state.era += 1;
        });
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.shared.state());
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Something that does not encode is a mistake of the types, and shows as an empty body.
fn or_empty(encoded: Result<Vec<u8>, EncodeError>) -> Vec<u8> {
    encoded.unwrap_or_default()
}

fn with_version(pod: &Pod, version: &str) -> Pod {
    let mut pod = pod.clone();
    pod.metadata.resource_version = version.into();
    pod
}

impl Bodies {
    fn list(&self, pods: &[Pod], number: usize) -> &[u8] {
        self.lists[number].get_or_init(|| {
            let mut items = pods.to_vec();
            if let (1, Some(first)) = (number, items.first_mut()) {
                first.metadata.resource_version = MARK.into();
            }
            let list = List {
                metadata: ListMeta {
                    resource_version: VERSIONS[number].into(),
                    ..ListMeta::default()
                },
                items,
            };
            or_empty(list.encode(self.format))
        })
    }

    fn added(&self, pods: &[Pod]) -> &[Vec<u8>] {
        self.added
            .get_or_init(|| pods.iter().map(|pod| self.event("ADDED", pod)).collect())
    }

    fn marked(&self, pods: &[Pod]) -> &[u8] {
        let marked = || {
            pods.first()
                .map(|pod| self.event("ADDED", &with_version(pod, MARK)))
        };
        self.marked.get_or_init(|| marked().unwrap_or_default())
    }

    fn changes(&self, pods: &[Pod]) -> &[Vec<u8>] {
        self.changes.get_or_init(|| {
            let changes = pods.iter().enumerate();
            let changed = changes.map(|(number, pod)| with_version(pod, &(1_000_001 + number).to_string()));
            changed.map(|pod| self.event("MODIFIED", &pod)).collect()
        })
    }

    /// The end of the initial events.
    fn bookmark(&self, version: &str) -> Vec<u8> {
        let mut metadata = ObjectMeta {
            resource_version: version.into(),
            ..ObjectMeta::default()
        };
        metadata
            .annotations
            .insert("k8s.io/initial-events-end".into(), "true".into());
        self.event(
            "BOOKMARK",
            &Pod {
                metadata,
                ..Pod::default()
            },
        )
    }

    fn expired(&self) -> Vec<u8> {
        let status = Status {
            status: "Failure".into(),
            code: 410,
            reason: "Expired".into(),
            message: "too old resource version".into(),
            ..Status::default()
        };
        self.event("ERROR", &status)
    }

    fn event(&self, kind: &str, object: &impl Wire) -> Vec<u8> {
        or_empty(watch_event(self.format, kind, object))
    }
}

/// What a request asks for.
struct Request {
    path: String,
    protobuf: bool,
}

fn serve(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut lines = BufReader::new(stream);
    let mut out = BufWriter::with_capacity(256 << 10, stream);
    while let Some(request) = read(&mut lines)? {
        let bodies = &shared.bodies[usize::from(request.protobuf)];
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        let has = |wanted: &str| query.split('&').any(|pair| pair == wanted);
        if path != "/api/v1/pods" {
            write!(out, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")?;
        } else if has("watch=true") || has("watch=1") {
            watch(bodies, shared, has("sendInitialEvents=true"), &mut out)?;
        } else {
            let list = shared.state().list;
            let body = bodies.list(&shared.pods, list);
            let kind = bodies.format.content_type();
            write!(
                out,
                "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
                body.len()
            )?;
            out.write_all(body)?;
        }
        out.flush()?;
    }
    Ok(())
}

fn read(lines: &mut impl BufRead) -> io::Result<Option<Request>> {
    let mut line = String::new();
    if lines.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut request = Request {
        path: line.split(' ').nth(1).unwrap_or_default().to_owned(),
        protobuf: false,
    };
    loop {
        line.clear();
        lines.read_line(&mut line)?;
        let header = line.trim().to_ascii_lowercase();
        if header.is_empty() {
            return Ok(Some(request));
        }
        request.protobuf |= header.starts_with("accept:") && header.contains("protobuf");
    }
}

fn watch(bodies: &Bodies, shared: &Shared, initial: bool, out: &mut impl Write) -> io::Result<()> {
    let begun = *shared.state();
    let kind = bodies.format.content_type();
    write!(
        out,
        "HTTP/1.1 200 OK\r\nContent-Type: {kind};stream=watch\r\nTransfer-Encoding: chunked\r\n\r\n"
    )?;
    if initial {
        for (number, frame) in bodies.added(&shared.pods).iter().enumerate() {
            let marked = begun.list == 1 && number == 0;
            chunk(
                out,
                if marked {
                    bodies.marked(&shared.pods)
                } else {
                    frame
                },
            )?;
        }
        chunk(out, &bodies.bookmark(VERSIONS[begun.list]))?;
    }
    out.flush()?;
    let mut sent = 0;
    loop {
        let mut state = shared.state();
        while state.era == begun.era && state.changes <= sent {
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let now = *state;
        drop(state);
        if now.era != begun.era {
            chunk(out, &bodies.expired())?;
            return out.write_all(b"0\r\n\r\n");
        }
        for frame in bodies.changes(&shared.pods).iter().take(now.changes).skip(sent) {
            chunk(out, frame)?;
        }
        sent = now.changes;
        out.flush()?;
    }
}

fn chunk(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    write!(out, "{:x}\r\n", bytes.len())?;
    out.write_all(bytes)?;
    out.write_all(b"\r\n")
}
