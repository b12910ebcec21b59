//! What is generated, as plain data: no syntax trees, no OpenAPI, every decision made.
//!
//! `lower` makes it, `emit` prints it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

mod rules;

pub use rules::{Check, Demand, Number, Rule};

/// A name as it stands on the wire.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WireName(String);

impl WireName {
    /// A name from a document.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A Rust identifier. Only `lower::names` makes one, and only valid ones.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RustName(String);

impl RustName {
    /// The caller guarantees a valid identifier that is no keyword.
    pub(crate) fn new_unchecked(name: String) -> Self {
        Self(name)
    }

    /// The identifier.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RustName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Api {
    /// The server's version, such as `v1.37.2`, if known.
    pub server: Option<String>,
    /// The modules, sorted by name.
    pub modules: Vec<Module>,
}

/// The module of a group-version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Module, feature and Clientset method: `core_v1`.
    pub name: RustName,
    /// For people: `core/v1`.
    pub title: String,
    /// The client, if resources of it were asked for; otherwise the module has only types that others need.
    pub client: Option<Client>,
    /// The informers, if there is a resource that can be listed and watched.
    pub informers: Option<Informers>,
    /// The files, sorted by name.
    pub files: Vec<File>,
    /// Markers of subresources that the runtime does not know.
    pub markers: Vec<Marker>,
    /// Features that this one turns on, itself excluded.
    pub requires: BTreeSet<RustName>,
    /// Features of the crate of the Kubernetes API that its types need.
    pub shared: BTreeSet<RustName>,
    /// Features of which any brings the module in: itself, and the members of its cycle if there is one.
    pub gates: BTreeSet<RustName>,
}

/// The typed client of a group-version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// `CoreV1`.
    pub name: RustName,
    /// Handles, sorted by plural.
    pub handles: Vec<Handle>,
}

/// A method of a client that hands out a typed handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handle {
    /// `pods`, `all_pods`.
    pub name: RustName,
    /// The plural on the wire.
    pub plural: WireName,
    /// The kind.
    pub kind: RustName,
    /// What it reaches.
    pub reach: Reach,
}

/// The informers of a group-version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Informers {
    /// `CoreV1Informers`.
    pub name: RustName,
    /// The informers, sorted by plural.
    pub list: Vec<Informer>,
}

/// A method that hands out the informer of a kind: its resource offers both list and watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Informer {
    /// `pods`, the name of the handle too.
    pub name: RustName,
    /// The kind.
    pub kind: RustName,
}

/// What a handle reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// One namespace.
    Namespace,
    /// All namespaces.
    AllNamespaces,
    /// The cluster.
    Cluster,
}

/// A type that stands for a subresource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Marker {
    /// The type.
    pub name: RustName,
    /// The last segment of the path.
    pub path: WireName,
}

/// A file of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The name, without `.rs`.
    pub name: RustName,
    /// What it is about, for its documentation.
    pub title: String,
    /// Names from other files of the module.
    pub siblings: BTreeSet<RustName>,
    /// Other modules.
    pub modules: BTreeSet<RustName>,
    /// The types, the root kind first.
    pub types: Vec<Type>,
    /// Open sets of texts, by name.
    pub enums: Vec<Enum>,
    /// Further names of types and enums, by name.
    pub aliases: Vec<Alias>,
}

/// An open set of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// The name.
    pub name: RustName,
    /// Lines of documentation.
    pub docs: Vec<String>,
    /// The texts that the schema names, in its order.
    pub variants: Vec<Variant>,
}

/// A text of an open set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The text.
    pub wire: WireName,
    /// The name.
    pub name: RustName,
}

/// A further name of a type or enum of the same file: places with the same schema share one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The name.
    pub name: RustName,
    /// What it stands for.
    pub target: RustName,
    /// Lines of documentation.
    pub docs: Vec<String>,
}

/// A struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// Definition that it comes from; inline schemas have the path behind it.
    pub wire: WireName,
    /// The name.
    pub name: RustName,
    /// Lines of documentation.
    pub docs: Vec<String>,
    /// `apiVersion` and `kind`, if objects of this type are sent on their own.
    pub root: Option<Root>,
    /// The fields in the order in which they are written.
    pub fields: Vec<Field>,
    /// The field that takes unknown ones.
    pub rest: Option<RustName>,
    /// What the schema asks beyond types.
    pub rules: Vec<Rule>,
    /// What the API offers for it.
    pub resource: Option<Resource>,
}

/// `apiVersion` and `kind`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// `apps/v1`.
    pub api_version: WireName,
    /// `Deployment`.
    pub kind: WireName,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name in JSON.
    pub wire: WireName,
    /// The name.
    pub name: RustName,
    /// Lines of documentation.
    pub docs: Vec<String>,
    /// The type.
    pub ty: TypeRef,
    /// Protobuf field numbers on the way to it; empty if protobuf does not carry it.
    pub tags: Vec<u32>,
    /// When it is written.
    pub presence: Presence,
    /// Whether its value must not be shown.
    pub sensitive: bool,
}

/// When a field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Unless empty or zero; for fields that are no `Option`.
    Omit,
    /// Unless `None`.
    Opt,
    /// Always.
    Keep,
    /// Always; `None` and empty lists and maps as `null`.
    Nil,
    /// Always; `None` as `null`.
    Null,
    /// Unless `None`; a `null` is kept as one.
    Nullable,
}

/// The type of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeRef {
    /// A Rust primitive.
    Primitive(Primitive),
    /// A type of the runtime, by its name there.
    Runtime(&'static str),
    /// A generated type.
    Named(TypeId),
    /// A type of the crate of the Kubernetes API.
    Shared(TypeId),
    /// A list.
    List(Box<TypeRef>),
    /// A map from strings.
    Map(Box<TypeRef>),
    /// A value that may be absent.
    Option(Box<TypeRef>),
    /// A value that may be `null`, which is not the same as absent.
    Nullable(Box<TypeRef>),
    /// A value on the heap.
    Boxed(Box<TypeRef>),
    /// A union of the runtime (`OrBool`) over a type.
    Union(&'static str, Box<TypeRef>),
    /// Nothing: no body.
    Unit,
}

/// The primitives that fields are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as in Rust")]
pub enum Primitive {
    Bool,
    I32,
    I64,
    F64,
}

/// Where a generated type is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TypeId {
    /// The module.
    pub module: RustName,
    /// The type.
    pub name: RustName,
}

/// A resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The group; empty for the core group.
    pub group: WireName,
    /// The version.
    pub version: WireName,
    /// The plural.
    pub plural: WireName,
    /// The singular; may be empty.
    pub singular: WireName,
    /// Short names.
    pub short_names: Vec<WireName>,
    /// Categories.
    pub categories: Vec<WireName>,
    /// Whether objects live in namespaces.
    pub namespaced: bool,
    /// Whether servers speak protobuf for it.
    pub protobuf: bool,
    /// Verbs of the resource and of its subresources.
    pub offers: Vec<Offer>,
}

impl Resource {
    /// Whether the resource itself, none of its subresources, offers a verb.
    pub fn offers_itself(&self, verb: Verb) -> bool {
        let root = self.offers.iter().find(|offer| offer.subresource.is_none());
        root.is_some_and(|root| root.verbs.contains_key(&verb))
    }
}

/// The verbs of a resource or of a subresource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The subresource; `None` for the resource itself.
    pub subresource: Option<Subresource>,
    /// Verbs; `None` means that body and result are the kind.
    pub verbs: BTreeMap<Verb, Option<Exchange>>,
}

/// The type that stands for a subresource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subresource {
    /// One of the runtime's `sub`.
    Known(&'static str),
    /// A marker of this module.
    Marker(Marker),
}

/// What goes and what comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The body.
    pub input: TypeRef,
    /// The result.
    pub output: TypeRef,
}

/// The verbs, in the order of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "named as in Kubernetes")]
pub enum Verb {
    Connect,
    Create,
    Delete,
    DeleteCollection,
    Get,
    List,
    Patch,
    Update,
    Watch,
}
