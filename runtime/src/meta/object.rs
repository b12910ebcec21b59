//! What all objects and all lists have, whether their type is known at compile time or not.

use super::{List, ListMeta, ObjectMeta, PartialObjectMetadata, PartialObjectMetadataList};
use crate::record::Value;
use crate::resource::Resource;
use crate::wire::{Format, Wire};

/// An object with metadata: every [`Resource`], and the types that any resource can be read as
/// ([`PartialObjectMetadata`], [`DynamicObject`](crate::dynamic::DynamicObject)).
///
/// The methods are named apart from those of [`Resource`], so that both traits can be in scope.
pub trait Object: Wire + Clone + std::fmt::Debug {
    /// The encoding that holds all of the object in the fewest bytes.
    const COMPACT_FORMAT: Format;

    /// The metadata of the object.
    fn object_meta(&self) -> &ObjectMeta;

    /// The metadata of the object, to write to.
    fn object_meta_mut(&mut self) -> &mut ObjectMeta;
}

impl<K: Resource> Object for K {
    const COMPACT_FORMAT: Format = if K::PROTOBUF {
        Format::Protobuf
    } else {
        Format::Json
    };

    fn object_meta(&self) -> &ObjectMeta {
        self.metadata()
    }
    fn object_meta_mut(&mut self) -> &mut ObjectMeta {
        self.metadata_mut()
    }
}

impl Object for PartialObjectMetadata {
    const COMPACT_FORMAT: Format = Format::Protobuf;

    fn object_meta(&self) -> &ObjectMeta {
        &self.metadata
    }
    fn object_meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

/// The answer to a list: a page of objects and what the server says about the collection.
pub trait Page: Wire {
    /// What it is a list of.
    type Item: Object;

    /// Version and continue token.
    fn list_meta(&self) -> &ListMeta;

    /// Version and continue token, to write to.
    fn list_meta_mut(&mut self) -> &mut ListMeta;

    /// The objects, in the server's order.
    fn page_items(&self) -> &[Self::Item];

    /// The objects, to take, drop or add to.
    fn page_items_mut(&mut self) -> &mut Vec<Self::Item>;
}

/// Implements [`Page`] for a struct with the fields `metadata` and `items`.
macro_rules! page {
    (for<$generic:ident: $($bound:path),*> $list:ty: $item:ty) => {
        $crate::meta::page! { @ (<$generic: $($bound +)*>) ($list) ($item) }
    };
    ($list:ty: $item:ty) => {
        $crate::meta::page! { @ () ($list) ($item) }
    };
    (@ ($($generics:tt)*) ($list:ty) ($item:ty)) => {
        impl $($generics)* $crate::meta::Page for $list {
            type Item = $item;
            fn list_meta(&self) -> &$crate::meta::ListMeta {
                &self.metadata
            }
            fn list_meta_mut(&mut self) -> &mut $crate::meta::ListMeta {
                &mut self.metadata
            }
            fn page_items(&self) -> &[$item] {
                &self.items
            }
            fn page_items_mut(&mut self) -> &mut Vec<$item> {
                &mut self.items
            }
        }
    };
}
pub(crate) use page;

page!(for<K: Resource, Value, Default> List<K>: K);
page!(PartialObjectMetadataList: PartialObjectMetadata);
