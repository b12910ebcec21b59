//! A field as the encodings see it: a place to write to or a value to read.

use super::{Choice, Foreign, List, Mapping, NullPlace, Record, Text};
use crate::value::{
    ByteString, DateTime, Duration, IntOrString, Map, MicroTime, Quantity, RawJson, Str, Time,
};

/// The place where the value of a field goes.
#[allow(missing_docs, reason = "each variant is named for the type behind it")]
pub enum Slot<'a> {
    Str(&'a mut Str),
    Bool(&'a mut bool),
    I32(&'a mut i32),
    I64(&'a mut i64),
    F64(&'a mut f64),
    Bytes(&'a mut ByteString),
    Time(&'a mut Time),
    MicroTime(&'a mut MicroTime),
    Duration(&'a mut Duration),
    Quantity(&'a mut Quantity),
    IntOrString(&'a mut IntOrString),
    Raw(&'a mut RawJson),
    Text(&'a mut dyn Text),
    Record(&'a mut dyn Record),
    List(&'a mut dyn List),
    Map(&'a mut dyn Mapping),
    Choice(&'a mut dyn Choice),
    Foreign(&'a mut dyn Foreign),
    Nullable(&'a mut dyn NullPlace),
    /// Nothing is there to be written to: the value is skipped.
    Ignored,
}

/// The value of a field.
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "each variant is named for the type behind it")]
pub enum View<'a> {
    /// `None`.
    Absent,
    /// `null`, where it is a value of its own.
    Null,
    Str(&'a str),
    Bool(bool),
    I32(i32),
    I64(i64),
    F64(f64),
    Bytes(&'a ByteString),
    Time(Time),
    MicroTime(MicroTime),
    Duration(Duration),
    Quantity(&'a Quantity),
    IntOrString(&'a IntOrString),
    Raw(&'a RawJson),
    Record(&'a dyn Record),
    List(&'a dyn List),
    Map(&'a dyn Mapping),
    Choice(&'a dyn Choice),
    Foreign(&'a dyn Foreign),
}

/// A type that can stand as a field of a [`Record`], as an item of a list or as a value of a map.
pub trait Value: Send + Sync + 'static {
    /// The place to write to.
    fn slot(&mut self) -> Slot<'_>;
    /// The value as it is.
    fn view(&self) -> View<'_>;
}

macro_rules! values {
    ($($type:ty: $variant:ident $(, $by:tt)?;)*) => { $(
        impl Value for $type {
            #[inline]
            fn slot(&mut self) -> Slot<'_> {
                Slot::$variant(self)
            }
            #[inline]
            fn view(&self) -> View<'_> {
                View::$variant($($by)? self)
            }
        }
    )* };
}

values! {
    Str: Str;
    bool: Bool, *;
    i32: I32, *;
    i64: I64, *;
    f64: F64, *;
    ByteString: Bytes;
    Time: Time, *;
    MicroTime: MicroTime, *;
    Duration: Duration, *;
    Quantity: Quantity;
    IntOrString: IntOrString;
    RawJson: Raw;
}

impl<T: Value + Default> Value for Vec<T> {
    fn slot(&mut self) -> Slot<'_> {
        Slot::List(self)
    }
    fn view(&self) -> View<'_> {
        View::List(self)
    }
}

impl<T: Value + Default> Value for Map<T> {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Map(self)
    }
    fn view(&self) -> View<'_> {
        View::Map(self)
    }
}

impl<T: Value + Default> Value for Option<T> {
    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        self.get_or_insert_default().slot()
    }
    #[inline]
    fn view(&self) -> View<'_> {
        match self {
            Some(value) => value.view(),
            None => View::Absent,
        }
    }
}

impl<T: Value> Value for Box<T> {
    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        (**self).slot()
    }
    #[inline]
    fn view(&self) -> View<'_> {
        (**self).view()
    }
}

impl Text for DateTime {
    fn set(&mut self, text: &str) {
        *self = text.into();
    }
}

impl Value for DateTime {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Text(self)
    }
    fn view(&self) -> View<'_> {
        View::Str(self.as_str())
    }
}
