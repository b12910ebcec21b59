//! Which schemas are the same, and where they stand.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Known;
use crate::ir::TypeRef;
use crate::parse::{Object, Schema, Shape};

/// Numbers for schemas that become types: equal ones have one number. Descriptions do not count.
pub(super) struct Shapes<'k> {
    numbers: BTreeMap<String, usize>,
    known: Option<&'k Known<'k>>,
    /// What was found out about schemas, by where they are in memory: they are asked for again and again.
    found: BTreeMap<usize, Becomes>,
}

/// What a schema becomes.
enum Becomes {
    /// The type of this number.
    Shape(usize),
    /// A type of another crate.
    Shared(TypeRef),
}

fn address(schema: &Schema) -> usize {
    std::ptr::from_ref(schema).addr()
}

impl<'k> Shapes<'k> {
    /// None yet. Those of known types get no number.
    pub(super) fn new(known: Option<&'k Known<'k>>) -> Self {
        Self {
            numbers: BTreeMap::new(),
            known,
            found: BTreeMap::new(),
        }
    }

    /// The type of another crate that a schema that was walked over is.
    pub(super) fn shared(&self, schema: &Schema) -> Option<&TypeRef> {
        match self.found.get(&address(schema))? {
            Becomes::Shared(ty) => Some(ty),
            Becomes::Shape(_) => None,
        }
    }

    /// The number of a schema that was walked over; `None` if it becomes no type of its own.
    pub(super) fn of(&self, schema: &Schema) -> Option<usize> {
        match self.found.get(&address(schema))? {
            Becomes::Shape(number) => Some(*number),
            Becomes::Shared(_) => None,
        }
    }

    /// Sees whether a schema under a field is a type of another crate.
    fn share(&mut self, field: &str, schema: &Schema) -> bool {
        let found = self.known.and_then(|known| known.find(field, schema));
        let is_shared = found.is_some();
        self.found
            .extend(found.map(|ty| (address(schema), Becomes::Shared(ty))));
        is_shared
    }

    /// Gives a schema its number, those below having theirs.
    fn number(&mut self, schema: &Schema) -> Option<usize> {
        let key = self.key(schema)?;
        let next = self.numbers.len();
        let number = *self.numbers.entry(key).or_insert(next);
        self.found.insert(address(schema), Becomes::Shape(number));
        Some(number)
    }

    /// What makes the type of a schema. The schemas below stand for themselves by their numbers, so it is short.
    fn key(&self, schema: &Schema) -> Option<String> {
        match &schema.shape {
            Shape::Object(object) if !object.properties.is_empty() => Some(self.object(object, schema)),
            Shape::Texts(texts) => Some(format!("{texts:?}")),
            _ => None,
        }
    }

    fn object(&self, object: &Object, schema: &Schema) -> String {
        let mut key = format!("{:?} {} {:?}", object.required, object.open, schema.own_checks());
        for (name, property) in &object.properties {
            let written = write!(key, "\n{name:?} {}", self.value(property));
            debug_assert!(written.is_ok());
        }
        if let Some(values) = &object.additional {
            key.push_str("\n* ");
            key.push_str(&self.value(values));
        }
        key
    }

    fn value(&self, schema: &Schema) -> String {
        if let Some(shared) = self.shared(schema) {
            return format!("{shared:?} {} {:?}", schema.nullable, schema.default);
        }
        let inner = match (&schema.shape, self.of(schema)) {
            (_, Some(number)) => format!("#{number}"),
            (Shape::List(Some(items)), _) => format!("[{}]", self.value(items)),
            (
                Shape::Object(Object {
                    additional: Some(values),
                    ..
                }),
                _,
            ) => format!("{{{}}}", self.value(values)),
            (shape, _) => format!("{shape:?}"),
        };
        format!(
            "{inner} {} {} {:?}",
            schema.nullable, schema.sensitive, schema.checks
        )
    }
}

/// A schema that becomes a type, and where it stands.
pub(super) struct Found<'a> {
    /// The names of the fields on the way.
    pub(super) path: Vec<&'a str>,
    /// For each of them, whether a list or map stands in it.
    pub(super) held: Vec<bool>,
    /// Its number.
    pub(super) shape: usize,
    /// The schema.
    pub(super) schema: &'a Schema,
}

/// All schemas of a definition that become types, the shallowest first, those of one depth by path.
pub(super) struct Walk<'a> {
    pub(super) found: Vec<Found<'a>>,
}

impl<'a> Walk<'a> {
    pub(super) fn of(root: &'a Schema, shapes: &mut Shapes<'_>) -> Self {
        let mut walk = Self { found: Vec::new() };
        if let Shape::Object(object) = &root.shape {
            walk.properties(object, &[], &[], true, shapes);
        }
        walk.found
            .sort_by(|a, b| (a.path.len(), &a.path).cmp(&(b.path.len(), &b.path)));
        walk
    }

    fn properties(
        &mut self,
        object: &'a Object,
        path: &[&'a str],
        held: &[bool],
        root: bool,
        shapes: &mut Shapes,
    ) {
        for (name, property) in &object.properties {
            if root && matches!(name.as_str(), "apiVersion" | "kind" | "metadata") {
                continue;
            }
            let (mut path, mut held) = (path.to_vec(), held.to_vec());
            path.push(name);
            held.push(false);
            self.schema(property, path, held, shapes);
        }
    }

    fn schema(
        &mut self,
        schema: &'a Schema,
        path: Vec<&'a str>,
        mut held: Vec<bool>,
        shapes: &mut Shapes<'_>,
    ) {
        let mut hold = || {
            if let Some(last) = held.last_mut() {
                *last = true;
            }
        };
        match &schema.shape {
            Shape::List(Some(items)) => {
                hold();
                self.schema(items, path, held, shapes);
            }
            Shape::Object(object) if object.properties.is_empty() => {
                if let Some(values) = &object.additional {
                    hold();
                    self.schema(values, path, held, shapes);
                }
            }
            Shape::Object(_) | Shape::Texts(_) => {
                let field = path.last().copied().unwrap_or_default();
                if shapes.share(field, schema) {
                    return;
                }
                if let Shape::Object(object) = &schema.shape {
                    self.properties(object, &path, &held, false, shapes);
                }
                if let Some(shape) = shapes.number(schema) {
                    self.found.push(Found {
                        path,
                        held,
                        shape,
                        schema,
                    });
                }
            }
            _ => {}
        }
    }

    /// The first schema of a place.
    pub(super) fn first(&self, place: &super::names::Place) -> Option<&Found<'a>> {
        self.found.iter().find(|found| found.shape == place.shape)
    }
}
