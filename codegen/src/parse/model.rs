//! What documents say, free of their form.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::diagnostic::Location;
use crate::ir::Check;

/// Everything that the sources say.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Model {
    /// The server's version, if a document says it.
    pub version: Option<ServerVersion>,
    /// Named schemas.
    pub definitions: BTreeMap<String, Definition>,
    /// Operations on resources; deprecated watch paths are none.
    pub operations: BTreeMap<OperationKey, Operation>,
    /// Resources by group-version and plural, from discovery.
    pub groups: BTreeMap<GroupVersion, BTreeMap<String, DiscoveredResource>>,
}

/// `/version`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerVersion {
    /// The minor, such as 37.
    pub minor: u32,
    /// The full version, such as `v1.37.2`.
    pub git: String,
}

/// A group and a version of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct GroupVersion {
    /// The group; empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
}

impl GroupVersion {
    /// A group-version of these names.
    pub(crate) fn new(group: &str, version: &str) -> Self {
        Self {
            group: group.to_owned(),
            version: version.to_owned(),
        }
    }

    /// `group/version`, or the version alone for the core group: `apiVersion` of objects.
    pub(crate) fn api_version(&self) -> String {
        match self.group.is_empty() {
            true => self.version.clone(),
            false => format!("{}/{}", self.group, self.version),
        }
    }

    /// Where the server has it: `api/v1`, `apis/apps/v1`.
    pub(crate) fn url(&self) -> String {
        match self.group.is_empty() {
            true => format!("api/{}", self.version),
            false => format!("apis/{}/{}", self.group, self.version),
        }
    }
}

/// `core/v1`, `apps/v1`: for people.
impl fmt::Display for GroupVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let group = if self.group.is_empty() {
            "core"
        } else {
            &self.group
        };
        write!(f, "{group}/{}", self.version)
    }
}

/// A kind of a group-version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GroupVersionKind {
    /// Group and version.
    pub gv: GroupVersion,
    /// The kind.
    pub kind: String,
}

/// A named schema.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Definition {
    /// Where it stands first.
    pub location: Location,
    /// The schema.
    pub schema: Schema,
    /// `x-kubernetes-group-version-kind`.
    pub kinds: Vec<GroupVersionKind>,
    /// What a CustomResourceDefinition says about this version, if one defines it.
    pub custom: Option<Custom>,
}

/// What a CustomResourceDefinition says about one of its versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Custom {
    /// Whether servers offer it; otherwise objects of it only exist within conversions.
    pub served: bool,
    /// The warning that comes with it, if it is deprecated; may be empty.
    pub deprecated: Option<String>,
    /// Paths of fields that field selectors may name, beside name and namespace.
    pub selectable: Vec<String>,
}

/// A schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Schema {
    /// What its authors say about it.
    pub description: Option<String>,
    /// What values it allows.
    pub shape: Shape,
    /// Whether `null` is a value of its own (custom resources).
    pub nullable: bool,
    /// Whether values must not be shown; set by a fix-up.
    pub sensitive: bool,
    /// What the server fills in where there is none (custom resources).
    pub default: Option<serde_json::Value>,
    /// What it asks beyond types (custom resources).
    pub checks: Vec<Check>,
}

impl Schema {
    /// A schema that says no more than this.
    pub(crate) fn of(shape: Shape) -> Self {
        Self {
            description: None,
            shape,
            nullable: false,
            sensitive: false,
            default: None,
            checks: Vec::new(),
        }
    }

    /// Whether it becomes a struct.
    pub(crate) fn is_struct(&self) -> bool {
        matches!(&self.shape, Shape::Object(object) if !object.properties.is_empty())
    }

    /// The checks that the struct makes; for other schemas it is the field that does.
    pub(crate) fn own_checks(&self) -> Vec<Check> {
        let of_struct = |check: &&Check| !matches!(check, Check::Default(_));
        match self.is_struct() {
            true => self.checks.iter().filter(of_struct).cloned().collect(),
            false => Vec::new(),
        }
    }
}

/// The kinds of schemas that generated types tell apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Another definition.
    Ref(String),
    /// An object.
    Object(Object),
    /// An array; of anything if there is no item schema.
    List(Option<Box<Schema>>),
    /// A string, whatever its format.
    String,
    /// One of these strings, as far as the schema knows.
    Texts(Vec<String>),
    /// A string of format `date-time`.
    DateTime,
    /// A string of format `byte`: base64.
    Bytes,
    /// An integer of format `int32`.
    Int32,
    /// An integer of another format or none.
    Int64,
    /// A number.
    Number,
    /// A boolean.
    Boolean,
    /// An integer or a string.
    IntOrString,
    /// An integer or a string that is a quantity.
    Quantity,
    /// Any JSON.
    Any,
}

/// An object schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Object {
    /// Fields by name.
    pub properties: BTreeMap<String, Schema>,
    /// Names of fields that must be there.
    pub required: BTreeSet<String>,
    /// The schema of values under other names.
    pub additional: Option<Box<Schema>>,
    /// Whether other names with any values are kept.
    pub open: bool,
}

/// What an operation acts on, and how.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OperationKey {
    /// The group-version in the path.
    pub gv: GroupVersion,
    /// The plural in the path.
    pub resource: String,
    /// The subresource in the path.
    pub subresource: Option<String>,
    /// `get`, `put`, `post`, `patch`, `delete`, in lower case.
    pub method: String,
    /// Whether the path names an object.
    pub named: bool,
}

/// An operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Operation {
    /// Whether it is a `connect`: a stream, not a document.
    pub connect: bool,
    /// The body of the request.
    pub body: Option<Body>,
    /// What comes back on success.
    pub result: Option<Body>,
    /// Whether the response may be protobuf.
    pub protobuf: bool,
}

/// What a body is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// A definition.
    Ref(String),
    /// Text.
    Text,
    /// Anything else.
    Any,
}

/// A resource as discovery lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DiscoveredResource {
    /// Where it is listed.
    pub location: Location,
    /// The kind of its objects; `None` if it is but the parent of subresources.
    pub kind: Option<GroupVersionKind>,
    /// The singular; may be empty.
    pub singular: String,
    /// Whether objects live in namespaces.
    pub namespaced: bool,
    /// Verbs.
    pub verbs: BTreeSet<String>,
    /// Short names, in the server's order.
    pub short_names: Vec<String>,
    /// Categories, in the server's order.
    pub categories: Vec<String>,
    /// Subresources by name.
    pub subresources: BTreeMap<String, DiscoveredSubresource>,
}

/// A subresource as discovery lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DiscoveredSubresource {
    /// The kind that discovery names; for streams and texts one that has no objects.
    pub kind: Option<GroupVersionKind>,
    /// Verbs.
    pub verbs: BTreeSet<String>,
}
