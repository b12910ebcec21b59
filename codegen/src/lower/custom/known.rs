//! Schemas that are those of Kubernetes' own types.
//!
//! Definitions are made from Go types, in which `corev1.Toleration` is a name; in the schema it stands in full. Where a crate
//! stands on the crate of the Kubernetes API, a schema that has the fields of one of its types, no more and no less and all the
//! way down, becomes that type. Descriptions, rules and which fields are required do not count. Two types may have the same
//! fields (`SecretKeySelector`, `ConfigMapKeySelector`): then the name of the field decides, or it is neither.
//!
//! These types hold what Go holds: an empty optional list or text in them is as good as none, as it is for the controllers that
//! these definitions belong to.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::ir::TypeRef;
use crate::lower::classes::{Class, Classes, META_V1};
use crate::lower::homes::{last, package};
use crate::parse::{Object, Schema, Shape};

/// How many fields a type must have for its fields to tell it.
const TELLING: usize = 3;

/// Types whose fields tell them although they are fewer.
const TOLD: &[&str] = &["LabelSelector"];

/// How deep definitions are followed; a schema in place that refers to itself has no end.
const MAX_DEPTH: usize = 40;

/// The package that most of them are from.
const CORE_V1: &str = "io.k8s.api.core.v1";

/// Types by what they are made of.
pub(crate) struct Known<'a> {
    classes: Classes<'a>,
    numbers: RefCell<BTreeMap<String, usize>>,
    types: BTreeMap<usize, Vec<&'a str>>,
}

impl<'a> Known<'a> {
    /// All types of a model.
    pub(crate) fn of(classes: Classes<'a>) -> Self {
        let mut known = Self {
            classes,
            numbers: RefCell::default(),
            types: BTreeMap::new(),
        };
        for (name, definition) in &classes.model.definitions {
            let Shape::Object(object) = &definition.schema.shape else {
                continue;
            };
            let telling = object.properties.len() >= TELLING || TOLD.contains(&last(name));
            let usable = matches!(classes.class(name), Class::Struct | Class::RuntimeRecord(_));
            let root =
                object.properties.contains_key("apiVersion") && object.properties.contains_key("metadata");
            if telling
                && usable
                && !root
                && (package(name).starts_with("io.k8s.api.") || package(name) == META_V1)
            {
                let number = known.number(&definition.schema, 0);
                known.types.entry(number).or_default().push(name);
            }
        }
        known
    }

    /// The type that a schema under this field is, if it is one.
    pub(super) fn find(&self, field: &str, schema: &Schema) -> Option<TypeRef> {
        if !schema.is_struct() {
            return None;
        }
        let candidates = self.types.get(&self.number(schema, 0))?;
        let of_core = |name: &&&str| [CORE_V1, META_V1].contains(&package(name));
        let core: Vec<&str> = candidates.iter().filter(of_core).copied().collect();
        let name = match if core.is_empty() {
            candidates.as_slice()
        } else {
            &core
        } {
            [only] => only,
            several => by_field(field, several)?,
        };
        match self.classes.type_of(name) {
            TypeRef::Named(id) => Some(TypeRef::Shared(id)),
            runtime => Some(runtime),
        }
    }

    /// A number for what a schema is made of.
    fn number(&self, schema: &Schema, depth: usize) -> usize {
        let key = self.key(schema, depth);
        let mut numbers = self.numbers.borrow_mut();
        let next = numbers.len();
        *numbers.entry(key).or_insert(next)
    }

    fn key(&self, schema: &Schema, depth: usize) -> String {
        if depth == MAX_DEPTH {
            return "deep".to_owned();
        }
        let null = if schema.nullable { "?" } else { "" };
        let key = match &schema.shape {
            Shape::Ref(name) => self.key_of(name, depth),
            Shape::Object(object) => self.object(object, depth),
            Shape::List(Some(items)) => format!("[{}]", self.number(items, depth + 1)),
            Shape::List(None) => "[]".to_owned(),
            Shape::String | Shape::Texts(_) => "string".to_owned(),
            other => format!("{other:?}"),
        };
        format!("{key}{null}")
    }

    /// What a definition is in a schema that has it in full.
    fn key_of(&self, name: &str, depth: usize) -> String {
        let object = || "{}".to_owned();
        match self.classes.class(name) {
            Class::RuntimeRecord("ObjectMeta") => object(),
            Class::Runtime("Time" | "MicroTime") => format!("{:?}", Shape::DateTime),
            Class::Runtime("Quantity") => format!("{:?}", Shape::Quantity),
            Class::Runtime("IntOrString") => format!("{:?}", Shape::IntOrString),
            Class::Runtime("Duration") => "string".to_owned(),
            Class::Runtime(_) | Class::Union(..) | Class::Missing => "any".to_owned(),
            Class::Alias(schema) => self.key(schema, depth + 1),
            Class::Struct | Class::RuntimeRecord(_) => match self.classes.model.definitions.get(name) {
                Some(definition) => self.key(&definition.schema, depth + 1),
                None => object(),
            },
        }
    }

    fn object(&self, object: &Object, depth: usize) -> String {
        let fields = object.properties.iter();
        let fields = fields.map(|(name, schema)| format!("{name:?}:{}", self.number(schema, depth + 1)));
        let fields = fields.collect::<Vec<_>>().join(",");
        let values = object
            .additional
            .as_ref()
            .map(|values| format!("*{}", self.number(values, depth + 1)));
        let open = if object.open { "+" } else { "" };
        format!("{{{fields}{}{open}}}", values.unwrap_or_default())
    }
}

/// The one of several types whose name begins as the field's does, without what they have in common.
fn by_field<'n>(field: &str, names: &[&'n str]) -> Option<&'n str> {
    let field = field.to_ascii_lowercase();
    let ends: BTreeSet<usize> = names.iter().map(|name| last(name).len()).collect();
    let shortest = ends.first().copied().unwrap_or_default();
    let common = (0..shortest).take_while(|at| {
        let mut signs = names.iter().map(|name| last(name).bytes().rev().nth(*at));
        let first = signs.next();
        signs.all(|sign| Some(sign) == first)
    });
    let common = common.count();
    let mut fitting = names.iter().filter(|name| {
        let start = last(name).to_ascii_lowercase();
        let start = &start[..start.len() - common];
        !start.is_empty() && field.contains(start)
    });
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_tells_types_of_equal_fields_apart() {
        let names = ["a.ConfigMapKeySelector", "a.SecretKeySelector"];
        for (field, expected) in [
            ("secretKeyRef", Some(names[1])),
            ("configMapKeyRef", Some(names[0])),
            ("clientSecret", Some(names[1])),
            ("keyRef", None),
            ("secretOrConfigMap", None),
        ] {
            assert_eq!(by_field(field, &names), expected, "{field}");
        }
    }
}
