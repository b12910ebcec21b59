//! The end of a list, of objects that need not be a [`Resource`](crate::resource::Resource).

use super::{Framing, ItemError, ListError, ListReader};
use crate::meta::{ListMeta, Status};
use crate::record::Value;
use crate::value::Str;
use crate::wire::{Format, Wire, decode_serde};

/// What a [`ListReader`] has at the end of the body; without the objects that were taken.
pub(crate) struct PageRest<K> {
    pub(crate) metadata: ListMeta,
    pub(crate) items: Vec<K>,
    pub(crate) errors: Vec<ItemError>,
    /// Whether the body is that of a list: one without objects has items too, except in protobuf.
    pub(crate) is_list: bool,
    /// Those of the list; empty in protobuf.
    pub(crate) api_version: Str,
    pub(crate) kind: Str,
}

impl<K: Value + Default> ListReader<K> {
    /// What there is at the end, of objects of any type.
    pub(crate) fn finish_page(mut self) -> Result<PageRest<K>, ListError> {
        self.body.finish(&mut self.items)?;
        if let Framing::Whole { is_status } = self.body.framing {
            let (format, body) = (self.body.format, &self.body.unread);
            if is_status {
                return Err(ListError::Status(Box::new(Status::decode(format, body)?)));
            }
            // YAML has no borders that could be found by themselves: what it says is read as JSON.
            let value: serde_json::Value = decode_serde(format, body)?;
            let mut json = Self::new(Format::Json, self.body.mode);
            json.push(value.to_string().as_bytes())?;
            return json.finish_page();
        }
        self.items.shrink_to_fit();
        Ok(PageRest {
            metadata: self.body.metadata,
            items: self.items,
            errors: self.body.errors,
            is_list: self.body.has_items || self.body.format == Format::Protobuf,
            api_version: self.body.api_version,
            kind: self.body.kind,
        })
    }
}
