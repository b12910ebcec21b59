//! [`Storage`]: whether a store keeps objects whole or packed, and what differs.

use std::sync::Arc;

use super::Indexer;
use super::held::{Form, Held};
#[cfg(feature = "packed")]
use super::packed::{PackedOptions, PackedStats, Packing};
use crate::cache::object::Object;
#[cfg(feature = "packed")]
use crate::cache::sync::{read, write};

/// How a store keeps its objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Storage {
    /// As they are: reads hand out what is kept.
    #[default]
    Whole,
    /// As compressed bytes, unpacked when they are read: a twentieth of the memory or less where objects are made from
    /// templates, for some tens of microseconds a read and a write. Two reads of one object may hand out two copies.
    ///
    /// Objects are kept as protobuf, or as JSON if their kind has no protobuf, and compressed by zstd against other
    /// objects of the store that they resemble. A kind whose encoding does not hold all of an object must not be packed;
    /// those of generated crates do.
    #[cfg(feature = "packed")]
    Packed(PackedOptions),
}

impl<K: Object> Indexer<K> {
    /// An empty store that keeps its objects packed.
    #[cfg(feature = "packed")]
    pub fn packed(options: PackedOptions) -> Self {
        Self::with_storage(&Storage::Packed(options))
    }

    /// What the objects take; `None` for a store that keeps them whole. Looks at each object.
    #[cfg(feature = "packed")]
    pub fn packed_stats(&self) -> Option<PackedStats> {
        let packing = self.shared.packing.as_ref()?;
        Some(packing.stats(read(&self.shared.table).iter()))
    }

    /// The object in the form of this store.
    pub(in crate::cache) fn hold(&self, object: Arc<K>) -> Held<K> {
        #[cfg(feature = "packed")]
        if let Some(packing) = &self.shared.packing {
            return packing.pack(&object);
        }
        Held::from(object)
    }

    /// What is held, in the form of this store.
    pub(super) fn held_here(&self, held: Held<K>) -> Held<K> {
        match held.0 {
            Form::Whole(object) => self.hold(object),
            #[cfg(feature = "packed")]
            Form::Packed(_) => held,
        }
    }

    /// The object, from the hot ones if it is there; what is unpacked is hot from then on.
    pub(super) fn open(&self, held: &Held<K>) -> Option<Arc<K>> {
        #[cfg(feature = "packed")]
        if let (Some(packing), Form::Packed(parcel)) = (&self.shared.packing, &held.0) {
            return packing.read(parcel);
        }
        held.object()
    }

    /// An object has been put in the place of another.
    #[cfg_attr(not(feature = "packed"), allow(clippy::unused_self, unused_variables))]
    pub(super) fn placed(&self, new: Option<(&Held<K>, &Arc<K>)>, old: Option<&Held<K>>) {
        #[cfg(feature = "packed")]
        if let Some(packing) = &self.shared.packing {
            if let Some((held, object)) = new {
                packing.remember(held, object);
            }
            if let Some(old) = old {
                packing.forget(old);
            }
            self.reform();
        }
    }

    /// Puts parcels that have been packed anew in the places of the old ones.
    #[cfg(feature = "packed")]
    fn reform(&self) {
        let Some(packing) = &self.shared.packing else {
            return;
        };
        let repacked = packing.take_repacked();
        if repacked.is_empty() {
            return;
        }
        let mut on_the_way = Vec::new();
        let mut table = write(&self.shared.table);
        for one in repacked {
            let Some(old) = one.old.upgrade() else {
                continue;
            };
            let place = table.place(old.key()).filter(|slot| {
                let held = table.at(*slot).map(|held| &held.0);
                matches!(held, Some(Form::Packed(parcel)) if Arc::ptr_eq(parcel, &old))
            });
            match place {
                Some(slot) => table.reform(slot, Held(Form::Packed(one.new))),
                None => on_the_way.push(one),
            }
        }
        drop(table);
        if !on_the_way.is_empty() {
            packing.give_back(on_the_way);
        }
    }
}

/// What a store of this storage packs with.
#[cfg(feature = "packed")]
pub(super) fn packing<K: Object>(storage: &Storage) -> Option<Packing<K>> {
    match storage {
        Storage::Whole => None,
        Storage::Packed(options) => Some(Packing::new(options)),
    }
}
