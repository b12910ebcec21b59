//! The `json` and `protobuf` struct tags of Go.

use anyhow::{Context, bail, ensure};
use kubeloom_codegen::facts::proto::ProtoField;

use crate::facts::go::Field;

/// A `json` tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct JsonTag<'a> {
    /// The name; empty if the tag gives none.
    pub(super) name: &'a str,
    /// The option `omitempty`.
    pub(super) omit_empty: bool,
    /// The option `omitzero`.
    pub(super) omit_zero: bool,
}

impl<'a> JsonTag<'a> {
    /// Reads the tag of a field. `inline` is allowed where Go's JSON ignores it: on embedded structs.
    pub(super) fn parse(field: &'a Field) -> anyhow::Result<Self> {
        ensure!(field.has_json, "no json tag");
        let mut parts = field.json.split(',');
        let name = parts.next().unwrap_or_default();
        let mut tag = Self {
            name,
            omit_empty: false,
            omit_zero: false,
        };
        for option in parts {
            match option {
                "omitempty" => tag.omit_empty = true,
                "omitzero" => tag.omit_zero = true,
                "inline" if field.embedded && name.is_empty() => {}
                other => bail!("unknown option {other:?} in json tag {:?}", field.json),
            }
        }
        Ok(tag)
    }
}

/// A `protobuf` tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProtoTag<'a> {
    /// Field number.
    pub(super) number: u32,
    /// Name in the `.proto` file, if the tag says so.
    pub(super) name: Option<&'a str>,
}

impl<'a> ProtoTag<'a> {
    /// Reads a tag; `None` if there is none.
    pub(super) fn parse(text: &'a str) -> anyhow::Result<Option<Self>> {
        if text.is_empty() {
            return Ok(None);
        }
        let mut parts = text.split(',');
        let number = parts.nth(1).unwrap_or_default();
        let number = number
            .parse()
            .with_context(|| format!("no number in protobuf tag {text:?}"))?;
        let mut tag = Self { number, name: None };
        for part in parts {
            match part.split_once('=') {
                None if ["opt", "req", "rep"].contains(&part) => {}
                Some(("name", name)) => tag.name = Some(name),
                Some(("casttype" | "castkey" | "castvalue", _)) => {}
                _ => bail!("unknown part {part:?} in protobuf tag {text:?}"),
            }
        }
        Ok(Some(tag))
    }

    /// Checks that the tag and the field of the `.proto` file agree on the name.
    ///
    /// Wire type and label of the tag are not looked at: people write them and nothing reads them, so here and there
    /// they say `bytes` for a number, `rep` for a single string and `opt` for a map. What Go writes is made from the
    /// `.proto` file, and the type of the Go field is compared with that.
    pub(super) fn check(&self, proto: &ProtoField) -> anyhow::Result<()> {
        if let Some(name) = self.name {
            ensure!(
                name == proto.name,
                "the Go tag names it {name:?}, the .proto file {:?}",
                proto.name
            );
        }
        Ok(())
    }
}
