//! A server of plain HTTP that answers from a table: what a cluster said, or what some other server would say.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// An answer.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) content_type: &'static str,
    pub(crate) body: String,
}

impl Answer {
    /// JSON with the code 200.
    pub(crate) fn json(body: impl Into<String>) -> Self {
        Self {
            code: 200,
            content_type: "application/json",
            body: body.into(),
        }
    }
}

/// A server; it lives as long as the process.
pub(crate) struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Answers by path, without the query; `otherwise` is for all others.
    pub(crate) fn start(answers: BTreeMap<String, Answer>, otherwise: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A client that goes away is no matter of this thread.
                let _ = serve(stream, &answers, &otherwise, &log);
            }
        });
        Self { port, asked }
    }

    /// The paths that were asked for, in order, each with its Accept header.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// Writes a kubeconfig that leads here, with a token in it; its path.
    pub(crate) fn kubeconfig(&self, folder: &Path) -> String {
        kubeconfig(folder, &format!("http://127.0.0.1:{}", self.port))
    }
}

/// The token of each kubeconfig: it must be in no message.
pub(crate) const TOKEN: &str = "s3cr3t-t0ken";

/// Writes a kubeconfig that leads to `server`; its path.
pub(crate) fn kubeconfig(folder: &Path, server: &str) -> String {
    let path = folder.join("config");
    let text = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: here\nclusters: [{{name: c, cluster: {{server: \"{server}\"}}}}]\n\
         users: [{{name: u, user: {{token: {TOKEN}}}}}]\ncontexts: [{{name: here, context: {{cluster: c, user: u}}}}]\n"
    );
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn serve(
    stream: TcpStream,
    answers: &BTreeMap<String, Answer>,
    otherwise: &Answer,
    log: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    let (mut line, mut accept) = (String::new(), String::new());
    if reader.fill_buf()?.first() == Some(&0x16) {
        // The start of a TLS handshake.
        return stream
            .write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    }
    reader.read_line(&mut line)?;
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("accept")
        {
            accept = value.trim().to_owned();
        }
    }
    let target = line.split(' ').nth(1).unwrap_or_default();
    let path = target.split('?').next().unwrap_or_default();
    log.lock().unwrap().push(format!("{path} {accept}"));
    let Answer {
        code,
        content_type,
        body,
    } = answers.get(path).unwrap_or(otherwise);
    write!(
        stream,
        "HTTP/1.1 {code} X\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}
