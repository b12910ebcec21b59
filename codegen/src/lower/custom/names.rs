//! Names of the types of one kind.
//!
//! A place is named for the kind and its field, in the singular if a list or map holds it: `HTTPRoute.spec.rules[].matches[]` is
//! `HTTPRouteMatch`. Places of one field name and equal schemas share the name. Of places with one field name and different
//! schemas the shallowest has the short name (at one depth the first by path), the others take the fields above them in front
//! until the name is free. So a field that is added deeper down, or under a new name, changes no name.

use std::collections::{BTreeMap, BTreeSet};

use super::shapes::Walk;
use crate::ir::RustName;
use crate::lower::names::{Scope, pascal, type_name};

/// Places of one field name and one shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The names of the fields on the way to the first of them.
    pub(super) path: Vec<String>,
    /// The number of the shape.
    pub(super) shape: usize,
}

/// The names of all places of a kind.
pub(super) struct Names {
    /// By last word and shape.
    given: BTreeMap<(String, usize), RustName>,
    /// In the order in which they were given.
    places: Vec<(Place, RustName)>,
    canonical: BTreeMap<usize, RustName>,
}

impl Names {
    /// Gives names. `scope` are those that the module has already, and takes on more.
    pub(super) fn give(kind: &RustName, walk: &Walk<'_>, scope: &mut Scope) -> Self {
        let mut names = Self {
            given: BTreeMap::new(),
            places: Vec::new(),
            canonical: BTreeMap::new(),
        };
        let mut seen = BTreeSet::new();
        for found in &walk.found {
            let mut words: Vec<String> = found
                .path
                .iter()
                .zip(&found.held)
                .map(|(field, held)| word(field, *held))
                .collect();
            let word = words.pop().unwrap_or_default();
            if !seen.insert((word.clone(), found.shape)) {
                continue;
            }
            let name = free(kind, &words, &word, scope);
            names.canonical.entry(found.shape).or_insert_with(|| name.clone());
            let path = found.path.iter().map(|name| (*name).to_owned()).collect();
            names.places.push((
                Place {
                    path,
                    shape: found.shape,
                },
                name.clone(),
            ));
            names.given.insert((word, found.shape), name);
        }
        names
    }

    /// The name of the type of a field.
    pub(super) fn of(&self, field: &str, held: bool, shape: usize) -> Option<&RustName> {
        self.given.get(&(word(field, held), shape))
    }

    /// The name of the type that the others of its shape stand for.
    pub(super) fn canonical(&self, shape: usize) -> Option<&RustName> {
        self.canonical.get(&shape)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Place, &RustName)> {
        self.places.iter().map(|(place, name)| (place, name))
    }
}

/// The word for a field in the name of its type.
fn word(field: &str, held: bool) -> String {
    pascal(if held { singular(field) } else { field.to_owned() }.as_str())
}

/// The first name that is free: the kind and the word, then with more and more of the fields above in front of it.
fn free(kind: &RustName, above: &[String], word: &str, scope: &mut Scope) -> RustName {
    for taken in 0..=above.len() {
        let fields = above[above.len() - taken..].concat();
        let name = type_name(&format!("{kind}{fields}{word}"));
        if !scope.has(&name) {
            return scope.take(name);
        }
    }
    scope.take(type_name(&format!("{kind}{}{word}", above.concat())))
}

/// The singular of an English plural, by its ending. A word that is none stays, and so does one that is too short to tell.
fn singular(word: &str) -> String {
    let lower = word.to_ascii_lowercase();
    let cut = |count: usize, end: &str| format!("{}{end}", &word[..word.len() - count]);
    let ends = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
    if !word.is_ascii() || word.len() < 4 || !ends(&["s"]) || ends(&["ss", "us", "is"]) {
        return word.to_owned();
    }
    if ends(&["ies"]) && word.len() > 4 {
        return cut(3, if word.ends_with("IES") { "Y" } else { "y" });
    }
    if ends(&[
        "aliases", "statuses", "sses", "xes", "shes", "tches", "nches", "rches", "lches", "buses",
    ]) {
        return cut(2, "");
    }
    cut(1, "")
}

#[cfg(test)]
mod tests {
    use super::singular;

    #[test]
    fn singulars() {
        for (plural, expected) in [
            ("rules", "rule"),
            ("matches", "match"),
            ("caches", "cache"),
            ("addresses", "address"),
            ("policies", "policy"),
            ("statuses", "status"),
            ("hostAliases", "hostAlias"),
            ("databases", "database"),
            ("status", "status"),
            ("dns", "dns"),
            ("prefixes", "prefix"),
            ("ties", "tie"),
            ("podCIDRs", "podCIDR"),
            ("class", "class"),
            ("analysis", "analysis"),
            ("größes", "größes"),
            ("env", "env"),
            ("", ""),
        ] {
            assert_eq!(singular(plural), expected);
        }
    }
}
