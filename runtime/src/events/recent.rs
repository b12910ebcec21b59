//! [`Recent`]: a map of bounded size that forgets what was not used for longest.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::hash::Hash;

use hashbrown::HashMap;

/// How many sources, series and groups are remembered; client-go's value.
pub(super) const REMEMBERED: usize = 4096;

/// The entries that were used last.
#[derive(Debug)]
pub(super) struct Recent<K, V> {
    entries: HashMap<K, (u64, V)>,
    order: BTreeMap<u64, K>,
    next: u64,
    capacity: usize,
}

impl<K: Clone + Eq + Hash, V> Recent<K, V> {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            entries: HashMap::new(),
            order: BTreeMap::new(),
            next: 0,
            capacity: capacity.max(1),
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The value of `key`, which is now the one used last.
    pub(super) fn get<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let (turn, value) = self.entries.get_mut(key)?;
        if let Some(key) = self.order.remove(turn) {
            *turn = self.next;
            self.order.insert(self.next, key);
            self.next += 1;
        }
        Some(value)
    }

    /// Adds or replaces a value; hands out the entry that had to go for it.
    pub(super) fn insert(&mut self, key: K, value: V) -> Option<(K, V)> {
        self.remove(&key);
        let turn = self.next;
        self.next += 1;
        self.order.insert(turn, key.clone());
        self.entries.insert(key, (turn, value));
        if self.entries.len() <= self.capacity {
            return None;
        }
        let (_, oldest) = self.order.pop_first()?;
        let (_, value) = self.entries.remove(&oldest)?;
        Some((oldest, value))
    }

    pub(super) fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let (turn, value) = self.entries.remove(key)?;
        self.order.remove(&turn);
        Some(value)
    }

    /// Keeps the entries that `keep` says of, and leaves their order as it is.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        let order = &mut self.order;
        self.entries.retain(|key, (turn, value)| {
            let kept = keep(key, value);
            if !kept {
                order.remove(turn);
            }
            kept
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_longest_goes() {
        let mut recent = Recent::new(2);
        assert_eq!(recent.insert("a".to_owned(), 1), None);
        assert_eq!(recent.insert("b".to_owned(), 2), None);
        assert_eq!(recent.get("a"), Some(&mut 1));
        assert_eq!(recent.insert("c".to_owned(), 3), Some(("b".to_owned(), 2)));
        assert_eq!(recent.insert("c".to_owned(), 4), None);
        assert_eq!(recent.remove("a"), Some(1));
        recent.insert("d".to_owned(), 5);
        recent.retain(|_, value| *value != 4);
        assert_eq!(recent.get("c"), None);
        assert_eq!(recent.len(), 1);
        for key in 0..100 {
            recent.insert(key.to_string(), key);
        }
        assert_eq!((recent.len(), recent.order.len()), (2, 2));
    }
}
