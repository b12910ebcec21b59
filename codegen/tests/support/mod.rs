//! What the tests of the generator share.

#![allow(dead_code, reason = "each test takes what it needs")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

pub(crate) mod forms;
pub(crate) mod http;
pub(crate) mod mill;

use std::path::PathBuf;

use kubeloom_codegen::sources::{self, Documents, Source};
use kubeloom_codegen::{Generated, Options, generate};

/// A path in this crate.
pub(crate) fn path(relative: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// The documents of the fixture.
pub(crate) fn demo() -> Documents {
    sources::read(&[Source::Path(path("tests/fixtures/demo"))]).unwrap()
}

/// Generates with all groups.
pub(crate) fn crate_of(documents: &Documents) -> Generated {
    generate(documents, &Options::new("demo")).unwrap()
}

/// Documents of these paths and texts.
pub(crate) fn documents(texts: &[(&str, &str)]) -> Documents {
    let mut documents = Documents::default();
    for (path, text) in texts {
        documents.insert(*path, text.as_bytes());
    }
    documents
}
