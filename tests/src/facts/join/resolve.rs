//! Resolves Go type expressions: what a field holds, and how.

use std::collections::BTreeMap;

use anyhow::{Context, bail, ensure};
use kubeloom_codegen::facts::proto::ProtoTable;
use kubeloom_codegen::facts::{Holder, Kind, OwnShape};

use super::own_shape;
use crate::facts::go::{Package, Type};

/// Steps after which a chain of named types is taken for a cycle. The longest of Kubernetes has three.
const MAX_CHAIN: usize = 16;

/// What a Go field holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Held<'a> {
    /// How it is held.
    pub(super) holder: Holder,
    /// Whether elements or values are pointers.
    pub(super) element_pointer: bool,
    /// The kind of the field, element or value.
    pub(super) kind: Kind,
    /// The protobuf message of a [`Kind::Message`] or [`Kind::Own`], if it has one.
    pub(super) message: Option<&'a str>,
}

/// The Go types of all packages by full name (`k8s.io/api/core/v1.Pod`), and the protobuf messages they stand for.
pub(super) struct Types<'a> {
    types: BTreeMap<String, &'a Type>,
    protos: BTreeMap<String, &'a str>,
}

impl<'a> Types<'a> {
    pub(super) fn new(protos: &'a ProtoTable, packages: &'a [Package]) -> Self {
        let full = |package: &Package, name: &str| format!("{}.{name}", package.path);
        let each = || {
            packages
                .iter()
                .flat_map(|package| package.types.iter().map(move |found| (package, found)))
        };
        let proto_packages: BTreeMap<&str, &str> = protos
            .files
            .iter()
            .map(|(file, package)| (crate::facts::parent(file), package.as_str()))
            .collect();
        let message = |package: &Package, name: &str| {
            let proto_package = proto_packages.get(package.path.as_str())?;
            let found = protos
                .messages
                .get_key_value(&format!("{proto_package}.{name}"))?;
            Some(found.0.as_str())
        };
        Self {
            types: each()
                .map(|(package, found)| (full(package, &found.name), found))
                .collect(),
            protos: each()
                .filter_map(|(package, found)| {
                    Some((full(package, &found.name), message(package, &found.name)?))
                })
                .collect(),
        }
    }

    /// Full names of all types, sorted.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.types.keys().map(String::as_str)
    }

    pub(super) fn get(&self, name: &str) -> anyhow::Result<&'a Type> {
        let found = self.types.get(name).copied();
        found.with_context(|| format!("the package of Go type {name} was not read"))
    }

    /// The protobuf message that a Go type stands for.
    pub(super) fn proto_name(&self, name: &str) -> Option<&'a str> {
        self.protos.get(name).copied()
    }

    /// Whether a type is a `[]string` that is a protobuf message of its own.
    pub(super) fn is_string_list(&self, name: &str) -> bool {
        let list = self
            .types
            .get(name)
            .is_some_and(|found| !found.alias && found.underlying == "[]string");
        list && self.proto_name(name).is_some()
    }

    /// The struct behind a name, through other names for it and types defined as it.
    pub(super) fn structure(&self, name: &str) -> anyhow::Result<&'a Type> {
        let mut found = self.get(name)?;
        for _ in 0..MAX_CHAIN {
            if found.underlying == "struct" {
                return Ok(found);
            }
            found = self.get(&found.underlying)?;
        }
        bail!("{name} is defined by way of itself")
    }

    /// What a field of this type holds.
    pub(super) fn held(&self, expression: &str) -> anyhow::Result<Held<'a>> {
        let hold = |holder, element_pointer, (kind, message)| Held {
            holder,
            element_pointer,
            kind,
            message,
        };
        if let Some(target) = expression.strip_prefix('*') {
            return Ok(hold(Holder::Pointer, false, self.single(target)?));
        }
        let expression = self.unfold(expression)?;
        if let Some(element) = expression.strip_prefix("[]").filter(|element| !is_byte(element)) {
            let element = self.unfold(element)?;
            let target = element.strip_prefix('*');
            return Ok(hold(
                Holder::Slice,
                target.is_some(),
                self.single(target.unwrap_or(element))?,
            ));
        }
        if let Some((key, value)) = expression
            .strip_prefix("map[")
            .and_then(|rest| rest.split_once(']'))
        {
            let key = self.unfold(key)?;
            ensure!(key == "string", "a map with keys of type {key}");
            let value = self.unfold(value)?;
            let target = value.strip_prefix('*');
            return Ok(hold(
                Holder::Map,
                target.is_some(),
                self.single(target.unwrap_or(value))?,
            ));
        }
        Ok(hold(Holder::Value, false, self.single(expression)?))
    }

    /// Follows named types down to a protobuf message, a struct, or an expression that is no name.
    fn unfold<'b>(&self, expression: &'b str) -> anyhow::Result<&'b str>
    where
        'a: 'b,
    {
        let mut current = expression;
        for _ in 0..MAX_CHAIN {
            let is_name =
                current.contains('.') && !current.starts_with(['*', '[']) && !current.starts_with("map[");
            if !is_name {
                return Ok(current);
            }
            let found = self.get(current)?;
            let ends = self.proto_name(current).is_some() || found.underlying == "struct";
            if ends && !found.alias {
                return Ok(current);
            }
            current = &found.underlying;
        }
        bail!("{expression} is defined by way of itself")
    }

    /// Kind and message of a type that is neither list nor map.
    fn single(&self, expression: &str) -> anyhow::Result<(Kind, Option<&'a str>)> {
        let expression = self.unfold(expression)?;
        let kind = match expression {
            "string" => Kind::String,
            "bool" => Kind::Bool,
            "int32" => Kind::Int32,
            "int64" => Kind::Int64,
            "float64" => Kind::Double,
            _ if expression.strip_prefix("[]").is_some_and(is_byte) => Kind::Bytes,
            _ if self.is_string_list(expression) => Kind::Own(OwnShape::StringList),
            _ if self.types.contains_key(expression) => {
                own_shape(expression).map_or(Kind::Message, Kind::Own)
            }
            _ => bail!("a field of type {expression}"),
        };
        Ok((kind, self.proto_name(expression)))
    }
}

fn is_byte(element: &str) -> bool {
    element == "byte" || element == "uint8"
}
