//! [`Parcel`]: one packed object.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use zstd::zstd_safe::{CCtx, DCtx, compress_bound, get_error_name};

use super::dictionary::Dictionary;
use crate::cache::object::{KeyRef, Object};
use crate::wire::DecodeError;

/// zstd's fastest level but for the negative ones: with most of the object in the dictionary, higher ones gain some
/// percent and cost ten times as much.
const LEVEL: i32 = 1;

/// An object as compressed bytes, with what tells objects and states apart beside them.
pub(in crate::cache) struct Parcel {
    dictionary: Option<Arc<Dictionary>>,
    /// The size of the object's encoding.
    size: u32,
    /// Lengths of namespace, name, UID and version.
    head: [u8; 4],
    /// Namespace, name, UID and version, then the compressed encoding of the object.
    bytes: Box<[u8]>,
}

/// Why an object cannot be packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unfit {
    /// A name, UID or version of more than 255 bytes, or an encoding of more than 4 GB.
    TooLong,
    /// zstd's word.
    Compression(&'static str),
    /// What was packed does not unpack to what it was.
    Differs,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => f.write_str("too long a name, UID, version or encoding"),
            Self::Compression(error) => write!(f, "zstd: {error}"),
            Self::Differs => f.write_str("it does not unpack to what it was"),
        }
    }
}

/// Why a parcel cannot be opened.
#[derive(Debug)]
pub(super) enum Damage {
    Compression(&'static str),
    Size(usize),
    Decode(DecodeError),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compression(error) => write!(f, "zstd: {error}"),
            Self::Size(size) => write!(f, "it unpacks to {size} bytes, another size than before"),
            Self::Decode(error) => error.fmt(f),
        }
    }
}

/// What compression works with; some hundred kilobytes.
pub(super) struct Compressor {
    context: CCtx<'static>,
    primer: Vec<u8>,
    out: Vec<u8>,
}

/// What decompression works with, one for each thread that reads; some hundred kilobytes.
struct Decompressor {
    context: DCtx<'static>,
    primer: Vec<u8>,
    out: Vec<u8>,
}

/// Buffers beyond this are not kept.
const KEEP: usize = 1 << 20;

thread_local! {
    static DECOMPRESSOR: Cell<Option<Decompressor>> = const { Cell::new(None) };
}

impl Decompressor {
    /// That of this thread; a new one if the thread is using it, has none, or is about to end.
    fn take() -> Option<Self> {
        let known = DECOMPRESSOR.try_with(Cell::take).ok().flatten();
        known.or_else(|| {
            Some(Self {
                context: DCtx::try_create()?,
                primer: Vec::new(),
                out: Vec::new(),
            })
        })
    }

    fn give_back(mut self) {
        trim(&mut self.primer);
        trim(&mut self.out);
        // A thread that is about to end keeps nothing.
        let _ = DECOMPRESSOR.try_with(|place| place.set(Some(self)));
    }
}

impl Compressor {
    pub(super) fn new() -> Option<Self> {
        Some(Self {
            context: CCtx::try_create()?,
            primer: Vec::new(),
            out: Vec::new(),
        })
    }

    /// Packs the encoding of an object against a dictionary and makes sure that it unpacks to the same.
    pub(super) fn pack(
        &mut self,
        head: [&str; 4],
        encoded: &[u8],
        dictionary: Option<&Arc<Dictionary>>,
    ) -> Result<Parcel, Unfit> {
        let mut lengths = [0; 4];
        for (length, text) in lengths.iter_mut().zip(head) {
            *length = u8::try_from(text.len()).map_err(|_| Unfit::TooLong)?;
        }
        let size = u32::try_from(encoded.len()).map_err(|_| Unfit::TooLong)?;
        let texts = head.concat();
        prime(&mut self.primer, dictionary, texts.as_bytes());
        let failed = |code| Unfit::Compression(get_error_name(code));
        self.out.clear();
        self.out.reserve(compress_bound(encoded.len()));
        self.context
            .compress_using_dict(&mut self.out, encoded, &self.primer, LEVEL)
            .map_err(failed)?;
        let parcel = Parcel {
            dictionary: dictionary.cloned(),
            size,
            head: lengths,
            bytes: [texts.as_bytes(), &self.out].concat().into_boxed_slice(),
        };
        let same = parcel.unpack(|unpacked| unpacked == encoded);
        trim(&mut self.primer);
        trim(&mut self.out);
        match same {
            Ok(true) => Ok(parcel),
            _ => Err(Unfit::Differs),
        }
    }
}

fn trim(buffer: &mut Vec<u8>) {
    if buffer.capacity() > KEEP {
        *buffer = Vec::new();
    }
}

/// What both sides know before: the dictionary, and the texts beside the compressed bytes, which are in the object too.
fn prime(primer: &mut Vec<u8>, dictionary: Option<&Arc<Dictionary>>, texts: &[u8]) {
    primer.clear();
    if let Some(dictionary) = dictionary {
        primer.extend_from_slice(dictionary.bytes());
    }
    primer.extend_from_slice(texts);
}

impl Parcel {
    fn texts(&self) -> usize {
        self.head.iter().map(|length| usize::from(*length)).sum()
    }

    /// The part of the texts that begins after so many and is one long.
    fn text(&self, number: usize) -> &[u8] {
        let start = self.head[..number]
            .iter()
            .map(|length| usize::from(*length))
            .sum();
        let end = start + usize::from(self.head[number]);
        self.bytes.get(start..end).unwrap_or_default()
    }

    fn string(&self, number: usize) -> &str {
        // It was made of a string.
        std::str::from_utf8(self.text(number)).unwrap_or_default()
    }

    pub(in crate::cache) fn key(&self) -> KeyRef<'_> {
        KeyRef {
            namespace: self.string(0),
            name: self.string(1),
        }
    }

    pub(super) fn head(&self) -> [&str; 4] {
        [0, 1, 2, 3].map(|number| self.string(number))
    }

    pub(in crate::cache) fn has_key(&self, key: KeyRef<'_>) -> bool {
        self.text(1) == key.name.as_bytes() && self.text(0) == key.namespace.as_bytes()
    }

    /// UID and version.
    pub(in crate::cache) fn identity(&self) -> (&str, &str) {
        (self.string(2), self.string(3))
    }

    pub(super) fn dictionary(&self) -> Option<&Arc<Dictionary>> {
        self.dictionary.as_ref()
    }

    /// The size of the object's encoding.
    pub(super) fn size(&self) -> usize {
        self.size as usize
    }

    /// Bytes that it takes: compressed, with what is beside them.
    pub(super) fn weight(&self) -> usize {
        self.bytes.len() + size_of::<Self>() + 2 * size_of::<usize>()
    }

    /// Bytes of the compressed encoding.
    pub(super) fn packed_size(&self) -> usize {
        self.bytes.len() - self.texts()
    }

    /// Calls with the encoding of the object.
    pub(super) fn unpack<R>(&self, with: impl FnOnce(&[u8]) -> R) -> Result<R, Damage> {
        let mut decompressor = Decompressor::take().ok_or(Damage::Compression("no memory for a context"))?;
        let Decompressor { context, primer, out } = &mut decompressor;
        let (texts, compressed) = self.bytes.split_at(self.texts().min(self.bytes.len()));
        prime(primer, self.dictionary.as_ref(), texts);
        out.clear();
        out.reserve(self.size());
        context
            .decompress_using_dict(out, compressed, primer)
            .map_err(|code| Damage::Compression(get_error_name(code)))?;
        if out.len() != self.size() {
            return Err(Damage::Size(out.len()));
        }
        let result = with(out);
        decompressor.give_back();
        Ok(result)
    }

    /// The object, or why it cannot be had.
    pub(super) fn open<K: Object>(&self) -> Result<K, Damage> {
        self.unpack(|encoded| K::decode(K::COMPACT_FORMAT, encoded))?
            .map_err(Damage::Decode)
    }

    /// The object. What was packed has been unpacked once: a failure is damaged memory, and is logged.
    pub(in crate::cache) fn object<K: Object>(&self) -> Option<K> {
        self.open()
            .inspect_err(|damage| {
                super::count_failure();
                let kind = std::any::type_name::<K>();
                tracing::error!(kind, object = %self.key().to_owned(), %damage, "a packed object cannot be unpacked");
            })
            .ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::testing::{Thing, thing};
    use crate::wire::{Format, Wire};

    fn packed() -> Parcel {
        let object = thing("web/web-0", "some-uid", 7);
        let encoded = object.encode(Format::Protobuf).unwrap();
        let head = ["web", "web-0", "some-uid", "7"];
        Compressor::new().unwrap().pack(head, &encoded, None).unwrap()
    }

    #[test]
    fn a_parcel_says_key_and_state_and_unpacks_to_the_object() {
        let parcel = packed();
        assert_eq!(parcel.key().to_owned().to_string(), "web/web-0");
        assert_eq!(parcel.identity(), ("some-uid", "7"));
        assert_eq!(
            parcel.open::<Thing>().unwrap(),
            *thing("web/web-0", "some-uid", 7)
        );
    }

    #[test]
    fn damage_is_an_error_and_never_a_panic() {
        let (mut found, texts) = (0, packed().texts());
        for place in texts..packed().bytes.len() {
            for bit in 0..8 {
                let mut parcel = packed();
                parcel.bytes[place] ^= 1 << bit;
                // A changed literal cannot be told from a true one.
                if let Err(damage) = parcel.open::<Thing>() {
                    found += 1;
                    assert!(!damage.to_string().is_empty());
                    assert!(parcel.object::<Thing>().is_none());
                }
            }
        }
        assert!(found > 100, "{found}");
    }

    #[test]
    fn what_is_too_long_is_not_packed() {
        let long = "x".repeat(256);
        let error = Compressor::new()
            .unwrap()
            .pack(["", &long, "", ""], b"bytes", None);
        assert_eq!(error.err(), Some(Unfit::TooLong));
    }
}
