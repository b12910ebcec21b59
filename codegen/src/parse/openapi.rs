//! OpenAPI v2 and v3: definitions and operations.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::model::{Body, Definition, GroupVersion, Model, Operation, OperationKey};
use super::schema::{kinds_of, local, named};
use super::type_name;
use super::v3::Reader;
use crate::diagnostic::{Code, Diagnostic, Location, Report};

pub(super) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
pub(super) const METHODS: [&str; 5] = ["delete", "get", "patch", "post", "put"];

/// Definitions as they stand in documents read before, for comparison.
pub(super) type Seen = BTreeMap<String, (Location, Value)>;

/// Reads OpenAPI v3 of one group-version. Documents repeat the schemas they share; those must be equal.
pub(super) fn v3(value: &Value, at: &Location, model: &mut Model, seen: &mut Seen, report: &mut Report) {
    let below = at.at("components").at("schemas");
    if let Some(schemas) = object(value.pointer("/components/schemas"), &below, report) {
        for (name, value) in schemas {
            let at = below.at(name);
            let essence = essence(value);
            match seen.get(name) {
                Some((other, known)) if *known != essence => report.push(
                    Diagnostic::new(
                        Code::ConflictingSchemas,
                        at,
                        format!("{name} is another schema here than in {}", other.document),
                    )
                    .help("are the documents of different servers or versions? Take a fresh snapshot of one"),
                ),
                Some(_) => repeat(value, name, model),
                None => {
                    define(name, value, at.clone(), model, report);
                    seen.insert(name.clone(), (at, essence));
                }
            }
        }
    }
    let mut reader = Reader::new(value, at, report);
    paths(value, at, model, report, &mut |item, at, report| {
        reader.path(item, at, report)
    });
    reader.finish(report);
}

/// Reads OpenAPI v2. It adds what no v3 document said.
pub(super) fn v2(value: &Value, at: &Location, model: &mut Model, report: &mut Report) {
    let below = at.at("definitions");
    if let Some(definitions) = object(value.get("definitions"), &below, report) {
        for (name, value) in definitions {
            if !model.definitions.contains_key(name) {
                define(name, value, below.at(name), model, report);
            }
        }
    }
    paths(value, at, model, report, &mut |item, _, _| {
        METHODS
            .into_iter()
            .filter_map(|method| Some((method, v2_operation(item.get(method)?))))
            .collect()
    });
}

fn object<'a>(
    value: Option<&'a Value>,
    at: &Location,
    report: &mut Report,
) -> Option<&'a Map<String, Value>> {
    match value {
        Some(Value::Object(map)) => Some(map),
        Some(other) => {
            let message = format!("this must be an object and is {}", type_name(other));
            report.push(Diagnostic::new(Code::Malformed, at.clone(), message));
            None
        }
        None => None,
    }
}

/// A schema without what may differ between documents: descriptions, and the group-versions it is listed for.
fn essence(value: &Value) -> Value {
    fn strip(value: &mut Value, names: bool) {
        match value {
            Value::Object(map) => {
                if !names {
                    if map.get("description").is_some_and(Value::is_string) {
                        map.remove("description");
                    }
                    map.remove("x-kubernetes-group-version-kind");
                }
                for (key, value) in map.iter_mut() {
                    strip(value, !names && key == "properties");
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| strip(item, false)),
            _ => {}
        }
    }
    let mut value = value.clone();
    strip(&mut value, false);
    value
}

fn define(name: &str, value: &Value, at: Location, model: &mut Model, report: &mut Report) {
    let (schema, kinds) = named(value, &at, report);
    let definition = Definition {
        location: at,
        schema,
        kinds,
        custom: None,
    };
    model.definitions.insert(name.to_owned(), definition);
}

/// Adds the kinds that a repeated definition is listed for elsewhere.
fn repeat(value: &Value, name: &str, model: &mut Model) {
    // What is wrong with it was said where it stands first.
    let kinds = kinds_of(value);
    if let Some(definition) = model.definitions.get_mut(name) {
        definition.kinds.extend(kinds);
        definition.kinds.sort();
        definition.kinds.dedup();
    }
}

/// Reads the operations of a path, by method.
type ReadPath<'a> = dyn FnMut(&Value, &Location, &mut Report) -> Vec<(&'static str, Operation)> + 'a;

/// Adds the operations of the paths that lead to resources.
fn paths(value: &Value, at: &Location, model: &mut Model, report: &mut Report, read: &mut ReadPath<'_>) {
    let at = at.at("paths");
    let Some(paths) = object(value.get("paths"), &at, report) else {
        return;
    };
    for (path, item) in paths {
        let Some(target) = Target::of(path) else { continue };
        for (method, operation) in read(item, &at.at(path), report) {
            model
                .operations
                .entry(target.key(method))
                .and_modify(|known| known.protobuf |= operation.protobuf)
                .or_insert(operation);
        }
    }
}

fn v2_operation(value: &Value) -> Operation {
    let mut parameters = value
        .get("parameters")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let body = parameters.find(|parameter| parameter.get("in").is_some_and(|place| place == "body"));
    let produces = value.get("produces").and_then(Value::as_array);
    Operation {
        connect: value
            .get("x-kubernetes-action")
            .is_some_and(|action| action == "connect"),
        body: body.and_then(|body| body_of(body.get("schema"))),
        result: success(value).and_then(|response| body_of(response.get("schema"))),
        protobuf: produces.is_some_and(|types| types.iter().any(|media| media == PROTOBUF)),
    }
}

fn success(value: &Value) -> Option<&Value> {
    let responses = value.get("responses")?;
    ["200", "201", "202"]
        .into_iter()
        .find_map(|code| responses.get(code))
}

fn body_of(schema: Option<&Value>) -> Option<Body> {
    let schema = schema?;
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return Some(local(reference).map_or(Body::Any, Body::Ref));
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => Some(Body::Text),
        _ => Some(Body::Any),
    }
}

/// What a path leads to.
struct Target<'a> {
    gv: GroupVersion,
    resource: &'a str,
    named: bool,
    subresource: Option<&'a str>,
}

impl<'a> Target<'a> {
    /// `None` for paths that lead to no resource, to the deprecated watch, or below a subresource.
    fn of(path: &'a str) -> Option<Self> {
        let (gv, rest) = split(path)?;
        let rest = match rest.as_slice() {
            ["watch", ..] => return None,
            ["namespaces", "{namespace}", below @ ..] if !below.is_empty() => below,
            rest => rest,
        };
        let (resource, named, subresource) = match rest {
            [resource] => (*resource, false, None),
            [resource, "{name}"] => (*resource, true, None),
            [resource, "{name}", subresource] => (*resource, true, Some(*subresource)),
            _ => return None,
        };
        Some(Self {
            gv,
            resource,
            named,
            subresource,
        })
    }

    fn key(&self, method: &str) -> OperationKey {
        OperationKey {
            gv: self.gv.clone(),
            resource: self.resource.to_owned(),
            subresource: self.subresource.map(str::to_owned),
            method: method.to_owned(),
            named: self.named,
        }
    }
}

/// The group-version of a path, and the segments below it.
fn split(path: &str) -> Option<(GroupVersion, Vec<&str>)> {
    let segments: Vec<_> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    match segments.as_slice() {
        ["api", version, rest @ ..] => Some((GroupVersion::new("", version), rest.to_vec())),
        ["apis", group, version, rest @ ..] => Some((GroupVersion::new(group, version), rest.to_vec())),
        _ => None,
    }
}

/// The group-version that a v3 document is about, if it has paths of resources.
pub(crate) fn group_version_of_paths(value: &Value) -> Option<GroupVersion> {
    let paths = value.get("paths")?.as_object()?;
    paths
        .keys()
        .filter_map(|path| split(path))
        .map(|(gv, _)| gv)
        .min()
}

/// Whether a path is one of the watch paths that the `watch` parameter replaced long ago.
pub(crate) fn is_deprecated_watch(path: &str) -> bool {
    split(path).is_some_and(|(_, rest)| rest.first() == Some(&"watch"))
}
