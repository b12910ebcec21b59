//! [`Notice`]: an event on its way to a handler, with objects as the store keeps them.

use super::event::Event;
use crate::cache::indexer::Held;
use crate::cache::object::{Object, ObjectKey};
use crate::cache::queue::Deleted;

/// What becomes an [`Event`] when the handler is called: until then an object that is packed stays so.
#[derive(Debug)]
pub(super) enum Notice<K> {
    Added { object: Held<K>, initial: bool },
    Updated { old: Held<K>, new: Held<K> },
    Deleted(Gone<K>),
}

/// How an object went: [`Deleted`] with objects as they are kept.
#[derive(Debug)]
pub(super) enum Gone<K> {
    Known(Held<K>),
    Unknown { key: ObjectKey, last: Option<Held<K>> },
}

impl<K> Clone for Gone<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Known(object) => Self::Known(object.clone()),
            Self::Unknown { key, last } => Self::Unknown {
                key: key.clone(),
                last: last.clone(),
            },
        }
    }
}

impl<K> Clone for Notice<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Added { object, initial } => Self::Added {
                object: object.clone(),
                initial: *initial,
            },
            Self::Updated { old, new } => Self::Updated {
                old: old.clone(),
                new: new.clone(),
            },
            Self::Deleted(gone) => Self::Deleted(gone.clone()),
        }
    }
}

impl<K: Object> Notice<K> {
    pub(super) fn key(&self) -> ObjectKey {
        match self {
            Self::Added { object, .. } | Self::Updated { new: object, .. } => object.key(),
            Self::Deleted(Gone::Known(object)) => object.key(),
            Self::Deleted(Gone::Unknown { key, .. }) => key.clone(),
        }
    }

    /// The event. `None` for an object that cannot be unpacked, which has been logged.
    pub(super) fn event(self) -> Option<Event<K>> {
        Some(match self {
            Self::Added { object, initial } => Event::Added {
                object: object.object()?,
                initial,
            },
            Self::Updated { old, new } => {
                let object = new.object()?;
                let before = if old.is(&new) { None } else { old.object() };
                Event::Updated {
                    old: before.unwrap_or_else(|| object.clone()),
                    new: object,
                }
            }
            Self::Deleted(gone) => Event::Deleted(gone.deleted()),
        })
    }
}

impl<K: Object> Gone<K> {
    fn deleted(self) -> Deleted<K> {
        match self {
            Self::Known(last) => last.object().map_or_else(
                || Deleted::Unknown {
                    key: last.key(),
                    last: None,
                },
                Deleted::Known,
            ),
            Self::Unknown { key, last } => Deleted::Unknown {
                key,
                last: last.and_then(|last| last.object()),
            },
        }
    }
}

impl<K> From<Deleted<K>> for Gone<K> {
    fn from(deleted: Deleted<K>) -> Self {
        match deleted {
            Deleted::Known(object) => Self::Known(object.into()),
            Deleted::Unknown { key, last } => Self::Unknown {
                key,
                last: last.map(Held::from),
            },
        }
    }
}
