//! The text form of a fact table: reader and writer, side by side.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use super::error::{FactsError, MAGIC, Problem};
use super::{Facts, FieldFact, Holder, Kind, Message, OwnShape, Shape, Source};

/// Greatest field number that protobuf allows.
const MAX_NUMBER: u32 = (1 << 29) - 1;
/// First and last of the field numbers that protobuf keeps for itself.
const RESERVED: (u32, u32) = (19_000, 19_999);

impl Facts {
    /// Reads the text form of a table.
    ///
    /// One item a line, words separated by spaces; empty lines and lines that start with `#` mean nothing.
    ///
    /// ```text
    /// kubeloom-facts 1
    /// source k8s.io/api v0.37.2 h1:...
    /// package io.k8s.api.core.v1 k8s.io.api.core.v1
    /// message Volume
    ///  name 1 string
    ///  hostPath 2.1 *message omitempty
    /// own Quantity
    /// ```
    ///
    /// - `source`: module, version, `h1:` sum.
    /// - `package`: prefix of the OpenAPI names, protobuf package (`-`: none). It holds until the next one.
    /// - `message`: last label of both names; `typemeta` if `kind` and `apiVersion` come first.
    /// - `own`: a type with a [shape of its own](OwnShape).
    /// - An indented line is a field of the message before it: JSON name; protobuf path (`-`: none); type; then
    ///   `omitempty` and `omitzero` where Go's tag has them.
    ///
    /// A type is a holder (nothing: by value, `*` by pointer, `[]` slice, `{}` map; `[]*` and `{}*` of pointers)
    /// before a kind: `string`, `bool`, `int32`, `int64`, `double`, `bytes`, `message`, or the name of an own shape.
    ///
    /// # Errors
    ///
    /// The first line that breaks these rules, names a thing twice, or lets two fields share a protobuf path.
    pub fn parse(text: &str) -> Result<Self, FactsError> {
        let mut reader = Reader::default();
        for (index, line) in text.lines().enumerate() {
            let at = |problem| FactsError {
                line: index + 1,
                problem,
            };
            if index == 0 {
                if line != MAGIC {
                    return Err(at(Problem::NotATable));
                }
            } else {
                reader.line(line).map_err(at)?;
            }
        }
        if text.is_empty() {
            return Err(FactsError {
                line: 1,
                problem: Problem::NotATable,
            });
        }
        Ok(reader.facts)
    }

    /// Writes the text form that [`parse`](Self::parse) reads, sorted by package and name. `comments` are written
    /// below the first line, each behind a `#`.
    ///
    /// The result reads back as the same table if every name is free of white space, the last labels of a message's
    /// OpenAPI and protobuf names are the same, and packages map one to one; a table that was parsed has all that.
    pub fn to_text(&self, comments: &[&str]) -> String {
        let mut out = format!("{MAGIC}\n");
        for comment in comments {
            push(&mut out, format_args!("# {comment}\n"));
        }
        for Source { module, version, sum } in &self.sources {
            push(&mut out, format_args!("source {module} {version} {sum}\n"));
        }
        // The map sorts by full name, in which packages of one prefix may interleave: sort by package first.
        let mut sorted: Vec<_> = self
            .messages
            .iter()
            .map(|(name, message)| (split(name), message))
            .collect();
        sorted.sort_by_key(|(name, _)| *name);
        let mut current = None;
        for ((package, name), message) in sorted {
            let proto = message.proto.as_deref().map_or("-", |full| split(full).0);
            if current != Some((package, proto)) {
                push(&mut out, format_args!("\npackage {package} {proto}\n"));
                current = Some((package, proto));
            }
            match &message.shape {
                Shape::Own(_) => push(&mut out, format_args!("own {name}\n")),
                Shape::Fields { type_meta, fields } => {
                    let flag = if *type_meta { " typemeta" } else { "" };
                    push(&mut out, format_args!("message {name}{flag}\n"));
                    fields
                        .iter()
                        .for_each(|field| push(&mut out, format_args!(" {field}\n")));
                }
            }
        }
        out
    }
}

/// Appends formatted text; writing to a string cannot fail.
fn push(out: &mut String, text: fmt::Arguments<'_>) {
    let written = out.write_fmt(text);
    debug_assert!(written.is_ok());
}

/// Package and last label of a dotted name.
fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or(("", name))
}

/// The line of a field, without indentation.
impl fmt::Display for FieldFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.json, path_text(&self.path))?;
        f.write_str(match (self.holder, self.element_pointer) {
            (Holder::Value, _) => "",
            (Holder::Pointer, _) => "*",
            (Holder::Slice, false) => "[]",
            (Holder::Slice, true) => "[]*",
            (Holder::Map, false) => "{}",
            (Holder::Map, true) => "{}*",
        })?;
        f.write_str(kind_text(self.kind))?;
        f.write_str(if self.omit_empty { " omitempty" } else { "" })?;
        f.write_str(if self.omit_zero { " omitzero" } else { "" })
    }
}

fn path_text(path: &[u32]) -> String {
    if path.is_empty() {
        "-".to_owned()
    } else {
        path.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
    }
}

fn kind_text(kind: Kind) -> &'static str {
    match kind {
        Kind::String => "string",
        Kind::Bool => "bool",
        Kind::Int32 => "int32",
        Kind::Int64 => "int64",
        Kind::Double => "double",
        Kind::Bytes => "bytes",
        Kind::Message => "message",
        Kind::Own(shape) => shape.name(),
    }
}

fn parse_kind(text: &str) -> Option<Kind> {
    const PLAIN: [Kind; 7] = [
        Kind::String,
        Kind::Bool,
        Kind::Int32,
        Kind::Int64,
        Kind::Double,
        Kind::Bytes,
        Kind::Message,
    ];
    let own = || OwnShape::from_name(text).map(Kind::Own);
    PLAIN
        .into_iter()
        .find(|kind| kind_text(*kind) == text)
        .or_else(own)
}

fn parse_type(text: &str) -> Option<(Holder, bool, Kind)> {
    let (holder, element_pointer, kind) = if let Some(rest) = text.strip_prefix('*') {
        (Holder::Pointer, false, rest)
    } else if let Some(rest) = text.strip_prefix("[]") {
        (Holder::Slice, rest.starts_with('*'), rest.trim_start_matches('*'))
    } else if let Some(rest) = text.strip_prefix("{}") {
        (Holder::Map, rest.starts_with('*'), rest.trim_start_matches('*'))
    } else {
        (Holder::Value, false, text)
    };
    let doubled = text.contains("**");
    Some((holder, element_pointer, parse_kind(kind).filter(|_| !doubled)?))
}

/// A field number as protobuf allows it and this format writes it: no sign, no leading zero.
fn parse_number(text: &str) -> Option<u32> {
    let number = text
        .parse::<u32>()
        .ok()
        .filter(|number| number.to_string() == text)?;
    let allowed = (1..=MAX_NUMBER).contains(&number) && !(RESERVED.0..=RESERVED.1).contains(&number);
    allowed.then_some(number)
}

/// The reader's state between lines.
#[derive(Default)]
struct Reader {
    facts: Facts,
    /// OpenAPI prefix and protobuf package in force.
    package: Option<(String, Option<String>)>,
    /// Full name of the message that takes fields.
    open: Option<String>,
    /// JSON names of the open message.
    names: BTreeSet<String>,
    /// Paths of the open message.
    paths: BTreeSet<Vec<u32>>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), Problem> {
        if line.trim().is_empty() || line.starts_with('#') {
            return Ok(());
        }
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if line.starts_with([' ', '\t']) {
            return self.field(&words);
        }
        match words.as_slice() {
            ["source", module, version, sum] => {
                let (module, version, sum) = ((*module).into(), (*version).into(), (*sum).into());
                self.facts.sources.push(Source { module, version, sum });
                Ok(())
            }
            ["package", prefix, proto] => {
                let proto = (*proto != "-").then(|| (*proto).to_owned());
                self.package = Some(((*prefix).to_owned(), proto));
                self.open = None;
                Ok(())
            }
            ["message", name, flags @ ..] => {
                let type_meta = match flags {
                    [] => false,
                    ["typemeta"] => true,
                    [.., flag] => return Err(Problem::BadFlag((*flag).to_owned())),
                };
                self.message(
                    name,
                    Shape::Fields {
                        type_meta,
                        fields: Vec::new(),
                    },
                )
            }
            ["own", name] => {
                let shape = OwnShape::from_name(name).filter(|shape| *shape != OwnShape::StringList);
                let shape = shape.ok_or_else(|| Problem::UnknownShape((*name).to_owned()))?;
                self.message(name, Shape::Own(shape))?;
                self.open = None;
                Ok(())
            }
            _ => Err(Problem::Malformed),
        }
    }

    fn message(&mut self, name: &str, shape: Shape) -> Result<(), Problem> {
        let (prefix, proto) = self.package.as_ref().ok_or(Problem::NoPackage)?;
        if name.contains('.') {
            return Err(Problem::Malformed);
        }
        let full = format!("{prefix}.{name}");
        let proto = proto.as_ref().map(|package| format!("{package}.{name}"));
        if self
            .facts
            .messages
            .insert(full.clone(), Message { proto, shape })
            .is_some()
        {
            return Err(Problem::DuplicateMessage(full));
        }
        self.names.clear();
        self.paths.clear();
        self.open = Some(full);
        Ok(())
    }

    fn field(&mut self, words: &[&str]) -> Result<(), Problem> {
        let [json, path, kind, flags @ ..] = words else {
            return Err(Problem::Malformed);
        };
        let open = self
            .open
            .as_ref()
            .and_then(|name| self.facts.messages.get_mut(name));
        let Some(Message {
            proto,
            shape: Shape::Fields { fields, .. },
        }) = open
        else {
            return Err(Problem::NoMessage);
        };
        if !self.names.insert((*json).to_owned()) {
            return Err(Problem::DuplicateField((*json).to_owned()));
        }
        let (holder, element_pointer, kind) =
            parse_type(kind).ok_or_else(|| Problem::BadType((*kind).to_owned()))?;
        let (mut omit_empty, mut omit_zero) = (false, false);
        for flag in flags {
            let known = match *flag {
                "omitempty" => Some(&mut omit_empty),
                "omitzero" => Some(&mut omit_zero),
                _ => None,
            };
            let set = known
                .filter(|set| !**set)
                .ok_or_else(|| Problem::BadFlag((*flag).to_owned()))?;
            *set = true;
        }
        let numbers = if *path == "-" {
            Some(Vec::new())
        } else {
            path.split('.').map(parse_number).collect()
        };
        let numbers: Vec<u32> = numbers.ok_or_else(|| Problem::BadPath((*path).to_owned()))?;
        if !numbers.is_empty() {
            if proto.is_none() {
                return Err(Problem::PathWithoutProto((*path).to_owned()));
            }
            if collides(&self.paths, &numbers) {
                return Err(Problem::PathTaken((*path).to_owned()));
            }
            self.paths.insert(numbers.clone());
        }
        let json = (*json).to_owned();
        fields.push(FieldFact {
            json,
            path: numbers,
            holder,
            element_pointer,
            kind,
            omit_empty,
            omit_zero,
        });
        Ok(())
    }
}

/// Whether a path is in the set, leads through a path of the set, or is on the way to one.
fn collides(paths: &BTreeSet<Vec<u32>>, path: &[u32]) -> bool {
    let through = (1..=path.len()).any(|length| paths.contains(&path[..length]));
    let on_the_way = paths
        .range(path.to_vec()..)
        .next()
        .is_some_and(|next| next.starts_with(path));
    through || on_the_way
}
