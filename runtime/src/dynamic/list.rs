//! [`DynamicList`]: a list of any kind.

use serde::{Deserialize, Deserializer, Serialize};

use super::DynamicObject;
use super::object::wire_through_serde;
use crate::meta::{ListMeta, page};
use crate::value::Str;

/// A list of any kind. Its items know their kind: servers leave `apiVersion` and `kind` out of the items of built-in
/// lists, and reading puts them back.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DynamicList {
    /// `apiVersion` of the list, which is that of its items.
    #[serde(rename = "apiVersion")]
    pub api_version: Str,
    /// The kind of the list: that of its items with `List` appended, or `List` for a mixed one.
    pub kind: Str,
    /// Version and continue token.
    pub metadata: ListMeta,
    /// The objects, in the server's order.
    pub items: Vec<DynamicObject>,
}

impl DynamicList {
    /// The kind of the items, if the list has one for all of them.
    pub fn item_kind(&self) -> Option<&str> {
        self.kind.strip_suffix("List").filter(|kind| !kind.is_empty())
    }

    /// Tells the items their kind where they lack it.
    fn name_items(&mut self) {
        let Some(kind) = self.item_kind().map(Str::from) else {
            return;
        };
        for item in &mut self.items {
            if item.kind.is_empty() {
                item.kind = kind.clone();
                item.api_version = self.api_version.clone();
            }
        }
    }
}

impl<'de> Deserialize<'de> for DynamicList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// The list as it is written; `null` and absence are one.
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Written {
            api_version: Option<Str>,
            kind: Option<Str>,
            #[serde(default)]
            metadata: ListMeta,
            items: Option<Vec<DynamicObject>>,
        }
        let written = Written::deserialize(deserializer)?;
        let mut list = Self {
            api_version: written.api_version.unwrap_or_default(),
            kind: written.kind.unwrap_or_default(),
            metadata: written.metadata,
            items: written.items.unwrap_or_default(),
        };
        list.name_items();
        Ok(list)
    }
}

wire_through_serde!(DynamicList);
page!(DynamicList: DynamicObject);

impl IntoIterator for DynamicList {
    type Item = DynamicObject;
    type IntoIter = std::vec::IntoIter<DynamicObject>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a> IntoIterator for &'a DynamicList {
    type Item = &'a DynamicObject;
    type IntoIter = std::slice::Iter<'a, DynamicObject>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}
