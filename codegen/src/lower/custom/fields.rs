//! Structs and their fields.

use std::collections::BTreeMap;

use super::names::Names;
use super::shapes::{Found, Shapes};
use crate::ir::{Check, Field, Presence, Primitive, Rule, RustName, Type, TypeId, TypeRef, WireName};
use crate::lower::docs;
use crate::lower::names::{Scope, snake};
use crate::lower::presence::optional;
use crate::lower::types::{field_names, metadata};
use crate::parse::{Object, Schema, Shape};

/// How many lists and maps may stand within each other. Written types know three; the Rust compiler knows more.
const MAX_NESTING: u8 = 16;

/// Builds the structs of one kind.
pub(super) struct Builder<'a> {
    pub(super) module: &'a RustName,
    pub(super) shapes: &'a Shapes<'a>,
    pub(super) names: &'a Names,
}

impl Builder<'_> {
    /// The struct of whole objects: `metadata` is the same everywhere, `apiVersion` and `kind` come from the type.
    pub(super) fn root(&self, name: &RustName, schema: &Schema) -> Type {
        let empty = Object::default();
        let object = match &schema.shape {
            Shape::Object(object) => object,
            _ => &empty,
        };
        let mut ty = self.members(name, object, schema, &["apiVersion", "kind", "metadata"]);
        ty.fields.insert(0, metadata());
        ty
    }

    /// The struct of an object within.
    pub(super) fn object(&self, name: &RustName, found: &Found<'_>, object: &Object) -> Type {
        let mut ty = self.members(name, object, found.schema, &[]);
        let path = found.path.join(".");
        ty.wire = WireName::new(path.as_str());
        ty.docs = docs::of_inline(&path, found.schema);
        docs::add_facts(&mut ty.docs, &found.schema.own_checks());
        ty
    }

    fn members(&self, name: &RustName, object: &Object, schema: &Schema, skipped: &[&str]) -> Type {
        let known = object
            .properties
            .iter()
            .filter(|(wire, _)| !skipped.contains(&wire.as_str()));
        let known: BTreeMap<&str, &Schema> = known.map(|(wire, schema)| (wire.as_str(), schema)).collect();
        let reserved = if skipped.is_empty() {
            None
        } else {
            Some("metadata")
        };
        let names = field_names(known.keys().copied().chain(reserved));
        let mut rules = rules_of("", 0, &schema.own_checks());
        let mut fields = Vec::new();
        for (wire, schema) in known {
            let required = object.required.contains(wire);
            fields.push(self.field(wire, names[wire].clone(), schema, required));
            self.rules(wire, 0, schema, &mut rules);
        }
        let mut scope = Scope::default();
        names.values().for_each(|name| {
            scope.take(name.clone());
        });
        let open = object.open || object.additional.is_some();
        Type {
            wire: WireName::new(""),
            name: name.clone(),
            docs: Vec::new(),
            root: None,
            fields,
            rest: open.then(|| scope.take(snake("rest"))),
            rules,
            resource: None,
        }
    }

    /// A field is plain if it is there in every object, also in one that is just being made: it is required and no default
    /// fills it in.
    fn field(&self, wire: &str, name: RustName, schema: &Schema, required: bool) -> Field {
        let (bare, message) = self.value(wire, schema, 0);
        let defaulted = schema.default.is_some();
        let (ty, presence) = match (required && !defaulted, schema.nullable) {
            (true, false) => (bare, Presence::Keep),
            (true, true) => (optional(bare, message), Presence::Null),
            (false, true) if defaulted => {
                let value = if message {
                    TypeRef::Boxed(Box::new(bare))
                } else {
                    bare
                };
                (
                    TypeRef::Option(Box::new(TypeRef::Nullable(Box::new(value)))),
                    Presence::Nullable,
                )
            }
            (false, _) => (optional(bare, message), Presence::Opt),
        };
        let mut lines = docs::of_field(wire, schema);
        docs::add_facts(&mut lines, &field_checks(schema));
        Field {
            wire: WireName::new(wire),
            name,
            docs: lines,
            ty,
            tags: Vec::new(),
            presence,
            sensitive: schema.sensitive,
        }
    }

    /// The type without regard to presence, and whether it is a record.
    fn value(&self, wire: &str, schema: &Schema, depth: u8) -> (TypeRef, bool) {
        if depth == MAX_NESTING {
            return (TypeRef::Runtime("RawJson"), false);
        }
        if let Some(shared) = self.shapes.shared(schema) {
            return (shared.clone(), true);
        }
        if let Some(shape) = self.shapes.of(schema)
            && let Some(name) = self.names.of(wire, depth > 0, shape)
        {
            let id = TypeId {
                module: self.module.clone(),
                name: name.clone(),
            };
            return (TypeRef::Named(id), matches!(schema.shape, Shape::Object(_)));
        }
        let held = |schema: &Schema| {
            let (ty, _) = self.value(wire, schema, depth + 1);
            // Any JSON is `null` by itself.
            Box::new(match schema.nullable && ty != TypeRef::Runtime("RawJson") {
                true => TypeRef::Nullable(Box::new(ty)),
                false => ty,
            })
        };
        let any = || Box::new(TypeRef::Runtime("RawJson"));
        let ty = match &schema.shape {
            Shape::Object(Object {
                additional: Some(values),
                ..
            }) => TypeRef::Map(held(values)),
            Shape::Object(_) => TypeRef::Map(any()),
            Shape::List(Some(items)) => TypeRef::List(held(items)),
            Shape::List(None) => TypeRef::List(any()),
            Shape::String | Shape::Texts(_) => TypeRef::Runtime("Str"),
            Shape::DateTime => TypeRef::Runtime("DateTime"),
            Shape::Bytes => TypeRef::Runtime("ByteString"),
            Shape::Int32 => TypeRef::Primitive(Primitive::I32),
            Shape::Int64 => TypeRef::Primitive(Primitive::I64),
            Shape::Number => TypeRef::Primitive(Primitive::F64),
            Shape::Boolean => TypeRef::Primitive(Primitive::Bool),
            Shape::IntOrString => TypeRef::Runtime("IntOrString"),
            Shape::Quantity => TypeRef::Runtime("Quantity"),
            Shape::Any | Shape::Ref(_) => TypeRef::Runtime("RawJson"),
        };
        (ty, false)
    }
}

impl Builder<'_> {
    /// The rules of a field's value and of what it holds, as far as no other type has them.
    fn rules(&self, field: &str, steps: u8, schema: &Schema, rules: &mut Vec<Rule>) {
        let mut checks = field_checks(schema);
        let name = self
            .shapes
            .of(schema)
            .and_then(|shape| self.names.of(field, steps > 0, shape));
        for check in &mut checks {
            if let (Check::Texts(_), Some(name)) = (&check, name) {
                *check = Check::TextsOf(name.clone());
            }
        }
        rules.extend(rules_of(field, steps, &checks));
        match &schema.shape {
            Shape::List(Some(held))
            | Shape::Object(Object {
                additional: Some(held),
                ..
            }) if steps < MAX_NESTING && !schema.is_struct() => {
                self.rules(field, steps + 1, held, rules);
            }
            _ => {}
        }
    }
}

/// The checks of a field's value that its own type does not make.
fn field_checks(schema: &Schema) -> Vec<Check> {
    let own = schema.own_checks();
    let checks = schema.checks.iter().filter(|check| !own.contains(check));
    checks.cloned().collect()
}

fn rules_of(field: &str, steps: u8, checks: &[Check]) -> Vec<Rule> {
    let rule = |check: &Check| Rule {
        field: WireName::new(field),
        steps,
        check: check.clone(),
    };
    checks.iter().map(rule).collect()
}
