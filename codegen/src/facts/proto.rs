//! Reads `.proto` files into plain data: message names, field numbers, kinds.
//!
//! It is behind the feature `proto` because a protobuf compiler comes with it. Nothing but names, numbers and kinds is
//! kept; no comment leaves this module.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use protox::file::{File, FileResolver, GoogleFileResolver};
use protox::prost_reflect::{Cardinality, FieldDescriptor, Kind, MessageDescriptor};

/// A folder of `.proto` files and the name under which `import` statements know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtoRoot {
    /// What imports write before the path within the folder, without a slash at the end: `k8s.io/api`. Empty if
    /// imports are relative to the folder.
    pub prefix: String,
    /// The folder. Every `.proto` file below it is read; links to folders are not followed.
    pub dir: PathBuf,
}

/// What a set of `.proto` files declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProtoTable {
    /// Import names of the files below the roots, each with its protobuf package.
    pub files: BTreeMap<String, String>,
    /// Messages by full name, those of imported files and nested ones included, entries of maps not.
    pub messages: BTreeMap<String, ProtoMessage>,
}

/// Fields of a message by number.
pub type ProtoMessage = BTreeMap<u32, ProtoField>;

/// A field of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtoField {
    /// Name in the `.proto` file.
    pub name: String,
    /// How often the field may occur.
    pub label: ProtoLabel,
    /// What the field is: the element if repeated, the value if a map.
    pub kind: ProtoKind,
}

/// How often a field may occur.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProtoLabel {
    /// At most once.
    Optional,
    /// Exactly once (proto2).
    Required,
    /// Any number of times; `packed` if elements share one length-delimited record.
    Repeated {
        /// Whether a writer packs the elements.
        packed: bool,
    },
    /// A map, with the kind of its keys.
    Map(ProtoKind),
}

/// The kind of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProtoKind {
    /// A scalar, by its protobuf keyword: `string`, `int32`, `sfixed64`, ...
    Scalar(&'static str),
    /// An enum, by full name.
    Enum(String),
    /// A message, by full name.
    Message(String),
}

/// `.proto` files that could not be read.
#[derive(Debug)]
pub enum ProtoError {
    /// A folder could not be listed.
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Two roots provide a file of this import name.
    Ambiguous(String),
    /// The name of a file is not UTF-8, so no import can name it.
    NotUtf8(PathBuf),
    /// A file could not be read, parsed or linked.
    Compile {
        /// Import name of the file that was being added.
        file: String,
        /// The compiler's error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl fmt::Display for ProtoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder { path, .. } => write!(f, "cannot list {}", path.display()),
            Self::Ambiguous(name) => write!(f, "two folders provide {name}"),
            Self::NotUtf8(path) => write!(f, "the name of {} is not UTF-8", path.display()),
            Self::Compile { file, .. } => write!(f, "cannot compile {file}"),
        }
    }
}

impl std::error::Error for ProtoError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Folder { source, .. } => Some(source),
            Self::Ambiguous(_) | Self::NotUtf8(_) => None,
            Self::Compile { source, .. } => Some(source.as_ref()),
        }
    }
}

impl ProtoTable {
    /// Reads every `.proto` file below the roots. Imports are looked up in the roots alone, and among the well-known
    /// files of `google/protobuf`.
    ///
    /// # Errors
    ///
    /// The first folder, name or file that cannot be read, in sorted order.
    pub fn read(roots: &[ProtoRoot]) -> Result<Self, ProtoError> {
        let mut files = BTreeMap::new();
        for root in roots {
            list(root, &root.dir, &mut files)?;
        }
        let names: BTreeSet<String> = files.keys().cloned().collect();
        let mut compiler = protox::Compiler::with_file_resolver(Resolver { files });
        for name in &names {
            compiler.open_file(name).map_err(|source| ProtoError::Compile {
                file: name.clone(),
                source: Box::new(source),
            })?;
        }
        let pool = compiler.descriptor_pool();
        let listed = pool.files().filter(|file| names.contains(file.name()));
        Ok(Self {
            files: listed
                .map(|file| (file.name().to_owned(), file.package_name().to_owned()))
                .collect(),
            messages: pool
                .all_messages()
                .filter(|message| !message.is_map_entry())
                .map(|message| (message.full_name().to_owned(), fields(&message)))
                .collect(),
        })
    }
}

/// Adds the `.proto` files below `dir` under their import names.
fn list(root: &ProtoRoot, dir: &Path, files: &mut BTreeMap<String, PathBuf>) -> Result<(), ProtoError> {
    let fail = |source| ProtoError::Folder {
        path: dir.to_owned(),
        source,
    };
    for entry in std::fs::read_dir(dir).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let path = entry.path();
        if entry.file_type().map_err(fail)?.is_dir() {
            list(root, &path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "proto") {
            let name = import_name(root, &path).ok_or_else(|| ProtoError::NotUtf8(path.clone()))?;
            if files.insert(name.clone(), path).is_some() {
                return Err(ProtoError::Ambiguous(name));
            }
        }
    }
    Ok(())
}

fn import_name(root: &ProtoRoot, path: &Path) -> Option<String> {
    let mut labels = if root.prefix.is_empty() {
        vec![]
    } else {
        vec![root.prefix.as_str()]
    };
    for component in path.strip_prefix(&root.dir).ok()? {
        labels.push(component.to_str()?);
    }
    Some(labels.join("/"))
}

/// Opens listed files, and the well-known ones of `google/protobuf`.
struct Resolver {
    files: BTreeMap<String, PathBuf>,
}

impl FileResolver for Resolver {
    fn resolve_path(&self, path: &Path) -> Option<String> {
        self.files
            .iter()
            .find(|(_, listed)| *listed == path)
            .map(|(name, _)| name.clone())
    }

    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        match self.files.get(name) {
            Some(path) => File::open(name, path),
            None => GoogleFileResolver::new().open_file(name),
        }
    }
}

fn fields(message: &MessageDescriptor) -> ProtoMessage {
    message
        .fields()
        .map(|field| (field.number(), self::field(&field)))
        .collect()
}

fn field(field: &FieldDescriptor) -> ProtoField {
    let name = field.name().to_owned();
    if let Kind::Message(entry) = field.kind()
        && field.is_map()
    {
        let (key, value) = (
            kind(&entry.map_entry_key_field()),
            kind(&entry.map_entry_value_field()),
        );
        return ProtoField {
            name,
            label: ProtoLabel::Map(key),
            kind: value,
        };
    }
    let label = match field.cardinality() {
        Cardinality::Optional => ProtoLabel::Optional,
        Cardinality::Required => ProtoLabel::Required,
        Cardinality::Repeated => ProtoLabel::Repeated {
            packed: is_packed(field),
        },
    };
    ProtoField {
        name,
        label,
        kind: kind(field),
    }
}

/// The option if the file sets it (the descriptor's own answer overlooks that), else the rule of the syntax.
fn is_packed(field: &FieldDescriptor) -> bool {
    let option = field
        .field_descriptor_proto()
        .options
        .as_ref()
        .and_then(|options| options.packed);
    option.unwrap_or_else(|| field.is_packed())
}

fn kind(field: &FieldDescriptor) -> ProtoKind {
    ProtoKind::Scalar(match field.kind() {
        Kind::Message(message) => return ProtoKind::Message(message.full_name().to_owned()),
        Kind::Enum(found) => return ProtoKind::Enum(found.full_name().to_owned()),
        Kind::Double => "double",
        Kind::Float => "float",
        Kind::Int32 => "int32",
        Kind::Int64 => "int64",
        Kind::Uint32 => "uint32",
        Kind::Uint64 => "uint64",
        Kind::Sint32 => "sint32",
        Kind::Sint64 => "sint64",
        Kind::Fixed32 => "fixed32",
        Kind::Fixed64 => "fixed64",
        Kind::Sfixed32 => "sfixed32",
        Kind::Sfixed64 => "sfixed64",
        Kind::Bool => "bool",
        Kind::String => "string",
        Kind::Bytes => "bytes",
    })
}
