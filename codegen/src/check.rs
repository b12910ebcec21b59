//! The gate between what is understood and what is written.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, Location, Report};
use crate::ir::Api;

/// Size from which a file is hard on editors and reviewers, in bytes.
const LARGE: usize = 200_000;

/// Lets through what has no errors. Warnings go along.
///
/// # Errors
/// The whole report, if any of it is an error.
pub(crate) fn gate(api: Api, mut report: Report) -> Result<(Api, Report), Report> {
    report.sort();
    match report.has_errors() {
        true => Err(report),
        false => Ok((api, report)),
    }
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
