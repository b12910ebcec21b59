//! The real kube-apiserver, with its etcd, as a test fixture.
//!
//! What tests take first is [`require_apiserver!`](crate::require_apiserver): the test binary's shared server, or a
//! loud skip where there is no Go to build one with. [`ApiServer::start`] is for tests that need their own: other
//! feature gates, an audit log, a server that dies and returns.
//!
//! It is an API and nothing behind it: no controllers, no scheduler, no kubelet. A pod stays Pending, a deleted
//! namespace stays Terminating, no service account appears by itself, and the aggregated roles `admin`, `edit` and
//! `view` are empty. Authorization is RBAC, every API version that the feature gates allow is served, the
//! `ServiceAccount` admission plugin is off.
//!
//! | module | what it does |
//! |---|---|
//! | [`binary`] | the program in `tests/apiserver`, to be built by [`crate::go`] |
//! | [`ApiServer`] | the running server and who may call it |
//! | [`Options`] | what distinguishes one server from another |
//! | `pki` | certificates, keys, tokens |
//! | `state` | the server's folder and command line |
//! | `process` | start, readiness, stop; nothing survives its parent |
//! | `kubeconfig` | kubeconfig documents |
//! | [`FaultProxy`] | the way to a server, with faults on it |
//! | [`https`] | the harness's own few calls |
//! | `shared` | one server per test binary |
//!
//! Everything blocks its thread; a test on an async runtime may call it, since each test has a thread of its own.

pub mod binary;
mod faults;
pub mod https;
mod kubeconfig;
mod options;
mod pki;
mod process;
mod server;
mod shared;
mod state;

pub use self::faults::{Chances, Cut, Fault, FaultProxy};
pub use self::options::{ADMIN, Credential, MASTERS, Options, User};
pub use self::pki::{Certificate, MAX_CERTIFICATE_GROUPS};
pub use self::server::{ApiServer, Backup};
pub use self::shared::{shared, skipped};
