//! Who the members are, as leases tell it. No clock, no network.
//!
//! A member is a lease with the group's label. Its name and holder are the member's identity; an annotation has its
//! incarnation, another one the incarnations that it has made room for.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::place::{PARTITIONS, Partitions, owner};
use crate::leader_election::Lease;
use crate::meta::Object;

/// The label that has the group's name.
pub(super) const GROUP_LABEL: &str = "sharding.kubeloom.dev/group";
/// The annotation that tells one life of a member from the next.
pub(super) const INCARNATION: &str = "sharding.kubeloom.dev/incarnation";
/// The annotation that has the incarnations of others, with commas, for which the member has made room: it works on
/// nothing that is theirs, and never will while it sees them.
pub(super) const ROOM: &str = "sharding.kubeloom.dev/room-for";

/// A member, by its lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) incarnation: String,
    pub(super) room: Vec<String>,
    renewed: String,
    duration: Duration,
}

impl Member {
    /// The member that a lease is about; `None` if nobody holds it.
    pub(super) fn of(lease: &Lease) -> Option<(String, Self)> {
        let spec = &lease.spec;
        let identity = spec
            .holder_identity
            .as_deref()
            .filter(|holder| !holder.is_empty())?;
        let annotation = |name: &str| {
            lease
                .object_meta()
                .annotations
                .get(name)
                .map(|text| text.to_string())
        };
        let room = annotation(ROOM).unwrap_or_default();
        let seconds = spec.lease_duration_seconds.unwrap_or_default().max(1);
        let member = Self {
            incarnation: annotation(INCARNATION).unwrap_or_default(),
            room: room
                .split(',')
                .filter(|one| !one.is_empty())
                .map(str::to_owned)
                .collect(),
            renewed: spec.renew_time.map(|time| time.to_string()).unwrap_or_default(),
            duration: Duration::from_secs(u64::try_from(seconds).unwrap_or(1)),
        };
        Some((identity.to_owned(), member))
    }
}

/// The other members, as this replica sees them.
#[derive(Debug, Default)]
pub(super) struct Members {
    seen: BTreeMap<String, Seen>,
}

#[derive(Debug)]
struct Seen {
    member: Member,
    /// When it was last seen to change, by this replica's clock.
    since: Instant,
    /// Silent, and confirmed to be: it counts again when it changes.
    gone: bool,
}

impl Seen {
    fn new(member: Member, since: Instant) -> Self {
        Self {
            member,
            since,
            gone: false,
        }
    }

    fn ends(&self) -> Instant {
        self.since + self.member.duration
    }
}

impl Members {
    /// A member is so, at `now`.
    pub(super) fn observe(&mut self, identity: String, member: Member, now: Instant) {
        match self.seen.get_mut(&identity) {
            Some(seen) if seen.member == member => {}
            Some(seen) => *seen = Seen::new(member, now),
            None => {
                self.seen.insert(identity, Seen::new(member, now));
            }
        }
    }

    /// What a list from the server says takes the place of all that was known. A member that has not changed for as long
    /// as its lease lasts no longer counts; it takes a list to say so, since a watch may be late.
    pub(super) fn replace(&mut self, list: impl Iterator<Item = (String, Member)>, now: Instant) {
        let list: Vec<_> = list.collect();
        self.seen
            .retain(|identity, _| list.iter().any(|(listed, _)| listed == identity));
        for (identity, member) in list {
            self.observe(identity, member, now);
        }
        for seen in self.seen.values_mut() {
            seen.gone |= seen.ends() <= now;
        }
    }

    fn live(&self) -> impl Iterator<Item = (&String, &Seen)> {
        self.seen.iter().filter(|(_, seen)| !seen.gone)
    }

    /// When the next one will have been silent for so long.
    pub(super) fn next_silent(&self) -> Option<Instant> {
        self.live().map(|(_, seen)| seen.ends()).min()
    }

    pub(super) fn identities(&self) -> impl Iterator<Item = &str> {
        self.live().map(|(identity, _)| identity.as_str())
    }

    /// The incarnations of all, sorted: what this replica makes room for.
    pub(super) fn incarnations(&self) -> Vec<String> {
        let mut all: Vec<_> = self
            .live()
            .map(|(_, seen)| seen.member.incarnation.clone())
            .collect();
        all.sort();
        all
    }

    /// Whether all have made room for an incarnation.
    pub(super) fn have_room_for(&self, incarnation: &str) -> bool {
        self.live()
            .all(|(_, seen)| seen.member.room.iter().any(|one| one == incarnation))
    }

    /// The partitions that fall to `identity`.
    pub(super) fn share_of(&self, identity: &str) -> Partitions {
        let mut share = Partitions::NONE;
        for partition in 0..PARTITIONS {
            let all = self.identities().chain([identity]);
            share.0[partition] = owner(partition, all) == Some(identity);
        }
        share
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{MicroTime, map};

    fn lease(holder: &str, incarnation: &str, room: &str, renewed: i64) -> Lease {
        let mut lease = Lease::default();
        lease.metadata.annotations = map([(INCARNATION, incarnation), (ROOM, room)]);
        lease.spec.holder_identity = Some(holder.into());
        lease.spec.lease_duration_seconds = Some(15);
        lease.spec.renew_time = MicroTime::from_unix(renewed, 0).ok();
        lease
    }

    fn member(lease: &Lease) -> (String, Member) {
        Member::of(lease).unwrap()
    }

    #[test]
    fn a_member_counts_until_a_list_shows_that_it_has_not_changed_for_its_own_duration() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut members = Members::default();
        let old = || [member(&lease("a", "1", "", 100))].into_iter();
        let count = |members: &Members| members.identities().count();
        members.replace(old(), at(0));
        // Seen again, unchanged: that is no sign of life.
        members.replace(old(), at(14));
        assert_eq!((count(&members), members.next_silent()), (1, Some(at(15))));
        members.replace(old(), at(15));
        assert_eq!((count(&members), members.next_silent()), (0, None));
        // Still there, still silent, and no new member.
        members.replace(old(), at(16));
        assert_eq!(count(&members), 0);
        members.replace([member(&lease("a", "1", "", 110))].into_iter(), at(20));
        assert_eq!((count(&members), members.next_silent()), (1, Some(at(35))));
        members.replace(std::iter::empty(), at(21));
        assert_eq!(count(&members), 0);
    }

    #[test]
    fn room_is_made_for_one_incarnation() {
        let mut members = Members::default();
        assert!(members.have_room_for("9"), "nobody else is there");
        for (holder, room) in [("a", "9,8"), ("b", "8,9"), ("c", "8")] {
            let (name, member) = member(&lease(holder, holder, room, 1));
            members.observe(name, member, Instant::now());
        }
        assert!(members.have_room_for("8") && !members.have_room_for("9") && !members.have_room_for(""));
        assert_eq!(members.incarnations(), ["a", "b", "c"]);
        assert_eq!(Member::of(&lease("", "1", "", 1)), None);
    }

    #[test]
    fn shares_are_disjoint_and_complete() {
        let all = ["a", "b", "c"];
        let shares = all.map(|own| {
            let mut members = Members::default();
            for holder in all.iter().filter(|other| **other != own) {
                let (name, member) = member(&lease(holder, "", "", 1));
                members.observe(name, member, Instant::now());
            }
            members.share_of(own)
        });
        for partition in 0..PARTITIONS {
            let owners = shares.iter().filter(|share| share.has(partition)).count();
            assert_eq!(owners, 1, "partition {partition}");
        }
    }
}
