//! What a generated crate was made from, as a file in it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::ir::Api;
use crate::options::Options;
use crate::sources::Documents;

/// The name of the file.
pub const FILE: &str = "kubeloom.lock.json";

/// What is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Group-versions with resources.
    #[serde(rename = "groupVersions")]
    pub group_versions: usize,
    /// Resources.
    pub resources: usize,
    /// Types.
    pub types: usize,
    /// Fields of all types.
    pub fields: usize,
    /// Files, this one excluded.
    pub files: usize,
}

impl Counts {
    pub(crate) fn of(api: &Api, files: usize) -> Self {
        let types = || {
            api.modules
                .iter()
                .flat_map(|module| &module.files)
                .flat_map(|file| &file.types)
        };
        Self {
            group_versions: api
                .modules
                .iter()
                .filter(|module| module.client.is_some())
                .count(),
            resources: types().filter(|ty| ty.resource.is_some()).count(),
            types: types().count(),
            fields: types().map(|ty| ty.fields.len()).sum(),
            files,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Provenance<'a> {
    generator: &'static str,
    server: Option<&'a str>,
    options: &'a Options,
    inputs: Vec<Input<'a>>,
    facts: String,
    counts: Counts,
    files: Vec<&'a str>,
}

#[derive(Serialize)]
struct Input<'a> {
    path: &'a str,
    sha256: String,
}

/// The text of the file.
pub(crate) fn text(
    inputs: &Documents,
    facts: &str,
    options: &Options,
    api: &Api,
    counts: Counts,
    files: &BTreeMap<String, String>,
) -> String {
    let provenance = Provenance {
        generator: concat!("kubeloom ", env!("CARGO_PKG_VERSION")),
        server: api.server.as_deref(),
        options,
        inputs: inputs
            .iter()
            .map(|input| Input {
                path: &input.path,
                sha256: sha256(&input.bytes),
            })
            .collect(),
        facts: sha256(facts.as_bytes()),
        counts,
        files: files.keys().map(String::as_str).collect(),
    };
    let mut text = serde_json::to_string_pretty(&provenance).unwrap_or_default();
    text.push('\n');
    text
}

/// What a provenance file records of the run that wrote it.
#[derive(Debug, Deserialize)]
pub(crate) struct Recorded {
    pub(crate) options: Options,
    inputs: Vec<RecordedInput>,
}

#[derive(Debug, Deserialize)]
struct RecordedInput {
    path: String,
    sha256: String,
}

impl Recorded {
    /// Reads a provenance file. `None` if it is none, or one of another format.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// How documents differ from those recorded, in words; `None` if they do not.
    pub(crate) fn other_inputs(&self, inputs: &Documents) -> Option<String> {
        let before: BTreeMap<&str, &str> = self
            .inputs
            .iter()
            .map(|input| (input.path.as_str(), input.sha256.as_str()))
            .collect();
        let now: BTreeMap<&str, String> = inputs
            .iter()
            .map(|input| (input.path.as_str(), sha256(&input.bytes)))
            .collect();
        let new = now.keys().filter(|path| !before.contains_key(*path)).count();
        let gone = before.keys().filter(|path| !now.contains_key(*path)).count();
        let changed: Vec<_> = now
            .iter()
            .filter(|(path, sum)| before.get(*path).is_some_and(|known| known != sum))
            .collect();
        (new + gone + changed.len() > 0).then(|| {
            format!(
                "{} changed, {new} new, {gone} gone of {} documents",
                changed.len(),
                before.len()
            )
        })
    }
}

#[derive(Deserialize)]
struct Listed {
    files: Vec<String>,
}

/// The files that a provenance file lists as generated. Paths that lead out of the crate are not believed.
pub(crate) fn listed(bytes: &[u8]) -> Vec<String> {
    let listed: Listed = serde_json::from_slice(bytes).unwrap_or(Listed { files: Vec::new() });
    let inside = |path: &String| {
        !path.contains(['\\', ':']) && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
    };
    listed.files.into_iter().filter(inside).collect()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .fold(String::new(), |mut text, byte| {
            let written = write!(text, "{byte:02x}");
            debug_assert!(written.is_ok());
            text
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_out_of_the_crate_are_not_believed() {
        let text =
            r#"{"files": ["src/lib.rs", "../x", "/etc/passwd", "a/../../b", "a//b", "C:\\x", "./a", "ok"]}"#;
        assert_eq!(listed(text.as_bytes()), ["src/lib.rs", "ok"]);
        for broken in ["", "{}", "[]", r#"{"files": 3}"#, "\u{0}"] {
            assert!(listed(broken.as_bytes()).is_empty());
        }
    }

    #[test]
    fn sums() {
        assert_eq!(
            sha256(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
