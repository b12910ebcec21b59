//! From a call to a WebSocket.

use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use crate::error::{Error, ErrorKind};
use crate::rest::Call;
use crate::transport::{CallKind, Response, TransportError, TransportErrorKind, Upgraded};

/// With end of input.
pub(super) const V5: &str = "v5.channel.k8s.io";
/// Without it.
pub(super) const V4: &str = "v4.channel.k8s.io";

/// The largest message that is taken; servers send 32 KiB at a time.
const LARGEST_MESSAGE: usize = 16 << 20;

/// Opens a WebSocket that speaks one of `protocols`, the best first; hands out which.
pub(super) async fn open(
    call: Call,
    protocols: &'static [&'static str],
) -> Result<(WebSocketStream<Upgraded>, &'static str), Error> {
    let key = generate_key();
    let mut call = call
        .kind(CallKind::Upgrade)
        .header("connection", "Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-protocol", &protocols.join(", "))
        .header("sec-websocket-key", &key)
        .header("accept", "application/json, */*");
    let response = call.open().await?;
    let context = call.context();
    let fail = |problem: &str| {
        let message = format!(
            "{problem}; exec, attach and port-forward need WebSocket as API servers from Kubernetes 1.30 on speak it, \
             and proxies that pass it on"
        );
        let error = TransportError::new(TransportErrorKind::Protocol, message);
        Error::new(context.clone(), ErrorKind::Transport(error))
    };
    let protocol = check(&response, &key, protocols).map_err(|problem| fail(&problem))?;
    let upgraded = response
        .body
        .into_upgraded()
        .map_err(|_| fail("the connection was not upgraded"))?;
    let config = WebSocketConfig::default()
        .max_message_size(Some(LARGEST_MESSAGE))
        .max_frame_size(Some(LARGEST_MESSAGE));
    let socket = WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(config)).await;
    Ok((socket, protocol))
}

fn check(response: &Response, key: &str, protocols: &[&'static str]) -> Result<&'static str, String> {
    if response.status != 101 {
        return Err(format!(
            "the server answered {} in place of a WebSocket",
            response.status
        ));
    }
    let header = |name: &str| response.headers.get(name).unwrap_or_default();
    if !header("upgrade").eq_ignore_ascii_case("websocket")
        || header("sec-websocket-accept") != derive_accept_key(key.as_bytes())
    {
        return Err("the server's WebSocket handshake is not valid".to_owned());
    }
    let chosen = header("sec-websocket-protocol");
    let known = protocols.iter().find(|protocol| **protocol == chosen);
    known
        .copied()
        .ok_or_else(|| format!("the server does not speak {}", protocols.join(" or ")))
}
