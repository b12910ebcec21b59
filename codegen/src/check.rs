//! The gate between what is understood and what is written.

use crate::diagnostic::Report;
use crate::ir::Api;

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
