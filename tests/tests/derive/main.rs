//! `#[derive(Resource)]` against the real kube-apiserver: what it makes of Rust types is accepted, and means what the
//! types say.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

mod around;
mod clients;
mod definitions;
mod kinds;
mod objects;
mod server;
mod versions;
