//! From a typed call to a request and from a response to a typed answer.
//!
//! | file | what is there |
//! |---|---|
//! | `client` | [`RestClient`]: a transport and what all calls share |
//! | `target`, `query` | paths and query strings, checked and escaped |
//! | `call` | one call: sent, its answer told apart from a failure |
//! | `failure` | failures that carry no `Status`, made into one |
//! | `frames`, `watch` | the event stream |
//! | `requests` | one awaitable struct per verb |
//! | `streams` | exec, attach and port-forward |
//! | `paging` | [`Pages`]: a list in chunks |
//! | `resume` | [`ResumedWatch`]: a watch that is taken up again when it ends |
//! | `wait` | [`Wait`]: until an object is as wished |
//! | `api` | [`Api`]: a typed handle |
//!
//! Requests are built and answers read without a socket; the network lies behind [`crate::transport::Transport`].

mod api;
mod call;
mod client;
mod failure;
mod frames;
mod paging;
mod query;
mod requests;
mod resume;
mod streams;
mod target;
mod wait;
mod watch;

pub use api::{Api, SubApi};
pub use call::Call;
pub use client::{ClientOptions, Document, RestClient};
pub use paging::Pages;
pub use query::Query;
pub use requests::{
    Apply, ApplyBody, Create, Delete, DeleteCollection, Deletion, Evict, FieldValidation, Get, GetOptions,
    List, ListOptions, LogOptions, LogStream, Logs, Patch, PatchBody, PatchOptions, Propagation,
    ReadableList, ResourceVersionMatch, Update, Watch, WatchOptions, WriteOptions,
};
pub use resume::ResumedWatch;
pub use streams::{
    Attach, Exec, ExitStatus, Forwarded, Output, PortForward, PortStream, Process, Stdin, TerminalSize,
};
pub(crate) use target::api_version;
pub use target::{GroupVersionKind, GroupVersionResource, Target};
pub use wait::{Wait, WaitError};
pub use watch::{Bookmark, WatchEvent, WatchStream};
