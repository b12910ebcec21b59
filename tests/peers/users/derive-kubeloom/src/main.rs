//! Ten kinds of one make, and their definitions.

use std::collections::BTreeMap;

use kubeloom::Resource;
use kubeloom::meta::ObjectMeta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Website.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(
    group = "compare.example.com",
    version = "v1",
    namespaced,
    plural = "websites",
    short_names("webs"),
    status,
    scale(spec_replicas_path = .spec.replicas, status_replicas_path = .status.replicas),
    printer_column(name = "Class", type = string, json_path = .spec.className)
)]
pub struct Website {
    /// The metadata.
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: WebsiteShape,
    /// What was seen.
    pub status: Option<WebsiteStatus>,
}

/// What a Website wants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebsiteShape {
    /// The number of replicas.
    #[schemars(range(min = 0, max = 100))]
    pub replicas: i32,
    /// The class.
    #[schemars(length(min = 1))]
    pub class_name: String,
    /// How it behaves.
    #[serde(default)]
    pub mode: WebsiteMode,
    /// Where it listens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listeners: Vec<WebsiteListener>,
    /// Settings by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Whether it is paused.
    #[serde(default)]
    pub paused: bool,
    /// How long to wait, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<i64>,
}

/// How a Website behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum WebsiteMode {
    /// As fast as possible.
    #[default]
    Fast,
    /// As careful as possible.
    Careful,
}

/// Where a Website listens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WebsiteListener {
    /// The name.
    pub name: String,
    /// The port.
    pub port: u16,
}

/// What was seen of a Website.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebsiteStatus {
    /// The number of replicas.
    #[serde(default)]
    pub replicas: i32,
    /// The generation.
    #[serde(default)]
    pub observed_generation: i64,
}

/// A Database.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(
    group = "compare.example.com",
    version = "v1",
    namespaced,
    plural = "databases",
    short_names("data"),
    status,
    scale(spec_replicas_path = .spec.replicas, status_replicas_path = .status.replicas),
    printer_column(name = "Class", type = string, json_path = .spec.className)
)]
pub struct Database {
    /// The metadata.
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: DatabaseShape,
    /// What was seen.
    pub status: Option<DatabaseStatus>,
}

/// What a Database wants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseShape {
    /// The number of replicas.
    #[schemars(range(min = 0, max = 100))]
    pub replicas: i32,
    /// The class.
    #[schemars(length(min = 1))]
    pub class_name: String,
    /// How it behaves.
    #[serde(default)]
    pub mode: DatabaseMode,
    /// Where it listens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listeners: Vec<DatabaseListener>,
    /// Settings by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Whether it is paused.
    #[serde(default)]
    pub paused: bool,
    /// How long to wait, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<i64>,
}

/// How a Database behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DatabaseMode {
    /// As fast as possible.
    #[default]
    Fast,
    /// As careful as possible.
    Careful,
}

/// Where a Database listens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DatabaseListener {
    /// The name.
    pub name: String,
    /// The port.
    pub port: u16,
}

/// What was seen of a Database.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseStatus {
    /// The number of replicas.
    #[serde(default)]
    pub replicas: i32,
    /// The generation.
    #[serde(default)]
    pub observed_generation: i64,
}

/// A Cache.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(
    group = "compare.example.com",
    version = "v1",
    namespaced,
    plural = "caches",
    short_names("cach"),
    status,
    scale(spec_replicas_path = .spec.replicas, status_replicas_path = .status.replicas),
    printer_column(name = "Class", type = string, json_path = .spec.className)
)]
pub struct Cache {
    /// The metadata.
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: CacheShape,
    /// What was seen.
    pub status: Option<CacheStatus>,
}

/// What a Cache wants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CacheShape {
    /// The number of replicas.
    #[schemars(range(min = 0, max = 100))]
    pub replicas: i32,
    /// The class.
    #[schemars(length(min = 1))]
    pub class_name: String,
    /// How it behaves.
    #[serde(default)]
    pub mode: CacheMode,
    /// Where it listens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listeners: Vec<CacheListener>,
    /// Settings by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Whether it is paused.
    #[serde(default)]
    pub paused: bool,
    /// How long to wait, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<i64>,
}

/// How a Cache behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CacheMode {
    /// As fast as possible.
    #[default]
    Fast,
    /// As careful as possible.
    Careful,
}

/// Where a Cache listens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CacheListener {
    /// The name.
    pub name: String,
    /// The port.
    pub port: u16,
}

/// What was seen of a Cache.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CacheStatus {
    /// The number of replicas.
    #[serde(default)]
    pub replicas: i32,
    /// The generation.
    #[serde(default)]
    pub observed_generation: i64,
}

/// A Queue.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(
    group = "compare.example.com",
    version = "v1",
    namespaced,
    plural = "queues",
    short_names("queu"),
    status,
    scale(spec_replicas_path = .spec.replicas, status_replicas_path = .status.replicas),
    printer_column(name = "Class", type = string, json_path = .spec.className)
)]
pub struct Queue {
    /// The metadata.
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: QueueShape,
    /// What was seen.
    pub status: Option<QueueStatus>,
}

/// What a Queue wants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueShape {
    /// The number of replicas.
    #[schemars(range(min = 0, max = 100))]
    pub replicas: i32,
    /// The class.
    #[schemars(length(min = 1))]
    pub class_name: String,
    /// How it behaves.
    #[serde(default)]
    pub mode: QueueMode,
    /// Where it listens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listeners: Vec<QueueListener>,
    /// Settings by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Whether it is paused.
    #[serde(default)]
    pub paused: bool,
    /// How long to wait, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<i64>,
}

/// How a Queue behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum QueueMode {
    /// As fast as possible.
    #[default]
    Fast,
    /// As careful as possible.
    Careful,
}

/// Where a Queue listens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueueListener {
    /// The name.
    pub name: String,
    /// The port.
    pub port: u16,
}

/// What was seen of a Queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueStatus {
    /// The number of replicas.
    #[serde(default)]
    pub replicas: i32,
    /// The generation.
    #[serde(default)]
    pub observed_generation: i64,
}

/// A Gateway.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(
    group = "compare.example.com",
    version = "v1",
    namespaced,
    plural = "gateways",
    short_names("gate"),
    status,
    scale(spec_replicas_path = .spec.replicas, status_replicas_path = .status.replicas),
    printer_column(name = "Class", type = string, json_path = .spec.className)
)]
pub struct Gateway {
    /// The metadata.
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: GatewayShape,
    /// What was seen.
    pub status: Option<GatewayStatus>,
}

/// What a Gateway wants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayShape {
    /// The number of replicas.
    #[schemars(range(min = 0, max = 100))]
    pub replicas: i32,
    /// The class.
    #[schemars(length(min = 1))]
    pub class_name: String,
    /// How it behaves.
    #[serde(default)]
    pub mode: GatewayMode,
    /// Where it listens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listeners: Vec<GatewayListener>,
    /// Settings by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Whether it is paused.
    #[serde(default)]
    pub paused: bool,
    /// How long to wait, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<i64>,
}

/// How a Gateway behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum GatewayMode {
    /// As fast as possible.
    #[default]
    Fast,
    /// As careful as possible.
    Careful,
}

/// Where a Gateway listens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GatewayListener {
    /// The name.
    pub name: String,
    /// The port.
    pub port: u16,
}

/// What was seen of a Gateway.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayStatus {
    /// The number of replicas.
    #[serde(default)]
    pub replicas: i32,
    /// The generation.
    #[serde(default)]
    pub observed_generation: i64,
}

/// A Policy.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(
    group = "compare.example.com",
    version = "v1",
    namespaced,
    plural = "policies",
    short_names("poli"),
    status,
    scale(spec_replicas_path = .spec.replicas, status_replicas_path = .status.replicas),
    printer_column(name = "Class", type = string, json_path = .spec.className)
)]
pub struct Policy {
    /// The metadata.
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: PolicyShape,
    /// What was seen.
    pub status: Option<PolicyStatus>,
}

/// What a Policy wants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyShape {
    /// The number of replicas.
    #[schemars(range(min = 0, max = 100))]
    pub replicas: i32,
    /// The class.
    #[schemars(length(min = 1))]
    pub class_name: String,
    /// How it behaves.
    #[serde(default)]
    pub mode: PolicyMode,
    /// Where it listens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listeners: Vec<PolicyListener>,
    /// Settings by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Whether it is paused.
    #[serde(default)]
    pub paused: bool,
    /// How long to wait, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<i64>,
}

/// How a Policy behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PolicyMode {
    /// As fast as possible.
    #[default]
    Fast,
    /// As careful as possible.
    Careful,
}

/// Where a Policy listens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyListener {
    /// The name.
    pub name: String,
    /// The port.
    pub port: u16,
}

/// What was seen of a Policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyStatus {
    /// The number of replicas.
    #[serde(default)]
    pub replicas: i32,
    /// The generation.
    #[serde(default)]
    pub observed_generation: i64,
}

/// A Certificate.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(
    group = "compare.example.com",
    version = "v1",
    namespaced,
    plural = "certificates",
    short_names("cert"),
    status,
    scale(spec_replicas_path = .spec.replicas, status_replicas_path = .status.replicas),
    printer_column(name = "Class", type = string, json_path = .spec.className)
)]
pub struct Certificate {
    /// The metadata.
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: CertificateShape,
    /// What was seen.
    pub status: Option<CertificateStatus>,
}

/// What a Certificate wants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CertificateShape {
    /// The number of replicas.
    #[schemars(range(min = 0, max = 100))]
    pub replicas: i32,
    /// The class.
    #[schemars(length(min = 1))]
    pub class_name: String,
    /// How it behaves.
    #[serde(default)]
    pub mode: CertificateMode,
    /// Where it listens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listeners: Vec<CertificateListener>,
    /// Settings by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Whether it is paused.
    #[serde(default)]
    pub paused: bool,
    /// How long to wait, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<i64>,
}

/// How a Certificate behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CertificateMode {
    /// As fast as possible.
    #[default]
    Fast,
    /// As careful as possible.
    Careful,
}

/// Where a Certificate listens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CertificateListener {
    /// The name.
    pub name: String,
    /// The port.
    pub port: u16,
}

/// What was seen of a Certificate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CertificateStatus {
    /// The number of replicas.
    #[serde(default)]
    pub replicas: i32,
    /// The generation.
    #[serde(default)]
    pub observed_generation: i64,
}

/// A Backup.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(
    group = "compare.example.com",
    version = "v1",
    namespaced,
    plural = "backups",
    short_names("back"),
    status,
    scale(spec_replicas_path = .spec.replicas, status_replicas_path = .status.replicas),
    printer_column(name = "Class", type = string, json_path = .spec.className)
)]
pub struct Backup {
    /// The metadata.
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: BackupShape,
    /// What was seen.
    pub status: Option<BackupStatus>,
}

/// What a Backup wants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackupShape {
    /// The number of replicas.
    #[schemars(range(min = 0, max = 100))]
    pub replicas: i32,
    /// The class.
    #[schemars(length(min = 1))]
    pub class_name: String,
    /// How it behaves.
    #[serde(default)]
    pub mode: BackupMode,
    /// Where it listens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listeners: Vec<BackupListener>,
    /// Settings by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Whether it is paused.
    #[serde(default)]
    pub paused: bool,
    /// How long to wait, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<i64>,
}

/// How a Backup behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum BackupMode {
    /// As fast as possible.
    #[default]
    Fast,
    /// As careful as possible.
    Careful,
}

/// Where a Backup listens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BackupListener {
    /// The name.
    pub name: String,
    /// The port.
    pub port: u16,
}

/// What was seen of a Backup.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackupStatus {
    /// The number of replicas.
    #[serde(default)]
    pub replicas: i32,
    /// The generation.
    #[serde(default)]
    pub observed_generation: i64,
}

/// A Tenant.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(
    group = "compare.example.com",
    version = "v1",
    namespaced,
    plural = "tenants",
    short_names("tena"),
    status,
    scale(spec_replicas_path = .spec.replicas, status_replicas_path = .status.replicas),
    printer_column(name = "Class", type = string, json_path = .spec.className)
)]
pub struct Tenant {
    /// The metadata.
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: TenantShape,
    /// What was seen.
    pub status: Option<TenantStatus>,
}

/// What a Tenant wants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TenantShape {
    /// The number of replicas.
    #[schemars(range(min = 0, max = 100))]
    pub replicas: i32,
    /// The class.
    #[schemars(length(min = 1))]
    pub class_name: String,
    /// How it behaves.
    #[serde(default)]
    pub mode: TenantMode,
    /// Where it listens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listeners: Vec<TenantListener>,
    /// Settings by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Whether it is paused.
    #[serde(default)]
    pub paused: bool,
    /// How long to wait, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<i64>,
}

/// How a Tenant behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TenantMode {
    /// As fast as possible.
    #[default]
    Fast,
    /// As careful as possible.
    Careful,
}

/// Where a Tenant listens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TenantListener {
    /// The name.
    pub name: String,
    /// The port.
    pub port: u16,
}

/// What was seen of a Tenant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TenantStatus {
    /// The number of replicas.
    #[serde(default)]
    pub replicas: i32,
    /// The generation.
    #[serde(default)]
    pub observed_generation: i64,
}

/// A Pipeline.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[resource(
    group = "compare.example.com",
    version = "v1",
    namespaced,
    plural = "pipelines",
    short_names("pipe"),
    status,
    scale(spec_replicas_path = .spec.replicas, status_replicas_path = .status.replicas),
    printer_column(name = "Class", type = string, json_path = .spec.className)
)]
pub struct Pipeline {
    /// The metadata.
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: PipelineShape,
    /// What was seen.
    pub status: Option<PipelineStatus>,
}

/// What a Pipeline wants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PipelineShape {
    /// The number of replicas.
    #[schemars(range(min = 0, max = 100))]
    pub replicas: i32,
    /// The class.
    #[schemars(length(min = 1))]
    pub class_name: String,
    /// How it behaves.
    #[serde(default)]
    pub mode: PipelineMode,
    /// Where it listens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listeners: Vec<PipelineListener>,
    /// Settings by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Whether it is paused.
    #[serde(default)]
    pub paused: bool,
    /// How long to wait, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<i64>,
}

/// How a Pipeline behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PipelineMode {
    /// As fast as possible.
    #[default]
    Fast,
    /// As careful as possible.
    Careful,
}

/// Where a Pipeline listens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PipelineListener {
    /// The name.
    pub name: String,
    /// The port.
    pub port: u16,
}

/// What was seen of a Pipeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PipelineStatus {
    /// The number of replicas.
    #[serde(default)]
    pub replicas: i32,
    /// The generation.
    #[serde(default)]
    pub observed_generation: i64,
}

fn main() -> anyhow::Result<()> {
    let all = [
        Website::crd()?,
        Database::crd()?,
        Cache::crd()?,
        Queue::crd()?,
        Gateway::crd()?,
        Policy::crd()?,
        Certificate::crd()?,
        Backup::crd()?,
        Tenant::crd()?,
        Pipeline::crd()?,
    ];
    println!("{}", serde_json::to_string(&all)?);
    Ok(())
}
