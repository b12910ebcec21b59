//! The generator of Kubeloom: from what an API server says about itself to a crate with a typed Clientset.
//!
//! Data flows one way, and [`generate`] shows it on one screen:
//!
//! ```text
//! sources → parse → fixups → lower → ir → check → emit → output
//! ```
//!
//! | module | what is there |
//! |---|---|
//! | [`sources`] | where documents come from; snapshots |
//! | `parse` | documents as a model, free of their form |
//! | [`fixups`] | mistakes of upstream documents, put right |
//! | [`facts`] | what documents do not say: protobuf numbers, pointers, order |
//! | `lower` | every decision |
//! | [`ir`] | what is generated, as plain data |
//! | `check` | the gate |
//! | `emit` | the text of the files |
//! | [`output`] | writes, or compares |
//! | [`diagnostic`] | what can be wrong with an input |
//! | [`cli`], [`live`] | the command line, and what of it needs a cluster |
//!
//! The same documents give the same bytes, whatever the order of sources. No stage reads a clock, the environment or the
//! network; only `sources`, `output` and the command line touch files.
//!
//! ```
//! use kubeloom_codegen::{Options, generate, sources};
//!
//! let documents = sources::read(&[])?; // nothing means the embedded bundle
//! let options = Options { groups: vec!["coordination/v1".to_owned()], ..Options::new("my-api") };
//! let generated = generate(&documents, &options)?;
//! assert!(generated.files["src/coordination_v1/lease.rs"].contains("pub struct Lease {"));
//! # Ok::<(), kubeloom_codegen::diagnostic::Report>(())
//! ```

mod check;
pub mod cli;
pub mod diagnostic;
mod emit;
pub mod facts;
pub mod fixups;
pub mod ir;
pub mod live;
mod lower;
mod options;
pub mod output;
mod parse;
pub mod provenance;
pub mod sources;
mod supplements;

use std::collections::BTreeMap;
use std::sync::OnceLock;

pub use options::{Manifest, Options, Runtime};

use diagnostic::{Code, Diagnostic, Location, Report};
use facts::{Facts, FactsError};
use provenance::Counts;
use sources::Documents;

/// A crate, not written yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// Texts by path relative to the crate, the provenance file included.
    pub files: BTreeMap<String, String>,
    /// What is in it.
    pub counts: Counts,
    /// What was left out or taken loosely.
    pub warnings: Report,
}

/// Generates a crate from documents.
///
/// # Errors
/// All that is wrong with the documents and options, not only the first.
pub fn generate(documents: &Documents, options: &Options) -> Result<Generated, Report> {
    let (api, mut warnings) = describe(documents, options)?;
    let mut files = emit::emit(&api, options);
    check::sizes(&files, &mut warnings);
    let counts = Counts::of(&api, files.len());
    let provenance = provenance::text(documents, facts::TABLE, options, &api, counts, &files);
    files.insert(provenance::FILE.to_owned(), provenance);
    Ok(Generated {
        files,
        counts,
        warnings,
    })
}

/// Decides what the crate will have, without printing it: the first half of [`generate`]. The second value are warnings.
///
/// # Errors
/// As [`generate`].
pub fn describe(documents: &Documents, options: &Options) -> Result<(ir::Api, Report), Report> {
    let mut report = Report::default();
    options.check(&mut report);
    let facts = embedded_facts()?;
    let mut model = parse::parse(documents, &mut report);
    check::readable(&mut report)?;
    supplements::add(&mut model, &mut report);
    fixups::apply(&mut model, fixups::TABLE, &mut report);
    let kubernetes = options
        .kubernetes
        .as_ref()
        .map(|_| parse::parse(&sources::embedded(), &mut report));
    let api = lower::lower(&model, facts, options, kubernetes.as_ref(), &mut report);
    check::gate(api, report)
}

/// The embedded table, read once.
fn embedded_facts() -> Result<&'static Facts, Report> {
    static FACTS: OnceLock<Result<Facts, FactsError>> = OnceLock::new();
    FACTS.get_or_init(Facts::embedded).as_ref().map_err(|error| {
        Diagnostic::new(
            Code::Facts,
            Location::default(),
            format!("the embedded fact table: {error}"),
        )
        .into()
    })
}
