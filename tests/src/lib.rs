//! Harnesses: what the tests of the whole workspace stand on, and the tools that maintain it.
//!
//! | module | what it is |
//! |---|---|
//! | [`apiserver`] | the real kube-apiserver and etcd in one process of our own, started by a test, gone with it |
//! | [`arbitrary`] | objects of any generated type, made from a seed |
//! | [`command_line`] | the binary `kubeloom`, for tests that run it |
//! | [`commands`] | what is more than a test: the subcommands of the binary `kubeloom-tests` |
//! | [`corpus`] | objects as servers hold them, made without a server |
//! | [`definitions`] | real CustomResourceDefinitions through the whole of the generator |
//! | [`facts`] | facts of the Kubernetes types that no OpenAPI document states |
//! | [`frames`] | frames of watches, as servers write them |
//! | [`go`] | Go programs of this crate, built once per content |
//! | [`gocheck`] | the Go types, asked what they make of an object |

pub mod apiserver;
pub mod arbitrary;
pub mod command_line;
pub mod commands;
pub mod corpus;
pub mod definitions;
pub mod facts;
pub mod frames;
pub mod go;
pub mod gocheck;

use std::io::Write as _;

/// Writes a line to standard error past the test harness's capture, so that it is seen when the test passes too.
pub(crate) fn say(line: &str) {
    // Nothing to do about a standard error that is closed.
    let _ = writeln!(std::io::stderr(), "kubeloom-tests: {line}");
}
