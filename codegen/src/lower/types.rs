//! Structs and their fields.

use std::collections::{BTreeMap, BTreeSet};

use super::classes::{Class, Classes, META_V1, Resolved};
use super::homes::{last, package};
use super::names::{Scope, pascal, snake, type_name};
use super::presence::{Demand, hold, optional};
use super::resources::Lowered;
use super::{docs, graph};
use crate::diagnostic::{Code, Diagnostic, Location, Report};
use crate::facts::{FieldFact, Message, Shape as FactShape, TYPE_META_FIELDS};
use crate::ir::{Field, Presence, Primitive, Root, RustName, Type, TypeId, TypeRef, WireName};
use crate::parse::{Definition, Object, Schema, Shape};

/// Builds the structs of the reached definitions, by module. Takes the resources out of `lowered`.
pub(super) fn build(
    reached: &BTreeSet<String>,
    lowered: &mut Lowered,
    classes: &Classes<'_>,
    report: &mut Report,
) -> BTreeMap<RustName, Vec<Type>> {
    let mut builder = Builder {
        classes: *classes,
        scopes: BTreeMap::new(),
        built: BTreeMap::new(),
        following: Vec::new(),
        depth: 0,
        report: Report::default(),
    };
    for name in reached {
        let found = (classes.homes.id(name), classes.model.definitions.get(name));
        let (Some(id), Some(definition)) = found else {
            continue;
        };
        if definition.custom.is_some() {
            continue;
        }
        let resource = lowered.resources.remove(name);
        let mut ty = builder.definition(name, id, definition, resource.is_some());
        ty.docs = docs::of_type(&ty, definition, resource.as_ref(), classes, &id.module);
        ty.resource = resource;
        builder.built.entry(id.module.clone()).or_default().push(ty);
    }
    report.extend(builder.report);
    builder.built
}

/// An object without a schema.
static FREE: Object = Object {
    properties: BTreeMap::new(),
    required: BTreeSet::new(),
    additional: None,
    open: false,
};

struct Builder<'a> {
    classes: Classes<'a>,
    scopes: BTreeMap<RustName, Scope>,
    built: BTreeMap<RustName, Vec<Type>>,
    /// Names for schemas in place that are being followed.
    following: Vec<&'a str>,
    /// How many lists and maps the current type is within.
    depth: usize,
    report: Report,
}

/// How many lists and maps may stand within each other. Written types know three; the Rust compiler knows more.
const MAX_NESTING: usize = 16;

/// The struct that a schema is in.
struct Owner<'a> {
    id: &'a TypeId,
    wire: &'a str,
}

impl<'a> Builder<'a> {
    fn definition(&mut self, name: &str, id: &TypeId, definition: &'a Definition, resource: bool) -> Type {
        let facts = self.classes.facts.messages.get(name);
        let object = match &definition.schema.shape {
            Shape::Object(object) => object,
            _ => &FREE,
        };
        let root = self.root(id, definition, object, facts);
        let owner = Owner { id, wire: name };
        let mut ty = self.object(&owner, object, facts, root.is_some());
        if resource && !ty.fields.iter().any(|field| field.wire.as_str() == "metadata") {
            ty.fields.insert(0, metadata());
        }
        if object.properties.is_empty() && facts.is_none() && ty.rest.is_none() {
            ty.rest = Some(snake("rest"));
        }
        ty.root = root;
        ty
    }

    /// `apiVersion` and `kind`, if the definition has these fields and belongs to one kind.
    fn root(
        &self,
        id: &TypeId,
        definition: &Definition,
        object: &Object,
        facts: Option<&Message>,
    ) -> Option<Root> {
        let by_fact =
            facts.is_some_and(|facts| matches!(facts.shape, FactShape::Fields { type_meta: true, .. }));
        let by_schema = TYPE_META_FIELDS
            .iter()
            .all(|field| object.properties.contains_key(*field));
        if !by_fact && !by_schema && !object.properties.is_empty() {
            return None;
        }
        let at_home =
            |kind: &&crate::parse::GroupVersionKind| self.classes.homes.module(&kind.gv) == Some(&id.module);
        let kind = match definition.kinds.as_slice() {
            [only] => only,
            several => several.iter().find(at_home)?,
        };
        Some(Root {
            api_version: WireName::new(kind.gv.api_version()),
            kind: WireName::new(kind.kind.as_str()),
        })
    }

    fn object(&mut self, owner: &Owner<'_>, object: &'a Object, facts: Option<&Message>, root: bool) -> Type {
        let known = facts.map(Message::fields).unwrap_or_default();
        // In the order of the Go struct, then what facts do not know.
        let mut order: Vec<(&str, Option<&FieldFact>)> = known
            .iter()
            .map(|fact| (fact.json.as_str(), Some(fact)))
            .collect();
        let listed: BTreeSet<&str> = order.iter().map(|(name, _)| *name).collect();
        order.extend(
            object
                .properties
                .keys()
                .map(String::as_str)
                .filter(|name| !listed.contains(name))
                .map(|n| (n, None)),
        );
        order.retain(|(name, _)| !(root && TYPE_META_FIELDS.contains(name)));
        let names = field_names(order.iter().map(|(name, _)| *name));
        let mut fields = Vec::new();
        for (wire, fact) in order {
            if let Some(schema) = object.properties.get(wire) {
                let demand = match (object.required.contains(wire), schema.nullable) {
                    (true, true) => Demand::RequiredNullable,
                    (true, false) => Demand::Required,
                    (false, _) => Demand::Optional,
                };
                fields.push(self.field(owner, wire, names[wire].clone(), schema, fact, demand, root));
            }
        }
        let open = object.open || object.additional.is_some();
        let mut scope = Scope::default();
        names.values().for_each(|name| {
            scope.take(name.clone());
        });
        Type {
            wire: WireName::new(owner.wire),
            name: owner.id.name.clone(),
            docs: Vec::new(),
            root: None,
            fields,
            rest: open.then(|| scope.take(snake("rest"))),
            rules: Vec::new(),
            resource: None,
        }
    }

    #[allow(clippy::too_many_arguments, reason = "all that decides about a field")]
    fn field(
        &mut self,
        owner: &Owner<'_>,
        wire: &str,
        name: RustName,
        schema: &'a Schema,
        fact: Option<&FieldFact>,
        demand: Demand,
        root: bool,
    ) -> Field {
        let (bare, message) = self.bare(owner, wire, schema);
        let (ty, presence) = match wire {
            "metadata" if root && bare == TypeRef::Runtime("RawJson") => {
                (TypeRef::Runtime("ObjectMeta"), Presence::Keep)
            }
            "metadata" if root && bare == TypeRef::Runtime("ObjectMeta") => {
                let (_, presence) = hold(bare.clone(), message, fact, Demand::Required);
                (bare, presence)
            }
            _ if fact.is_none() && TYPE_META_FIELDS.contains(&wire) && self.has_type_meta(owner) => {
                (bare, Presence::Omit)
            }
            _ => hold(bare, message, fact, demand),
        };
        Field {
            wire: WireName::new(wire),
            name,
            docs: docs::of_field(wire, schema),
            ty,
            tags: fact.map(|fact| fact.path.clone()).unwrap_or_default(),
            presence,
            sensitive: schema.sensitive,
        }
    }

    /// Whether the Go struct embeds `TypeMeta`, whose fields are plain.
    fn has_type_meta(&self, owner: &Owner<'_>) -> bool {
        let facts = self.classes.facts.messages.get(owner.wire);
        facts.is_some_and(|facts| matches!(facts.shape, FactShape::Fields { type_meta: true, .. }))
    }

    /// The type without regard to presence, and whether it is a record.
    fn bare(&mut self, owner: &Owner<'_>, wire: &str, schema: &'a Schema) -> (TypeRef, bool) {
        let before = self.following.len();
        let found = self.followed(owner, wire, schema);
        self.following.truncate(before);
        found
    }

    fn followed(&mut self, owner: &Owner<'_>, wire: &str, schema: &'a Schema) -> (TypeRef, bool) {
        let schema = match self.classes.resolve(schema, &mut self.following) {
            Resolved::Definition(name) => {
                let message = matches!(self.classes.class(name), Class::Struct | Class::RuntimeRecord(_));
                return (self.classes.type_of(name), message);
            }
            Resolved::Any => return (TypeRef::Runtime("RawJson"), false),
            Resolved::Schema(schema) => schema,
        };
        let ty = match &schema.shape {
            Shape::Object(object) if !object.properties.is_empty() => {
                return (self.inline(owner, wire, object, schema), true);
            }
            Shape::Object(Object {
                additional: Some(values),
                ..
            }) => TypeRef::Map(Box::new(self.within(owner, wire, values))),
            Shape::List(Some(items)) => TypeRef::List(Box::new(self.within(owner, wire, items))),
            Shape::List(None) => TypeRef::List(Box::new(TypeRef::Runtime("RawJson"))),
            Shape::String | Shape::Texts(_) => TypeRef::Runtime("Str"),
            Shape::DateTime => TypeRef::Runtime("Time"),
            Shape::Bytes => TypeRef::Runtime("ByteString"),
            Shape::Int32 => TypeRef::Primitive(Primitive::I32),
            Shape::Int64 => TypeRef::Primitive(Primitive::I64),
            Shape::Number => TypeRef::Primitive(Primitive::F64),
            Shape::Boolean => TypeRef::Primitive(Primitive::Bool),
            Shape::IntOrString => TypeRef::Runtime("IntOrString"),
            Shape::Quantity => TypeRef::Runtime("Quantity"),
            Shape::Object(_) | Shape::Any | Shape::Ref(_) => TypeRef::Runtime("RawJson"),
        };
        (ty, false)
    }

    /// The type of what a list or map holds.
    fn within(&mut self, owner: &Owner<'_>, wire: &str, schema: &'a Schema) -> TypeRef {
        if self.depth == MAX_NESTING {
            let message = format!(
                "{}.{wire} nests too many lists and maps; the innermost are taken as any JSON",
                owner.wire
            );
            self.report
                .push(Diagnostic::new(Code::UnknownType, Location::default(), message));
            return TypeRef::Runtime("RawJson");
        }
        self.depth += 1;
        let (ty, _) = self.bare(owner, wire, schema);
        self.depth -= 1;
        ty
    }

    /// The struct of an object that stands in place: named for its owner and the field.
    fn inline(&mut self, owner: &Owner<'_>, wire: &str, object: &'a Object, schema: &Schema) -> TypeRef {
        let module = &owner.id.module;
        let scope = self
            .scopes
            .entry(module.clone())
            .or_insert_with(|| self.classes.homes.scope(module));
        let name = scope.take(type_name(&format!("{}{}", owner.id.name, pascal(wire))));
        let id = TypeId {
            module: module.clone(),
            name,
        };
        let path = format!("{}.{wire}", owner.wire);
        let depth = std::mem::take(&mut self.depth);
        let mut ty = self.object(&Owner { id: &id, wire: &path }, object, None, false);
        self.depth = depth;
        ty.docs = docs::of_inline(&path, schema);
        self.built.entry(module.clone()).or_default().push(ty);
        TypeRef::Named(id)
    }
}

pub(super) fn metadata() -> Field {
    Field {
        wire: WireName::new("metadata"),
        name: snake("metadata"),
        docs: vec!["`metadata`".to_owned()],
        ty: TypeRef::Runtime("ObjectMeta"),
        tags: Vec::new(),
        presence: Presence::Keep,
        sensitive: false,
    }
}

/// Names of the fields of a struct. They are given in the order of the wire names, whatever the order of the fields, and
/// those that need no change, or but an underscore for being a keyword, keep theirs.
pub(super) fn field_names<'n>(wires: impl Iterator<Item = &'n str>) -> BTreeMap<String, RustName> {
    let mut wires: Vec<&str> = wires.collect();
    wires.sort_by_key(|wire| (snake(wire).as_str().trim_end_matches('_') != *wire, *wire));
    let mut scope = Scope::default();
    wires
        .into_iter()
        .map(|wire| (wire.to_owned(), scope.take(snake(wire))))
        .collect()
}

/// Structs that hold themselves by value cannot be built: such fields become boxed options. Go cannot have them, so only
/// types without facts are concerned.
pub(super) fn break_cycles(modules: &mut BTreeMap<RustName, Vec<Type>>) {
    let mut edges: BTreeMap<TypeId, BTreeSet<TypeId>> = BTreeMap::new();
    for (module, types) in modules.iter() {
        for ty in types {
            let held = ty.fields.iter().filter_map(|field| match &field.ty {
                TypeRef::Named(id) => Some(id.clone()),
                _ => None,
            });
            edges.insert(
                TypeId {
                    module: module.clone(),
                    name: ty.name.clone(),
                },
                held.collect(),
            );
        }
    }
    let components = graph::components(&edges);
    for (module, types) in modules.iter_mut() {
        for ty in types {
            let id = TypeId {
                module: module.clone(),
                name: ty.name.clone(),
            };
            let Some(component) = components.get(&id) else {
                continue;
            };
            for field in &mut ty.fields {
                if let TypeRef::Named(held) = &field.ty
                    && component.contains(held)
                {
                    field.ty = optional(field.ty.clone(), true);
                    field.presence = Presence::Opt;
                }
            }
        }
    }
}

/// Whether a definition is a list of objects, for which the runtime has one type.
pub(super) fn is_list(definition: &Definition) -> bool {
    let Shape::Object(object) = &definition.schema.shape else {
        return false;
    };
    let metadata = object.properties.get("metadata").map(|metadata| &metadata.shape);
    let of_list = metadata.is_some_and(|shape| match shape {
        Shape::Ref(name) => package(name) == META_V1 && last(name) == "ListMeta",
        _ => false,
    });
    of_list && object.properties.contains_key("items")
}
