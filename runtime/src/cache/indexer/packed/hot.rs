//! [`Hot`]: the objects that were read last, unpacked.

use std::sync::{Arc, Mutex};

use super::parcel::Parcel;
use crate::cache::sync::lock;

/// A few objects beside their parcels. Each parcel has one place, which it shares with others: the last one has it.
pub(super) struct Hot<K>(Box<[Place<K>]>);

type Place<K> = Mutex<Option<(Arc<Parcel>, Arc<K>)>>;

impl<K> Hot<K> {
    pub(super) fn new(size: usize) -> Self {
        Self((0..size).map(|_| Mutex::new(None)).collect())
    }

    fn place(&self, parcel: &Arc<Parcel>) -> Option<&Place<K>> {
        let address = Arc::as_ptr(parcel) as usize;
        // Addresses of parcels have zeros at their ends.
        let mixed = (address >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as usize) >> 20;
        self.0.get(mixed.checked_rem(self.0.len())?)
    }

    pub(super) fn get(&self, parcel: &Arc<Parcel>) -> Option<Arc<K>> {
        let place = lock(self.place(parcel)?);
        let (known, object) = place.as_ref()?;
        Arc::ptr_eq(known, parcel).then(|| object.clone())
    }

    pub(super) fn put(&self, parcel: &Arc<Parcel>, object: &Arc<K>) {
        if let Some(place) = self.place(parcel) {
            let before = lock(place).replace((parcel.clone(), object.clone()));
            // Outside of the lock.
            drop(before);
        }
    }

    pub(super) fn forget(&self, parcel: &Arc<Parcel>) {
        let Some(place) = self.place(parcel) else {
            return;
        };
        let mut place = lock(place);
        let is_known = place
            .as_ref()
            .is_some_and(|(known, _)| Arc::ptr_eq(known, parcel));
        let before = if is_known { place.take() } else { None };
        drop(place);
        drop(before);
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().filter(|place| lock(place).is_some()).count()
    }
}
