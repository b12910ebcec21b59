//! The name of the host, for people.

/// The host's name as containers know it; `host` if it has none.
pub(crate) fn name() -> String {
    let name = std::env::var("HOSTNAME").unwrap_or_default();
    let name = if name.is_empty() {
        std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default()
    } else {
        name
    };
    match name.trim() {
        "" => "host".to_owned(),
        name => name.to_owned(),
    }
}
