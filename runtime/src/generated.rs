//! What emitted code uses, under one roof: `use kubeloom::generated::*;`.
//!
//! Hand-written code imports the items from their own modules.

pub use crate::meta::*;
pub use crate::record::{KEEP, NIL, NULL, OMIT, OPT, OrArray, OrBool, OrStrings, SENSITIVE};
pub use crate::resource::{
    AllNamespaces, Cluster, KindVisitor, Namespaced, Resource, Subresource, sub, verb,
};
pub use crate::rest::{Api, RestClient};
pub use crate::value::{ByteString, Duration, IntOrString, Map, MicroTime, Quantity, RawJson, Str, Time};
pub use crate::wire::Text;
pub use crate::{clientset, informer_factory, informers, offers, record};
