//! Many replicas, each with its share of the keys.
//!
//! | file | what is there |
//! |---|---|
//! | `place` | where keys are, and which member has which partition |
//! | `ownership` | [`Claim`]: the right to work on a key |

mod ownership;
mod place;

use std::fmt;
use std::sync::Arc;

use tokio::sync::watch;

pub use self::ownership::Claim;
use self::ownership::Ownership;
pub use self::place::{PARTITIONS, hash};
use crate::cache::ObjectKey;

/// By what objects and keys are placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShardBy {
    /// By namespace.
    #[default]
    Namespace,
    /// By namespace and name.
    Key,
}

/// This replica's share.
#[derive(Clone)]
pub struct Shards {
    ownership: Arc<Ownership>,
    by: ShardBy,
}

impl fmt::Debug for Shards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shards")
            .field("partitions", &self.ownership.owned().len())
            .finish_non_exhaustive()
    }
}

impl Shards {
    /// The right to work at a place, if it is this replica's.
    pub fn claim(&self, place: u64) -> Option<Claim> {
        self.ownership.claim(place)
    }

    /// Counts the times that partitions came to this replica.
    pub fn gains(&self) -> watch::Receiver<u64> {
        self.ownership.gains()
    }

    pub(crate) fn place_of_keys(&self) -> fn(&ObjectKey) -> u64 {
        match self.by {
            ShardBy::Namespace => |key| hash(&key.namespace),
            ShardBy::Key => |key| place::extend(place::extend(hash(&key.namespace), "/"), &key.name),
        }
    }
}
