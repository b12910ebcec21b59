//! What can be wrong with an input, collected and shown at once.
//!
//! A stage adds to a [`Report`] and goes on; the gate in `check` decides. This module must not know what
//! any stage does.

use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Element, Level, Origin, Renderer, Snippet};

/// Whether generation can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing is written.
    Error,
    /// Something was left out or taken in a looser way; the output is usable.
    Warning,
}

/// What is wrong, with a stable identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Code {
    /// A file or folder could not be read or written.
    Io,
    /// A document is no JSON, or it ends too early.
    Syntax,
    /// A document is JSON, but none of those that the generator reads.
    UnknownDocument,
    /// A part of a document has not the form that its place asks for.
    Malformed,
    /// Discovery or OpenAPI is missing among the sources.
    Incomplete,
    /// A `$ref` that leads nowhere.
    DanglingRef,
    /// Two documents define one name differently.
    ConflictingSchemas,
    /// Two discovery documents disagree about a resource.
    ConflictingResources,
    /// A resource whose kind has no schema.
    NoSchema,
    /// Two resources of one group-version share a kind.
    SharedKind,
    /// A group or group-version that was asked for and is not there.
    UnknownGroup,
    /// An option that cannot be followed.
    Option,
    /// A type that the generator does not know; it is taken as free JSON.
    UnknownType,
    /// A fix-up of the table that matched nothing.
    UnusedFixup,
    /// The fact table beside the bundle cannot be read.
    Facts,
    /// A generated file would be too large to be handled well.
    LargeFile,
    /// A part of an OpenAPI document that is not as OpenAPI demands; it is left out, or taken as free JSON.
    OddSchema,
    /// A document that a cluster lists and does not give.
    NotServed,
    /// A schema of a CustomResourceDefinition that is not structural; it is taken in the way that loses nothing.
    NonStructural,
    /// Objects among the sources that say nothing about an API.
    LeftOut,
}

impl Code {
    /// The stable identifier: `KL` and three digits.
    pub fn id(self) -> &'static str {
        match self {
            Self::Io => "KL001",
            Self::Syntax => "KL002",
            Self::UnknownDocument => "KL003",
            Self::Malformed => "KL004",
            Self::Incomplete => "KL005",
            Self::DanglingRef => "KL006",
            Self::ConflictingSchemas => "KL007",
            Self::ConflictingResources => "KL008",
            Self::NoSchema => "KL009",
            Self::SharedKind => "KL010",
            Self::UnknownGroup => "KL011",
            Self::Option => "KL012",
            Self::UnknownType => "KL013",
            Self::UnusedFixup => "KL014",
            Self::Facts => "KL015",
            Self::LargeFile => "KL016",
            Self::OddSchema => "KL017",
            Self::NotServed => "KL018",
            Self::NonStructural => "KL019",
            Self::LeftOut => "KL020",
        }
    }

    /// Whether this stops generation.
    pub fn severity(self) -> Severity {
        match self {
            Self::NoSchema
            | Self::SharedKind
            | Self::UnknownType
            | Self::LargeFile
            | Self::OddSchema
            | Self::NotServed
            | Self::NonStructural
            | Self::LeftOut => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

/// The line of a document that a syntax error is in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Excerpt {
    /// Number of the line, from 1.
    pub line: usize,
    /// Number of the character in `text`, from 0.
    pub column: usize,
    /// The line, or the part of it around the error.
    pub text: String,
}

/// A place in a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// Path of the document; empty if it is about none.
    pub document: String,
    /// JSON pointer (RFC 6901) into the document; empty for the whole of it.
    pub pointer: String,
}

impl Location {
    /// The whole of a document.
    pub fn document(path: &str) -> Self {
        Self {
            document: path.to_owned(),
            pointer: String::new(),
        }
    }

    /// The place of `key` below this one.
    #[must_use]
    pub fn at(&self, key: &str) -> Self {
        let pointer = format!("{}/{}", self.pointer, key.replace('~', "~0").replace('/', "~1"));
        Self {
            document: self.document.clone(),
            pointer,
        }
    }

    fn show(&self) -> String {
        match self.pointer.is_empty() {
            true => self.document.clone(),
            false => format!("{}#{}", self.document, self.pointer),
        }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// What.
    pub code: Code,
    /// Where.
    pub location: Location,
    /// The line, for errors of syntax.
    pub excerpt: Option<Excerpt>,
    /// What exactly, in a sentence without a full stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without help.
    pub fn new(code: Code, location: Location, message: impl Into<String>) -> Self {
        Self {
            code,
            location,
            excerpt: None,
            message: message.into(),
            help: None,
        }
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    fn render(&self, renderer: &Renderer) -> String {
        let level = match self.code.severity() {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let place = self.location.show();
        let mut group = level
            .primary_title(self.message.as_str())
            .id(self.code.id())
            .elements(None::<Element<'_>>);
        if let Some(excerpt) = &self.excerpt {
            let start: usize = excerpt
                .text
                .chars()
                .take(excerpt.column)
                .map(char::len_utf8)
                .sum();
            let end = excerpt.text[start..]
                .chars()
                .next()
                .map_or(start, |next| start + next.len_utf8());
            group = group.element(
                Snippet::source(excerpt.text.as_str())
                    .line_start(excerpt.line)
                    .path(place.as_str())
                    .annotation(AnnotationKind::Primary.span(start..end)),
            );
        } else if !place.is_empty() {
            group = group.element(Origin::path(place.as_str()));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        renderer.render(&[group])
    }
}

/// All diagnostics of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    diagnostics: Vec<Diagnostic>,
}

/// How many diagnostics [`Report::render`] shows in full.
const SHOWN: usize = 50;

impl Report {
    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Adds all of another report.
    pub fn extend(&mut self, other: Self) {
        self.diagnostics.extend(other.diagnostics);
    }

    /// Keeps those that are wanted.
    pub fn retain(&mut self, wanted: impl FnMut(&Diagnostic) -> bool) {
        self.diagnostics.retain(wanted);
    }

    /// Puts them in an order that does not depend on the order of the sources, errors first, each once.
    pub fn sort(&mut self) {
        self.diagnostics
            .sort_by(|a, b| (a.code.severity(), a).cmp(&(b.code.severity(), b)));
        self.diagnostics.dedup();
    }

    /// All of them.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Whether any is an error.
    pub fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|diagnostic| diagnostic.code.severity() == Severity::Error)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// The text for people, with or without terminal colours. The first fifty are shown in full, the rest counted.
    pub fn render(&self, coloured: bool) -> String {
        let renderer = if coloured {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let mut text = String::new();
        for diagnostic in self.diagnostics.iter().take(SHOWN) {
            text.push_str(&diagnostic.render(&renderer));
            text.push_str("\n\n");
        }
        let more = self.diagnostics.len().saturating_sub(SHOWN);
        if more > 0 {
            let written = writeln!(text, "... and {more} more");
            debug_assert!(written.is_ok());
        }
        text
    }
}

impl From<Diagnostic> for Report {
    fn from(diagnostic: Diagnostic) -> Self {
        Self {
            diagnostics: vec![diagnostic],
        }
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.render(false).trim_end())
    }
}

impl std::error::Error for Report {}
