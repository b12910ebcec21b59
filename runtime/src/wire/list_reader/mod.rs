//! Lists read as they arrive: what is held is the objects and the piece of the body that is not read yet, never the body.
//!
//! JSON is read an object at a time, and what an unfinished one costs is bounded: nothing is tried before
//! [`JSON_BATCH`] bytes are there, and an object larger than that is tried again only when twice as much has come.
//! Protobuf announces its lengths. CBOR is held whole and read object by object at the end; YAML is read whole.

mod cbor;
mod json;
mod protobuf;
mod rest;

use std::fmt;

use self::rest::PageRest;
use super::{DecodeError, Format, Named, Wire};
use crate::meta::{List, ListMeta, Status};
use crate::record::{self, Value};
use crate::resource::Resource;
use crate::value::Str;

/// So many bytes of JSON are read at once: an unfinished object at their end, 10 KB if it is a pod, is read once more.
const JSON_BATCH: usize = 64 << 10;
/// So many bytes before the items are kept until it is known that the body is a list and no [`Status`].
const HEAD_LIMIT: usize = 64 << 10;

/// What an object that cannot be read does to its list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The list fails.
    #[default]
    Strict,
    /// The object is left out and reported. A body that is no JSON, CBOR or protobuf at all fails in this mode too.
    Lenient,
}

/// An object of a list that could not be read.
#[derive(Debug)]
pub struct ItemError {
    /// Its position in the list that the server sent, from 0.
    pub index: usize,
    /// Its namespace; empty if it has none or that could not be read either.
    pub namespace: Str,
    /// Its name; empty if it could not be read either.
    pub name: Str,
    /// What is wrong with it; lines and columns count from the beginning of the object.
    pub error: DecodeError,
}

impl ItemError {
    fn new(index: usize, format: Format, message: &[u8], error: DecodeError) -> Self {
        let named = match format {
            Format::Protobuf => Named::of_message(message),
            Format::Json | Format::Yaml | Format::Cbor => Named::of(format, message),
        };
        let (namespace, name) = named.namespace_and_name();
        Self {
            index,
            namespace,
            name,
            error,
        }
    }

    /// `item 3 (web/web-0)`
    fn place(&self) -> String {
        match (self.namespace.is_empty(), self.name.is_empty()) {
            (_, true) => format!("item {}", self.index),
            (true, false) => format!("item {} ({})", self.index, self.name),
            (false, false) => format!("item {} ({}/{})", self.index, self.namespace, self.name),
        }
    }
}

impl fmt::Display for ItemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place())
    }
}

impl std::error::Error for ItemError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Why a body gave no list.
#[derive(Debug)]
pub enum ListError {
    /// It could not be read.
    Decode(DecodeError),
    /// It is a [`Status`]: the server's answer to another question than how the list looks.
    Status(Box<Status>),
}

impl From<DecodeError> for ListError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decode(_) => f.write_str("the list cannot be read"),
            Self::Status(status) => write!(f, "a status in place of a list: {}", status.message),
        }
    }
}

impl std::error::Error for ListError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Decode(error) => Some(error),
            Self::Status(_) => None,
        }
    }
}

/// Reads a list from the pieces of its body, cut anywhere.
///
/// ```
/// # use kubeloom::meta::PartialObjectMetadata;
/// # use kubeloom::wire::{Format, ListReader, Mode};
/// # fn read<K: kubeloom::Resource + kubeloom::record::Value + Default>() -> Result<usize, Box<dyn std::error::Error>> {
/// let mut reader = ListReader::<K>::new(Format::Json, Mode::Lenient);
/// for piece in [r#"{"kind":"PodList","items":[{"meta"#, r#"data":{"name":"web-0"}},{"metadata":7}]}"#] {
///     reader.push(piece.as_bytes())?;
/// }
/// let (list, errors) = reader.finish()?;
/// assert_eq!((list.len(), errors[0].index), (1, 1));
/// # Ok(list.len())
/// # }
/// ```
pub struct ListReader<K> {
    items: Vec<K>,
    body: Body,
}

impl<K> fmt::Debug for ListReader<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("ListReader");
        out.field("items", &self.items.len())
            .field("unread", &self.body.unread.len())
            .finish_non_exhaustive()
    }
}

impl<K: Value + Default> ListReader<K> {
    /// A reader of a body in `format`.
    pub fn new(format: Format, mode: Mode) -> Self {
        Self {
            items: Vec::new(),
            body: Body::new(format, mode),
        }
    }

    /// Takes the next piece of the body. After an error the reader must not be used on.
    ///
    /// # Errors
    /// A malformed body, and in [`Mode::Strict`] an object that cannot be read; the text names it.
    pub fn push(&mut self, piece: &[u8]) -> Result<(), DecodeError> {
        self.body.push(piece, &mut self.items)
    }

    /// How many objects have been read.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether no object has been read.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The objects read since the last call, so that a large list need not be held whole. They do not count if the
    /// reader fails later; [`ListReader::finish`] has the rest.
    pub fn take_items(&mut self) -> Vec<K> {
        std::mem::take(&mut self.items)
    }

    /// How many bytes of the body are held because they are not read yet.
    pub fn unread(&self) -> usize {
        self.body.unread.len()
    }
}

impl<K: Resource + Value + Default> ListReader<K> {
    /// The list, and in [`Mode::Lenient`] the objects that are not in it.
    ///
    /// # Errors
    /// As [`ListReader::push`]; a body that is cut off; a [`Status`].
    pub fn finish(self) -> Result<(List<K>, Vec<ItemError>), ListError> {
        if self.body.format == Format::Yaml {
            return Ok((List::decode(Format::Yaml, &self.body.unread)?, Vec::new()));
        }
        let PageRest {
            metadata,
            items,
            errors,
            ..
        } = self.finish_page()?;
        Ok((List { metadata, items }, errors))
    }
}

/// Everything about the body that does not depend on the type of its objects.
struct Body {
    format: Format,
    mode: Mode,
    framing: Framing,
    metadata: ListMeta,
    api_version: Str,
    kind: Str,
    errors: Vec<ItemError>,
    has_items: bool,
    /// Objects seen, read or not.
    seen: usize,
    /// Whether a protobuf envelope had its message.
    has_list: bool,
    unread: Vec<u8>,
    /// How many unread bytes are worth another look.
    wanted: usize,
    /// What was read before the items; `None` once it is clear that they are those of a list.
    head: Option<Vec<u8>>,
}

enum Framing {
    Json(json::State),
    Protobuf(protobuf::State),
    /// The objects are read when all of the body is there.
    Cbor,
    /// The body is read at its end.
    Whole {
        is_status: bool,
    },
}

/// Where reading stopped.
struct Progress {
    /// Bytes that are done with.
    used: usize,
    /// How many bytes from there on are needed to go on.
    wanted: usize,
}

impl Body {
    fn new(format: Format, mode: Mode) -> Self {
        let framing = match format {
            Format::Json => Framing::Json(json::State::Start),
            Format::Protobuf => Framing::Protobuf(protobuf::State::Start),
            Format::Cbor => Framing::Cbor,
            Format::Yaml => Framing::Whole { is_status: false },
        };
        Self {
            format,
            mode,
            framing,
            metadata: ListMeta::default(),
            api_version: Str::default(),
            kind: Str::default(),
            errors: Vec::new(),
            has_items: false,
            seen: 0,
            has_list: false,
            unread: Vec::new(),
            wanted: if format == Format::Json { JSON_BATCH } else { 1 },
            head: Some(Vec::new()),
        }
    }

    fn push(&mut self, piece: &[u8], items: &mut dyn record::List) -> Result<(), DecodeError> {
        if self.unread.is_empty() && piece.len() >= self.wanted {
            let used = self.read(piece, false, items)?;
            self.unread.extend_from_slice(&piece[used..]);
            return Ok(());
        }
        self.unread.extend_from_slice(piece);
        if self.unread.len() >= self.wanted {
            self.read_unread(false, items)
        } else {
            Ok(())
        }
    }

    fn finish(&mut self, items: &mut dyn record::List) -> Result<(), DecodeError> {
        self.read_unread(true, items)?;
        let is_complete = match &self.framing {
            Framing::Json(state) => matches!(state, json::State::End),
            Framing::Protobuf(state) => matches!(state, protobuf::State::Envelope),
            Framing::Cbor => return self.read_cbor(items),
            Framing::Whole { .. } => return Ok(()),
        };
        if is_complete && self.unread.is_empty() {
            return Ok(());
        }
        Err(DecodeError::new(self.format, "the list is cut off"))
    }

    fn read_unread(&mut self, is_last: bool, items: &mut dyn record::List) -> Result<(), DecodeError> {
        let mut unread = std::mem::take(&mut self.unread);
        let result = self.read(&unread, is_last, items);
        if let Ok(used) = result {
            unread.drain(..used);
        }
        // A Status put what was read of it back.
        self.unread.append(&mut unread);
        result.map(|_| ())
    }

    /// Reads what can be read; tells how much that was.
    fn read(
        &mut self,
        input: &[u8],
        is_last: bool,
        items: &mut dyn record::List,
    ) -> Result<usize, DecodeError> {
        let progress = match self.framing {
            Framing::Json(state) => self.read_json(state, input, is_last, items)?,
            Framing::Protobuf(state) => self.read_protobuf(state, input, items)?,
            Framing::Cbor | Framing::Whole { .. } => Progress {
                used: 0,
                wanted: usize::MAX,
            },
        };
        self.wanted = progress.wanted;
        if let Some(head) = &mut self.head {
            head.extend_from_slice(&input[..progress.used]);
            if matches!(self.framing, Framing::Whole { is_status: true }) {
                self.unread = std::mem::take(head);
            }
            if head.len() > HEAD_LIMIT {
                self.head = None;
            }
        }
        Ok(progress.used)
    }

    /// The body turns out to be a `Status`, if it is known from its beginning.
    fn is_status(&mut self) -> bool {
        let is_status = self.head.is_some();
        if is_status {
            self.framing = Framing::Whole { is_status };
        }
        is_status
    }

    /// The list of items begins; if there was one before, it does not count.
    fn begin_items(&mut self, items: &mut dyn record::List) {
        self.head = None;
        self.has_items = true;
        self.errors.clear();
        self.seen = 0;
        items.truncate(0);
    }

    /// An object of the list was wrong.
    fn item_failed(&mut self, message: &[u8], error: DecodeError) -> Result<(), DecodeError> {
        let error = ItemError::new(self.seen, self.format, message, error);
        match self.mode {
            Mode::Strict => {
                let place = error.place();
                Err(error.error.within(place))
            }
            Mode::Lenient => {
                self.errors.push(error);
                Ok(())
            }
        }
    }
}
