//! The running server: its life, its address, and the proofs of who calls it.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use super::https::{Call, Caller, Reply};
use super::pki::{self, Authority};
use super::process::{self, Process, Started};
use super::state::{self, StateDir};
use super::{ADMIN, Certificate, Credential, MASTERS, Options, User, binary, kubeconfig};

/// Starts that lose their port to another process before one gives up.
const PORT_ATTEMPTS: usize = 5;

/// A kube-apiserver of this process's own.
///
/// Dropping it kills the server and removes its folder unless [`Options::data_dir`] was given. Should this process end
/// without dropping it, the server notices, ends, and removes the folder itself.
pub struct ApiServer {
    // Dropped in this order: the process ends before its folder goes.
    process: Option<Process>,
    state: StateDir,
    temporary: Option<TempDir>,
    options: Options,
    program: PathBuf,
    port: u16,
    authority: Authority,
    admin: Certificate,
    tokens: BTreeMap<String, String>,
    caller: Caller,
}

impl ApiServer {
    /// Builds the program where that is needed, starts a server and waits until it is ready (about 5 s).
    ///
    /// # Errors
    /// When the program cannot be built, the server ends or is not ready within two minutes (with the end of its
    /// log), or the port of [`Options::port`] is taken.
    pub fn start(options: Options) -> Result<Self> {
        let program = binary::program()?.build()?;
        let temporary = match options.data_dir {
            None => Some(
                tempfile::Builder::new()
                    .prefix("kubeloom-apiserver-")
                    .tempdir()
                    .context("make a folder")?,
            ),
            Some(_) => None,
        };
        let root = match (&options.data_dir, &temporary) {
            (Some(dir), _) => std::path::absolute(dir).context("the data folder")?,
            (None, Some(dir)) => dir.path().to_owned(),
            (None, None) => bail!("no folder"),
        };
        let state = StateDir::new(root);
        let authority = Authority::new()?;
        let users = all_users(&options.users);
        let tokens = tokens(&users)?;
        state.write(&authority, &users, &tokens, &options)?;
        let admin = authority.client(ADMIN, &[MASTERS])?;
        let caller = Caller::new(&authority.pem())?;
        let mut server = Self {
            process: None,
            state,
            temporary,
            options,
            program,
            port: 0,
            authority,
            admin,
            tokens,
            caller,
        };
        server.start_on_some_port()?;
        state::write_private(&server.state.kubeconfig(), &server.kubeconfig())?;
        Ok(server)
    }

    fn start_on_some_port(&mut self) -> Result<()> {
        if let Some(port) = self.options.port {
            self.port = port;
            return self.resume();
        }
        for _ in 0..PORT_ATTEMPTS {
            self.port = free_port()?;
            if let Started::Ready(process) = self.try_start()? {
                self.process = Some(process);
                return Ok(());
            }
        }
        bail!("{PORT_ATTEMPTS} free ports in turn were taken before kube-apiserver could bind them")
    }

    fn try_start(&self) -> Result<Started> {
        let arguments = self
            .state
            .arguments(self.port, self.temporary.is_some(), &self.options);
        Process::start(&self.program, &arguments, &self.state.log(), || {
            self.caller.is_ready(self.port, self.admin_credential())
        })
    }

    /// Starts a stopped or killed server again: same data, port, certificates and tokens.
    ///
    /// # Errors
    /// As [`start`](Self::start); also when the server runs already or its port has been taken meanwhile.
    pub fn resume(&mut self) -> Result<()> {
        ensure!(self.process.is_none(), "the server runs already");
        match self.try_start()? {
            Started::Ready(process) => self.process = Some(process),
            Started::PortTaken => bail!("the port {} is taken", self.port),
        }
        Ok(())
    }

    /// Stops the server in an orderly way and keeps what [`resume`](Self::resume) needs. No-op when it is stopped.
    ///
    /// # Errors
    /// When the server had to be killed after all.
    pub fn stop(&mut self) -> Result<()> {
        self.process.take().map_or(Ok(()), Process::stop)
    }

    /// Kills the server (`SIGKILL`), as a crash would; [`resume`](Self::resume) brings it back. No-op when it is
    /// stopped.
    pub fn kill(&mut self) {
        self.process = None;
    }

    /// Copies what a stopped server keeps, for [`restore`](Self::restore).
    ///
    /// # Errors
    /// A server that runs, and those of the file system.
    pub fn back_up(&self) -> Result<Backup> {
        ensure!(self.process.is_none(), "the server runs");
        let copy = tempfile::tempdir().context("make a folder")?;
        copy_folder(&self.state.etcd(), copy.path()).context("copy the server's data")?;
        Ok(Backup(copy))
    }

    /// Puts a copy in the place of what a stopped server keeps: once it is started again it is as old as the copy.
    ///
    /// # Errors
    /// As [`back_up`](Self::back_up).
    pub fn restore(&mut self, backup: &Backup) -> Result<()> {
        ensure!(self.process.is_none(), "the server runs");
        let data = self.state.etcd();
        fs::remove_dir_all(&data).context("remove the server's data")?;
        copy_folder(backup.0.path(), &data).context("restore the server's data")
    }

    /// Whether the process is there. A server that was ready may have ended since, by itself.
    ///
    /// # Errors
    /// When the operating system does not say.
    pub fn is_running(&mut self) -> Result<bool> {
        match &mut self.process {
            None => Ok(false),
            Some(process) => Ok(process.exited()?.is_none()),
        }
    }

    /// The process's id while it is started, for signals (pause, resume).
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.process.as_ref().map(Process::id)
    }

    /// `https://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("https://127.0.0.1:{}", self.port)
    }

    /// The port on the loopback interface.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The certificate authority that signed the serving certificate, PEM.
    #[must_use]
    pub fn ca_pem(&self) -> String {
        self.authority.pem()
    }

    /// A kubeconfig document of the administrator, who proves itself by a client certificate.
    #[must_use]
    pub fn kubeconfig(&self) -> String {
        self.kubeconfig_for(Credential::Certificate(&self.admin))
    }

    /// A file with [`kubeconfig`](Self::kubeconfig); it goes with the server's folder.
    #[must_use]
    pub fn kubeconfig_path(&self) -> PathBuf {
        self.state.kubeconfig()
    }

    /// A kubeconfig document of whoever holds `credential`.
    #[must_use]
    pub fn kubeconfig_for(&self, credential: Credential<'_>) -> String {
        kubeconfig::render(&self.url(), &self.ca_pem(), credential)
    }

    /// The administrator's bearer token.
    #[must_use]
    pub fn admin_token(&self) -> &str {
        self.token(ADMIN).unwrap_or_default()
    }

    /// The bearer token of [`ADMIN`] or one of [`Options::users`].
    #[must_use]
    pub fn token(&self, user: &str) -> Option<&str> {
        self.tokens.get(user).map(String::as_str)
    }

    /// The administrator's client certificate.
    #[must_use]
    pub fn admin_certificate(&self) -> &Certificate {
        &self.admin
    }

    /// A new client certificate for `user` in `groups`, at most [`MAX_CERTIFICATE_GROUPS`](super::MAX_CERTIFICATE_GROUPS) of them.
    ///
    /// # Errors
    /// With more groups.
    pub fn client_certificate(&self, user: &str, groups: &[&str]) -> Result<Certificate> {
        self.authority.client(user, groups)
    }

    /// The audit log: one `audit.k8s.io/v1` `Event` per line; there with [`Options::audit_policy`] only.
    #[must_use]
    pub fn audit_log(&self) -> PathBuf {
        self.state.audit_log()
    }

    /// What the server has written to standard output and error, over all its starts.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.state.log()
    }

    /// The last lines of [`log`](Self::log), for messages; empty when it cannot be read.
    #[must_use]
    pub fn log_tail(&self) -> String {
        process::tail(&String::from_utf8_lossy(
            &fs::read(self.log()).unwrap_or_default(),
        ))
    }

    /// The folder of the server's data.
    #[must_use]
    pub fn state_dir(&self) -> &Path {
        self.state.path()
    }

    /// Creates a namespace whose name begins with `prefix` and is new to the server, and returns the name.
    ///
    /// # Errors
    /// When the server does not answer or refuses (a prefix that is no DNS label).
    pub fn namespace(&self, prefix: &str) -> Result<String> {
        let body = serde_json::json!({
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": { "generateName": format!("{prefix}-") },
        });
        let reply = self.call(
            self.admin_credential(),
            "/api/v1/namespaces",
            Call::Post {
                json: &body.to_string(),
            },
        )?;
        ensure!(
            reply.status == 201,
            "create a namespace {prefix}-*: {} {}",
            reply.status,
            reply.text()
        );
        let created: serde_json::Value =
            serde_json::from_slice(&reply.body).context("the created namespace")?;
        let name = created
            .pointer("/metadata/name")
            .and_then(serde_json::Value::as_str);
        Ok(name.context("the created namespace has no name")?.to_owned())
    }

    /// One plain `GET` as the administrator: for documents that are wanted byte for byte.
    ///
    /// # Errors
    /// When the server cannot be reached or breaks off. A status of any kind is no error.
    pub fn get(&self, path: &str, accept: &str) -> Result<Reply> {
        self.call(self.admin_credential(), path, Call::Get { accept })
    }

    /// One plain call as whoever holds `credential`: for what is asked of the server and not of the client.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn call(&self, credential: Credential<'_>, path: &str, call: Call<'_>) -> Result<Reply> {
        self.caller.call(self.port, credential, path, call)
    }

    /// A certificate that clients take for the server's.
    pub(super) fn serving_certificate(&self) -> Result<Certificate> {
        self.authority.serving()
    }

    fn admin_credential(&self) -> Credential<'_> {
        Credential::Token(self.admin_token())
    }
}

/// What a server kept at some time. Goes with its folder when it is dropped.
#[derive(Debug)]
pub struct Backup(TempDir);

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

impl fmt::Debug for ApiServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiServer")
            .field("port", &self.port)
            .field("state", &self.state)
            .field("process", &self.process_id())
            .finish_non_exhaustive()
    }
}

/// The users of a server: the administrator and those of the options.
fn all_users(users: &[User]) -> Vec<User> {
    let mut all = vec![User::new(ADMIN, &[MASTERS])];
    all.extend_from_slice(users);
    all
}

/// A token for each user, by name.
fn tokens(users: &[User]) -> Result<BTreeMap<String, String>> {
    let mut tokens = BTreeMap::new();
    for user in users {
        let previous = tokens.insert(user.name.clone(), pki::random_token()?);
        ensure!(previous.is_none(), "the user {:?} is given twice", user.name);
    }
    Ok(tokens)
}

/// A port that was free a moment ago; the kernel hands out each in turn, so two processes seldom get the same.
fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("find a free port")?;
    Ok(listener.local_addr()?.port())
}
