//! The folder of one server: what lies where, what is written before it starts, and the command line that results.
//!
//! The module must not know processes or sockets.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::pki::{self, Authority};
use super::{Options, User};

/// Addresses of services; never routed, only handed out.
const SERVICE_RANGE: &str = "10.96.0.0/16";

/// Issuer and audience of service account tokens.
const TOKEN_ISSUER: &str = "https://kubernetes.default.svc";

/// Paths below the folder of one server.
#[derive(Debug)]
pub(super) struct StateDir {
    root: PathBuf,
}

impl StateDir {
    pub(super) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    pub(super) fn path(&self) -> &Path {
        &self.root
    }

    pub(super) fn log(&self) -> PathBuf {
        self.root.join("apiserver.log")
    }

    pub(super) fn audit_log(&self) -> PathBuf {
        self.root.join("audit.log")
    }

    pub(super) fn kubeconfig(&self) -> PathBuf {
        self.root.join("admin.kubeconfig")
    }

    pub(super) fn etcd(&self) -> PathBuf {
        self.root.join("etcd")
    }

    fn pki(&self, name: &str) -> PathBuf {
        self.root.join("pki").join(name)
    }

    fn tokens(&self) -> PathBuf {
        self.root.join("tokens.csv")
    }

    fn audit_policy(&self) -> PathBuf {
        self.root.join("audit-policy.yaml")
    }

    /// Writes all that the server reads when it starts, new keys included.
    pub(super) fn write(
        &self,
        authority: &Authority,
        users: &[User],
        tokens: &BTreeMap<String, String>,
        options: &Options,
    ) -> Result<()> {
        fs::create_dir_all(self.root.join("pki"))
            .with_context(|| format!("create {}", self.root.display()))?;
        let serving = authority.serving()?;
        write_private(&self.pki("ca.crt"), &authority.pem())?;
        write_private(&self.pki("server.crt"), &serving.certificate_pem)?;
        write_private(&self.pki("server.key"), &serving.key_pem)?;
        let signing = pki::signing_key()?;
        write_private(&self.pki("service-account.key"), &signing.private_pem)?;
        write_private(&self.pki("service-account.pub"), &signing.public_pem)?;
        write_private(&self.tokens(), &token_file(users, tokens))?;
        if let Some(policy) = &options.audit_policy {
            write_private(&self.audit_policy(), policy)?;
        }
        Ok(())
    }

    /// Arguments of the server program: its own, then those of kube-apiserver.
    ///
    /// `ephemeral` has the program remove the folder when the process that started it is gone.
    pub(super) fn arguments(&self, port: u16, ephemeral: bool, options: &Options) -> Vec<OsString> {
        let mut arguments = vec![flag("--etcd-data-dir", self.etcd()), "--watch-stdin".into()];
        if ephemeral {
            arguments.push(flag("--ephemeral", &self.root));
        }
        arguments.push("--".into());
        arguments.extend([
            flag("--bind-address", "127.0.0.1"),
            flag("--advertise-address", "127.0.0.1"),
            flag("--secure-port", port.to_string()),
            flag("--cert-dir", self.root.join("pki")),
            flag("--tls-cert-file", self.pki("server.crt")),
            flag("--tls-private-key-file", self.pki("server.key")),
            flag("--client-ca-file", self.pki("ca.crt")),
            flag("--token-auth-file", self.tokens()),
            flag("--service-account-key-file", self.pki("service-account.pub")),
            flag(
                "--service-account-signing-key-file",
                self.pki("service-account.key"),
            ),
            flag("--service-account-issuer", TOKEN_ISSUER),
            flag("--service-cluster-ip-range", SERVICE_RANGE),
            flag("--authorization-mode", "RBAC"),
            flag("--allow-privileged", "true"),
            // Without a controller manager no namespace gets its default service account.
            flag("--disable-admission-plugins", "ServiceAccount"),
            flag("--runtime-config", "api/all=true"),
            // A loopback address is no valid endpoint, and nobody looks for this server in the cluster.
            flag("--endpoint-reconciler-type", "none"),
            flag("--shutdown-delay-duration", "0s"),
        ]);
        if !options.feature_gates.is_empty() {
            arguments.push(flag("--feature-gates", gates(&options.feature_gates)));
        }
        if options.audit_policy.is_some() {
            arguments.push(flag("--audit-policy-file", self.audit_policy()));
            arguments.push(flag("--audit-log-path", self.audit_log()));
            // The default batches and drops under load; a test counts on every event.
            arguments.push(flag("--audit-log-mode", "blocking"));
        }
        arguments.extend(options.extra_args.iter().map(OsString::from));
        arguments
    }
}

/// `name=value` as one argument; paths need not be UTF-8.
fn flag(name: &str, value: impl Into<OsString>) -> OsString {
    let mut argument = OsString::from(name);
    argument.push("=");
    argument.push(value.into());
    argument
}

fn gates(gates: &BTreeMap<String, bool>) -> String {
    gates
        .iter()
        .map(|(name, on)| format!("{name}={on}"))
        .collect::<Vec<_>>()
        .join(",")
}

/// Writes a file that only its owner may read: most of them hold keys.
pub(super) fn write_private(path: &Path, content: &str) -> Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(path)
        .and_then(|mut file| file.write_all(content.as_bytes()))
        .with_context(|| format!("write {}", path.display()))
}

/// The static token file, CSV: token, user, uid and groups; the uid is the name. Users without a token are left out.
fn token_file(users: &[User], tokens: &BTreeMap<String, String>) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let line = |user: &User| {
        let (name, groups) = (quoted(&user.name), quoted(&user.groups.join(",")));
        Some(format!("{},{name},{name},{groups}\n", tokens.get(&user.name)?))
    };
    users.iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_lines_survive_what_names_may_hold() {
        let cases: [(&str, &[&str], &str); 4] = [
            ("alice", &[], "t,\"alice\",\"alice\",\"\"\n"),
            ("alice", &["a", "b"], "t,\"alice\",\"alice\",\"a,b\"\n"),
            (
                "system:serviceaccount:a:b",
                &[],
                "t,\"system:serviceaccount:a:b\",\"system:serviceaccount:a:b\",\"\"\n",
            ),
            (
                "quo\"te, comma",
                &[],
                "t,\"quo\"\"te, comma\",\"quo\"\"te, comma\",\"\"\n",
            ),
        ];
        for (user, groups, expected) in cases {
            let tokens = BTreeMap::from([(user.to_owned(), "t".to_owned())]);
            assert_eq!(token_file(&[User::new(user, groups)], &tokens), expected);
        }
    }

    #[test]
    fn options_become_flags() {
        let state = StateDir::new(PathBuf::from("/state dir"));
        let options = Options {
            feature_gates: [("B".to_owned(), false), ("A".to_owned(), true)].into(),
            audit_policy: Some(String::new()),
            extra_args: vec!["--v=4".to_owned()],
            ..Options::default()
        };
        let arguments = state.arguments(7, true, &options);
        for expected in [
            "--ephemeral=/state dir",
            "--secure-port=7",
            "--feature-gates=A=true,B=false",
            "--audit-log-path=/state dir/audit.log",
            "--v=4",
        ] {
            assert!(
                arguments.iter().any(|argument| argument == expected),
                "{expected} in {arguments:?}"
            );
        }
        let plain = state.arguments(7, false, &Options::default());
        for absent in ["--ephemeral", "--feature-gates", "--audit"] {
            assert!(
                !plain
                    .iter()
                    .any(|argument| argument.to_string_lossy().starts_with(absent)),
                "{absent}"
            );
        }
    }
}
