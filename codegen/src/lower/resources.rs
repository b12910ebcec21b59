//! Resources: verbs and subresources from discovery, bodies and results from operations.
//!
//! The kind that a `connect` operation or a subresource carries is never the key to anything: it names options or bodies.

use std::collections::{BTreeMap, BTreeSet};

use super::classes::Classes;
use super::names::{Scope, plural, snake, type_name};
use super::types::is_list;
use crate::diagnostic::{Code, Diagnostic, Report};
use crate::ir::{
    Exchange, Handle, Informer, Marker, Offer, Reach, Resource, RustName, Subresource, TypeRef, Verb,
    WireName,
};
use crate::parse::{Body, DiscoveredResource, DiscoveredSubresource, GroupVersion, Operation, OperationKey};

/// Subresources that the runtime has a marker for.
const KNOWN: &[(&str, &str)] = &[
    ("approval", "Approval"),
    ("attach", "Attach"),
    ("binding", "Binding"),
    ("ephemeralcontainers", "EphemeralContainers"),
    ("eviction", "Eviction"),
    ("exec", "Exec"),
    ("finalize", "Finalize"),
    ("log", "Log"),
    ("portforward", "PortForward"),
    ("proxy", "Proxy"),
    ("resize", "Resize"),
    ("scale", "Scale"),
    ("status", "Status"),
    ("token", "Token"),
];

/// Verbs, with the HTTP method behind them.
const VERBS: &[(&str, Verb, &str)] = &[
    ("create", Verb::Create, "post"),
    ("delete", Verb::Delete, "delete"),
    ("deletecollection", Verb::DeleteCollection, "delete"),
    ("get", Verb::Get, "get"),
    ("list", Verb::List, "get"),
    ("patch", Verb::Patch, "patch"),
    ("update", Verb::Update, "put"),
    ("watch", Verb::Watch, "get"),
];

/// What was found out about resources.
#[derive(Default)]
pub(super) struct Lowered {
    /// Resources by the definition of their kind.
    pub(super) resources: BTreeMap<String, Resource>,
    /// Definitions that resources need.
    pub(super) seeds: BTreeSet<String>,
    /// Handles by module, sorted by plural.
    pub(super) handles: BTreeMap<RustName, Vec<Handle>>,
    /// Informers by module, sorted by plural.
    pub(super) informers: BTreeMap<RustName, Vec<Informer>>,
    /// Markers by module.
    pub(super) markers: BTreeMap<RustName, Vec<Marker>>,
}

/// Lowers the resources of one group-version.
pub(super) fn lower(gv: &GroupVersion, classes: &Classes<'_>, out: &mut Lowered, report: &mut Report) {
    let Some(module) = classes.homes.module(gv) else {
        return;
    };
    let resources = classes.model.groups.get(gv).into_iter().flatten();
    let mut methods = Scope::with(&["new"]);
    let mut markers: BTreeMap<String, Marker> = BTreeMap::new();
    let mut types = classes.homes.scope(module);
    let mut handles = Vec::new();
    let mut informers = Vec::new();
    for (plural_name, found) in resources {
        let Some(definition) = kind_of(gv, plural_name, found, classes, report) else {
            continue;
        };
        if out.resources.contains_key(definition) {
            report.push(
                Diagnostic::new(
                    Code::SharedKind,
                    found.location.clone(),
                    format!("{plural_name} of {gv} has the kind of another resource; it is left out"),
                )
                .help("reach it with the dynamic client"),
            );
            continue;
        }
        let mut lowering = Lowering {
            gv,
            plural: plural_name,
            definition,
            classes,
            seeds: &mut out.seeds,
        };
        let resource = lowering.resource(found, &mut markers, &mut types, report);
        let kind = classes.homes.id(definition).map(|id| id.name.clone());
        if let Some(kind) = kind {
            let kind_wire = WireName::new(super::homes::last(definition));
            let own = handles_of(&resource, &kind, &kind_wire, &mut methods);
            informers.extend(informer_of(&resource, &own));
            handles.extend(own);
        }
        out.seeds.insert(definition.to_owned());
        out.resources.insert(definition.to_owned(), resource);
    }
    // Versions that no server offers have types all the same: conversions speak them.
    let unserved = classes.model.definitions.iter().filter(|(_, definition)| {
        let custom = definition.custom.as_ref();
        custom.is_some_and(|custom| !custom.served) && definition.kinds.iter().any(|kind| kind.gv == *gv)
    });
    out.seeds.extend(unserved.map(|(name, _)| name.clone()));
    handles.sort_by(|a, b| (&a.plural, a.reach).cmp(&(&b.plural, b.reach)));
    out.handles.insert(module.clone(), handles);
    out.informers.insert(module.clone(), informers);
    out.markers
        .insert(module.clone(), markers.into_values().collect());
}

/// The definition of a resource's kind. `None` for the mere parent of subresources, and if there is no schema.
fn kind_of<'a>(
    gv: &GroupVersion,
    plural: &str,
    found: &DiscoveredResource,
    classes: &Classes<'a>,
    report: &mut Report,
) -> Option<&'a str> {
    let kind = found.kind.as_ref()?;
    let definition = classes.of_kind(kind).filter(|name| {
        let definition = classes.model.definitions.get(*name);
        kind.gv == *gv
            && definition.is_some_and(|definition| !is_list(definition))
            && !name.starts_with("io.k8s.apimachinery.")
    });
    if definition.is_none() {
        let message = format!(
            "no schema for {} of {}, the kind of {plural} of {gv}; it is left out",
            kind.kind, kind.gv
        );
        report.push(
            Diagnostic::new(Code::NoSchema, found.location.clone(), message)
                .help("reach it with the dynamic client"),
        );
    }
    definition
}

fn handles_of(resource: &Resource, kind: &RustName, wire: &WireName, methods: &mut Scope) -> Vec<Handle> {
    let name = plural(&resource.plural, wire);
    let handle = |name, reach| Handle {
        name,
        plural: resource.plural.clone(),
        kind: kind.clone(),
        reach,
    };
    if !resource.namespaced {
        return vec![handle(methods.take(name), Reach::Cluster)];
    }
    let all = snake(&format!("all_{name}"));
    let mut handles = vec![handle(methods.take(name), Reach::Namespace)];
    if resource.offers_itself(Verb::List) || resource.offers_itself(Verb::Watch) {
        handles.push(handle(methods.take(all), Reach::AllNamespaces));
    }
    handles
}

/// An informer lists and watches: a resource that offers only one of the two has none. Its name is that of the handle.
fn informer_of(resource: &Resource, handles: &[Handle]) -> Option<Informer> {
    let handle = handles
        .iter()
        .find(|handle| handle.reach != Reach::AllNamespaces)?;
    let both = resource.offers_itself(Verb::List) && resource.offers_itself(Verb::Watch);
    both.then(|| Informer {
        name: handle.name.clone(),
        kind: handle.kind.clone(),
    })
}

struct Lowering<'a, 'b> {
    gv: &'b GroupVersion,
    plural: &'b str,
    definition: &'b str,
    classes: &'b Classes<'a>,
    seeds: &'b mut BTreeSet<String>,
}

impl Lowering<'_, '_> {
    fn resource(
        &mut self,
        found: &DiscoveredResource,
        markers: &mut BTreeMap<String, Marker>,
        types: &mut Scope,
        report: &mut Report,
    ) -> Resource {
        let mut offers = vec![Offer {
            subresource: None,
            verbs: self.root_verbs(&found.verbs),
        }];
        for (name, sub) in &found.subresources {
            let verbs = self.sub_verbs(name, sub);
            if verbs.is_empty() {
                let message = format!(
                    "nothing says what {}/{name} of {} takes or returns; it is left out",
                    self.plural, self.gv
                );
                report.push(Diagnostic::new(Code::NoSchema, found.location.clone(), message));
                continue;
            }
            offers.push(Offer {
                subresource: Some(subresource(name, markers, types)),
                verbs,
            });
        }
        let texts = |texts: &[String]| texts.iter().map(WireName::new).collect();
        Resource {
            group: WireName::new(self.gv.group.as_str()),
            version: WireName::new(self.gv.version.as_str()),
            plural: WireName::new(self.plural),
            singular: WireName::new(found.singular.as_str()),
            short_names: texts(&found.short_names),
            categories: texts(&found.categories),
            namespaced: found.namespaced,
            protobuf: self.protobuf(),
            offers,
        }
    }

    fn operation(&self, subresource: Option<&str>, method: &str, named: bool) -> Option<&Operation> {
        let key = OperationKey {
            gv: self.gv.clone(),
            resource: self.plural.to_owned(),
            subresource: subresource.map(str::to_owned),
            method: method.to_owned(),
            named,
        };
        self.classes.model.operations.get(&key)
    }

    fn protobuf(&self) -> bool {
        let operations = self.classes.model.operations.iter();
        let own = operations.filter(|(key, _)| {
            key.gv == *self.gv && key.resource == self.plural && key.subresource.is_none()
        });
        own.into_iter().any(|(_, operation)| operation.protobuf)
    }

    /// Lists, watches and deletions are the runtime's; the others may return something else than the kind.
    fn root_verbs(&mut self, verbs: &BTreeSet<String>) -> BTreeMap<Verb, Option<Exchange>> {
        let mut offered = BTreeMap::new();
        for (name, verb, method) in VERBS.iter().filter(|(name, ..)| verbs.contains(*name)) {
            let single = matches!(verb, Verb::Create | Verb::Get | Verb::Patch | Verb::Update);
            let operation = self.operation(None, method, *name != "create").cloned();
            let exchange = match operation {
                Some(operation) if single => self.exchange(*verb, &operation),
                _ => None,
            };
            offered.insert(*verb, exchange);
        }
        offered
    }

    fn sub_verbs(&mut self, name: &str, sub: &DiscoveredSubresource) -> BTreeMap<Verb, Option<Exchange>> {
        let mut offered = BTreeMap::new();
        for (_, verb, method) in VERBS.iter().filter(|(verb, ..)| sub.verbs.contains(*verb)) {
            match self.operation(Some(name), method, true).cloned() {
                Some(operation) if operation.connect => {
                    offered.insert(Verb::Connect, None);
                }
                Some(operation) => {
                    offered.insert(*verb, self.exchange(*verb, &operation));
                }
                // No operation is described: what discovery names is body and result.
                None => {
                    let kind = sub.kind.as_ref().and_then(|kind| self.classes.of_kind(kind));
                    if let Some(kind) = kind {
                        let body = Some(Body::Ref(kind.to_owned()));
                        let operation = Operation {
                            body: body.clone(),
                            result: body,
                            ..Operation::default()
                        };
                        offered.insert(*verb, self.exchange(*verb, &operation));
                    }
                }
            }
        }
        offered
    }

    /// `None` if body and result are the kind.
    fn exchange(&mut self, verb: Verb, operation: &Operation) -> Option<Exchange> {
        let is_kind = |body: &Option<Body>| matches!(body, Some(Body::Ref(name)) if name == self.definition);
        let body_is_kind = matches!(verb, Verb::Get | Verb::Patch) || is_kind(&operation.body);
        if body_is_kind && is_kind(&operation.result) {
            return None;
        }
        let output = self.body(operation.result.as_ref(), TypeRef::Runtime("RawJson"));
        let input = match verb {
            Verb::Get => TypeRef::Unit,
            Verb::Patch => output.clone(),
            _ => self.body(operation.body.as_ref(), TypeRef::Unit),
        };
        Some(Exchange { input, output })
    }

    fn body(&mut self, body: Option<&Body>, none: TypeRef) -> TypeRef {
        match body {
            Some(Body::Ref(name)) => {
                self.seeds.insert(name.clone());
                self.classes.type_of(name)
            }
            Some(Body::Text) => TypeRef::Runtime("Text"),
            Some(Body::Any) => TypeRef::Runtime("RawJson"),
            None => none,
        }
    }
}

fn subresource(name: &str, markers: &mut BTreeMap<String, Marker>, types: &mut Scope) -> Subresource {
    if let Some((_, known)) = KNOWN.iter().find(|(path, _)| *path == name) {
        return Subresource::Known(known);
    }
    let marker = markers.entry(name.to_owned()).or_insert_with(|| Marker {
        name: types.take(type_name(name)),
        path: WireName::new(name),
    });
    Subresource::Marker(marker.clone())
}
