//! The kubeconfig file: model, reading, merging, writing.
//!
//! Unknown keys are kept everywhere and written back. Files are read as client-go reads them; where it is stricter than
//! YAML (a number for a string is an error) so is this, because `token: 0123` has no one meaning.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::fields::{Fields, invalid};
use super::{ConfigError, Origin, SecretString, UrlString};

/// One kubeconfig, or several merged.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Kubeconfig {
    /// The context in use.
    pub current_context: Option<String>,
    /// The clusters, in the order of the file, names unique.
    pub clusters: Vec<Named<Cluster>>,
    /// The contexts, in the order of the file, names unique.
    pub contexts: Vec<Named<Context>>,
    /// The users, in the order of the file, names unique.
    pub users: Vec<Named<User>>,
    /// The other keys: `apiVersion`, `kind`, `preferences`, `extensions` and whatever else.
    pub remaining: Remaining,
    /// The files this was read from, in the order of precedence.
    pub origins: Vec<Origin>,
}

/// A named entry and the file it stands in, whose directory its relative paths start from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Named<T> {
    /// The name.
    pub name: String,
    /// The entry.
    pub value: T,
    /// Where it was read.
    pub origin: Origin,
    /// Keys beside `name` and the entry.
    pub remaining: Remaining,
}

/// A cluster.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Cluster {
    /// `server`: the URL.
    pub server: UrlString,
    /// `tls-server-name`.
    pub tls_server_name: Option<String>,
    /// `insecure-skip-tls-verify`.
    pub insecure_skip_tls_verify: bool,
    /// `certificate-authority`: the path of a PEM bundle.
    pub certificate_authority: Option<String>,
    /// `certificate-authority-data`: a PEM bundle in base64; wins over the path.
    pub certificate_authority_data: Option<String>,
    /// `proxy-url`.
    pub proxy_url: Option<UrlString>,
    /// `disable-compression`.
    pub disable_compression: bool,
    /// The other keys, `extensions` among them.
    pub remaining: Remaining,
}

/// A context: a cluster, a user and a namespace.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Context {
    /// `cluster`: its name.
    pub cluster: Option<String>,
    /// `user`: its name; none means anonymous.
    pub user: Option<String>,
    /// `namespace`.
    pub namespace: Option<String>,
    /// The other keys.
    pub remaining: Remaining,
}

/// A user: how to authenticate, and whom to impersonate.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct User {
    /// `client-certificate`: the path of a PEM file.
    pub client_certificate: Option<String>,
    /// `client-certificate-data`: PEM in base64; wins over the path.
    pub client_certificate_data: Option<String>,
    /// `client-key`: the path of a PEM file.
    pub client_key: Option<String>,
    /// `client-key-data`: PEM in base64; wins over the path.
    pub client_key_data: Option<SecretString>,
    /// `token`.
    pub token: Option<SecretString>,
    /// `tokenFile`: the path; wins over the token.
    pub token_file: Option<String>,
    /// `username`.
    pub username: Option<String>,
    /// `password`.
    pub password: Option<SecretString>,
    /// `as`: the user to impersonate.
    pub impersonate: Option<String>,
    /// `as-uid`.
    pub impersonate_uid: Option<String>,
    /// `as-groups`.
    pub impersonate_groups: Vec<String>,
    /// `as-user-extra`: attributes with their values, in the order of the file's keys as sorted.
    pub impersonate_extra: Vec<(String, Vec<String>)>,
    /// `exec`: a credential plugin's settings.
    pub exec: Option<Opaque>,
    /// `auth-provider`: an authentication provider's settings.
    pub auth_provider: Option<Opaque>,
    /// The other keys.
    pub remaining: Remaining,
}

/// A mapping that may hold secrets and is kept as it is. `Debug` shows nothing of it.
#[derive(Clone, PartialEq)]
pub struct Opaque(Value);

impl Opaque {
    /// Wraps a value.
    pub fn new(value: Value) -> Self {
        Self(value)
    }

    /// The value. Neither log it nor put it into an error.
    pub fn expose(&self) -> &Value {
        &self.0
    }
}

impl fmt::Debug for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

/// Keys that are kept for writing back. `Debug` shows the keys without their values.
#[derive(Clone, Default, PartialEq)]
pub struct Remaining(Map<String, Value>);

impl Remaining {
    /// The keys and values. Neither log the values nor put them into an error.
    pub fn expose(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The same, to change.
    pub fn expose_mut(&mut self) -> &mut Map<String, Value> {
        &mut self.0
    }
}

impl fmt::Debug for Remaining {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Kubeconfig {
    /// Reads one file.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`], and those of [`Kubeconfig::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|source| unreadable("kubeconfig", path, source))?;
        Self::parse(&bytes, Origin::File(absolute(path)))
    }

    /// Reads several files and merges them, the first taking precedence. Missing files are skipped, repeated ones read
    /// once.
    ///
    /// # Errors
    /// The first file's that exists but cannot be used.
    pub fn read_merged<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Self, ConfigError> {
        let mut merged = Self::default();
        let mut seen: Vec<PathBuf> = Vec::new();
        for path in paths {
            let path = path.as_ref().to_owned();
            if path.as_os_str().is_empty() || seen.contains(&path) {
                continue;
            }
            match Self::read(&path) {
                Err(ConfigError::Unreadable {
                    reason: io::ErrorKind::NotFound,
                    ..
                }) => {}
                file => merged.merge(file?),
            }
            seen.push(path);
        }
        Ok(merged)
    }

    /// Reads a text: YAML or JSON, in UTF-8 (with or without a byte order mark) or UTF-16 with one. Several documents
    /// are merged, the first taking precedence.
    ///
    /// # Errors
    /// [`ConfigError::InvalidYaml`] or [`ConfigError::InvalidField`].
    pub fn parse(bytes: &[u8], origin: Origin) -> Result<Self, ConfigError> {
        let text = decode(bytes, &origin)?;
        let mut merged = Self {
            origins: vec![origin.clone()],
            ..Self::default()
        };
        for document in documents(&text, &origin)? {
            merged.merge(Self::from_value(document, &origin)?);
        }
        Ok(merged)
    }

    /// Adds what `later` has and this has not: whole entries by name, whole keys, no merging inside of one.
    pub fn merge(&mut self, later: Self) {
        fn add<T>(entries: &mut Vec<Named<T>>, later: Vec<Named<T>>) {
            for entry in later {
                if !entries.iter().any(|known| known.name == entry.name) {
                    entries.push(entry);
                }
            }
        }
        self.current_context = self.current_context.take().or(later.current_context);
        add(&mut self.clusters, later.clusters);
        add(&mut self.contexts, later.contexts);
        add(&mut self.users, later.users);
        for (key, value) in later.remaining.0 {
            self.remaining.0.entry(key).or_insert(value);
        }
        for origin in later.origins {
            if !self.origins.contains(&origin) {
                self.origins.push(origin);
            }
        }
    }

    /// Whether there is nothing in it that could lead to a cluster.
    pub fn is_empty(&self) -> bool {
        self.current_context.is_none()
            && self.clusters.is_empty()
            && self.contexts.is_empty()
            && self.users.is_empty()
    }

    fn from_value(document: Value, origin: &Origin) -> Result<Self, ConfigError> {
        let mut fields = Fields::new(document, "", origin)?;
        Ok(Self {
            current_context: fields.string("current-context")?,
            clusters: named(&mut fields, "clusters", "cluster", origin, Cluster::read)?,
            contexts: named(&mut fields, "contexts", "context", origin, Context::read)?,
            users: named(&mut fields, "users", "user", origin, User::read)?,
            remaining: Remaining(fields.rest()),
            origins: vec![origin.clone()],
        })
    }

    /// The text of the file, with all secrets: keys in alphabetical order, unknown keys included, relative paths as
    /// they were read.
    ///
    /// # Errors
    /// [`ConfigError::InvalidYaml`] when a value cannot be written as YAML.
    pub fn to_yaml(&self) -> Result<String, ConfigError> {
        let mut map = self.remaining.0.clone();
        put(&mut map, "current-context", self.current_context.clone());
        map.insert(
            "clusters".into(),
            unnamed(&self.clusters, "cluster", Cluster::write),
        );
        map.insert(
            "contexts".into(),
            unnamed(&self.contexts, "context", Context::write),
        );
        map.insert("users".into(), unnamed(&self.users, "user", User::write));
        serde_saphyr::to_string(&Value::Object(map)).map_err(|_| ConfigError::InvalidYaml {
            origin: self.origins.first().cloned().unwrap_or(Origin::Memory),
            line: 0,
            column: 0,
            problem: "a value cannot be written as YAML".to_owned(),
        })
    }
}

impl Cluster {
    fn read(mut fields: Fields<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            server: fields.string("server")?.unwrap_or_default().into(),
            tls_server_name: fields.string("tls-server-name")?,
            insecure_skip_tls_verify: fields.boolean("insecure-skip-tls-verify")?,
            certificate_authority: fields.string("certificate-authority")?,
            certificate_authority_data: fields.string("certificate-authority-data")?,
            proxy_url: fields.string("proxy-url")?.map(UrlString::from),
            disable_compression: fields.boolean("disable-compression")?,
            remaining: Remaining(fields.rest()),
        })
    }

    fn write(&self) -> Map<String, Value> {
        let mut map = self.remaining.0.clone();
        map.insert("server".into(), self.server.expose().into());
        put(&mut map, "tls-server-name", self.tls_server_name.clone());
        put(
            &mut map,
            "insecure-skip-tls-verify",
            self.insecure_skip_tls_verify.then_some(true),
        );
        put(
            &mut map,
            "certificate-authority",
            self.certificate_authority.clone(),
        );
        put(
            &mut map,
            "certificate-authority-data",
            self.certificate_authority_data.clone(),
        );
        put(
            &mut map,
            "proxy-url",
            self.proxy_url.as_ref().map(UrlString::expose),
        );
        put(
            &mut map,
            "disable-compression",
            self.disable_compression.then_some(true),
        );
        map
    }
}

impl Context {
    fn read(mut fields: Fields<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            cluster: fields.string("cluster")?,
            user: fields.string("user")?,
            namespace: fields.string("namespace")?,
            remaining: Remaining(fields.rest()),
        })
    }

    fn write(&self) -> Map<String, Value> {
        let mut map = self.remaining.0.clone();
        put(&mut map, "cluster", self.cluster.clone());
        put(&mut map, "user", self.user.clone());
        put(&mut map, "namespace", self.namespace.clone());
        map
    }
}

impl User {
    fn read(mut fields: Fields<'_>) -> Result<Self, ConfigError> {
        let mut extra = fields.entries("as-user-extra")?;
        let impersonate_extra = extra
            .names()
            .into_iter()
            .map(|name| extra.strings(&name).map(|values| (name, values)))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            client_certificate: fields.string("client-certificate")?,
            client_certificate_data: fields.string("client-certificate-data")?,
            client_key: fields.string("client-key")?,
            client_key_data: fields.string("client-key-data")?.map(SecretString::from),
            token: fields.string("token")?.map(SecretString::from),
            token_file: fields.string("tokenFile")?,
            username: fields.string("username")?,
            password: fields.string("password")?.map(SecretString::from),
            impersonate: fields.string("as")?,
            impersonate_uid: fields.string("as-uid")?,
            impersonate_groups: fields.strings("as-groups")?,
            impersonate_extra,
            exec: fields.opaque("exec")?.map(Opaque),
            auth_provider: fields.opaque("auth-provider")?.map(Opaque),
            remaining: Remaining(fields.rest()),
        })
    }

    fn write(&self) -> Map<String, Value> {
        let secret = |value: &Option<SecretString>| value.as_ref().map(|value| value.expose().clone());
        let opaque = |value: &Option<Opaque>| value.as_ref().map(|value| value.0.clone());
        let extra: Map<String, Value> = self
            .impersonate_extra
            .iter()
            .map(|(name, values)| (name.clone(), values.clone().into()))
            .collect();
        let mut map = self.remaining.0.clone();
        put(&mut map, "client-certificate", self.client_certificate.clone());
        put(
            &mut map,
            "client-certificate-data",
            self.client_certificate_data.clone(),
        );
        put(&mut map, "client-key", self.client_key.clone());
        put(&mut map, "client-key-data", secret(&self.client_key_data));
        put(&mut map, "token", secret(&self.token));
        put(&mut map, "tokenFile", self.token_file.clone());
        put(&mut map, "username", self.username.clone());
        put(&mut map, "password", secret(&self.password));
        put(&mut map, "as", self.impersonate.clone());
        put(&mut map, "as-uid", self.impersonate_uid.clone());
        let groups = &self.impersonate_groups;
        put(
            &mut map,
            "as-groups",
            (!groups.is_empty()).then(|| groups.clone()),
        );
        put(&mut map, "as-user-extra", (!extra.is_empty()).then_some(extra));
        put(&mut map, "exec", opaque(&self.exec));
        put(&mut map, "auth-provider", opaque(&self.auth_provider));
        map
    }
}

fn put(map: &mut Map<String, Value>, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        map.insert(key.to_owned(), value.into());
    }
}

/// Reads a list of `{name, <inner>}`; a name used twice in one document is an error, as in client-go.
fn named<T>(
    fields: &mut Fields<'_>,
    list: &str,
    inner: &str,
    origin: &Origin,
    read: impl Fn(Fields<'_>) -> Result<T, ConfigError>,
) -> Result<Vec<Named<T>>, ConfigError> {
    let mut entries: Vec<Named<T>> = Vec::new();
    for (index, item) in fields.list(list)?.into_iter().enumerate() {
        let mut item = Fields::new(item, format!("{list}[{index}]"), origin)?;
        let name = item.string("name")?.unwrap_or_default();
        let path = format!("{list}[{name}].{inner}");
        let value = item.opaque(inner)?.unwrap_or(Value::Null);
        let value = read(Fields::new(value, path, origin)?)?;
        if entries.iter().any(|known| known.name == name) {
            let key = format!("{list}[{index}].name");
            return Err(invalid(
                origin,
                key,
                format!("the name {name:?} is used twice"),
                "rename or remove one",
            ));
        }
        entries.push(Named {
            name,
            value,
            origin: origin.clone(),
            remaining: Remaining(item.rest()),
        });
    }
    Ok(entries)
}

fn unnamed<T>(entries: &[Named<T>], inner: &str, write: impl Fn(&T) -> Map<String, Value>) -> Value {
    let items = entries.iter().map(|entry| {
        let mut map = entry.remaining.0.clone();
        map.insert("name".to_owned(), entry.name.clone().into());
        map.insert(inner.to_owned(), Value::Object(write(&entry.value)));
        Value::Object(map)
    });
    Value::Array(items.collect())
}

pub(super) fn unreadable(role: &'static str, path: &Path, source: io::Error) -> ConfigError {
    ConfigError::Unreadable {
        role,
        path: path.to_owned(),
        reason: source.kind(),
        source,
    }
}

/// `path` below the current directory when it is relative; left alone when there is no current directory.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The text of a file in UTF-8 or, with a byte order mark, UTF-16 (what PowerShell's `>` writes).
fn decode(bytes: &[u8], origin: &Origin) -> Result<String, ConfigError> {
    let not_text = |problem: &str| ConfigError::InvalidYaml {
        origin: origin.clone(),
        line: 0,
        column: 0,
        problem: problem.to_owned(),
    };
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let (pairs, odd) = bytes.as_chunks::<2>();
        let units = pairs.iter().map(|pair| unit(*pair));
        let text: Result<String, _> = char::decode_utf16(units).collect();
        text.ok()
            .filter(|_| odd.is_empty())
            .ok_or_else(|| not_text("it is not valid UTF-16"))
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] | rest => match std::str::from_utf8(rest) {
            Ok(text) => Ok(text.to_owned()),
            Err(error) => {
                let line = 1 + rest[..error.valid_up_to()]
                    .iter()
                    .filter(|byte| **byte == b'\n')
                    .count() as u64;
                Err(ConfigError::InvalidYaml {
                    origin: origin.clone(),
                    line,
                    column: 0,
                    problem: "it is not valid UTF-8".to_owned(),
                })
            }
        },
    }
}

/// The documents of a text, parsed. Parser messages are passed on only where they cannot contain the file's text.
fn documents(text: &str, origin: &Origin) -> Result<Vec<Value>, ConfigError> {
    if text.trim_start().starts_with('{')
        && let Ok(document) = serde_json::from_str(text)
    {
        return Ok(vec![document]);
    }
    serde_saphyr::from_multiple::<Value>(text).map_err(|error| {
        let (line, column) = error.location().map_or((0, 0), |at| (at.line(), at.column()));
        let problem = match error.without_snippet() {
            serde_saphyr::Error::ExternalMessage { msg, .. } => msg.clone(),
            serde_saphyr::Error::DuplicateMappingKey { key: Some(key), .. } => {
                format!("the key {key:?} appears twice")
            }
            _ => "the structure is broken; check indentation and quotes".to_owned(),
        };
        ConfigError::InvalidYaml {
            origin: origin.clone(),
            line,
            column,
            problem,
        }
    })
}
