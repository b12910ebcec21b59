//! Which programs may run as credential plugins.

use std::path::{Component, Path, PathBuf};

use super::{denied, policy_name};
use crate::config::{ExecConfig, PluginPolicy};
use crate::transport::TransportError;

/// Refuses a plugin that the policy does not allow.
pub(super) fn check(policy: &PluginPolicy, exec: &ExecConfig) -> Result<(), TransportError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let lookup = |command: &str| resolve(command, &path);
    let allowed = match policy {
        PluginPolicy::AllowAll => true,
        PluginPolicy::DenyAll => false,
        PluginPolicy::Allowlist(entries) => allows(entries, &exec.command, lookup),
    };
    match allowed {
        true => Ok(()),
        false => Err(denied(
            &exec.command,
            &format!(
                "the policy is {} and does not name this program",
                policy_name(policy)
            ),
        )),
    }
}

/// Whether an entry names the same program as `command`.
fn allows(entries: &[String], command: &str, lookup: impl Fn(&str) -> Option<PathBuf>) -> bool {
    let wanted = lookup(command);
    entries.iter().any(|entry| match (&wanted, lookup(entry)) {
        (Some(wanted), Some(entry)) => *wanted == entry,
        _ => false,
    })
}

/// The program a command means: a path cleaned up, or the first file of that name in `search`.
fn resolve(command: &str, search: &std::ffi::OsStr) -> Option<PathBuf> {
    if command.is_empty() {
        return None;
    }
    let path = Path::new(command);
    if path.components().count() > 1 || path.is_absolute() {
        return std::path::absolute(path).ok().map(|path| clean(&path));
    }
    std::env::split_paths(search)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(command))
        .find(|candidate| candidate.is_file())
        .map(|candidate| clean(&candidate))
}

/// The path without `.` and `..`.
fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                cleaned.pop();
            }
            other => cleaned.push(other),
        }
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_allows_the_program_it_means_and_no_namesake() {
        let lookup = |command: &str| match command {
            "aws" => Some(PathBuf::from("/usr/bin/aws")),
            path if path.starts_with('/') => Some(clean(Path::new(path))),
            _ => None,
        };
        let check = |entries: &[&str], command: &str, expected: bool| {
            let entries: Vec<String> = entries.iter().map(ToString::to_string).collect();
            assert_eq!(
                allows(&entries, command, lookup),
                expected,
                "{entries:?} {command}"
            );
        };
        check(&["aws"], "aws", true);
        check(&["/usr/bin/aws"], "aws", true);
        check(&["aws"], "/usr/bin/aws", true);
        check(&["aws"], "/usr/bin/../bin/./aws", true);
        check(&["aws"], "/tmp/aws", false);
        check(&["aws"], "/usr/bin/../../tmp/aws", false);
        check(&["missing"], "missing", false);
        check(&["gke"], "aws", false);
        check(&[], "aws", false);
        check(&[""], "aws", false);
    }
}
