//! What OpenAPI does not say about the types of Kubernetes: protobuf field numbers, the order of fields, which fields
//! are held by pointer, and which are left out when empty.
//!
//! A fact table is plain data. The committed one ([`Facts::embedded`]) is made from the `.proto` files and the Go
//! types of the Kubernetes modules by `cargo run -p kubeloom-tests -- facts`, which checks that the two agree; its
//! text form is described at [`Facts::parse`]. A definition or field that has no facts goes by its schema.
//!
//! This module must not know: OpenAPI documents, Rust names, how a fact is turned into code.

mod error;
mod text;

#[cfg(feature = "proto")]
pub mod proto;

#[cfg(test)]
mod embedded_tests;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use error::{FactsError, Problem};

/// Name under which Kubernetes' shared root fields `kind` and `apiVersion` are embedded in a Go struct.
///
/// They are the only JSON fields of a message that the table does not list one by one; see [`Shape::Fields`].
pub const TYPE_META_FIELDS: [&str; 2] = ["kind", "apiVersion"];

/// The text of the committed table.
pub(crate) const TABLE: &str = include_str!("../specs/facts/kubernetes.facts");

/// A fact table: everything known about a set of OpenAPI definitions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The Go modules the table was read from, in order of their paths.
    pub sources: Vec<Source>,
    /// Definitions by OpenAPI name (`io.k8s.api.core.v1.Pod`). An inlined struct has an entry of its own as well,
    /// although OpenAPI names it only if something else refers to it.
    pub messages: BTreeMap<String, Message>,
}

/// A Go module that facts were read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Module path, such as `k8s.io/api`.
    pub module: String,
    /// Module version, such as `v0.37.2`.
    pub version: String,
    /// The module's `h1:` sum as `go.sum` holds it: base64 of a SHA-256 over the SHA-256 of every file.
    pub sum: String,
}

/// The facts of one definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Full name of the protobuf message (`k8s.io.api.core.v1.Pod`), or `None` if the type has no protobuf form.
    pub proto: Option<String>,
    /// What the type looks like.
    pub shape: Shape,
}

/// Whether a type is the sum of its fields or has an encoding written by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// An object whose JSON is its fields.
    Fields {
        /// Whether the Go struct starts with `metav1.TypeMeta`: the JSON object starts with `kind` and `apiVersion`
        /// (plain strings, left out when empty), which protobuf carries in the envelope and not in the message.
        type_meta: bool,
        /// The fields in the order of the Go struct, which is the order of Go's JSON. Inlined structs are flattened
        /// in place. JSON names and protobuf paths are each unique.
        fields: Vec<FieldFact>,
    },
    /// A type whose encodings are written by hand in the runtime.
    Own(OwnShape),
}

/// One JSON field of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldFact {
    /// Name in JSON.
    pub json: String,
    /// Protobuf field numbers from the message down to the field: `[1]` for a field of the message itself, `[2, 1]`
    /// for field 1 of the inlined struct that is field 2. Empty if protobuf does not carry the field. Go holds
    /// inlined structs by value, so the messages on the way are always written. Go writes the fields of a message by
    /// rising number, which is not the order of the struct.
    pub path: Vec<u32>,
    /// How Go holds the field.
    pub holder: Holder,
    /// Whether the elements of a slice or the values of a map are pointers. Never set for other holders.
    pub element_pointer: bool,
    /// What the field is: the element of a slice, the value of a map (keys are always strings), or the field itself.
    pub kind: Kind,
    /// Whether Go's JSON leaves the field out if it is false, zero, `""`, a nil pointer, or an empty list or map. It
    /// has no effect on a message held by value: Go writes that as `{}`.
    pub omit_empty: bool,
    /// Whether Go's JSON leaves the field out if it is the zero value of its type, which a struct can be as well.
    pub omit_zero: bool,
}

/// How a Go struct holds a field, which decides what can be told apart on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// By value: absent and zero are one. Protobuf always writes it (`bytes` and [`OwnShape::StringList`]: unless nil).
    Value,
    /// By pointer: absent differs from zero. Protobuf writes it if it is there.
    Pointer,
    /// A slice: absent and empty are one as far as the wire goes.
    Slice,
    /// A map from strings. Go's encodings sort it by key.
    Map,
}

/// The kind of a field or element, with Go's named types resolved to what they are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `string`, string enums included; length-delimited.
    String,
    /// `bool`; varint.
    Bool,
    /// `int32`; varint, negative numbers in ten bytes.
    Int32,
    /// `int64`; varint.
    Int64,
    /// `float64`, protobuf `double`; fixed 64 bits.
    Double,
    /// `[]byte`: base64 in JSON; length-delimited.
    Bytes,
    /// Another definition of the table, as the schema says; length-delimited.
    Message,
    /// A type with an encoding of its own; length-delimited.
    Own(OwnShape),
}

impl Kind {
    /// The wire type of a protobuf field of this kind: 0 (varint), 1 (64 bits) or 2 (length-delimited).
    ///
    /// Repeated fields of Kubernetes are not packed: each element carries this wire type.
    pub fn wire_type(self) -> u8 {
        match self {
            Self::Bool | Self::Int32 | Self::Int64 => 0,
            Self::Double => 1,
            Self::String | Self::Bytes | Self::Message | Self::Own(_) => 2,
        }
    }
}

/// Types whose JSON is not an object of their fields, so that no table of fields describes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OwnShape {
    /// A time of second precision: an RFC 3339 string; in protobuf seconds and nanoseconds. The zero time is `null`.
    Time,
    /// A time of microsecond precision: an RFC 3339 string; in protobuf seconds and nanoseconds.
    MicroTime,
    /// A duration: a Go duration string; in protobuf nanoseconds.
    Duration,
    /// A resource quantity: a string (a number is read as well); in protobuf the string.
    Quantity,
    /// An integer or a string; in protobuf a message that says which.
    IntOrString,
    /// Any object; in protobuf the bytes of its JSON.
    RawExtension,
    /// A set of field paths: a JSON object; in protobuf the bytes of that JSON.
    FieldsV1,
    /// Any JSON value; in protobuf the bytes of that JSON.
    Json,
    /// A JSON schema or a boolean; in protobuf a message that holds both.
    JsonSchemaPropsOrBool,
    /// A JSON schema or an array of them; in protobuf a message that holds both.
    JsonSchemaPropsOrArray,
    /// A JSON schema or an array of strings; in protobuf a message that holds both.
    JsonSchemaPropsOrStringArray,
    /// A Go `[]string` that is a type of its own: in JSON an array of strings, which OpenAPI writes in place; in
    /// protobuf a message whose field 1 repeats. It is the kind of a field and never a definition.
    StringList,
}

impl OwnShape {
    /// Every shape, in the order of the declaration.
    pub const ALL: [Self; 12] = [
        Self::Time,
        Self::MicroTime,
        Self::Duration,
        Self::Quantity,
        Self::IntOrString,
        Self::RawExtension,
        Self::FieldsV1,
        Self::Json,
        Self::JsonSchemaPropsOrBool,
        Self::JsonSchemaPropsOrArray,
        Self::JsonSchemaPropsOrStringArray,
        Self::StringList,
    ];

    /// The name in the table: the last label of the definition's OpenAPI name, or `StringList`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "Time",
            Self::MicroTime => "MicroTime",
            Self::Duration => "Duration",
            Self::Quantity => "Quantity",
            Self::IntOrString => "IntOrString",
            Self::RawExtension => "RawExtension",
            Self::FieldsV1 => "FieldsV1",
            Self::Json => "JSON",
            Self::JsonSchemaPropsOrBool => "JSONSchemaPropsOrBool",
            Self::JsonSchemaPropsOrArray => "JSONSchemaPropsOrArray",
            Self::JsonSchemaPropsOrStringArray => "JSONSchemaPropsOrStringArray",
            Self::StringList => "StringList",
        }
    }

    /// The shape that [`name`](Self::name) gives this name to.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| shape.name() == name)
    }

    /// Whether the shape is a point in time.
    pub fn is_time(self) -> bool {
        matches!(self, Self::Time | Self::MicroTime)
    }
}

impl Facts {
    /// The committed table of the Kubernetes minor that the embedded specification bundle describes.
    ///
    /// # Errors
    ///
    /// None in a build whose tests passed: the table is part of the crate and a test parses it.
    pub fn embedded() -> Result<Self, FactsError> {
        Self::parse(TABLE)
    }
}

impl Message {
    /// The listed fields; none for a type with a shape of its own.
    pub fn fields(&self) -> &[FieldFact] {
        match &self.shape {
            Shape::Fields { fields, .. } => fields,
            Shape::Own(_) => &[],
        }
    }

    /// The fact about one JSON field. `kind` and `apiVersion` of [`TypeMeta`](Shape::Fields::type_meta) are not
    /// listed.
    pub fn field(&self, json: &str) -> Option<&FieldFact> {
        self.fields().iter().find(|field| field.json == json)
    }
}
