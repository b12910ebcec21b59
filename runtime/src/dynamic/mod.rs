//! Resources that are known by name at run time, not by type at compile time.
//!
//! | file | what is there |
//! |---|---|
//! | `object` | [`DynamicObject`]: typed metadata, JSON for the rest |
//! | `list` | [`DynamicList`], whose items know their kind |
//! | `api` | [`DynamicApi`]: all verbs and subresources of a resource |
//! | `client` | [`DynamicClient`]: the resource of a kind, as the server has it |
//! | `scale` | [`ScaleClient`]: the number of replicas of whatever has one |
//! | `metadata` | [`MetadataApi`]: the same resource, metadata alone |
//!
//! ```no_run
//! use kubeloom::RestClient;
//! use kubeloom::rest::GroupVersionResource;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = RestClient::from_env().await?;
//! let deployments = client.dynamic(GroupVersionResource::new("apps", "v1", "deployments"));
//! for deployment in deployments.list().labels("app=web").await? {
//!     println!("{} {:?}", deployment.metadata.name, deployment.read::<i64>("/spec/replicas")?);
//! }
//! let restarted = deployments.namespace("web").metadata_only().get("front").await?;
//! println!("{}", restarted.metadata.resource_version);
//! # Ok(())
//! # }
//! ```
//!
//! The requests are those of the typed client ([`crate::rest`]): the same structs with the same options. This module
//! must not know any kind, and does not look at the network by itself.

mod api;
mod client;
mod list;
mod metadata;
mod object;
mod scale;

pub use api::{DynamicApi, DynamicSubApi};
pub use client::DynamicClient;
pub use list::DynamicList;
pub use metadata::MetadataApi;
pub use object::{ConvertError, DynamicObject};
pub use scale::{Scale, ScaleApi, ScaleClient};
