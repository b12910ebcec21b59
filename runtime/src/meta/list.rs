//! The list of any resource.

use std::ops::{Deref, DerefMut};

use super::ListMeta;
use crate::record::{Field, KEEP, Record, Slot, Table, TypeMeta, Value, View};
use crate::resource::Resource;
use crate::wire::{BodyReader, DecodeError, EncodeError, Format, ListError, ListReader, Mode, Wire};

/// A page of objects, or all of them. Derefs to the slice of its items.
///
/// On the wire its kind is that of its items with `List` appended.
#[derive(Clone, Debug, PartialEq)]
pub struct List<K> {
    /// Version and continue token.
    pub metadata: ListMeta,
    /// The objects, in the server's order.
    pub items: Vec<K>,
}

impl<K> Default for List<K> {
    fn default() -> Self {
        Self {
            metadata: ListMeta::default(),
            items: Vec::new(),
        }
    }
}

static TABLE: Table = Table::new(
    "List",
    None,
    &[
        Field::new("metadata", &[1], KEEP),
        Field::new("items", &[2], KEEP),
    ],
);

impl<K: Resource + Value + Default> Record for List<K> {
    fn table(&self) -> &'static Table {
        &TABLE
    }
    fn slot(&mut self, index: usize) -> Slot<'_> {
        match index {
            0 => Value::slot(&mut self.metadata),
            1 => Value::slot(&mut self.items),
            _ => Slot::Ignored,
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => Value::view(&self.metadata),
            1 => Value::view(&self.items),
            _ => View::Absent,
        }
    }
    fn type_meta(&self) -> Option<TypeMeta> {
        Some(TypeMeta {
            api_version: K::API_VERSION,
            kind: K::KIND,
            list: true,
        })
    }
}

impl<K: Resource + Value + Default> Value for List<K> {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Record(self)
    }
    fn view(&self) -> View<'_> {
        View::Record(self)
    }
}

impl<K: Resource + Value + Default> Wire for List<K> {
    fn decode(format: Format, body: &[u8]) -> Result<Self, DecodeError> {
        let mut list = Self::default();
        crate::wire::decode(&mut list, format, body)?;
        Ok(list)
    }
    fn encode(&self, format: Format) -> Result<Vec<u8>, EncodeError> {
        crate::wire::encode(self, format)
    }
    /// Objects are read as they arrive; one that cannot be read fails the list.
    fn reader(format: Format) -> Option<Box<dyn BodyReader<Self>>> {
        Some(Box::new(ListReader::<K>::new(format, Mode::Strict)))
    }
}

impl<K: Resource + Value + Default> BodyReader<List<K>> for ListReader<K> {
    fn push(&mut self, piece: &[u8]) -> Result<(), DecodeError> {
        ListReader::push(self, piece)
    }
    fn finish(self: Box<Self>) -> Result<List<K>, ListError> {
        ListReader::finish(*self).map(|(list, _)| list)
    }
}

impl<K: Resource + Value + Default> serde::Serialize for List<K> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::wire::serialize(self, serializer)
    }
}

impl<'de, K: Resource + Value + Default> serde::Deserialize<'de> for List<K> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut list = Self::default();
        crate::wire::deserialize(&mut list, deserializer)?;
        Ok(list)
    }
}

impl<K> Deref for List<K> {
    type Target = [K];
    fn deref(&self) -> &[K] {
        &self.items
    }
}

impl<K> DerefMut for List<K> {
    fn deref_mut(&mut self) -> &mut [K] {
        &mut self.items
    }
}

impl<K> IntoIterator for List<K> {
    type Item = K;
    type IntoIter = std::vec::IntoIter<K>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, K> IntoIterator for &'a List<K> {
    type Item = &'a K;
    type IntoIter = std::slice::Iter<'a, K>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}
