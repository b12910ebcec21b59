//! A proxy that notes what it is asked for.

use std::sync::{Arc, Mutex};

use base64::Engine;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the proxy speaks.
#[derive(Clone, Copy, Debug)]
pub enum Speaks {
    /// HTTP's CONNECT.
    Connect,
    /// SOCKS5 with user and password.
    Socks5,
    /// HTTP, but only to say no.
    Refuses,
}

/// A proxy on a port of its own.
pub struct TestProxy {
    pub port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl TestProxy {
    pub async fn start(speaks: Speaks) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Self {
            port: listener.local_addr().unwrap().port(),
            asked: Arc::default(),
        };
        let asked = proxy.asked.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let asked = asked.clone();
                tokio::spawn(async move {
                    let (target, password, mut client) = match speaks {
                        Speaks::Connect => connect(client).await,
                        Speaks::Socks5 => socks5(client).await,
                        Speaks::Refuses => {
                            let (_, _, mut client) = connect_head(client).await;
                            let _ = client
                                .write_all(b"HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n")
                                .await;
                            return;
                        }
                    };
                    asked.lock().unwrap().push(format!("{target} {password}"));
                    let mut server = TcpStream::connect(target).await.unwrap();
                    let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                });
            }
        });
        proxy
    }

    /// Targets with user and password, in order.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

async fn connect_head(mut client: TcpStream) -> (String, String, TcpStream) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap();
    let target = head.split(' ').nth(1).unwrap().to_owned();
    let encoded = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("proxy-authorization")
            .then(|| value.strip_prefix("Basic ").unwrap())
    });
    let password = base64::engine::general_purpose::STANDARD.decode(encoded.unwrap_or_default());
    (target, String::from_utf8(password.unwrap()).unwrap(), client)
}

async fn connect(client: TcpStream) -> (String, String, TcpStream) {
    let (target, password, mut client) = connect_head(client).await;
    client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
    (target, password, client)
}

async fn socks5(mut client: TcpStream) -> (String, String, TcpStream) {
    let mut bytes = async |count: usize| {
        let mut bytes = vec![0; count];
        client.read_exact(&mut bytes).await.unwrap();
        bytes
    };
    let greeting = bytes(2).await;
    bytes(greeting[1].into()).await;
    client.write_all(&[5, 2]).await.unwrap();
    let mut bytes = async |count: usize| {
        let mut bytes = vec![0; count];
        client.read_exact(&mut bytes).await.unwrap();
        bytes
    };
    let user = bytes(2).await[1];
    let user = bytes(user.into()).await;
    let password = bytes(1).await[0];
    let password = bytes(password.into()).await;
    client.write_all(&[1, 0]).await.unwrap();
    let mut bytes = async |count: usize| {
        let mut bytes = vec![0; count];
        client.read_exact(&mut bytes).await.unwrap();
        bytes
    };
    let kind = bytes(4).await[3];
    let host = match kind {
        1 => bytes(4)
            .await
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("."),
        _ => {
            let length = bytes(1).await[0];
            String::from_utf8(bytes(length.into()).await).unwrap()
        }
    };
    let port = bytes(2).await;
    let port = u16::from_be_bytes([port[0], port[1]]);
    client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.unwrap();
    let pair = format!(
        "{}:{}",
        String::from_utf8(user).unwrap(),
        String::from_utf8(password).unwrap()
    );
    (format!("{host}:{port}"), pair, client)
}
