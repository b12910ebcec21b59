//! What emitted code uses, under one roof: `use kubeloom::generated::*;`.
//!
//! Hand-written code imports the items from their own modules.

pub use crate::meta::*;
pub use crate::record::{
    Demand, KEEP, NIL, NULL, NULLABLE, Nullable, OMIT, OPT, OrArray, OrBool, OrStrings, SENSITIVE, Validate,
};
pub use crate::resource::{
    AllNamespaces, Cluster, KindVisitor, Namespaced, Resource, Subresource, sub, verb,
};
pub use crate::rest::{Api, RestClient};
pub use crate::value::{
    ByteString, DateTime, Duration, IntOrString, Map, MicroTime, Quantity, RawJson, Str, Time,
};
pub use crate::wire::Text;
pub use crate::{clientset, informer_factory, informers, offers, record, text_enum};
