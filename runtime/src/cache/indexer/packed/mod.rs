//! Objects kept as compressed bytes: their encoding, zstd against a dictionary of their own relatives.
//!
//! | file | what is there |
//! |---|---|
//! | `parcel` | [`Parcel`]: one packed object |
//! | `dictionary` | which objects resemble each other, and the dictionary of each family |
//! | `sketch` | how resemblance is found |
//! | `hot` | the objects that were read last, unpacked |
//!
//! An object is unpacked once when it is packed: what cannot be had back is kept whole, and logged.
//!
//! This module must not know where packed objects are kept.

mod dictionary;
mod hot;
mod parcel;
mod sketch;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use hashbrown::HashSet;

use self::dictionary::{Families, Joined};
use self::hot::Hot;
pub(in crate::cache) use self::parcel::Parcel;
use self::parcel::{Compressor, Unfit};
use self::sketch::Sketch;
use super::held::{Form, Held};
use crate::cache::object::{Object, ObjectKey};
use crate::cache::sync::lock;

/// How a store packs its objects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PackedOptions {
    /// How many of the objects that were read or written last are kept unpacked too.
    pub hot: usize,
}

impl Default for PackedOptions {
    /// 16 hot objects.
    fn default() -> Self {
        Self { hot: 16 }
    }
}

impl PackedOptions {
    /// The same with another number of hot objects; 0 for none.
    #[must_use]
    pub fn hot(mut self, objects: usize) -> Self {
        self.hot = objects;
        self
    }
}

/// What a store of packed objects takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PackedStats {
    /// How many objects are packed.
    pub packed: usize,
    /// How many objects could not be packed and are kept whole.
    pub whole: usize,
    /// Bytes of the packed objects, with what is beside them and without the tables of the store.
    pub bytes: usize,
    /// Bytes of the encodings that were packed.
    pub encoded_bytes: usize,
    /// How many dictionaries they are packed against.
    pub dictionaries: usize,
    /// Bytes of the dictionaries.
    pub dictionary_bytes: usize,
    /// How many objects are kept unpacked too.
    pub hot: usize,
    /// How many times an object could not be unpacked, in all stores of this process: memory was damaged.
    pub failures: u64,
}

static FAILURES: AtomicU64 = AtomicU64::new(0);

fn count_failure() {
    FAILURES.fetch_add(1, Ordering::Relaxed);
}

/// A parcel that has been packed anew.
pub(super) struct Repacked {
    pub(super) old: Weak<Parcel>,
    pub(super) new: Arc<Parcel>,
}

/// What a store packs with.
pub(super) struct Packing<K> {
    packer: Mutex<Packer>,
    hot: Hot<K>,
}

struct Packer {
    compressor: Option<Compressor>,
    families: Families,
    /// Parcels to be put in the place of others.
    repacked: Vec<Repacked>,
}

impl<K: Object> Packing<K> {
    pub(super) fn new(options: &PackedOptions) -> Self {
        Self {
            packer: Mutex::new(Packer {
                compressor: Compressor::new(),
                families: Families::default(),
                repacked: Vec::new(),
            }),
            hot: Hot::new(options.hot),
        }
    }

    /// The object packed, or as it is if that cannot be.
    pub(super) fn pack(&self, object: &Arc<K>) -> Held<K> {
        let packed = object
            .encode(K::COMPACT_FORMAT)
            .map_err(|error| error.to_string())
            .and_then(|encoded| {
                let meta = object.object_meta();
                let head = [&meta.namespace, &meta.name, &meta.uid, &meta.resource_version]
                    .map(|text| text.as_str());
                let packed = lock(&self.packer).pack(head, &encoded);
                packed.map_err(|unfit| unfit.to_string())
            })
            .and_then(|parcel| match parcel.open::<K>() {
                Ok(_) => Ok(parcel),
                Err(damage) => Err(damage.to_string()),
            });
        match packed {
            Ok(parcel) => Held(Form::Packed(parcel)),
            Err(reason) => {
                let key = ObjectKey::of(&**object);
                let kind = std::any::type_name::<K>();
                tracing::warn!(kind, object = %key, reason, "an object cannot be packed and is kept whole");
                Held(Form::Whole(object.clone()))
            }
        }
    }

    /// The object of a parcel; remembered for whoever asks next.
    pub(super) fn read(&self, parcel: &Arc<Parcel>) -> Option<Arc<K>> {
        self.hot.get(parcel).or_else(|| {
            let object = Arc::new(parcel.object::<K>()?);
            self.hot.put(parcel, &object);
            Some(object)
        })
    }

    /// Remembers an object that was just packed.
    pub(super) fn remember(&self, held: &Held<K>, object: &Arc<K>) {
        if let Form::Packed(parcel) = &held.0 {
            self.hot.put(parcel, object);
        }
    }

    /// Forgets the object of a parcel that has left the store.
    pub(super) fn forget(&self, held: &Held<K>) {
        if let Form::Packed(parcel) = &held.0 {
            self.hot.forget(parcel);
        }
    }

    /// Parcels that are to take the place of others, wherever those are kept.
    pub(super) fn take_repacked(&self) -> Vec<Repacked> {
        std::mem::take(&mut lock(&self.packer).repacked)
    }

    /// Some of them whose others were not found and are somewhere on the way.
    pub(super) fn give_back(&self, repacked: Vec<Repacked>) {
        lock(&self.packer).repacked.extend(repacked);
    }

    pub(super) fn stats<'a>(&self, held: impl Iterator<Item = &'a Held<K>>) -> PackedStats
    where
        K: 'a,
    {
        let mut stats = PackedStats {
            hot: self.hot.len(),
            failures: FAILURES.load(Ordering::Relaxed),
            ..PackedStats::default()
        };
        let mut dictionaries = HashSet::new();
        for held in held {
            let Form::Packed(parcel) = &held.0 else {
                stats.whole += 1;
                continue;
            };
            stats.packed += 1;
            stats.bytes += parcel.weight();
            stats.encoded_bytes += parcel.size();
            if let Some(dictionary) = parcel.dictionary()
                && dictionaries.insert(Arc::as_ptr(dictionary))
            {
                stats.dictionaries += 1;
                stats.dictionary_bytes += dictionary.bytes().len();
            }
        }
        stats
    }
}

impl Packer {
    fn pack(&mut self, head: [&str; 4], encoded: &[u8]) -> Result<Arc<Parcel>, Unfit> {
        let Some(compressor) = &mut self.compressor else {
            return Err(Unfit::Compression("no memory for a context"));
        };
        let sketch = Sketch::of(encoded);
        let kin = self.families.kin(&sketch);
        let parcel = Arc::new(compressor.pack(head, encoded, kin.dictionary.as_ref())?);
        let Joined::Settles(members) = self.families.join(&sketch, &kin, &parcel) else {
            return Ok(parcel);
        };
        let dictionary = self.families.settle(&kin, encoded);
        for old in members {
            let new = old.unpack(|encoded| compressor.pack(old.head(), encoded, Some(&dictionary)));
            // A member that cannot be packed anew stays as it is.
            if let Ok(Ok(new)) = new {
                self.families.measured(&kin, new.packed_size());
                let (old, new) = (Arc::downgrade(&old), Arc::new(new));
                self.repacked.push(Repacked { old, new });
            }
        }
        compressor.pack(head, encoded, Some(&dictionary)).map(Arc::new)
    }
}

#[cfg(test)]
mod tests;
