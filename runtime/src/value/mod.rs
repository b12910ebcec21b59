//! The scalar values of Kubernetes objects: strings, maps, quantities, times, bytes and free JSON.
//!
//! | type | Go | JSON |
//! |---|---|---|
//! | [`Str`] | `string` | string |
//! | [`Map`] | `map[string]V` | object, keys sorted |
//! | [`Quantity`] | `resource.Quantity` | string, its text kept (`"1024Mi"`) |
//! | [`IntOrString`] | `intstr.IntOrString` | `80` or `"http"` |
//! | [`Time`], [`MicroTime`] | `metav1.Time`, `metav1.MicroTime` | RFC 3339 string, zero is `null` |
//! | [`Duration`] | `metav1.Duration` | `"1h2m3.5s"` |
//! | [`ByteString`] | `[]byte` | base64 string |
//! | [`RawJson`] | `runtime.RawExtension`, `metav1.FieldsV1`, `apiextensions.JSON` | any JSON, its text kept |
//!
//! All of them are lenient in and exact out: `null` is the default on decode, and what is written is what Go's
//! types write. All are plain data, `Send + Sync`, and never block.
//!
//! This module must not know how whole objects are encoded; it knows neither tables nor protobuf tags. What a codec
//! needs of a value (`seconds`/`nanos`, `from_wire`, the raw text) is an accessor here.

mod amount;
mod byte_string;
mod date_time;
mod de;
mod duration;
mod int_or_string;
mod json_text;
mod map;
mod quantity;
mod quantity_error;
mod raw_json;
mod rfc3339;
mod scan;
mod time;

pub use amount::{Amount, Format, Scale};
pub use byte_string::{ByteString, DecodeBase64Error};
pub use date_time::DateTime;
pub use duration::{Duration, DurationError};
pub use int_or_string::{IntOrString, Rounding, ScaledValueError};
pub use map::{Entry, Iter, Map, map};
pub use quantity::Quantity;
pub use quantity_error::{QuantityError, QuantityErrorKind};
pub use raw_json::{RawJson, RawJsonError};
pub use rfc3339::TimeError;
pub use time::{MicroTime, Time};

/// The string of every generated type: up to 24 bytes live inline, longer ones on the heap.
///
/// Dereferences to `str`, compares with `&str`, and `"x".into()` makes one.
///
/// ```
/// use kubeloom::value::Str;
///
/// let phase: Str = "Running".into();
/// assert_eq!(phase, "Running");
/// assert_eq!(size_of::<Str>(), 24);
/// ```
pub type Str = compact_str::CompactString;
