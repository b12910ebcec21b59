//! The objects in a list's CBOR.

use super::{Body, Framing};
use crate::meta::ListMeta;
use crate::record::{self, Slot};
use crate::wire::cbor::{Elements, Members, from_cbor, read_slot, read_text};
use crate::wire::{DecodeError, Format};

impl Body {
    /// Reads the whole body, object by object.
    pub(super) fn read_cbor(&mut self, items: &mut dyn record::List) -> Result<(), DecodeError> {
        let body = std::mem::take(&mut self.unread);
        let mut members = Members::new(&body)?;
        while let Some((key, value)) = members.next()? {
            match &*key {
                "kind" if read_text(value).is_ok_and(|kind| kind == "Status") => {
                    self.framing = Framing::Whole { is_status: true };
                    self.unread = body;
                    return Ok(());
                }
                "kind" => self.kind = read_text(value).unwrap_or_default().as_ref().into(),
                "apiVersion" => self.api_version = read_text(value).unwrap_or_default().as_ref().into(),
                "metadata" => {
                    self.metadata = ListMeta::default();
                    from_cbor(&mut self.metadata, value)?;
                }
                "items" => self.cbor_items(value, items)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn cbor_items(&mut self, array: &[u8], items: &mut dyn record::List) -> Result<(), DecodeError> {
        // `null` is none.
        self.begin_items(items);
        let mut elements = Elements::new(array)?;
        while let Some(message) = elements.next()? {
            let before = items.len();
            let result = match items.push() {
                slot @ (Slot::Record(_) | Slot::Foreign(_)) => read_slot(slot, message),
                _ => Err(DecodeError::new(Format::Cbor, "a list of objects expected")),
            };
            if let Err(error) = result {
                items.truncate(before);
                self.item_failed(message, error)?;
            }
            self.seen += 1;
        }
        Ok(())
    }
}
