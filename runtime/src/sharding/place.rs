//! Where things are: 64 bits, as servers compute them, cut into partitions.

use std::fmt::Write as _;

/// How many partitions the places are cut into: the unit that replicas share out.
pub const PARTITIONS: usize = 256;

/// The place of a text: 64-bit FNV-1a, which is what servers use (KEP-5866).
///
/// ```
/// assert_eq!(kubeloom::sharding::hash("a"), 0xaf63_dc4c_8601_ec8c);
/// ```
pub fn hash(text: &str) -> u64 {
    extend(0xcbf2_9ce4_8422_2325, text)
}

pub(super) fn extend(hash: u64, text: &str) -> u64 {
    text.bytes().fold(hash, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

pub(super) fn partition(place: u64) -> usize {
    // The upper eight bits; there are 256 partitions.
    (place >> 56) as usize
}

/// A set of partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Partitions(pub(super) [bool; PARTITIONS]);

impl Partitions {
    pub(super) const NONE: Self = Self([false; PARTITIONS]);

    pub(super) fn has(&self, partition: usize) -> bool {
        self.0[partition]
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().filter(|has| **has).count()
    }

    /// The ranges of places, each with its first place and the one after its last.
    fn ranges(&self) -> Vec<(u128, u128)> {
        let mut ranges: Vec<(u128, u128)> = Vec::new();
        for (partition, _) in self.0.iter().enumerate().filter(|(_, has)| **has) {
            let start = (partition as u128) << 56;
            let end = start + (1 << 56);
            match ranges.last_mut() {
                Some(last) if last.1 == start => last.1 = end,
                _ => ranges.push((start, end)),
            }
        }
        ranges
    }

    /// As servers want it: one `shardRange` for each range, of 16 hexadecimal digits, and 2^64 as what is after the last
    /// place. No partition at all cannot be written: that is a range that no text falls into but the one place 0.
    pub(super) fn selector(&self, field: &str) -> String {
        let mut ranges = self.ranges();
        if ranges.is_empty() {
            ranges.push((0, 1));
        }
        let mut text = String::new();
        for (start, end) in ranges {
            if !text.is_empty() {
                text.push_str(" || ");
            }
            // Writing to a String does not fail.
            let _ = write!(text, "shardRange({field}, '0x{start:016x}', '0x{end:016x}')");
        }
        text
    }
}

/// Which of the members has each partition: the one with the highest score (rendezvous hashing), so that a partition
/// moves only when its member goes or a better one comes. All replicas compute the same, whatever their version.
pub(super) fn owner<'a>(partition: usize, members: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    members.max_by_key(|member| (score(member, partition), *member))
}

fn score(member: &str, partition: usize) -> u64 {
    // FNV-1a mixes its last bytes little; the steps after it are those of SplitMix64.
    let mut mixed = extend(hash(member), &format!("/{partition}"));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(partitions: impl IntoIterator<Item = usize>) -> Partitions {
        let mut set = Partitions::NONE;
        partitions
            .into_iter()
            .for_each(|partition| set.0[partition] = true);
        set
    }

    #[test]
    fn selectors_are_written_as_servers_read_them() {
        let uid = "object.metadata.uid";
        let range = |start: &str, end: &str| format!("shardRange({uid}, '0x{start}', '0x{end}')");
        let cases = [
            (set(0..256), range("0000000000000000", "10000000000000000")),
            (set(0..128), range("0000000000000000", "8000000000000000")),
            (set([255]), range("ff00000000000000", "10000000000000000")),
            (
                set([1, 2, 0xfe]),
                format!(
                    "{} || {}",
                    range("0100000000000000", "0300000000000000"),
                    range("fe00000000000000", "ff00000000000000")
                ),
            ),
            (set([]), range("0000000000000000", "0000000000000001")),
        ];
        for (partitions, expected) in cases {
            assert_eq!(partitions.selector(uid), expected);
        }
    }

    #[test]
    fn hashes_are_those_of_go() {
        for (text, expected) in [("", 0xcbf2_9ce4_8422_2325), ("foobar", 0x8594_4171_f739_67e8)] {
            assert_eq!(hash(text), expected, "{text:?}");
        }
    }

    #[test]
    fn members_share_evenly_and_little_moves() {
        let all = ["a-0", "a-1", "a-2", "a-3", "a-4"];
        let owners = |members: &[&'static str]| -> Vec<&'static str> {
            (0..PARTITIONS)
                .map(|partition| owner(partition, members.iter().copied()).unwrap())
                .collect()
        };
        let (five, four) = (owners(&all), owners(&all[..4]));
        for member in all {
            let count = five.iter().filter(|owner| **owner == member).count();
            assert!((25..=80).contains(&count), "{member} has {count} of 256");
        }
        for (before, after) in five.iter().zip(&four) {
            assert!(before == after || *before == "a-4", "{before} to {after}");
        }
        assert_eq!(owner(0, std::iter::empty()), None);
    }
}
