//! What a handler was told, checked as it is told.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use kubeloom::cache::{Deleted, Event, Object, SharedInformer};

/// What a handler knows from its events alone.
#[derive(Debug)]
pub(crate) struct Known<K> {
    objects: BTreeMap<String, Arc<K>>,
    pub(crate) wrong: Vec<String>,
    pub(crate) tombstones: Vec<String>,
    pub(crate) initial: usize,
}

pub(crate) struct History<K>(Arc<Mutex<Known<K>>>);

impl<K> Clone for History<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K: Object> History<K> {
    /// The history of a handler that is added now.
    pub(crate) fn of(informer: &SharedInformer<K>) -> Self {
        let history = Self(Arc::new(Mutex::new(Known {
            objects: BTreeMap::new(),
            wrong: Vec::new(),
            tombstones: Vec::new(),
            initial: 0,
        })));
        let told = history.clone();
        informer.add_event_handler(move |event: Event<K>| told.known().tell(&event));
        history
    }

    pub(crate) fn known(&self) -> MutexGuard<'_, Known<K>> {
        self.0.lock().unwrap()
    }

    /// `key@version` of all objects that should be there.
    fn texts(&self) -> Vec<String> {
        let known = self.known();
        let texts = known.objects.iter().map(|(key, object)| text(key, &**object));
        texts.collect()
    }

    /// Waits until the handler knows what the store has; all that it was told must have been legal.
    pub(crate) async fn agrees(&self, informer: &SharedInformer<K>) {
        crate::eventually("the handler knows what the store has", || {
            let mut held: Vec<_> = informer.lister().list();
            held.sort_by_key(|object| kubeloom::cache::ObjectKey::of(&**object).to_string());
            let held = held
                .iter()
                .map(|object| text(&kubeloom::cache::ObjectKey::of(&**object).to_string(), &**object));
            held.collect::<Vec<_>>() == self.texts()
        })
        .await;
        assert_eq!(self.known().wrong, [""; 0]);
    }
}

fn text(key: &str, object: &impl Object) -> String {
    format!("{key}@{}", object.object_meta().resource_version)
}

impl<K: Object> Known<K> {
    fn tell(&mut self, event: &Event<K>) {
        let key = event.key().to_string();
        let before = self.objects.get(&key);
        let is_right = match event {
            Event::Added { .. } => before.is_none(),
            Event::Updated { old, new } => before.is_some_and(|before| {
                Arc::ptr_eq(before, old) && before.object_meta().uid == new.object_meta().uid
            }),
            Event::Deleted(_) => before.is_some(),
        };
        if !is_right {
            self.wrong.push(format!("{key}: {event:?}"));
        }
        match event {
            Event::Added { object, initial } => {
                self.initial += usize::from(*initial);
                self.objects.insert(key, object.clone());
            }
            Event::Updated { new, .. } => {
                self.objects.insert(key, new.clone());
            }
            Event::Deleted(deleted) => {
                self.objects.remove(&key);
                if matches!(deleted, Deleted::Unknown { .. }) {
                    self.tombstones.push(key);
                }
            }
        }
    }
}
