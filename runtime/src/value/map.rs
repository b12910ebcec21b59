//! [`Map`]: a string-keyed sorted list with the manners of a `BTreeMap`.

use std::borrow::Borrow;
use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::ops::Index;

use litemap::LiteMap;
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Str;

/// The most entries room is made for on the word of a decoder's size hint.
const MAX_HINT: usize = 1024;

/// Builds a [`Map`] from pairs; a key given twice keeps the last value.
///
/// ```
/// use kubeloom::value::{Map, Str, map};
///
/// let labels: Map<Str> = map([("app", "web"), ("tier", "front")]);
/// assert_eq!(labels["app"], "web");
/// ```
pub fn map<K: Into<Str>, W, V: From<W>>(pairs: impl IntoIterator<Item = (K, W)>) -> Map<V> {
    pairs
        .into_iter()
        .map(|(key, value)| (key.into(), V::from(value)))
        .collect()
}

/// A map from string to `V`, held as one sorted list: one allocation and no slack, made for the handful of labels,
/// annotations or limits an object has.
///
/// Iteration is in key order, which is also the order in which Go writes a map. Look-up is a binary search; inserting
/// in order is constant, out of order it moves the entries behind. The list below it is a `LiteMap`, kept out of the
/// interface so that its version is not part of ours.
///
/// ```
/// use kubeloom::value::{Map, Str};
///
/// let mut labels: Map<Str> = Map::new();
/// labels.insert("tier".into(), "front".into());
/// labels.insert("app".into(), "web".into());
/// assert_eq!(labels.get("app").map(|v| v.as_str()), Some("web"));
/// assert_eq!(labels.keys().collect::<Vec<_>>(), ["app", "tier"]);
/// for (key, value) in &labels {
///     println!("{key}={value}");
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Map<V>(LiteMap<Str, V>);

impl<V> Map<V> {
    /// An empty map; allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self(LiteMap::new_vec())
    }

    /// An empty map with room for `capacity` entries.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self(LiteMap::with_capacity(capacity))
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&V> {
        self.0.get(key)
    }

    /// Entry `index` in key order.
    #[must_use]
    pub fn get_index(&self, index: usize) -> Option<(&Str, &V)> {
        self.0.get_indexed(index)
    }

    /// The value of `key`, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut V> {
        self.0.get_mut(key)
    }

    /// Whether `key` has a value.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// Sets the value of `key` and returns the one it had.
    pub fn insert(&mut self, key: Str, value: V) -> Option<V> {
        self.0.insert(key, value)
    }

    /// Removes `key` and returns its value.
    pub fn remove(&mut self, key: &str) -> Option<V> {
        self.0.remove(key)
    }

    /// The place of `key`, filled or not, for in-place changes.
    ///
    /// ```
    /// use kubeloom::value::Map;
    ///
    /// let mut seen: Map<u32> = Map::new();
    /// *seen.entry("a".into()).or_default() += 1;
    /// *seen.entry("a".into()).or_default() += 1;
    /// assert_eq!(seen["a"], 2);
    /// ```
    pub fn entry(&mut self, key: Str) -> Entry<'_, V> {
        Entry(self.0.entry(key))
    }

    /// Removes every entry and keeps the room.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Keeps the entries for which `keep` answers true.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut V) -> bool) {
        let mut list = std::mem::take(self).into_list();
        list.retain_mut(|(key, value)| keep(key, value));
        *self = Self::from_sorted(list);
    }

    /// Makes room for `additional` more entries and no more.
    pub fn reserve(&mut self, additional: usize) {
        let mut list = std::mem::take(self).into_list();
        list.reserve_exact(additional);
        *self = Self::from_sorted(list);
    }

    /// Gives back room not needed, as a decoder does once a map is complete.
    pub fn shrink_to_fit(&mut self) {
        let mut list = std::mem::take(self).into_list();
        list.shrink_to_fit();
        *self = Self::from_sorted(list);
    }

    /// The entry with the least key.
    #[must_use]
    pub fn first(&self) -> Option<(&Str, &V)> {
        self.0.first()
    }

    /// The entry with the greatest key.
    #[must_use]
    pub fn last(&self) -> Option<(&Str, &V)> {
        self.0.last()
    }

    /// The entries in key order.
    pub fn iter(&self) -> Iter<'_, V> {
        self.into_iter()
    }

    /// The entries in key order, values to be changed.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&Str, &mut V)> {
        self.0.iter_mut()
    }

    /// The keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Str> + ExactSizeIterator + FusedIterator + Clone {
        self.iter().map(|(key, _)| key)
    }

    /// The values in key order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator + FusedIterator + Clone {
        self.iter().map(|(_, value)| value)
    }

    /// The values in key order, to be changed.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> {
        self.iter_mut().map(|(_, value)| value)
    }

    /// The keys in order, by value.
    pub fn into_keys(self) -> impl DoubleEndedIterator<Item = Str> + ExactSizeIterator {
        self.into_iter().map(|(key, _)| key)
    }

    /// The values in key order, by value.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> + ExactSizeIterator {
        self.into_iter().map(|(_, value)| value)
    }

    fn into_list(self) -> Vec<(Str, V)> {
        self.0.into_tuple_vec()
    }

    fn from_sorted(list: Vec<(Str, V)>) -> Self {
        Self(LiteMap::from_sorted_store_unchecked(list))
    }
}

impl<V> Default for Map<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: fmt::Debug> fmt::Debug for Map<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

/// `map["app"]`, as on a `BTreeMap`.
///
/// # Panics
/// When the key has no value; [`Map::get`] is the one that asks.
impl<Q: Borrow<str> + ?Sized, V> Index<&Q> for Map<V> {
    type Output = V;

    #[allow(clippy::panic, reason = "the contract of Index")]
    fn index(&self, key: &Q) -> &V {
        let key = key.borrow();
        self.get(key)
            .unwrap_or_else(|| panic!("no entry found for key {key:?}"))
    }
}

/// A key given twice keeps the last value.
impl<V> FromIterator<(Str, V)> for Map<V> {
    fn from_iter<I: IntoIterator<Item = (Str, V)>>(pairs: I) -> Self {
        let mut list: Vec<(Str, V)> = pairs.into_iter().collect();
        if !list.is_sorted_by(|a, b| a.0 < b.0) {
            // A stable sort keeps the order of equal keys; of those the last one stays.
            list.sort_by(|a, b| a.0.cmp(&b.0));
            list.reverse();
            list.dedup_by(|later, kept| later.0 == kept.0);
            list.reverse();
        }
        Self::from_sorted(list)
    }
}

impl<V> Extend<(Str, V)> for Map<V> {
    fn extend<I: IntoIterator<Item = (Str, V)>>(&mut self, pairs: I) {
        *self = std::mem::take(self).into_iter().chain(pairs).collect();
    }
}

impl<K: Into<Str>, W: Into<V>, V, const N: usize> From<[(K, W); N]> for Map<V> {
    fn from(pairs: [(K, W); N]) -> Self {
        pairs
            .into_iter()
            .map(|(key, value)| (key.into(), value.into()))
            .collect()
    }
}

impl<V> IntoIterator for Map<V> {
    type Item = (Str, V);
    type IntoIter = std::vec::IntoIter<(Str, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_list().into_iter()
    }
}

impl<'a, V> IntoIterator for &'a Map<V> {
    type Item = (&'a Str, &'a V);
    type IntoIter = Iter<'a, V>;

    fn into_iter(self) -> Iter<'a, V> {
        Iter(self.0.as_slice().iter())
    }
}

/// The entries of a [`Map`] in key order.
pub struct Iter<'a, V>(std::slice::Iter<'a, (Str, V)>);

impl<V> Clone for Iter<'_, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<'a, V> Iterator for Iter<'a, V> {
    type Item = (&'a Str, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (key, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<V> DoubleEndedIterator for Iter<'_, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|(key, value)| (key, value))
    }
}

impl<V> ExactSizeIterator for Iter<'_, V> {}
impl<V> FusedIterator for Iter<'_, V> {}

/// The place of a key in a [`Map`], from [`Map::entry`].
pub struct Entry<'a, V>(litemap::Entry<'a, Str, V, Vec<(Str, V)>>);

impl<'a, V> Entry<'a, V> {
    /// The value, `default` if there was none.
    pub fn or_insert(self, default: V) -> &'a mut V {
        self.0.or_insert(default)
    }

    /// The value, what `default` makes if there was none.
    pub fn or_insert_with(self, default: impl FnOnce() -> V) -> &'a mut V {
        self.0.or_insert_with(default)
    }

    /// The value, the default of `V` if there was none.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.0.or_default()
    }

    /// Changes the value if there is one.
    #[must_use]
    pub fn and_modify(self, change: impl FnOnce(&mut V)) -> Self {
        Self(self.0.and_modify(change))
    }
}

impl<V: Serialize> Serialize for Map<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_map(Some(self.len()))?;
        for (key, value) in self {
            out.serialize_entry(key.as_str(), value)?;
        }
        out.end()
    }
}

/// `null` is the empty map; a key given twice keeps the last value.
impl<'de, V: Deserialize<'de>> Deserialize<'de> for Map<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_option(MapVisitor(PhantomData))
    }
}

struct MapVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for MapVisitor<V> {
    type Value = Map<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map with string keys")
    }

    fn visit_unit<E>(self) -> Result<Map<V>, E> {
        Ok(Map::new())
    }

    fn visit_none<E>(self) -> Result<Map<V>, E> {
        Ok(Map::new())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Map<V>, D::Error> {
        deserializer.deserialize_map(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Map<V>, A::Error> {
        let mut list = Vec::with_capacity(entries.size_hint().unwrap_or(0).min(MAX_HINT));
        while let Some(entry) = entries.next_entry::<Str, V>()? {
            list.push(entry);
        }
        let mut map: Map<V> = list.into_iter().collect();
        map.shrink_to_fit();
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_manners_of_a_btree_map() {
        let mut m: Map<Str> = map([("b", "2"), ("a", "1"), ("b", "3")]);
        assert_eq!(m, Map::from([("a", "1"), ("b", "3")]));
        assert_eq!(m.insert("c".into(), "4".into()), None);
        assert_eq!(m.insert("a".into(), "0".into()).as_deref(), Some("1"));
        assert_eq!(
            (m["a"].as_str(), m[&Str::from("c")].as_str(), m.get("x")),
            ("0", "4", None)
        );
        m.extend([("a".into(), "9".into()), ("B".into(), "8".into())]);
        assert_eq!(m.keys().collect::<Vec<_>>(), ["B", "a", "b", "c"]);
        assert_eq!(m.values().rev().collect::<Vec<_>>(), ["4", "3", "9", "8"]);
        assert_eq!(m.iter().len(), 4);
        m.retain(|key, _| key != "b");
        assert_eq!(m.remove("B").as_deref(), Some("8"));
        for value in m.values_mut() {
            value.push('!');
        }
        m.entry("c".into())
            .and_modify(|v| v.push('?'))
            .or_insert("no".into());
        assert_eq!(format!("{m:?}"), r#"{"a": "9!", "c": "4!?"}"#);
        assert_eq!(
            (m.first().unwrap().0.as_str(), m.last().unwrap().0.as_str()),
            ("a", "c")
        );
        assert_eq!(m.into_values().collect::<Vec<_>>(), ["9!", "4!?"]);
    }

    #[test]
    #[should_panic(expected = "no entry found for key \"x\"")]
    fn index_of_an_absent_key_panics() {
        let _ = Map::<Str>::new()["x"];
    }

    #[test]
    fn last_of_many_duplicates_wins_as_in_go() {
        let text = r#"{"b":1,"a":1,"b":2,"a":2,"c":0,"b":3}"#;
        let m: Map<i32> = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&m).unwrap(), r#"{"a":2,"b":3,"c":0}"#);
        assert!(serde_json::from_str::<Map<i32>>("null").unwrap().is_empty());
        assert_eq!(
            serde_saphyr::from_str::<Map<i32>>("b: 1\na: 2\n").unwrap(),
            map([("a", 2), ("b", 1)])
        );
        let mut bytes = Vec::new();
        ciborium::into_writer(&m, &mut bytes).unwrap();
        assert_eq!(ciborium::from_reader::<Map<i32>, _>(&bytes[..]).unwrap(), m);
    }
}
