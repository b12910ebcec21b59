//! Harnesses: what the tests of the whole workspace stand on, and the tools that maintain it.
//!
//! | module | what it is |
//! |---|---|
//! | [`apiserver`] | the real kube-apiserver and etcd in one process of our own, started by a test, gone with it |
//! | [`commands`] | what is more than a test: the subcommands of the binary `kubeloom-tests` |
//! | [`facts`] | facts of the Kubernetes types that no OpenAPI document states |

pub mod apiserver;
pub mod commands;
pub mod facts;
