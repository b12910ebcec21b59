//! The runtime of Kubeloom: everything below a generated or derived Kubernetes client.
//!
//! From the bottom up:
//!
//! | module | what is there |
//! |---|---|
//! | [`value`] | strings, maps, quantities, times: what fields are made of |
//! | [`mod@record`] | the table behind each type |
//! | [`wire`] | JSON, YAML, CBOR and protobuf, each written once over the table |
//! | [`meta`] | the types that all groups share |
//! | [`resource`] | names, scope, verbs and subresources of a kind, as types |
//! | [`config`] | kubeconfig and in-cluster configuration |
//! | [`transport`] | the way to the server |
//! | [`rest`] | calls, typed handles, watches |
//! | [`retry`] | the same once more: conflicts, backoff |
//! | [`selector`] | queries over labels, answered here |
//! | [`dynamic`] | any resource by name: JSON objects, and metadata alone |
//! | [`discovery`] | what a server offers, and which resource a name means |
//! | [`crd`] | CustomResourceDefinitions, and their schemas from Rust types |
//! | `webhook` | admission and conversion reviews (feature `webhook`) |
//! | [`field`] | paths of fields, and what is wrong with them |
//! | [`cache`] | list and watch, kept in memory: reflector, queues, indexer, shared informers, listers |
//! | [`workqueue`] | keys to be worked on: coalesced, delayed, limited, one worker for a key |
//! | [`controller`] | informers, a queue and workers, put together |
//! | [`leader_election`] | one of many candidates leads |
//! | [`events`] | what happened to objects, told to people |
//! | [`sharding`] | many replicas, each with its share of the keys |
//! | [`error`] | what can go wrong |
//! | [`generated`] | what emitted code imports |

pub mod cache;
mod clientset;
pub mod clock;
pub mod config;
pub mod controller;
pub mod crd;
pub mod discovery;
pub mod dynamic;
pub mod error;
pub mod events;
pub mod field;
pub mod generated;
mod host;
pub mod leader_election;
pub mod meta;
pub mod record;
pub mod resource;
pub mod rest;
pub mod retry;
pub mod selector;
pub mod sharding;
mod sync;
pub mod transport;
pub mod value;
#[cfg(feature = "webhook")]
pub mod webhook;
pub mod wire;
pub mod workqueue;

pub use error::Error;
#[cfg(feature = "derive")]
pub use kubeloom_derive::Resource;
pub use resource::Resource;
pub use rest::{Api, RestClient};
pub use retry::retry_on_conflict;
pub use value::{Map, Str};

#[cfg(feature = "schema")]
pub use schemars;
#[doc(hidden)]
pub use serde;
