//! [`DynamicList`]: a list of any kind.

use serde::{Deserialize, Deserializer, Serialize};

use super::DynamicObject;
use super::object::wire_through_serde;
use crate::meta::{ListMeta, page};
use crate::record::{Foreign, Slot, Value, View};
use crate::value::Str;
use crate::wire::{DecodeError, EncodeError, Format, Wire};

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
        item_kind(&self.kind)
    }
}

impl DynamicObject {
    /// Tells an item of a list of this `apiVersion` and kind what it is, if it does not say so itself.
    pub(crate) fn be_item_of(&mut self, api_version: &Str, list_kind: &str) {
        if self.kind.is_empty()
            && let Some(kind) = item_kind(list_kind)
        {
            self.kind = kind.into();
            self.api_version.clone_from(api_version);
        }
    }
}

fn item_kind(list_kind: &str) -> Option<&str> {
    list_kind.strip_suffix("List").filter(|kind| !kind.is_empty())
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
        for item in &mut list.items {
            item.be_item_of(&list.api_version, &list.kind);
        }
        Ok(list)
    }
}

wire_through_serde!(DynamicList);
page!(DynamicList: DynamicObject);

/// An object of a list that is read as it arrives.
impl Value for DynamicObject {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Foreign(self)
    }
    fn view(&self) -> View<'_> {
        View::Foreign(self)
    }
}

impl Foreign for DynamicObject {
    fn read_json(&mut self, json: &str) -> Result<(), DecodeError> {
        *self = Self::decode(Format::Json, json.as_bytes())?;
        Ok(())
    }
    fn write_json(&self) -> Result<String, EncodeError> {
        serde_json::to_string(self).map_err(EncodeError::new)
    }
}

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
