//! The typed client against the real kube-apiserver.

mod crds;
mod every_verb;
mod json_round_trip;
mod objects;
mod security;
mod server;
mod subresources;
mod workloads;
