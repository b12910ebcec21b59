//! Kinds of every shape.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kubeloom::Resource;
use kubeloom::crd::schema::{
    embedded_resource, list_map, list_set, map_atomic, preserve_unknown_fields, rule,
};
use kubeloom::dynamic::DynamicObject;
use kubeloom::meta::{Condition, LabelSelector, ObjectMeta, OwnerReference};
use kubeloom::value::{ByteString, Duration, IntOrString, Map, MicroTime, Quantity, RawJson, Time};
use kubeloom_k8s::core_v1::{PodTemplateSpec, ResourceRequirements};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) const GROUP: &str = "derive.example.com";

/// A site with replicas.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(
    group = "derive.example.com",
    version = "v1",
    namespaced,
    short_names("ws"),
    categories("all", "web"),
    status,
    scale(
        spec_replicas_path = .spec.replicas,
        status_replicas_path = .status.replicas,
        label_selector_path = .status.selector
    ),
    printer_column(name = "Domain", json_path = .spec.domain, description = "Where it is."),
    printer_column(name = "Replicas", json_path = .spec.replicas, priority = 1),
    printer_column(name = "Ready", type = string, json_path = ".status.conditions[?(@.type==\"Ready\")].status"),
    printer_column(name = "Age", json_path = .metadata.creationTimestamp),
    selectable_field(.spec.tier),
    selectable_field(.spec.domain),
    labels("team" = "web"),
    annotations("example.com/docs" = "yes"),
    rule(
        "self.spec.replicas <= 10 || self.metadata.name.startsWith('big-')",
        message = "small sites have at most 10 replicas",
        reason = FieldValueForbidden,
        field_path = .spec.replicas
    )
)]
pub(crate) struct Website {
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: WebsiteSpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<WebsiteStatus>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebsiteSpec {
    /// The name in DNS.
    #[schemars(length(min = 1, max = 253), transform = rule("self == oldSelf").message("a site cannot move"))]
    pub(crate) domain: String,
    #[schemars(range(min = 0))]
    #[serde(default = "one")]
    pub(crate) replicas: i32,
    #[serde(default)]
    pub(crate) tier: Tier,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(transform = list_map(&["name"]))]
    pub(crate) listeners: Vec<Listener>,
}

fn one() -> i32 {
    1
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) enum Tier {
    /// Before others.
    #[default]
    Front,
    Back,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = rule("self.min <= self.max").message("min is above max"))]
pub(crate) struct Listener {
    pub(crate) name: String,
    pub(crate) min: u16,
    pub(crate) max: u16,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct WebsiteStatus {
    pub(crate) replicas: i32,
    pub(crate) selector: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(transform = list_map(&["type"]))]
    pub(crate) conditions: Vec<OwnCondition>,
}

/// A condition with the fields that a list by key requires.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct OwnCondition {
    #[serde(rename = "type")]
    pub(crate) type_: String,
    pub(crate) status: String,
}

/// One of each construct that a schema can be made of.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(
    group = "derive.example.com",
    version = "v1",
    namespaced,
    plural = "shapes",
    kind = "Shape"
)]
pub(crate) struct Shapes {
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: ShapesSpec,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct ShapesSpec {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unit: Option<Tier>,
    pub(crate) nullable_unit: Option<Tier>,
    pub(crate) nullable_text: Option<String>,
    pub(crate) nullable_choice: Option<External>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) external: Option<External>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) internal: Option<Internal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) adjacent: Option<Adjacent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) untagged: Option<Untagged>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) any_shape: Option<AnyShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mixed: Option<Mixed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) flat: Option<Flat>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) port: Option<IntOrString>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory: Option<Quantity>,
    pub(crate) limits: Map<Quantity>,
    pub(crate) bytes: ByteString,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) time: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) micro_time: Option<MicroTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) wait: Option<Duration>,
    #[serde(skip_serializing_if = "RawJson::is_null")]
    pub(crate) raw: RawJson,
    pub(crate) values: Vec<serde_json::Value>,
    pub(crate) nested: BTreeMap<String, Vec<Inner>>,
    pub(crate) free: HashMap<String, serde_json::Value>,
    pub(crate) numbered: BTreeMap<i32, String>,
    pub(crate) set: BTreeSet<String>,
    #[schemars(transform = list_set())]
    pub(crate) listed: Vec<i64>,
    pub(crate) pair: (i32, i32),
    pub(crate) triple: (i32, String, bool),
    pub(crate) array: [u8; 3],
    pub(crate) small: u8,
    pub(crate) large: u64,
    pub(crate) float: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) embedded: Option<DynamicObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = embedded_resource(), transform = preserve_unknown_fields())]
    pub(crate) config_map: Option<BTreeMap<String, serde_json::Value>>,
    pub(crate) resources: ResourceRequirements,
    #[schemars(transform = map_atomic())]
    pub(crate) selector: LabelSelector,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<OwnerReference>,
    pub(crate) conditions: Vec<Condition>,
    #[schemars(with = "Option<String>")]
    pub(crate) short: kubeloom::Str,
    #[serde(default = "three")]
    pub(crate) three: i32,
}

fn three() -> i32 {
    3
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Inner {
    pub(crate) x: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) y: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum External {
    /// A number.
    Number(i32),
    Inner(Inner),
    Fields {
        a: i32,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub(crate) enum Internal {
    None,
    Inner(Inner),
    Left { a: i32 },
    Right { a: i32, b: bool },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
pub(crate) enum Adjacent {
    None,
    Inner(Inner),
    Number(i32),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Untagged {
    Inner(Inner),
    Fields { a: i32 },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum AnyShape {
    Number(i32),
    List(Vec<String>),
    Inner(Inner),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) enum Mixed {
    Plain,
    Data(Inner),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Flat {
    pub(crate) name: String,
    #[serde(flatten)]
    pub(crate) inner: Inner,
    #[serde(flatten)]
    pub(crate) choice: External,
    #[serde(flatten)]
    pub(crate) rest: BTreeMap<String, serde_json::Value>,
}

/// A kind whose spec holds a generated type of some size.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(group = "derive.example.com", version = "v1", namespaced)]
pub(crate) struct Runner {
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: RunnerSpec,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct RunnerSpec {
    pub(crate) template: PodTemplateSpec,
}

/// A kind of cluster scope without spec or status.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(
    group = "derive.example.com",
    version = "v1alpha1",
    cluster,
    deprecated = "use zones"
)]
pub(crate) struct Region {
    pub(crate) metadata: ObjectMeta,
    #[serde(default)]
    pub(crate) zones: Vec<String>,
}
