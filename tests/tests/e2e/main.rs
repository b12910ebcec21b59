//! The typed client against the real kube-apiserver.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

mod crds;
mod definitions;
mod every_verb;
mod json_round_trip;
mod objects;
mod security;
mod server;
mod subresources;
mod user_types;
mod workloads;
