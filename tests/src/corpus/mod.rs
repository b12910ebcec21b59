//! Objects as servers hold them, made without a server: the data of comparisons and of fuzzing.
//!
//! | corpus | what it is |
//! |---|---|
//! | [`ONE_TEMPLATE`] | 10,000 pods that differ in names and addresses only, as one large deployment |
//! | [`MIXED`] | pods of 300 templates, nodes, secrets, deployments, endpoint slices, events, CustomResourceDefinitions |
//!
//! Every object has managed fields and what servers fill in. The same call makes the same bytes on every machine.
//!
//! This module must not know what is compared.

mod crd;
mod managed;
mod one_template;
mod others;
mod pod;
mod random;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use kubeloom::Resource;
use kubeloom::meta::List;
use kubeloom::record::{Record, Value as RecordValue};
use kubeloom::wire::{Format, Wire, to_json};
use kubeloom_k8s::{apiextensions_v1, apps_v1, core_v1, discovery_v1};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Changes when the corpus does, so that files of older ones are made anew.
const REVISION: u32 = 1;

/// Objects of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The resource: `pods`, `nodes`, ...
    pub kind: &'static str,
    /// The number of objects.
    pub count: usize,
    make: fn(usize) -> Value,
    write: fn(&[Value]) -> Result<Bodies>,
}

/// Parts under a name that is also the name of a folder.
#[derive(Clone, Copy, Debug)]
pub struct Corpus {
    /// `one-template` or `mixed`.
    pub name: &'static str,
    /// The parts.
    pub parts: &'static [Part],
}

/// The body of a list in both encodings, as a server sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bodies {
    /// JSON; the items have no `apiVersion` and no `kind`.
    pub json: Vec<u8>,
    /// Protobuf in its envelope.
    pub protobuf: Vec<u8>,
}

const fn part(
    kind: &'static str,
    count: usize,
    make: fn(usize) -> Value,
    write: fn(&[Value]) -> Result<Bodies>,
) -> Part {
    Part {
        kind,
        count,
        make,
        write,
    }
}

/// 10,000 pods of one template.
pub const ONE_TEMPLATE: Corpus = Corpus {
    name: "one-template",
    parts: &[part("pods", 10_000, one_template::pod, bodies::<core_v1::Pod>)],
};

/// The number of templates that the pods of [`MIXED`] are made of.
const TEMPLATES: usize = 300;

/// Many kinds, so that nothing is tuned to one template.
pub const MIXED: Corpus = Corpus {
    name: "mixed",
    parts: &[
        part(
            "pods",
            2_100,
            |index| pod::pod(index % TEMPLATES, index),
            bodies::<core_v1::Pod>,
        ),
        part("nodes", 300, others::node, bodies::<core_v1::Node>),
        part("secrets", 800, others::secret, bodies::<core_v1::Secret>),
        part(
            "deployments",
            600,
            others::deployment,
            bodies::<apps_v1::Deployment>,
        ),
        part(
            "endpointslices",
            500,
            others::endpoint_slice,
            bodies::<discovery_v1::EndpointSlice>,
        ),
        part("events", 4_000, others::event, bodies::<core_v1::Event>),
        part(
            "customresourcedefinitions",
            60,
            crd::crd,
            bodies::<apiextensions_v1::CustomResourceDefinition>,
        ),
    ],
};

/// A part as files.
#[derive(Clone, Debug)]
pub struct Files {
    /// The resource.
    pub kind: &'static str,
    /// The list as JSON.
    pub json: PathBuf,
    /// The list as protobuf.
    pub protobuf: PathBuf,
}

impl Part {
    /// The body of a list of the first `count` objects.
    ///
    /// # Errors
    /// An object that does not fit its type: a mistake of this module or of the type.
    pub fn bodies(&self, count: usize) -> Result<Bodies> {
        let objects: Vec<Value> = (0..count).map(self.make).collect();
        (self.write)(&objects).with_context(|| format!("make {}", self.kind))
    }
}

impl Corpus {
    /// Writes the parts into a folder of the corpus's name below `folder`, unless they are there.
    ///
    /// # Errors
    /// As [`Part::bodies`], and those of the file system.
    pub fn write(&self, folder: &Path) -> Result<Vec<Files>> {
        let folder = folder.join(format!("{}-{REVISION}", self.name));
        fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
        let written = self.parts.iter().map(|part| {
            let files = Files {
                kind: part.kind,
                json: folder.join(format!("{}.json", part.kind)),
                protobuf: folder.join(format!("{}.protobuf", part.kind)),
            };
            if !(files.json.exists() && files.protobuf.exists()) {
                let bodies = part.bodies(part.count)?;
                write_whole(&files.json, &bodies.json)?;
                write_whole(&files.protobuf, &bodies.protobuf)?;
            }
            Ok(files)
        });
        written.collect()
    }
}

/// Writes a file so that it is there whole or not at all.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let temporary = path.with_extension("part");
    let written = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    written.with_context(|| format!("write {}", path.display()))
}

/// Encodes the objects as a list of `K`. JSON is put together from the items, as a server leaves out their `apiVersion` and
/// `kind`.
fn bodies<K>(objects: &[Value]) -> Result<Bodies>
where
    K: Resource + RecordValue + Record + Default + DeserializeOwned + PartialEq,
{
    let head = json!({
        "kind": format!("{}List", K::KIND), "apiVersion": K::API_VERSION, "metadata": {"resourceVersion": "1000000"},
    });
    let mut json = head.to_string().into_bytes();
    json.pop();
    json.extend_from_slice(br#","items":["#);
    let of_the_item = format!(r#"{{"apiVersion":"{}","kind":"{}","#, K::API_VERSION, K::KIND);
    let mut list = List::<K>::default();
    list.metadata.resource_version = "1000000".into();
    for (index, object) in objects.iter().enumerate() {
        let typed = K::deserialize(object)?;
        let text = to_json(&typed)?;
        let rest = text.strip_prefix(of_the_item.as_bytes());
        let rest = rest.with_context(|| format!("an item does not begin with {of_the_item}"))?;
        if index > 0 {
            json.push(b',');
        }
        json.push(b'{');
        json.extend_from_slice(rest);
        list.items.push(typed);
    }
    json.extend_from_slice(b"]}");
    let protobuf = list.encode(Format::Protobuf)?;
    ensure!(
        List::<K>::decode(Format::Json, &json)? == list,
        "the list is not equal to its JSON"
    );
    Ok(Bodies { json, protobuf })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drops what encodings need not keep: nulls, empty lists and empty maps.
    fn prune(value: &Value) -> Value {
        let keep =
            |value: &Value| !matches!(value, Value::Null) && *value != json!([]) && *value != json!({});
        match value {
            Value::Object(fields) => {
                let kept = fields.iter().map(|(name, value)| (name.clone(), prune(value)));
                Value::Object(kept.filter(|(_, value)| keep(value)).collect())
            }
            Value::Array(items) => Value::Array(items.iter().map(prune).collect()),
            other => other.clone(),
        }
    }

    #[test]
    fn no_field_of_the_corpus_is_unknown_to_its_type() {
        for part in ONE_TEMPLATE.parts.iter().chain(MIXED.parts) {
            for index in [0, 1, 2, 50] {
                let bodies = (part.write)(&[(part.make)(index)]).unwrap();
                let list: Value = serde_json::from_slice(&bodies.json).unwrap();
                let (written, made) = (prune(&list["items"][0]), prune(&(part.make)(index)));
                // Managed fields are raw JSON, of which nothing is dropped; all else is compared field by field.
                let lost: Vec<String> = missing("", &made, &written);
                assert_eq!(lost, Vec::<String>::new(), "{} {index}", part.kind);
            }
        }
    }

    /// The paths of what is in `made` and not in `written`.
    fn missing(path: &str, made: &Value, written: &Value) -> Vec<String> {
        match (made, written) {
            (Value::Object(made), Value::Object(written)) => made
                .iter()
                .flat_map(|(name, value)| match written.get(name) {
                    Some(other) => missing(&format!("{path}.{name}"), value, other),
                    None if is_zero(value) => Vec::new(),
                    None => vec![format!("{path}.{name}")],
                })
                .collect(),
            (Value::Array(made), Value::Array(written)) if made.len() == written.len() => made
                .iter()
                .zip(written)
                .flat_map(|(one, other)| missing(&format!("{path}[]"), one, other))
                .collect(),
            (one, other) if one == other => Vec::new(),
            _ => vec![format!("{path}: {made} became {written}")],
        }
    }

    /// Go leaves out zero values that it holds by value.
    fn is_zero(value: &Value) -> bool {
        *value == json!(false) || *value == json!(0) || *value == json!("")
    }

    #[test]
    fn pods_of_one_template_weigh_ten_kilobytes_of_which_half_are_managed_fields() {
        let pod = one_template::pod(1234);
        let (whole, managed) = (
            pod.to_string().len(),
            pod["metadata"]["managedFields"].to_string().len(),
        );
        assert!((9_000..11_500).contains(&whole), "{whole}");
        assert!(
            (40..60).contains(&(managed * 100 / whole)),
            "{managed} of {whole}"
        );
    }

    #[test]
    fn the_same_call_makes_the_same_bytes_and_another_index_others() {
        for part in MIXED.parts {
            assert_eq!((part.make)(7), (part.make)(7), "{}", part.kind);
            assert_ne!((part.make)(7), (part.make)(8), "{}", part.kind);
        }
    }
}
