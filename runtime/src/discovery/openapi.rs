//! [`OpenApiIndex`]: which OpenAPI v3 documents a server has.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The OpenAPI v3 documents of a server, by what they describe: `api/v1`, `apis/apps/v1`, and a few that are no
/// group-version (`version`, `logs`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenApiIndex {
    /// The documents.
    pub paths: BTreeMap<String, OpenApiPath>,
}

/// Where a document is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenApiPath {
    /// Path and query on the server.
    #[serde(rename = "serverRelativeURL")]
    pub url: String,
}

impl OpenApiPath {
    /// The hash of the document, which is part of its address; `None` if the server gives none.
    pub fn hash(&self) -> Option<&str> {
        let (_, query) = self.url.split_once('?')?;
        query
            .split('&')
            .find_map(|pair| pair.strip_prefix("hash="))
            .filter(|hash| !hash.is_empty())
    }
}

impl OpenApiIndex {
    pub(super) fn read(body: &[u8]) -> Result<Self, serde_json::Error> {
        #[derive(Deserialize)]
        struct Written {
            paths: Option<BTreeMap<String, OpenApiPath>>,
        }
        let written: Written = serde_json::from_slice(body)?;
        Ok(Self {
            paths: written.paths.unwrap_or_default(),
        })
    }

    /// The document of a group-version; the group is empty for the core group.
    pub fn group_version(&self, group: &str, version: &str) -> Option<&OpenApiPath> {
        let key = if group.is_empty() {
            format!("api/{version}")
        } else {
            format!("apis/{group}/{version}")
        };
        self.paths.get(&key)
    }
}
