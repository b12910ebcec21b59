//! CustomResourceDefinitions: from Rust types, on paper, and on servers.
//!
//! `#[derive(Resource)]` (feature `derive`) makes a kind of a struct: a typed client, informers and listers as generated
//! kinds have them, and [`CustomResource::crd`], its definition.
//!
//! | what | where |
//! |---|---|
//! | the definition of a type | [`CustomResource`] |
//! | its schema, and attributes that only servers know | [`schema`] |
//! | several versions in one definition | [`merge`] |
//! | as YAML | [`print()`] |
//! | on a server | [`apply`], [`wait_established`] |
//! | conversion between versions | `kubeloom::webhook` (feature `webhook`) |
//!
//! # Files that stay fresh
//!
//! Definitions belong into a file beside the code, for those who install them without it. A test keeps the file:
//!
//! ```no_run
//! # #[cfg(feature = "derive")] mod example {
//! # use kubeloom::crd::CustomResourceDefinition;
//! # struct Website;
//! # impl Website { fn crd() -> Result<CustomResourceDefinition, kubeloom::crd::schema::SchemaError> { todo!() } }
//! #[test]
//! fn definitions_are_fresh() -> Result<(), Box<dyn std::error::Error>> {
//!     let path = concat!(env!("CARGO_MANIFEST_DIR"), "/crds/websites.yaml");
//!     let wanted = kubeloom::crd::print(&Website::crd()?)?;
//!     if std::env::var_os("UPDATE_CRDS").is_some() {
//!         std::fs::write(path, &wanted)?;
//!     }
//!     let found = std::fs::read_to_string(path).unwrap_or_default();
//!     assert!(found == wanted, "{path} is stale: run UPDATE_CRDS=1 cargo test");
//!     Ok(())
//! }
//! # }
//! ```
//!
//! This module knows no generated type, and no way to serve webhooks.

#[cfg(feature = "schema")]
mod definition;
mod install;
mod json_schema;
mod scale;
#[cfg(feature = "schema")]
pub mod schema;
mod types;
mod versions;

#[cfg(feature = "schema")]
pub use definition::{ColumnType, CustomResource, Definition, PrinterColumn, Reason, RootRule, ScalePaths};
pub use install::{EstablishError, apply, print, wait_established, wait_with_clock};
pub use json_schema::Schema;
pub use scale::{Scale, ScaleSpec, ScaleStatus};
pub use types::{
    Column, Conversion, CustomResourceDefinition, Names, ScaleSubresource, SelectableField, ServiceReference,
    Spec, Status, StatusSubresource, Subresources, Validation, ValidationRule, Version, WebhookClientConfig,
    WebhookConversion,
};
pub use versions::{MergeError, merge};

/// Writes nothing: schemas are behind the feature `schema`.
#[cfg(not(feature = "schema"))]
#[doc(hidden)]
#[macro_export]
macro_rules! record_schema {
    ($name:ident) => {};
}
