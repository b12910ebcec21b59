//! Joins what `.proto` files and Go types say, and refuses what they do not say alike.
//!
//! Fields meet by number: the one in the Go struct tag and the one in the `.proto` file. Then names, labels, kinds
//! and wire types have to agree, every field of a message must have been met, and no two JSON fields may share a
//! name or a path.

mod resolve;
mod tag;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, bail, ensure};
use kubeloom_codegen::facts::proto::{ProtoField, ProtoKind, ProtoLabel, ProtoMessage, ProtoTable};
use kubeloom_codegen::facts::{FieldFact, Holder, Kind, Message, OwnShape, Shape};

use super::go::{Field, Package, Type};
use resolve::{Held, Types};
use tag::{JsonTag, ProtoTag};

/// The embedded struct that holds `kind` and `apiVersion`; protobuf carries it in the envelope.
const TYPE_META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1.TypeMeta";
/// Types that OpenAPI publishes and protobuf does not know.
const JSON_ONLY: [&str; 1] = ["k8s.io/apimachinery/pkg/version.Info"];
/// Messages that no API server publishes: a package for tests, and types that live inside Go programs and in the
/// protobuf envelope.
const LEFT_OUT: [&str; 6] = [
    "k8s.io/apimachinery/pkg/api/resource.QuantityValue",
    "k8s.io/apimachinery/pkg/apis/meta/v1.GroupVersion",
    "k8s.io/apimachinery/pkg/apis/meta/v1.Timestamp",
    "k8s.io/apimachinery/pkg/apis/testapigroup/v1.*",
    "k8s.io/apimachinery/pkg/runtime.TypeMeta",
    "k8s.io/apimachinery/pkg/runtime.Unknown",
];

/// Joins the two sources into the messages of a fact table, by OpenAPI name.
///
/// # Errors
///
/// The first disagreement, with the Go type and field it was found at.
pub fn join(protos: &ProtoTable, packages: &[Package]) -> anyhow::Result<BTreeMap<String, Message>> {
    let joiner = Joiner {
        protos,
        types: Types::new(protos, packages),
    };
    for entry in LEFT_OUT.iter().chain(&JSON_ONLY) {
        let found = joiner.types.names().any(|name| matches(entry, name));
        ensure!(found, "{entry} is listed as an exception and does not exist");
    }
    let mut messages = BTreeMap::new();
    for go_name in joiner.types.names() {
        if is_left_out(go_name) {
            continue;
        }
        if let Some(message) = joiner
            .message(go_name)
            .with_context(|| format!("type {go_name}"))?
        {
            messages.insert(definition_name(go_name)?, message);
        }
    }
    let missed = unmet(protos, &messages, &joiner.types);
    ensure!(
        missed.is_empty(),
        "no Go type was found for these protobuf messages: {missed:?}"
    );
    Ok(messages)
}

/// Protobuf messages that neither became a definition nor are known not to be one.
fn unmet<'a>(
    protos: &'a ProtoTable,
    messages: &BTreeMap<String, Message>,
    types: &Types<'_>,
) -> Vec<&'a str> {
    let mut met: BTreeSet<&str> = messages
        .values()
        .filter_map(|message| message.proto.as_deref())
        .collect();
    let no_definition = types
        .names()
        .filter(|name| is_left_out(name) || types.is_string_list(name));
    met.extend(no_definition.filter_map(|name| types.proto_name(name)));
    protos
        .messages
        .keys()
        .map(String::as_str)
        .filter(|name| !met.contains(name))
        .collect()
}

fn is_left_out(go_name: &str) -> bool {
    LEFT_OUT.iter().any(|entry| matches(entry, go_name))
}

/// Whether an entry names the type, or its package followed by `.*`.
fn matches(entry: &str, go_name: &str) -> bool {
    entry
        .strip_suffix('*')
        .map_or(entry == go_name, |package| go_name.starts_with(package))
}

/// The OpenAPI name of a Go type: `k8s.io/api/core/v1.Pod` is `io.k8s.api.core.v1.Pod`.
fn definition_name(go_name: &str) -> anyhow::Result<String> {
    let (host, rest) = go_name.split_once('/').context("an import path without host")?;
    let host: Vec<&str> = host.rsplit('.').collect();
    Ok(format!("{}.{}", host.join("."), rest.replace('/', ".")))
}

struct Joiner<'a> {
    protos: &'a ProtoTable,
    types: Types<'a>,
}

/// What flattening one struct gathers.
#[derive(Default)]
struct Gathered {
    type_meta: bool,
    fields: Vec<FieldFact>,
}

impl Joiner<'_> {
    /// The facts of a Go type, or `None` if it is not a definition.
    fn message(&self, go_name: &str) -> anyhow::Result<Option<Message>> {
        let declared = self.types.get(go_name)?;
        let proto = self.types.proto_name(go_name);
        if declared.alias || self.types.is_string_list(go_name) {
            return Ok(None);
        }
        if proto.is_none() && !JSON_ONLY.contains(&go_name) {
            return Ok(None);
        }
        let shape = match own_shape(go_name) {
            Some(shape) => {
                ensure!(
                    declared.own_json,
                    "listed as an own shape, but its JSON is that of its fields"
                );
                Shape::Own(shape)
            }
            None => {
                let message = proto.map(|name| self.proto(name)).transpose()?;
                let mut gathered = Gathered::default();
                self.flatten(self.types.structure(go_name)?, message, &[], &mut gathered)?;
                check_unique(&gathered.fields)?;
                Shape::Fields {
                    type_meta: gathered.type_meta,
                    fields: gathered.fields,
                }
            }
        };
        Ok(Some(Message {
            proto: proto.map(str::to_owned),
            shape,
        }))
    }

    fn proto(&self, name: &str) -> anyhow::Result<&ProtoMessage> {
        self.protos
            .messages
            .get(name)
            .with_context(|| format!("no protobuf message {name}"))
    }

    /// Adds the fields of a struct, inlined ones in place. `way` is the path to the struct's message.
    fn flatten(
        &self,
        structure: &Type,
        message: Option<&ProtoMessage>,
        way: &[u32],
        gathered: &mut Gathered,
    ) -> anyhow::Result<()> {
        ensure!(
            !structure.own_json,
            "has JSON of its own; list it as an own shape or leave it out"
        );
        let mut met = BTreeSet::new();
        for field in &structure.fields {
            self.add_field(field, message, way, &mut met, gathered)
                .with_context(|| format!("field {}", field.name))?;
        }
        for (number, field) in message.into_iter().flatten() {
            ensure!(
                met.contains(number),
                "no Go field has number {number} ({})",
                field.name
            );
        }
        Ok(())
    }

    fn add_field(
        &self,
        field: &Field,
        message: Option<&ProtoMessage>,
        way: &[u32],
        met: &mut BTreeSet<u32>,
        gathered: &mut Gathered,
    ) -> anyhow::Result<()> {
        let json = JsonTag::parse(field)?;
        let inlined = field.embedded && json.name.is_empty();
        if inlined && field.type_ == TYPE_META {
            ensure!(
                gathered.fields.is_empty() && way.is_empty(),
                "TypeMeta does not come first"
            );
            gathered.type_meta = true;
            return Ok(());
        }
        ensure!(
            !json.name.is_empty() || inlined,
            "neither a JSON name nor an embedded struct"
        );
        if json.name == "-" && field.protobuf.is_empty() {
            return Ok(());
        }
        ensure!(json.name != "-", "in protobuf and not in JSON");
        let tag = ProtoTag::parse(&field.protobuf)?;
        let counterpart = match (&tag, message) {
            (Some(tag), Some(message)) => {
                let found = message.get(&tag.number);
                let found = found.with_context(|| format!("no protobuf field {}", tag.number))?;
                ensure!(met.insert(tag.number), "number {} is used twice", tag.number);
                tag.check(found)?;
                Some((tag.number, found))
            }
            (None, None) => None,
            (tag, message) => bail!("protobuf tag: {}, message: {}", tag.is_some(), message.is_some()),
        };
        let path: Vec<u32> = way
            .iter()
            .copied()
            .chain(counterpart.map(|(number, _)| number))
            .collect();
        let held = self.types.held(&field.type_)?;
        if let Some((_, found)) = counterpart {
            check_held(&held, found)?;
        }
        if inlined {
            let by_value = held.holder == Holder::Value && held.kind == Kind::Message;
            ensure!(
                by_value,
                "an inlined struct that is not held by value: {}",
                field.type_
            );
            let inner = held.message.map(|name| self.proto(name)).transpose()?;
            return self.flatten(self.types.structure(&field.type_)?, inner, &path, gathered);
        }
        let Held {
            holder,
            element_pointer,
            kind,
            ..
        } = held;
        let (omit_empty, omit_zero) = (json.omit_empty, json.omit_zero);
        gathered.fields.push(FieldFact {
            json: json.name.to_owned(),
            path,
            holder,
            element_pointer,
            kind,
            omit_empty,
            omit_zero,
        });
        Ok(())
    }
}

/// Checks that a Go field is what the `.proto` file says: how often it occurs and of which kind it is.
fn check_held(held: &Held<'_>, proto: &ProtoField) -> anyhow::Result<()> {
    let labels_agree = match &proto.label {
        ProtoLabel::Optional | ProtoLabel::Required => matches!(held.holder, Holder::Value | Holder::Pointer),
        ProtoLabel::Repeated { packed } => held.holder == Holder::Slice && !packed,
        ProtoLabel::Map(key) => held.holder == Holder::Map && *key == ProtoKind::Scalar("string"),
    };
    ensure!(
        labels_agree,
        "Go holds it as {:?}, the .proto file says {:?}",
        held.holder,
        proto.label
    );
    let expected = match held.kind {
        Kind::String => ProtoKind::Scalar("string"),
        Kind::Bool => ProtoKind::Scalar("bool"),
        Kind::Int32 => ProtoKind::Scalar("int32"),
        Kind::Int64 => ProtoKind::Scalar("int64"),
        Kind::Double => ProtoKind::Scalar("double"),
        Kind::Bytes => ProtoKind::Scalar("bytes"),
        Kind::Message | Kind::Own(_) => ProtoKind::Message(
            held.message
                .context("a message without protobuf form")?
                .to_owned(),
        ),
    };
    ensure!(
        expected == proto.kind,
        "Go says {expected:?}, the .proto file says {:?}",
        proto.kind
    );
    Ok(())
}

/// The own shape of a Go type. It goes by package as well as by name: other packages may use the same names.
fn own_shape(go_name: &str) -> Option<OwnShape> {
    let (package, name) = go_name.rsplit_once('.')?;
    let shape = OwnShape::from_name(name)?;
    let home = match shape {
        OwnShape::Time | OwnShape::MicroTime | OwnShape::Duration | OwnShape::FieldsV1 => {
            package == "k8s.io/apimachinery/pkg/apis/meta/v1"
        }
        OwnShape::Quantity => package == "k8s.io/apimachinery/pkg/api/resource",
        OwnShape::IntOrString => package == "k8s.io/apimachinery/pkg/util/intstr",
        OwnShape::RawExtension => package == "k8s.io/apimachinery/pkg/runtime",
        OwnShape::Json
        | OwnShape::JsonSchemaPropsOrBool
        | OwnShape::JsonSchemaPropsOrArray
        | OwnShape::JsonSchemaPropsOrStringArray => {
            package.starts_with("k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/")
        }
        OwnShape::StringList => false,
    };
    home.then_some(shape)
}

/// Checks that JSON names and paths are each unique, across inlined structs too.
fn check_unique(fields: &[FieldFact]) -> anyhow::Result<()> {
    let (mut names, mut paths) = (BTreeSet::new(), BTreeSet::new());
    for field in fields {
        ensure!(
            names.insert(&field.json),
            "two JSON fields are named {}",
            field.json
        );
        ensure!(
            field.path.is_empty() || paths.insert(&field.path),
            "two fields have the path {:?}",
            field.path
        );
    }
    Ok(())
}
