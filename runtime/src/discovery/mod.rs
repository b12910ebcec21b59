//! What a server offers: its groups, versions and resources, its version and its OpenAPI documents.
//!
//! | file | what is there |
//! |---|---|
//! | `types` | [`Discovered`] and what it is made of |
//! | `client` | [`DiscoveryClient`]: asks the server, in the aggregated form or in the legacy one |
//! | `aggregated`, `legacy` | the two forms, read |
//! | `openapi` | [`OpenApiIndex`]: the OpenAPI v3 documents and their hashes |
//! | `cache`, `disk` | [`DiscoveryCache`]: asked once, kept in memory and in files |
//! | `names` | [`ResourceNames`]: which resource a name or a kind means; without a network |
//! | `mapper` | [`RestMapper`]: the same over a cache, with one refresh on a miss |
//!
//! ```no_run
//! use kubeloom::RestClient;
//! use kubeloom::discovery::{DiscoveryClient, RestMapper};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = RestClient::from_env().await?;
//! let discovered = DiscoveryClient::new(&client).discover().await?;
//! for failure in &discovered.failures {
//!     eprintln!("{failure}");
//! }
//! let mapper = RestMapper::new(&client);
//! let mapping = mapper.resource("deploy").await?;
//! assert_eq!(mapping.kind.kind, "Deployment");
//! # Ok(())
//! # }
//! ```
//!
//! Order is the server's throughout: the core group first, then the groups as `/apis` lists them, each with its versions
//! as listed. This module must not know any kind by name.

mod aggregated;
mod cache;
mod client;
mod disk;
mod legacy;
mod mapper;
mod names;
mod openapi;
mod types;

pub use cache::{CacheOptions, DiscoveryCache};
pub use client::DiscoveryClient;
pub use disk::DiskCache;
pub use mapper::RestMapper;
pub use names::{MapError, Resolved, ResourceArg, ResourceNames, RestMapping};
pub use openapi::{OpenApiIndex, OpenApiPath};
pub use types::{
    ApiGroup, ApiResource, ApiSubresource, ApiVersion, Discovered, DiscoveryFailure, FailureReason,
    ServerVersion,
};
