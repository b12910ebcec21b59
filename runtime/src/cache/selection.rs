//! Which objects of a resource are read: [`Selectors`], and [`Tweak`] for all else that a call can be asked.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::rest::{ListOptions, WatchOptions};

/// The options of a call that a [`Tweak`] changes.
#[derive(Debug)]
pub enum ReadOptions<'a> {
    /// Of a page of a list.
    List(&'a mut ListOptions),
    /// Of a watch.
    Watch(&'a mut WatchOptions),
}

/// Changes the options of each list and watch, after everyone else has set them: a shard, a timeout of the server, a
/// selector that is not known beforehand.
///
/// It runs before each call on the task of the informer, and must do the same to lists and watches: an informer that
/// lists other objects than it watches tells of deletions that were none. A clone is the same tweak, and two that were
/// made apart are never equal.
///
/// ```
/// use kubeloom::cache::{ReadOptions, Tweak};
///
/// let shard = Tweak::new(|options| match options {
///     ReadOptions::List(list) => list.shard_selector = "shardRange(object.metadata.uid, '0x0', '0x8')".into(),
///     ReadOptions::Watch(watch) => watch.shard_selector = "shardRange(object.metadata.uid, '0x0', '0x8')".into(),
/// });
/// assert_eq!(shard, shard.clone());
/// ```
#[derive(Clone)]
pub struct Tweak(Arc<Change>);

type Change = dyn Fn(ReadOptions<'_>) + Send + Sync;

impl Tweak {
    /// A change of options.
    pub fn new(change: impl Fn(ReadOptions<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(change))
    }

    fn address(&self) -> *const () {
        Arc::as_ptr(&self.0).cast()
    }
}

impl fmt::Debug for Tweak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tweak")
    }
}

impl PartialEq for Tweak {
    fn eq(&self, other: &Self) -> bool {
        self.address() == other.address()
    }
}

impl Eq for Tweak {}

impl Hash for Tweak {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.address().hash(state);
    }
}

/// Selectors of a list and of the watch that follows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Selectors {
    pub(super) labels: String,
    pub(super) fields: String,
    pub(super) tweak: Option<Tweak>,
}

impl Selectors {
    pub(super) fn list(&self, mut options: ListOptions) -> ListOptions {
        options.labels.clone_from(&self.labels);
        options.fields.clone_from(&self.fields);
        if let Some(Tweak(change)) = &self.tweak {
            change(ReadOptions::List(&mut options));
        }
        options
    }

    pub(super) fn watch(&self, mut options: WatchOptions) -> WatchOptions {
        options.labels.clone_from(&self.labels);
        options.fields.clone_from(&self.fields);
        if let Some(Tweak(change)) = &self.tweak {
            change(ReadOptions::Watch(&mut options));
        }
        options
    }
}

/// Writes the methods that select, of a struct with the field `selectors`.
macro_rules! selecting {
    () => {
        /// Only objects with matching labels, such as `app=web,tier!=cache`.
        #[must_use]
        pub fn labels(mut self, selector: impl Into<String>) -> Self {
            self.selectors.labels = selector.into();
            self
        }

        /// Only objects with matching fields, such as `metadata.name=web-0`; servers know few fields of a kind.
        #[must_use]
        pub fn fields(mut self, selector: impl Into<String>) -> Self {
            self.selectors.fields = selector.into();
            self
        }

        /// Lists and watches with other options.
        #[must_use]
        pub fn tweak(mut self, tweak: $crate::cache::Tweak) -> Self {
            self.selectors.tweak = Some(tweak);
            self
        }

        /// All selectors at once.
        pub(in crate::cache) fn select(mut self, selectors: $crate::cache::selection::Selectors) -> Self {
            self.selectors = selectors;
            self
        }
    };
}
pub(super) use selecting;
