//! [`DiskCache`]: files that outlive the process.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

/// The form of the files. A file of another form counts as none.
const FORM: u32 = 1;

/// The folder in which OpenAPI v3 documents lie, each named for its hash.
const OPENAPI: &str = "openapi-v3";

/// A folder for what one server said.
///
/// One file per thing, written beside its place and moved there, so that a reader never sees half of one and writers
/// of several processes do not disturb each other. A file that cannot be read counts as none. Files are for their owner
/// alone. What `kubectl` keeps is neither read nor written.
///
/// ```text
/// groups.json              groups, versions and resources
/// openapi-v3/<hash>.json   one OpenAPI document each
/// ```
#[derive(Clone, Debug)]
pub struct DiskCache {
    dir: PathBuf,
    ttl: Duration,
}

/// What stands in a file.
#[derive(Serialize, Deserialize)]
struct Filed<T> {
    form: u32,
    /// Seconds since 1970 by the clock of the writer.
    written: i64,
    content: T,
}

impl DiskCache {
    /// What kubectl takes for the longest that a file is believed.
    pub const DEFAULT_TTL: Duration = Duration::from_secs(6 * 60 * 60);

    /// A folder of one server, made when first written to. Files older than `ttl` are not believed.
    pub fn new(dir: impl Into<PathBuf>, ttl: Duration) -> Self {
        Self { dir: dir.into(), ttl }
    }

    /// The folder below `base` for the server of a URL: a name made of it that is safe in any file system.
    pub fn for_server(base: impl AsRef<Path>, server: &str, ttl: Duration) -> Self {
        let server = server.split_once("://").map_or(server, |(_, rest)| rest);
        let mut name = String::with_capacity(server.len());
        for byte in server.bytes() {
            match byte {
                b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' => name.push(char::from(byte)),
                // Escaped and not dropped: two servers never share a folder. Upper case too, for file systems blind to it.
                _ => name.push_str(&format!("_{byte:02x}")),
            }
        }
        Self::new(base.as_ref().join(format!("server-{name}")), ttl)
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// A file's content and its age, if there is one that can be believed. `now` is in seconds since 1970.
    pub(super) async fn load<T: DeserializeOwned + Send + 'static>(
        &self,
        name: &'static str,
        now: i64,
    ) -> Option<(T, Duration)> {
        let (path, ttl) = (self.dir.join(name), self.ttl);
        let read = move || {
            let filed: Filed<T> = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
            // A time in the future is that of a clock that was wrong then or is now.
            let age = Duration::from_secs(u64::try_from(now.checked_sub(filed.written)?).ok()?);
            (filed.form == FORM && age < ttl).then_some((filed.content, age))
        };
        tokio::task::spawn_blocking(read).await.ok()?
    }

    /// Writes a file.
    pub(super) async fn store<T: Serialize>(
        &self,
        name: &'static str,
        content: T,
        now: i64,
    ) -> io::Result<()> {
        let filed = Filed {
            form: FORM,
            written: now,
            content,
        };
        let bytes = serde_json::to_vec(&filed)?;
        let path = self.dir.join(name);
        blocking(move || replace(&path, &bytes)).await
    }

    /// An OpenAPI document by its hash, which makes an age pointless.
    pub(super) async fn load_openapi(&self, hash: &str) -> Option<Bytes> {
        let path = self.openapi_path(hash)?;
        let read = move || {
            let bytes = fs::read(path).ok()?;
            serde_json::from_slice::<IgnoredAny>(&bytes).ok()?;
            Some(Bytes::from(bytes))
        };
        tokio::task::spawn_blocking(read).await.ok()?
    }

    /// Writes an OpenAPI document.
    pub(super) async fn store_openapi(&self, hash: &str, document: Bytes) -> io::Result<()> {
        let Some(path) = self.openapi_path(hash) else {
            return Ok(());
        };
        blocking(move || replace(&path, &document)).await
    }

    /// Removes the OpenAPI documents that `is_current` does not know by their hash.
    pub(super) async fn prune_openapi(
        &self,
        is_current: impl Fn(&str) -> bool + Send + 'static,
    ) -> io::Result<()> {
        let dir = self.dir.join(OPENAPI);
        blocking(move || {
            for entry in fs::read_dir(dir)? {
                let entry = entry?;
                let name = entry.file_name();
                let hash = name.to_str().and_then(|name| name.strip_suffix(".json"));
                if hash.is_some_and(|hash| !is_current(hash)) {
                    fs::remove_file(entry.path())?;
                }
            }
            Ok(())
        })
        .await
    }

    /// `None` for what is not plainly a hash: it comes from the server and becomes a file name.
    fn openapi_path(&self, hash: &str) -> Option<PathBuf> {
        let is_hash =
            (1..=200).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_hash.then(|| self.dir.join(OPENAPI).join(format!("{hash}.json")))
    }
}

async fn blocking(work: impl FnOnce() -> io::Result<()> + Send + 'static) -> io::Result<()> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(io::Error::other)?
}

/// Puts a file in place of the one that is there, at once for every reader.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    if let Some(dir) = path.parent() {
        create_dir(dir)?;
    }
    let unique = format!(
        "{}.{}.new",
        std::process::id(),
        COUNTER.fetch_add(1, Ordering::Relaxed)
    );
    let beside = path.with_extension(unique);
    let written = create_new(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let moved = written.and_then(|()| fs::rename(&beside, path));
    if moved.is_err() {
        // What is left of the attempt; the error that matters is the first one.
        let _ = fs::remove_file(&beside);
    }
    moved
}

fn create_dir(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

fn create_new(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
