//! Who the members are, as leases tell it. No clock, no network.
//!
//! A member is a lease with the group's label. Its name and holder are the member's identity; an annotation has its
//! incarnation, another one the incarnations that it has made room for.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::lease::Lease;
use super::place::{PARTITIONS, Partitions, owner};
use crate::cache::Object;

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
        let identity = spec.holder_identity.as_deref().filter(|holder| !holder.is_empty())?;
        let annotation = |name: &str| lease.object_meta().annotations.get(name).map(|text| text.to_string());
        let room = annotation(ROOM).unwrap_or_default();
        let seconds = spec.lease_duration_seconds.unwrap_or_default().max(1);
        let member = Self {
            incarnation: annotation(INCARNATION).unwrap_or_default(),
            room: room.split(',').filter(|one| !one.is_empty()).map(str::to_owned).collect(),
            renewed: spec.renew_time.map(|time| time.to_string()).unwrap_or_default(),
            duration: Duration::from_secs(u64::try_from(seconds).unwrap_or(1)),
        };
        Some((identity.to_owned(), member))
    }
}

/// The other members, as this replica sees them.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// With when each was last seen to change, by this replica's clock.
    seen: BTreeMap<String, (Member, Instant)>,
}

impl Members {
    /// A member is so, at `now`.
    pub(super) fn observe(&mut self, identity: String, member: Member, now: Instant) {
        match self.seen.get_mut(&identity) {
            Some((known, _)) if *known == member => {}
            Some(known) => *known = (member, now),
            None => {
                self.seen.insert(identity, (member, now));
            }
        }
    }

    pub(super) fn remove(&mut self, identity: &str) {
        self.seen.remove(identity);
    }

    /// What a list from the server says takes the place of all that was known.
    pub(super) fn replace(&mut self, list: impl Iterator<Item = (String, Member)>, now: Instant) {
        let list: Vec<_> = list.collect();
        self.seen
            .retain(|identity, _| list.iter().any(|(listed, _)| listed == identity));
        for (identity, member) in list {
            self.observe(identity, member, now);
        }
    }

    /// Whether one has not changed for as long as its lease lasts: a list has to confirm that.
    pub(super) fn has_silent(&self, now: Instant) -> bool {
        self.seen.values().any(|seen| is_silent(seen, now))
    }

    /// Drops those that have not changed for as long as their leases last.
    pub(super) fn drop_silent(&mut self, now: Instant) {
        self.seen.retain(|_, seen| !is_silent(seen, now));
    }

    /// When the next one will have been silent for so long.
    pub(super) fn next_silent(&self) -> Option<Instant> {
        let ends = self.seen.values().map(|(member, since)| *since + member.duration);
        ends.min()
    }

    pub(super) fn identities(&self) -> impl Iterator<Item = &str> {
        self.seen.keys().map(String::as_str)
    }

    /// The incarnations of all, sorted: what this replica makes room for.
    pub(super) fn incarnations(&self) -> Vec<String> {
        let mut all: Vec<_> = self.seen.values().map(|(member, _)| member.incarnation.clone()).collect();
        all.sort();
        all
    }

    /// Whether all have made room for an incarnation.
    pub(super) fn have_room_for(&self, incarnation: &str) -> bool {
        let mut members = self.seen.values();
        members.all(|(member, _)| member.room.iter().any(|one| one == incarnation))
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

fn is_silent((member, since): &(Member, Instant), now: Instant) -> bool {
    now.saturating_duration_since(*since) >= member.duration
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

    #[test]
    fn a_member_is_silent_when_it_has_not_changed_for_its_own_duration() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let (name, member) = Member::of(&lease("a", "1", "", 100)).unwrap();
        let mut members = Members::default();
        members.observe(name.clone(), member.clone(), at(0));
        // Seen again, unchanged: that is no sign of life.
        members.observe(name.clone(), member.clone(), at(10));
        assert!(!members.has_silent(at(14)) && members.has_silent(at(15)));
        assert_eq!(members.next_silent(), Some(at(15)));
        let (_, renewed) = Member::of(&lease("a", "1", "", 110)).unwrap();
        members.replace([(name.clone(), renewed)].into_iter(), at(15));
        assert!(!members.has_silent(at(15)));
        members.drop_silent(at(29));
        assert_eq!(members.identities().count(), 1);
        members.drop_silent(at(30));
        assert_eq!(members.identities().count(), 0);
    }

    #[test]
    fn room_is_made_for_one_incarnation() {
        let mut members = Members::default();
        assert!(members.have_room_for("9"), "nobody else is there");
        for (holder, room) in [("a", "9,8"), ("b", "8,9"), ("c", "8")] {
            let (name, member) = Member::of(&lease(holder, holder, room, 1)).unwrap();
            members.observe(name, member, Instant::now());
        }
        assert!(members.have_room_for("8") && !members.have_room_for("9") && !members.have_room_for(""));
        members.remove("c");
        assert!(members.have_room_for("9"));
        assert_eq!(members.incarnations(), ["a", "b"]);
        assert_eq!(Member::of(&lease("", "1", "", 1)), None);
    }

    #[test]
    fn shares_are_disjoint_and_complete() {
        let all = ["a", "b", "c"];
        let shares = all.map(|own| {
            let mut members = Members::default();
            for holder in all.iter().filter(|other| **other != own) {
                let (name, member) = Member::of(&lease(holder, "", "", 1)).unwrap();
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
