//! The description of a type: names, tags and flags of its fields.

use std::sync::OnceLock;

use super::Rule;

/// A plain field that is left out of JSON when it is empty or zero (Go's `omitempty` and `omitzero` on a value).
pub const OMIT: u8 = 0;
/// An `Option` that is left out of JSON when it is `None`; `Some(0)` is written (Go's `omitempty` on a pointer).
pub const OPT: u8 = 4;
/// The field is always written; an empty list is `[]`.
pub const KEEP: u8 = 1;
/// The field is always written; `None` and an empty list or map are `null`, as Go writes a nil pointer, slice or map.
pub const NIL: u8 = 2;
/// The field is always written; `None` is `null`, an empty list stays `[]` (a custom resource's required and nullable field).
pub const NULL: u8 = 3;
/// An `Option<Nullable<_>>` that is left out when it is `None`; a `null` on the wire is kept as one (a custom resource's
/// optional and nullable field with a default).
pub const NULLABLE: u8 = 5;
/// Added to another flag: `Debug` prints a placeholder in place of the value.
pub const SENSITIVE: u8 = 16;

/// One line of a [`Table`].
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The name in JSON.
    pub json: &'static str,
    /// The protobuf field numbers on the way to this field, zero-padded. One number for an ordinary field; two where the
    /// Go struct inlines another one, which is flat in JSON and a nested message in protobuf; none for types without
    /// protobuf.
    pub tags: [u16; 3],
    /// [`OMIT`], [`OPT`], [`KEEP`], [`NIL`], [`NULL`] or [`NULLABLE`], and [`SENSITIVE`].
    pub flags: u8,
}

impl Field {
    /// A field with its protobuf tag path of at most three numbers.
    pub const fn new(json: &'static str, path: &[u16], flags: u8) -> Self {
        let mut tags = [0; 3];
        let mut depth = 0;
        while depth < path.len() && depth < 3 {
            tags[depth] = path[depth];
            depth += 1;
        }
        Self { json, tags, flags }
    }

    /// When the field is written: one of [`OMIT`], [`OPT`], [`KEEP`], [`NIL`], [`NULL`], [`NULLABLE`].
    pub const fn presence(&self) -> u8 {
        self.flags & 0x0f
    }

    /// Whether `Debug` must not print the value.
    pub const fn is_sensitive(&self) -> bool {
        self.flags & SENSITIVE != 0
    }
}

/// `apiVersion` and `kind` of a root kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeMeta {
    /// `v1`, `apps/v1`, ...
    pub api_version: &'static str,
    /// `Pod`; for a list the kind of its items.
    pub kind: &'static str,
    /// Whether `List` is to be appended to `kind`.
    pub list: bool,
}

/// The description of a type, one static per type.
#[derive(Debug)]
pub struct Table {
    /// The Rust name of the struct, for `Debug` and errors.
    pub name: &'static str,
    /// `apiVersion` and `kind` of a root kind.
    pub type_meta: Option<TypeMeta>,
    /// The fields in the order in which they are declared and written.
    pub fields: &'static [Field],
    /// What the schema asks of values, beyond their types.
    pub rules: &'static [Rule],
    proto: OnceLock<ProtoIndex>,
}

impl Table {
    /// A table of the given fields.
    pub const fn new(name: &'static str, type_meta: Option<TypeMeta>, fields: &'static [Field]) -> Self {
        Self {
            name,
            type_meta,
            fields,
            rules: &[],
            proto: OnceLock::new(),
        }
    }

    /// The table with rules.
    #[must_use]
    pub const fn with_rules(mut self, rules: &'static [Rule]) -> Self {
        self.rules = rules;
        self
    }

    /// The index of the field of JSON name `name`; `guess` is looked at first and costs one comparison when right.
    pub fn find(&self, name: &str, guess: usize) -> Option<usize> {
        match self.fields.get(guess) {
            Some(field) if field.json == name => Some(guess),
            _ => self.fields.iter().position(|field| field.json == name),
        }
    }

    /// The fields ordered by protobuf tag, built at the first use.
    pub fn proto(&self) -> &ProtoIndex {
        self.proto.get_or_init(|| ProtoIndex::new(self.fields))
    }
}

/// What stands under a protobuf tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// The field with this index.
    Field(usize),
    /// The message of an inlined struct, whose members are group `.0` of the [`ProtoIndex`].
    Group(usize),
}

/// The fields of a table by protobuf tag. Group 0 is the message itself, the others are inlined structs.
#[derive(Debug)]
pub struct ProtoIndex {
    groups: Vec<Vec<(u16, Entry)>>,
}

impl ProtoIndex {
    fn new(fields: &[Field]) -> Self {
        let mut index = Self {
            groups: vec![Vec::new()],
        };
        for (position, field) in fields.iter().enumerate() {
            let depth = field.tags.iter().take_while(|tag| **tag != 0).count();
            let Some((last, parents)) = field.tags[..depth].split_last() else {
                continue;
            };
            let mut group = 0;
            for tag in parents {
                group = index.child(group, *tag);
            }
            index.groups[group].push((*last, Entry::Field(position)));
        }
        for group in &mut index.groups {
            group.sort_unstable_by_key(|(tag, _)| *tag);
        }
        index
    }

    fn child(&mut self, group: usize, tag: u16) -> usize {
        let found = self.groups[group].iter().find_map(|(at, entry)| match entry {
            Entry::Group(child) if *at == tag => Some(*child),
            _ => None,
        });
        found.unwrap_or_else(|| {
            let child = self.groups.len();
            self.groups.push(Vec::new());
            self.groups[group].push((tag, Entry::Group(child)));
            child
        })
    }

    /// The entries of a group in ascending order of tags.
    pub fn group(&self, group: usize) -> &[(u16, Entry)] {
        self.groups.get(group).map_or(&[], Vec::as_slice)
    }

    /// What stands under `tag` in `group`; `guess` is a position in the group that is looked at first.
    pub fn find(&self, group: usize, tag: u64, guess: usize) -> Option<(usize, Entry)> {
        let entries = self.group(group);
        match entries.get(guess) {
            Some((at, entry)) if u64::from(*at) == tag => Some((guess, *entry)),
            _ => {
                let position = entries.iter().position(|(at, _)| u64::from(*at) == tag)?;
                Some((position, entries[position].1))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VOLUME: &[Field] = &[
        Field::new("name", &[1], KEEP),
        Field::new("hostPath", &[2, 1], OPT),
        Field::new("secret", &[2, 6], OPT),
        Field::new("emptyDir", &[2, 2], OPT),
    ];

    #[test]
    fn inlined_structs_become_groups_ordered_by_tag() {
        let index = ProtoIndex::new(VOLUME);
        assert_eq!(index.group(0), &[(1, Entry::Field(0)), (2, Entry::Group(1))]);
        assert_eq!(
            index.group(1),
            &[(1, Entry::Field(1)), (2, Entry::Field(3)), (6, Entry::Field(2))]
        );
        assert_eq!(index.group(9), &[]);
        assert_eq!(index.find(1, 6, 0), Some((2, Entry::Field(2))));
        assert_eq!(index.find(1, 7, 0), None);
    }

    #[test]
    fn a_wrong_guess_still_finds_the_name() {
        let table = Table::new("Volume", None, VOLUME);
        for guess in [0, 1, 3, 99] {
            assert_eq!(table.find("secret", guess), Some(2));
            assert_eq!(table.find("missing", guess), None);
        }
    }
}
