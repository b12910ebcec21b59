//! The crates on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use kubeloom_codegen::ir::Api;
use kubeloom_codegen::{Generated, output};
use serde_json::{Value, json};

use super::objects::Case;

/// A folder with a crate per shard.
pub struct Workspace {
    folder: PathBuf,
    members: Vec<String>,
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

impl Workspace {
    /// An empty workspace in a folder; crates of an earlier run go.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn new(folder: PathBuf) -> Result<Self> {
        if folder.join("crates").is_dir() {
            fs::remove_dir_all(folder.join("crates"))?;
        }
        fs::create_dir_all(folder.join("crates"))?;
        fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
        Ok(Self {
            folder,
            members: Vec::new(),
        })
    }

    /// Adds a crate with its program and its cases.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn add(&mut self, name: &str, generated: &Generated, api: &Api, cases: &[Case]) -> Result<()> {
        let folder = self.folder.join("crates").join(name);
        output::write(&folder, &generated.files)?;
        let manifest = fs::read_to_string(folder.join("Cargo.toml"))?;
        let lints =
            "\n[lints.rust]\nwarnings = \"deny\"\nmissing_docs = \"deny\"\nunsafe_code = \"forbid\"\n";
        let manifest = manifest.replace("\n[dependencies]\n", "\n[dependencies]\nserde_json = \"1\"\n");
        fs::write(folder.join("Cargo.toml"), manifest + lints)?;
        fs::write(folder.join("src/main.rs"), program(name, api))?;
        let lines: Vec<_> = cases.iter().map(|case| format!("{}\n", case.json())).collect();
        fs::write(folder.join("cases.jsonl"), lines.concat())?;
        self.members.push(name.to_owned());
        Ok(())
    }

    fn cargo(&self, words: &[&str]) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(&self.folder).args(words);
        command
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .env("CARGO_INCREMENTAL", "0");
        command
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_BUILD_TARGET");
        command
    }

    /// Compiles all crates and their programs, warnings being errors. The programs of those that compile, by crate.
    ///
    /// # Errors
    /// That cargo cannot be run.
    pub fn compile(&self) -> Result<BTreeMap<String, PathBuf>> {
        let members: Vec<_> = self.members.iter().map(|name| format!("crates/{name}")).collect();
        let manifest = format!("[workspace]\nresolver = \"3\"\nmembers = {}\n", json!(members));
        fs::write(self.folder.join("Cargo.toml"), manifest)?;
        let words = [
            "build",
            "--workspace",
            "--all-features",
            "--keep-going",
            "--message-format",
            "json-render-diagnostics",
        ];
        let output = self.cargo(&words).stderr(std::process::Stdio::inherit()).output();
        let output = output.context("cargo does not start")?;
        let messages = String::from_utf8_lossy(&output.stdout);
        let messages = messages
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut programs = BTreeMap::new();
        for message in messages {
            if let (Some(program), Some(name)) =
                (message["executable"].as_str(), message["target"]["name"].as_str())
            {
                programs.insert(name.to_owned(), PathBuf::from(program));
            }
        }
        Ok(programs)
    }

    /// Documents all crates, warnings being errors.
    ///
    /// # Errors
    /// Any warning of rustdoc.
    pub fn document(&self) -> Result<()> {
        let mut command = self.cargo(&["doc", "--workspace", "--lib", "--all-features", "--no-deps"]);
        let status = command
            .env("RUSTDOCFLAGS", "-D warnings")
            .status()
            .context("cargo does not start")?;
        ensure!(status.success(), "the documentation of the crates has warnings");
        Ok(())
    }

    /// Runs the program of a crate. What failed, by `apiVersion kind`.
    ///
    /// # Errors
    /// A program that ends otherwise than it should.
    pub fn run(&self, name: &str, program: &Path) -> Result<Outcome> {
        let cases = self.folder.join("crates").join(name).join("cases.jsonl");
        let output = Command::new(program).arg(cases).output()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{name}: {errors}");
        let mut outcome = Outcome::default();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let (verdict, rest) = line.split_once(' ').unwrap_or((line, ""));
            let words: Vec<&str> = rest.splitn(3, ' ').collect();
            let key = words[..words.len().min(2)].join(" ");
            match verdict {
                "ok" => _ = outcome.passed.insert(key),
                _ => outcome.failed.entry(key).or_default().push(rest.to_owned()),
            }
        }
        Ok(outcome)
    }
}

/// What came of the cases of a crate, by `apiVersion kind`.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Kinds of which a case came through.
    pub passed: BTreeSet<String>,
    /// Cases that did not.
    pub failed: BTreeMap<String, Vec<String>>,
}

/// The program: all root types of the crate.
fn program(name: &str, api: &Api) -> String {
    let library = name.replace('-', "_");
    let mut lines = String::new();
    for module in &api.modules {
        for ty in module
            .files
            .iter()
            .flat_map(|file| &file.types)
            .filter(|ty| ty.root.is_some())
        {
            lines.push_str(&format!(
                "    kinds.add::<{library}::{}::{}>();\n",
                module.name, ty.name
            ));
        }
    }
    let runner = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/definitions/runner.rs");
    format!(
        "//! Sends objects through the types.\n\n#[path = {runner:?}]\nmod runner;\n\n\
         fn main() -> Result<(), Box<dyn std::error::Error>> {{\n    let mut kinds = runner::Kinds::default();\n{lines}    kinds.run()\n}}\n"
    )
}
