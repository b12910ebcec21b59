//! What a handler is told, checked as it is told.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kubeloom::cache::{Deleted, Event, Object};

/// UID, version and content of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) uid: String,
    pub(super) version: String,
    /// A number made of the content.
    pub(super) content: u64,
}

/// Objects by `namespace/name`.
pub(super) type Objects = BTreeMap<String, Identity>;

/// Makes a number of the content of an object, without what lists leave out.
pub(super) type Content<K> = fn(&K) -> u64;

/// What one handler knows from its events alone, and whatever was against the rules. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct History(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) objects: Objects,
    pub(super) events: u64,
    pub(super) wrong: Vec<String>,
}

pub(super) fn identity<K: Object>(object: &K, content: Content<K>) -> Identity {
    let meta = object.object_meta();
    Identity {
        uid: meta.uid.to_string(),
        version: meta.resource_version.to_string(),
        content: content(object),
    }
}

impl History {
    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn handler<K: Object>(&self, content: Content<K>) -> impl FnMut(Event<K>) + Send + 'static {
        let history = self.clone();
        move |event| history.tell(&event, content)
    }

    /// An object is added, updated any number of times, and deleted; nothing is told of one that is not there.
    pub(super) fn tell<K: Object>(&self, event: &Event<K>, content: Content<K>) {
        let mut known = self.known();
        known.events += 1;
        let key = event.key().to_string();
        let before = known.objects.get(&key).cloned();
        let (now, is_right) = match event {
            Event::Added { object, .. } => (Some(identity(&**object, content)), before.is_none()),
            Event::Updated { old, new } => {
                let (old, new) = (identity(&**old, content), identity(&**new, content));
                let is_right = before.as_ref() == Some(&old) && old.uid == new.uid;
                (Some(new), is_right)
            }
            Event::Deleted(deleted) => {
                let last = deleted.last().map(|last| identity(&**last, content));
                let is_right = match (&before, &last, deleted) {
                    (None, _, _) => false,
                    // The server's last word is newer than what was told.
                    (Some(before), Some(last), Deleted::Known(_)) => before.uid == last.uid,
                    (Some(before), Some(last), Deleted::Unknown { .. }) => before == last,
                    (Some(_), None, _) => true,
                };
                (None, is_right)
            }
        };
        if !is_right {
            let line = format!(
                "{key}: {} when {before:?} was known",
                summary(event, now.as_ref())
            );
            known.wrong.push(line);
        }
        match now {
            Some(now) => known.objects.insert(key, now),
            None => known.objects.remove(&key),
        };
    }
}

fn summary<K>(event: &Event<K>, now: Option<&Identity>) -> String {
    let what = match event {
        Event::Added { .. } => "added",
        Event::Updated { .. } => "updated",
        Event::Deleted(_) => "deleted",
    };
    format!("{what} {now:?}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kubeloom::meta::{ObjectMeta, PartialObjectMetadata};

    use super::*;

    type Thing = PartialObjectMetadata;

    fn thing(uid: &str, version: &str) -> Arc<Thing> {
        Arc::new(Thing {
            metadata: ObjectMeta {
                name: "x".into(),
                uid: uid.into(),
                resource_version: version.into(),
                ..ObjectMeta::default()
            },
        })
    }

    fn added(uid: &str, version: &str) -> Event<Thing> {
        Event::Added {
            object: thing(uid, version),
            initial: false,
        }
    }

    fn updated(old: (&str, &str), new: (&str, &str)) -> Event<Thing> {
        Event::Updated {
            old: thing(old.0, old.1),
            new: thing(new.0, new.1),
        }
    }

    fn known(uid: &str, version: &str) -> Event<Thing> {
        Event::Deleted(Deleted::Known(thing(uid, version)))
    }

    fn unknown(last: Option<Arc<Thing>>) -> Event<Thing> {
        let key = kubeloom::cache::ObjectKey::cluster("x");
        Event::Deleted(Deleted::Unknown { key, last })
    }

    /// How many of the events are against the rules.
    fn wrong(events: &[Event<Thing>]) -> usize {
        let history = History::default();
        events.iter().for_each(|event| history.tell(event, |_| 0));
        history.known().wrong.len()
    }

    #[test]
    fn legal_histories_pass() {
        let legal = [
            added("a", "1"),
            updated(("a", "1"), ("a", "3")),
            updated(("a", "3"), ("a", "3")),
            known("a", "5"),
            added("b", "6"),
            unknown(Some(thing("b", "6"))),
            // A server whose version went back.
            added("a", "2"),
            unknown(None),
        ];
        assert_eq!(wrong(&legal), 0);
    }

    #[test]
    fn illegal_ones_do_not() {
        let first = || added("a", "1");
        let cases = [
            vec![first(), first()],
            vec![updated(("a", "1"), ("a", "2"))],
            vec![known("a", "1")],
            vec![first(), known("a", "2"), known("a", "2")],
            vec![first(), updated(("a", "2"), ("a", "3"))],
            vec![first(), updated(("a", "1"), ("b", "3"))],
            vec![first(), known("b", "3")],
            vec![first(), unknown(Some(thing("a", "2")))],
        ];
        for events in cases {
            assert_eq!(wrong(&events), 1, "{events:?}");
        }
    }
}
