//! What a type says about the resource it belongs to: names, scope, verbs and subresources, all as constants and types.

use crate::meta::ObjectMeta;
use crate::wire::Wire;

/// A kind that servers keep objects of.
///
/// Emitted by the generator and by `#[derive(Resource)]`.
pub trait Resource: Wire + Clone + std::fmt::Debug {
    /// [`Namespaced`] or [`Cluster`].
    type Scope: Scope;

    /// The group; empty for the core group.
    const GROUP: &'static str;
    /// The version.
    const VERSION: &'static str;
    /// `group/version`, or the version alone for the core group.
    const API_VERSION: &'static str;
    /// The kind.
    const KIND: &'static str;
    /// The plural, as in paths.
    const PLURAL: &'static str;
    /// The singular; may be empty.
    const SINGULAR: &'static str;
    /// What the kind is called for short, such as `po`.
    const SHORT_NAMES: &'static [&'static str] = &[];
    /// Categories, such as `all`.
    const CATEGORIES: &'static [&'static str] = &[];
    /// Whether servers speak protobuf for it: built-ins yes, custom resources never.
    const PROTOBUF: bool = false;

    /// The metadata of the object.
    fn metadata(&self) -> &ObjectMeta;

    /// The metadata of the object, to write to.
    fn metadata_mut(&mut self) -> &mut ObjectMeta;
}

/// Goes over kinds known at compile time: what a generated crate's `visit_kinds` calls for each of its kinds.
///
/// ```
/// use kubeloom::record::{Record, Value};
/// use kubeloom::resource::{KindVisitor, Resource};
///
/// /// Collects `apiVersion` and kind of all that it is shown.
/// struct Names(Vec<String>);
///
/// impl KindVisitor for Names {
///     fn visit<K: Resource + Record + Value + Default>(&mut self) {
///         self.0.push(format!("{}/{}", K::API_VERSION, K::KIND));
///     }
/// }
/// ```
pub trait KindVisitor {
    /// Takes note of one kind.
    fn visit<K: Resource + crate::record::Record + crate::record::Value + Default>(&mut self);
}

/// Whether objects live in namespaces.
pub trait Scope: sealed::Sealed + Send + Sync + 'static {
    /// Whether the path names a namespace.
    const NAMESPACED: bool;
}

/// Objects live in namespaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Namespaced;

/// Objects belong to the whole cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cluster;

/// The view over all namespaces of a namespaced resource: list and watch only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AllNamespaces;

impl Scope for Namespaced {
    const NAMESPACED: bool = true;
}
impl Scope for Cluster {
    const NAMESPACED: bool = false;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Namespaced {}
    impl Sealed for super::Cluster {}
}

/// The verbs of the API, as types: `K: Offers<verb::Get>` says that servers let clients get a `K`.
pub mod verb {
    macro_rules! verbs {
        ($($(#[$doc:meta])* $name:ident;)*) => { $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $name;
        )* };
    }
    verbs! {
        /// A new object, by POST to the collection.
        Create;
        /// One object by name.
        Get;
        /// The objects of a collection.
        List;
        /// The changes of a collection.
        Watch;
        /// A whole object in place of the old one, by PUT.
        Update;
        /// A change of an object, by PATCH; server-side apply is one.
        Patch;
        /// One object goes.
        Delete;
        /// The objects of a collection go.
        DeleteCollection;
        /// A stream in both directions.
        Connect;
    }
}

/// A part of an object with a path of its own.
pub trait Subresource: Send + Sync + 'static {
    /// The last segment of the path; empty for the object itself.
    const NAME: &'static str;
}

/// The subresources that built-in kinds have, as types.
pub mod sub {
    use super::Subresource;

    macro_rules! subresources {
        ($($(#[$doc:meta])* $name:ident $path:literal;)*) => { $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $name;
            impl Subresource for $name {
                const NAME: &'static str = $path;
            }
        )* };
    }
    subresources! {
        /// The object itself.
        Root "";
        /// The observed state.
        Status "status";
        /// The number of replicas.
        Scale "scale";
        /// Eviction of a pod within its disruption budget.
        Eviction "eviction";
        /// Assignment of a pod to a node.
        Binding "binding";
        /// Tokens of a service account.
        Token "token";
        /// The decision on a certificate signing request.
        Approval "approval";
        /// Containers added to a running pod.
        EphemeralContainers "ephemeralcontainers";
        /// Resources of a running pod.
        Resize "resize";
        /// The finalizers of a namespace.
        Finalize "finalize";
        /// Output of a container.
        Log "log";
        /// A process in a container.
        Exec "exec";
        /// The main process of a container.
        Attach "attach";
        /// Ports of a pod.
        PortForward "portforward";
        /// HTTP to a pod, service or node.
        Proxy "proxy";
    }
}

/// Says that servers offer verb `V` on subresource `S` of the kind.
#[diagnostic::on_unimplemented(
    message = "the API does not offer `{V}` on `{S}` of `{Self}`",
    note = "the verbs of a kind come from the server's discovery document; its type's documentation lists them"
)]
pub trait Offers<V, S = sub::Root> {
    /// The body of the request; `()` if there is none.
    type Input;
    /// What comes back.
    type Output;
}

/// Writes the [`Offers`] of a kind.
///
/// `offers! { Pod { verb::Get, verb::List } }` for the kind itself; `offers! { Pod / sub::Eviction { verb::Create: Eviction =>
/// Status } }` for a subresource. Without types, body and result are the kind.
#[macro_export]
macro_rules! offers {
    ($kind:ty { $($verb:ty),* $(,)? }) => { $(
        impl $crate::resource::Offers<$verb> for $kind {
            type Input = $kind;
            type Output = $kind;
        }
    )* };
    ($kind:ident / $sub:path { $($rest:tt)* }) => {
        $crate::offers! { @ ($kind) ($sub) $($rest)* }
    };
    (@ ($kind:ident) ($sub:path)) => {};
    (@ ($kind:ident) ($sub:path) $verb:path: $input:ty => $output:ty $(, $($rest:tt)*)?) => {
        impl $crate::resource::Offers<$verb, $sub> for $kind {
            type Input = $input;
            type Output = $output;
        }
        $crate::offers! { @ ($kind) ($sub) $($($rest)*)? }
    };
    (@ ($kind:ident) ($sub:path) $verb:path $(, $($rest:tt)*)?) => {
        impl $crate::resource::Offers<$verb, $sub> for $kind {
            type Input = $kind;
            type Output = $kind;
        }
        $crate::offers! { @ ($kind) ($sub) $($($rest)*)? }
    };
}
