//! What `#[derive(Resource)]` says of a kind beside its names, and the definition made of it.

use schemars::JsonSchema;
use serde_json::Value;

use super::Schema;
use super::schema::{self, SchemaError};
use super::types::{
    Column, CustomResourceDefinition, Names, ScaleSubresource, SelectableField, Spec, StatusSubresource,
    Subresources, Validation, ValidationRule, Version,
};
use crate::field::Path;
use crate::meta::ObjectMeta;
use crate::resource::{Resource, Scope};
use crate::value::Str;

/// A kind whose definition comes from its Rust type. Implemented by `#[derive(Resource)]`.
pub trait CustomResource: Resource + JsonSchema {
    /// What the attribute says.
    const DEFINITION: Definition;

    /// The definition of the kind, with this one version.
    ///
    /// # Errors
    /// A type that has no schema that servers accept, and keys that name fields that the type does not have.
    fn crd() -> Result<CustomResourceDefinition, SchemaError> {
        define::<Self>().map_err(|error| error.of(Self::KIND))
    }
}

/// The keys of `#[resource(...)]` that are about the definition.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// Whether clients may use the version.
    pub served: bool,
    /// Whether objects are stored in the version.
    pub storage: bool,
    /// Whether clients are warned; with a text in place of the server's if it is not empty.
    pub deprecated: Option<&'static str>,
    /// Whether the observed state is a subresource.
    pub status: bool,
    /// Where the number of replicas is.
    pub scale: Option<ScalePaths>,
    /// What `kubectl get` shows.
    pub printer_columns: &'static [PrinterColumn],
    /// What field selectors may name.
    pub selectable_fields: &'static [&'static str],
    /// Labels of the definition.
    pub labels: &'static [(&'static str, &'static str)],
    /// Annotations of the definition.
    pub annotations: &'static [(&'static str, &'static str)],
    /// Rules over whole objects.
    pub rules: &'static [RootRule],
}

impl Definition {
    /// Served and stored, and nothing else.
    pub const NEW: Self = Self {
        served: true,
        storage: true,
        deprecated: None,
        status: false,
        scale: None,
        printer_columns: &[],
        selectable_fields: &[],
        labels: &[],
        annotations: &[],
        rules: &[],
    };
}

/// Where the number of replicas is.
#[derive(Clone, Copy, Debug)]
pub struct ScalePaths {
    /// The wanted number.
    pub spec_replicas: &'static str,
    /// The observed number.
    pub status_replicas: &'static str,
    /// The selector as text.
    pub label_selector: Option<&'static str>,
}

/// A column of `kubectl get`.
#[derive(Clone, Copy, Debug)]
pub struct PrinterColumn {
    /// The heading.
    pub name: &'static str,
    /// The type; `None` for that of the field.
    pub type_: Option<ColumnType>,
    /// The value.
    pub json_path: &'static str,
    /// A format of OpenAPI; may be empty.
    pub format: &'static str,
    /// For people; may be empty.
    pub description: &'static str,
    /// Columns above 0 are shown with `-o wide` alone.
    pub priority: i32,
}

impl PrinterColumn {
    /// A column with a heading and a value.
    #[must_use]
    pub const fn new(name: &'static str, json_path: &'static str) -> Self {
        Self {
            name,
            type_: None,
            json_path,
            format: "",
            description: "",
            priority: 0,
        }
    }
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the type of its name")]
pub enum ColumnType {
    String,
    Integer,
    Number,
    Boolean,
    /// The time since then.
    Date,
}

impl ColumnType {
    const fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Date => "date",
        }
    }
}

/// The reason of a cause where a rule does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the reason of its name")]
pub enum Reason {
    FieldValueInvalid,
    FieldValueForbidden,
    FieldValueRequired,
    FieldValueDuplicate,
}

impl Reason {
    /// The text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FieldValueInvalid => "FieldValueInvalid",
            Self::FieldValueForbidden => "FieldValueForbidden",
            Self::FieldValueRequired => "FieldValueRequired",
            Self::FieldValueDuplicate => "FieldValueDuplicate",
        }
    }
}

/// A rule over whole objects; texts may be empty.
#[derive(Clone, Copy, Debug)]
pub struct RootRule {
    /// The expression over `self`.
    pub rule: &'static str,
    /// What the user is told.
    pub message: &'static str,
    /// An expression that makes the message.
    pub message_expression: &'static str,
    /// The reason of the cause.
    pub reason: Option<Reason>,
    /// The field that is at fault.
    pub field_path: &'static str,
    /// Whether `oldSelf` is an optional value.
    pub optional_old_self: bool,
}

impl RootRule {
    /// An expression alone.
    #[must_use]
    pub const fn new(rule: &'static str) -> Self {
        Self {
            rule,
            message: "",
            message_expression: "",
            reason: None,
            field_path: "",
            optional_old_self: false,
        }
    }

    fn to_value(self) -> Value {
        let rule = ValidationRule {
            rule: self.rule.into(),
            message: self.message.into(),
            message_expression: self.message_expression.into(),
            reason: self.reason.map(|reason| reason.as_str().into()),
            field_path: self.field_path.into(),
            optional_old_self: self.optional_old_self.then_some(true),
        };
        serde_json::to_value(&rule).unwrap_or_default()
    }
}

fn define<K: CustomResource>() -> Result<CustomResourceDefinition, SchemaError> {
    let keys = K::DEFINITION;
    let schema = schema::of_root::<K>(keys.rules.iter().map(|rule| rule.to_value()).collect())?;
    check(&keys, &schema)?;
    let pairs = |all: &[(&'static str, &'static str)]| {
        all.iter()
            .map(|(key, value)| (Str::from(*key), Str::from(*value)))
            .collect()
    };
    Ok(CustomResourceDefinition {
        metadata: ObjectMeta {
            name: format!("{}.{}", K::PLURAL, K::GROUP).into(),
            labels: pairs(keys.labels),
            annotations: pairs(keys.annotations),
            ..ObjectMeta::default()
        },
        spec: Spec {
            group: K::GROUP.into(),
            names: Names {
                kind: K::KIND.into(),
                list_kind: format!("{}List", K::KIND).into(),
                plural: K::PLURAL.into(),
                singular: K::SINGULAR.into(),
                short_names: K::SHORT_NAMES.iter().map(|name| Str::from(*name)).collect(),
                categories: K::CATEGORIES.iter().map(|name| Str::from(*name)).collect(),
            },
            scope: if K::Scope::NAMESPACED {
                "Namespaced"
            } else {
                "Cluster"
            }
            .into(),
            versions: vec![version(K::VERSION, &keys, schema)],
            conversion: None,
        },
        status: Default::default(),
    })
}

fn version(name: &'static str, keys: &Definition, schema: Schema) -> Version {
    let scale = keys.scale.map(|paths| {
        Box::new(ScaleSubresource {
            spec_replicas_path: paths.spec_replicas.into(),
            status_replicas_path: paths.status_replicas.into(),
            label_selector_path: paths.label_selector.map(Str::from),
        })
    });
    let status = keys.status.then(|| Box::new(StatusSubresource {}));
    let subresources =
        (scale.is_some() || status.is_some()).then(|| Box::new(Subresources { status, scale }));
    let columns = keys.printer_columns.iter().map(|column| Column {
        name: column.name.into(),
        type_: column
            .type_
            .unwrap_or_else(|| type_of(&schema, column.json_path))
            .as_str()
            .into(),
        format: column.format.into(),
        description: column.description.into(),
        priority: column.priority,
        json_path: column.json_path.into(),
    });
    let columns = columns.collect();
    let selectable = keys.selectable_fields.iter().map(|path| SelectableField {
        json_path: (*path).into(),
    });
    Version {
        name: name.into(),
        served: keys.served,
        storage: keys.storage,
        deprecated: keys.deprecated.is_some(),
        deprecation_warning: keys.deprecated.filter(|text| !text.is_empty()).map(Str::from),
        schema: Some(Box::new(Validation {
            open_api_v3_schema: schema,
        })),
        subresources,
        additional_printer_columns: columns,
        selectable_fields: selectable.collect(),
    }
}

/// The type of the column that shows a field.
fn type_of(schema: &Schema, path: &str) -> ColumnType {
    let times = [".metadata.creationTimestamp", ".metadata.deletionTimestamp"];
    let field = schema.field(path);
    let text = |key: &str| field.and_then(|field| field.get(key)).and_then(Value::as_str);
    match (text("type"), text("format")) {
        _ if times.contains(&path) => ColumnType::Date,
        (_, Some("date-time")) => ColumnType::Date,
        (Some("integer"), _) => ColumnType::Integer,
        (Some("number"), _) => ColumnType::Number,
        (Some("boolean"), _) => ColumnType::Boolean,
        _ => ColumnType::String,
    }
}

/// Paths name fields that the type has. Columns are looked at where their path has dots alone.
fn check(keys: &Definition, schema: &Schema) -> Result<(), SchemaError> {
    let scale = keys.scale.iter().flat_map(|paths| {
        let named = [
            ("spec_replicas_path", paths.spec_replicas),
            ("status_replicas_path", paths.status_replicas),
        ];
        named
            .into_iter()
            .chain(paths.label_selector.map(|path| ("label_selector_path", path)))
    });
    let columns = keys
        .printer_columns
        .iter()
        .map(|column| ("printer_column", column.json_path));
    let selectable = keys
        .selectable_fields
        .iter()
        .map(|path| ("selectable_field", *path));
    for (key, path) in scale.chain(columns).chain(selectable) {
        let is_plain = !path.contains(['[', '\\', '@', '(', '*', '\'']) && !path.contains("..");
        if is_plain && !path.starts_with(".metadata") && !is_there(schema, path) {
            return Err(SchemaError::missing(key, path));
        }
    }
    if keys.status && schema.field(".status").is_none() {
        return Err(SchemaError::other(
            &Path::new("status"),
            "the key `status` asks for a subresource, and serde knows no field of that name",
        ));
    }
    Ok(())
}

/// Whether the schema has the field, or stops describing fields on the way to it.
fn is_there(schema: &Schema, path: &str) -> bool {
    let mut known = String::new();
    for name in path.split('.').skip(1) {
        let parent = if known.is_empty() {
            None
        } else {
            schema.field(&known)
        };
        if parent.is_some_and(|parent| {
            parent.get("properties").is_none() || parent.get("x-kubernetes-preserve-unknown-fields").is_some()
        }) {
            return parent.is_some_and(|parent| {
                parent.get("additionalProperties").is_some()
                    || parent.get("x-kubernetes-preserve-unknown-fields").is_some()
            });
        }
        known = format!("{known}.{name}");
        if schema.field(&known).is_none() {
            return false;
        }
    }
    true
}
