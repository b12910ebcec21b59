//! The gate between what is understood and what is written.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, Location, Report, Severity};
use crate::ir::Api;

/// Size from which a file is hard on editors and reviewers, in bytes.
const LARGE: usize = 200_000;

/// Stops where documents could not be read: what follows from that is no mistake of its own.
///
/// # Errors
/// All errors, if a document is not read.
pub(crate) fn readable(report: &mut Report) -> Result<(), Report> {
    let unread = |code| matches!(code, Code::Syntax | Code::UnknownDocument);
    match report
        .diagnostics()
        .iter()
        .any(|diagnostic| unread(diagnostic.code))
    {
        true => Err(only_errors(std::mem::take(report))),
        false => Ok(()),
    }
}

/// Errors, in order. Warnings are about a crate, and there is none.
fn only_errors(mut report: Report) -> Report {
    report.retain(|diagnostic| diagnostic.code.severity() == Severity::Error);
    report.sort();
    report
}

/// Lets through what has no errors. Warnings go along.
///
/// # Errors
/// All errors, if there is any.
pub(crate) fn gate(api: Api, mut report: Report) -> Result<(Api, Report), Report> {
    if report.has_errors() {
        return Err(only_errors(report));
    }
    report.sort();
    Ok((api, report))
}

/// Warns of files that are too large to be handled well.
pub(crate) fn sizes(files: &BTreeMap<String, String>, warnings: &mut Report) {
    for (path, text) in files.iter().filter(|(_, text)| text.len() > LARGE) {
        let message = format!("{path} has {} kB", text.len() / 1000);
        warnings.push(
            Diagnostic::new(Code::LargeFile, Location::default(), message)
                .help("`--groups` leaves out what is not needed"),
        );
    }
}
