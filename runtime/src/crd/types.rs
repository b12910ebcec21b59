//! `apiextensions.k8s.io/v1`, as far as definitions are written.

use crate::generated::*;
use crate::record;
use crate::record::{KEEP, OMIT, OPT};

use super::Schema;

/// A definition of custom resources: `CustomResourceDefinition` of `apiextensions.k8s.io/v1`.
///
/// The same fields as in the generated type of that name, which is not below this crate; [`to_typed`](Self::to_typed)
/// makes one of it. It is a [`Resource`], so that `client.cluster::<CustomResourceDefinition>()` reads and writes
/// definitions, and the cache watches them.
#[derive(Clone, Default)]
pub struct CustomResourceDefinition {
    /// The name is `<plural>.<group>`.
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: Spec,
    /// What the server made of it.
    pub status: Status,
}
record! { CustomResourceDefinition = "apiextensions.k8s.io/v1" "CustomResourceDefinition" {
    0 metadata "metadata" [1] KEEP;
    1 spec "spec" [2] KEEP;
    2 status "status" [3] OMIT;
} }

impl Resource for CustomResourceDefinition {
    type Scope = Cluster;
    const GROUP: &'static str = "apiextensions.k8s.io";
    const VERSION: &'static str = "v1";
    const API_VERSION: &'static str = "apiextensions.k8s.io/v1";
    const KIND: &'static str = "CustomResourceDefinition";
    const PLURAL: &'static str = "customresourcedefinitions";
    const SINGULAR: &'static str = "customresourcedefinition";
    const SHORT_NAMES: &'static [&'static str] = &["crd", "crds"];
    const CATEGORIES: &'static [&'static str] = &["api-extensions"];
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}
offers! { CustomResourceDefinition {
    verb::Create, verb::Delete, verb::DeleteCollection, verb::Get, verb::List, verb::Patch, verb::Update, verb::Watch,
} }
offers! { CustomResourceDefinition / sub::Status { verb::Get, verb::Patch, verb::Update } }

/// What a definition wants.
#[derive(Clone, Default)]
pub struct Spec {
    /// The group of the resource.
    pub group: Str,
    /// What the resource is called.
    pub names: Names,
    /// `Namespaced` or `Cluster`.
    pub scope: Str,
    /// The versions; one of them is stored.
    pub versions: Vec<Version>,
    /// How objects of one version become objects of another; absent for `None`.
    pub conversion: Option<Box<Conversion>>,
}
record! { Spec {
    0 group "group" [1] KEEP;
    1 names "names" [3] KEEP;
    2 scope "scope" [4] KEEP;
    3 versions "versions" [7] KEEP;
    4 conversion "conversion" [9] OPT;
} }

/// What a resource is called.
#[derive(Clone, Default)]
pub struct Names {
    /// `CamelCase`.
    pub kind: Str,
    /// The kind of lists.
    pub list_kind: Str,
    /// As in paths.
    pub plural: Str,
    /// As on command lines.
    pub singular: Str,
    /// Short for `plural`.
    pub short_names: Vec<Str>,
    /// Groups of resources, such as `all`.
    pub categories: Vec<Str>,
}
record! { Names {
    0 kind "kind" [4] KEEP;
    1 list_kind "listKind" [5] OMIT;
    2 plural "plural" [1] KEEP;
    3 singular "singular" [2] OMIT;
    4 short_names "shortNames" [3] OMIT;
    5 categories "categories" [6] OMIT;
} }

/// One version of a resource.
#[derive(Clone, Default)]
pub struct Version {
    /// Such as `v1beta1`.
    pub name: Str,
    /// Whether clients may use it.
    pub served: bool,
    /// Whether objects are stored in it; true of one version.
    pub storage: bool,
    /// Whether clients are warned of it.
    pub deprecated: bool,
    /// The warning, in place of the server's own.
    pub deprecation_warning: Option<Str>,
    /// What objects look like.
    pub schema: Option<Box<Validation>>,
    /// The parts with paths of their own.
    pub subresources: Option<Box<Subresources>>,
    /// What `kubectl get` shows.
    pub additional_printer_columns: Vec<Column>,
    /// Fields that field selectors may name.
    pub selectable_fields: Vec<SelectableField>,
}
record! { Version {
    0 name "name" [1] KEEP;
    1 served "served" [2] KEEP;
    2 storage "storage" [3] KEEP;
    3 deprecated "deprecated" [7] OMIT;
    4 deprecation_warning "deprecationWarning" [8] OPT;
    5 schema "schema" [4] OPT;
    6 subresources "subresources" [5] OPT;
    7 additional_printer_columns "additionalPrinterColumns" [6] OMIT;
    8 selectable_fields "selectableFields" [9] OMIT;
} }

/// The place of a schema.
#[derive(Clone, Default)]
pub struct Validation {
    /// The structural schema.
    pub open_api_v3_schema: Schema,
}
record! { Validation {
    0 open_api_v3_schema "openAPIV3Schema" [1] KEEP;
} }

/// The subresources of a version.
#[derive(Clone, Default)]
pub struct Subresources {
    /// The observed state.
    pub status: Option<Box<StatusSubresource>>,
    /// The number of replicas.
    pub scale: Option<Box<ScaleSubresource>>,
}
record! { Subresources {
    0 status "status" [1] OPT;
    1 scale "scale" [2] OPT;
} }

/// The subresource `status`.
#[derive(Clone, Default)]
pub struct StatusSubresource {}
record! { StatusSubresource {} }

/// Where `scale` finds what it shows: JSON paths with dots alone.
#[derive(Clone, Default)]
pub struct ScaleSubresource {
    /// The wanted number, below `.spec`.
    pub spec_replicas_path: Str,
    /// The observed number, below `.status`.
    pub status_replicas_path: Str,
    /// The selector as text, below `.status` or `.spec`.
    pub label_selector_path: Option<Str>,
}
record! { ScaleSubresource {
    0 spec_replicas_path "specReplicasPath" [1] KEEP;
    1 status_replicas_path "statusReplicasPath" [2] KEEP;
    2 label_selector_path "labelSelectorPath" [3] OPT;
} }

/// A column of `kubectl get`.
#[derive(Clone, Default)]
pub struct Column {
    /// The heading.
    pub name: Str,
    /// `string`, `integer`, `number`, `boolean` or `date`.
    pub type_: Str,
    /// A format of OpenAPI, such as `int32`.
    pub format: Str,
    /// For people.
    pub description: Str,
    /// Columns above 0 are shown with `-o wide` alone.
    pub priority: i32,
    /// The value.
    pub json_path: Str,
}
record! { Column {
    0 name "name" [1] KEEP;
    1 type_ "type" [2] KEEP;
    2 format "format" [3] OMIT;
    3 description "description" [4] OMIT;
    4 priority "priority" [5] OMIT;
    5 json_path "jsonPath" [6] KEEP;
} }

/// A field that field selectors may name.
#[derive(Clone, Default)]
pub struct SelectableField {
    /// A path with dots alone, to a text, an integer or a boolean.
    pub json_path: Str,
}
record! { SelectableField {
    0 json_path "jsonPath" [1] KEEP;
} }

/// How objects of one version become objects of another.
#[derive(Clone, Default)]
pub struct Conversion {
    /// `None` or `Webhook`.
    pub strategy: Str,
    /// The webhook of strategy `Webhook`.
    pub webhook: Option<Box<WebhookConversion>>,
}
record! { Conversion {
    0 strategy "strategy" [1] KEEP;
    1 webhook "webhook" [2] OPT;
} }

/// A webhook that converts objects.
#[derive(Clone, Default)]
pub struct WebhookConversion {
    /// Where it is.
    pub client_config: Option<Box<WebhookClientConfig>>,
    /// The versions of `ConversionReview` that it reads; `v1`.
    pub conversion_review_versions: Vec<Str>,
}
record! { WebhookConversion {
    0 client_config "clientConfig" [2] OPT;
    1 conversion_review_versions "conversionReviewVersions" [3] KEEP;
} }

/// Where a webhook is: a URL or a service.
#[derive(Clone, Default)]
pub struct WebhookClientConfig {
    /// `https://...`
    pub url: Option<Str>,
    /// A service of the cluster.
    pub service: Option<Box<ServiceReference>>,
    /// Certificates (PEM) that vouch for the webhook's; empty for those of the server's host.
    pub ca_bundle: ByteString,
}
record! { WebhookClientConfig {
    0 url "url" [3] OPT;
    1 service "service" [1] OPT;
    2 ca_bundle "caBundle" [2] OMIT;
} }

/// A service that a webhook is behind.
#[derive(Clone, Default)]
pub struct ServiceReference {
    /// The namespace of the service.
    pub namespace: Str,
    /// Its name.
    pub name: Str,
    /// The path of the URL.
    pub path: Option<Str>,
    /// The port; 443 if absent.
    pub port: Option<i32>,
}
record! { ServiceReference {
    0 namespace "namespace" [1] KEEP;
    1 name "name" [2] KEEP;
    2 path "path" [3] OPT;
    3 port "port" [4] OPT;
} }

/// A rule in CEL.
#[derive(Clone, Default)]
pub struct ValidationRule {
    /// The expression over `self`.
    pub rule: Str,
    /// What the user is told where it does not hold.
    pub message: Str,
    /// An expression that makes the message.
    pub message_expression: Str,
    /// `FieldValueInvalid` if absent.
    pub reason: Option<Str>,
    /// The field that is at fault, relative to the value.
    pub field_path: Str,
    /// Whether `oldSelf` is an optional value and the rule applied to new objects too.
    pub optional_old_self: Option<bool>,
}
record! { ValidationRule {
    0 rule "rule" [1] KEEP;
    1 message "message" [2] OMIT;
    2 message_expression "messageExpression" [3] OMIT;
    3 reason "reason" [4] OPT;
    4 field_path "fieldPath" [5] OMIT;
    5 optional_old_self "optionalOldSelf" [6] OPT;
} }

/// What the server made of a definition.
#[derive(Clone, Default)]
pub struct Status {
    /// `Established`, `NamesAccepted`, `NonStructuralSchema`, ...
    pub conditions: Vec<Condition>,
    /// The names that the server uses.
    pub accepted_names: Names,
    /// The versions that objects were ever stored in.
    pub stored_versions: Vec<Str>,
    /// The generation that was looked at.
    pub observed_generation: i64,
}
record! { Status {
    0 conditions "conditions" [1] OMIT;
    1 accepted_names "acceptedNames" [2] OMIT;
    2 stored_versions "storedVersions" [3] OMIT;
    3 observed_generation "observedGeneration" [4] OMIT;
} }
