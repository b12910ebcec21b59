//! Values for which `null` is one of the values.

use super::{Slot, Value, View};

/// A place that tells `null` from an empty value.
pub trait NullPlace: Send + Sync {
    /// Holds `null`.
    fn set_null(&mut self);
    /// Holds an empty value and hands out its place.
    fn fill(&mut self) -> Slot<'_>;
}

/// A value, or `null` where the schema of a custom resource says that `null` is a value of its own.
///
/// Everywhere else `null` equals absent and is read as such. It stands in lists and maps with nullable values, and, as
/// `Option<Nullable<T>>`, in optional fields with a default: there `null` means that the default is not wanted, and absent
/// that it is. The default is `Null`.
///
/// ```
/// use kubeloom::record::Nullable;
///
/// let given: Nullable<i32> = 3.into();
/// assert_eq!(given.as_ref(), Some(&3));
/// assert_eq!(Nullable::<i32>::Null.into_option(), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Nullable<T> {
    /// `null`
    #[default]
    Null,
    /// A value.
    Value(T),
}

impl<T> Nullable<T> {
    /// The value, if it is one.
    pub fn as_ref(&self) -> Option<&T> {
        match self {
            Self::Null => None,
            Self::Value(value) => Some(value),
        }
    }

    /// The value to change, if it is one.
    pub fn as_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::Null => None,
            Self::Value(value) => Some(value),
        }
    }

    /// The value, if it is one.
    pub fn into_option(self) -> Option<T> {
        match self {
            Self::Null => None,
            Self::Value(value) => Some(value),
        }
    }

    /// Whether it is `null`.
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

impl<T> From<T> for Nullable<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

impl<T> From<Option<T>> for Nullable<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

impl<T: Value + Default> NullPlace for Nullable<T> {
    fn set_null(&mut self) {
        *self = Self::Null;
    }
    fn fill(&mut self) -> Slot<'_> {
        if self.is_null() {
            *self = Self::Value(T::default());
        }
        match self {
            Self::Null => Slot::Ignored,
            Self::Value(value) => value.slot(),
        }
    }
}

impl<T: Value + Default> Value for Nullable<T> {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Nullable(self)
    }
    fn view(&self) -> View<'_> {
        match self {
            Self::Null => View::Null,
            Self::Value(value) => value.view(),
        }
    }
}
