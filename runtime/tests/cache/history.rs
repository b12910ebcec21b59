//! What a handler was told, checked as it is told.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use kubeloom::cache::{Deleted, Event, ObjectKey};

use super::server::Thing;

/// What a handler knows from its events alone, with whatever was against the rules.
#[derive(Debug, Default)]
pub struct Known {
    pub objects: BTreeMap<String, Arc<Thing>>,
    pub wrong: Vec<String>,
    pub told: Vec<String>,
    pub initial: usize,
}

#[derive(Clone, Debug, Default)]
pub struct History(Arc<Mutex<Known>>);

fn text(object: &Thing) -> String {
    let key = ObjectKey::of(object);
    format!("{key}@{}={}", object.metadata.resource_version, object.size)
}

impl History {
    pub fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap()
    }

    pub fn handler(&self) -> impl FnMut(Event<Thing>) + Send + 'static {
        let history = self.clone();
        move |event| history.tell(&event)
    }

    pub fn tell(&self, event: &Event<Thing>) {
        let mut known = self.known();
        let key = event.key().to_string();
        let before = known.objects.get(&key).cloned();
        let is_right = match event {
            Event::Added { object, initial } => {
                known.initial += usize::from(*initial);
                known.told.push(format!("+{}", text(object)));
                known.objects.insert(key.clone(), object.clone());
                before.is_none()
            }
            Event::Updated { old, new } => {
                known.told.push(format!(
                    "{}{}",
                    if event.is_resync() { '=' } else { '~' },
                    text(new)
                ));
                known.objects.insert(key.clone(), new.clone());
                before.is_some_and(|before| {
                    // A store that packs hands out copies.
                    let is_same = Arc::ptr_eq(&before, old) || (cfg!(feature = "packed") && before == *old);
                    is_same && before.metadata.uid == new.metadata.uid
                })
            }
            Event::Deleted(deleted) => {
                let mark = if matches!(deleted, Deleted::Known(_)) {
                    '-'
                } else {
                    'x'
                };
                known.told.push(format!("{mark}{key}"));
                known.objects.remove(&key);
                before.is_some()
            }
        };
        if !is_right {
            known.wrong.push(format!("{key}: {event:?}"));
        }
    }

    pub fn texts(&self) -> Vec<String> {
        let known = self.known();
        let mut texts: Vec<_> = known.objects.values().map(|object| text(object)).collect();
        texts.sort();
        texts
    }

    pub fn told(&self) -> Vec<String> {
        self.known().told.clone()
    }

    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.known().told)
    }
}
