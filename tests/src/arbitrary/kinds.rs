//! Kinds as values, so that a test is written once and runs over all of them.

use std::fmt;

use kubeloom::meta::List;
use kubeloom::record::{Record, Value};
use kubeloom::resource::{KindVisitor, Resource};
use kubeloom::wire::{self, DecodeError, Format};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Bound, fill};

/// An object from CBOR, or the words of the CBOR reader.
pub type FromCbor = Result<Box<dyn Record>, String>;

/// A kind, or the list of a kind.
#[derive(Clone, Debug)]
pub struct Kind {
    /// `v1`, `apps/v1`, ...
    pub api_version: &'static str,
    /// `Pod`, `PodList`, ...
    pub kind: String,
    /// Whether it is the list of a kind.
    pub is_list: bool,
    empty: fn() -> Box<dyn Record>,
    from_cbor: fn(&[u8]) -> FromCbor,
}

impl Kind {
    /// The object without anything in it.
    #[must_use]
    pub fn empty(&self) -> Box<dyn Record> {
        (self.empty)()
    }

    /// The object that `seed` stands for.
    #[must_use]
    pub fn object(&self, seed: u64, bound: Bound) -> Box<dyn Record> {
        let mut object = self.empty();
        fill(object.as_mut(), seed, bound);
        object
    }

    /// Reads an object.
    ///
    /// # Errors
    /// Those of the encoding.
    pub fn decode(&self, format: Format, body: &[u8]) -> Result<Box<dyn Record>, DecodeError> {
        let mut object = self.empty();
        wire::decode(object.as_mut(), format, body)?;
        Ok(object)
    }

    /// Reads an object from CBOR.
    ///
    /// # Errors
    /// The words of the CBOR reader.
    pub fn from_cbor(&self, body: &[u8]) -> FromCbor {
        (self.from_cbor)(body)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.api_version, self.kind)
    }
}

/// An object as CBOR.
///
/// # Errors
/// The words of the CBOR writer.
pub fn to_cbor(object: &dyn Record) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    ciborium::into_writer(&ToSerde(object), &mut body).map_err(|error| error.to_string())?;
    Ok(body)
}

struct ToSerde<'a>(&'a dyn Record);

impl Serialize for ToSerde<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        wire::serialize(self.0, serializer)
    }
}

struct FromSerde<K>(K);

impl<'de, K: Record + Default> Deserialize<'de> for FromSerde<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut object = K::default();
        wire::deserialize(&mut object, deserializer)?;
        Ok(Self(object))
    }
}

/// Collects the kinds it is shown, each followed by its list.
#[derive(Clone, Debug, Default)]
pub struct Kinds(pub Vec<Kind>);

impl Kinds {
    /// Adds a root kind that is no resource: the body of a subresource.
    pub fn add_body<K: Record + Default>(&mut self) {
        if let Some(meta) = K::default().type_meta() {
            self.add::<K>(meta.api_version, meta.kind.to_owned(), false);
        }
    }

    fn add<K: Record + Default>(&mut self, api_version: &'static str, kind: String, is_list: bool) {
        self.0.push(Kind {
            api_version,
            kind,
            is_list,
            empty: || Box::new(K::default()),
            from_cbor: |body| {
                let object: FromSerde<K> = ciborium::from_reader(body).map_err(|error| error.to_string())?;
                Ok(Box::new(object.0))
            },
        });
    }
}

impl KindVisitor for Kinds {
    fn visit<K: Resource + Record + Value + Default>(&mut self) {
        self.add::<K>(K::API_VERSION, K::KIND.to_owned(), false);
        self.add::<List<K>>(K::API_VERSION, format!("{}List", K::KIND), true);
    }
}
