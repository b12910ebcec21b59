//! The command line as people and scripts meet it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use support::path;

fn kubeloom(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kubeloom"))
        .args(arguments)
        .output()
        .unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn demo() -> String {
    path("tests/fixtures/demo").display().to_string()
}

/// The path of a folder below a temporary one.
fn below(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

#[test]
fn generate_says_what_it_wrote_and_check_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    let target = below(&folder, "my-demo");
    let generate = ["generate", &demo(), "--out", &target];
    let check = ["generate", &demo(), "--out", &target, "--check"];

    let missing = kubeloom(&check);
    assert_eq!(missing.status.code(), Some(1));
    assert!(
        out(&missing).contains("missing src/lib.rs\n"),
        "{}",
        out(&missing)
    );
    assert!(!Path::new(&target).exists());

    let first = kubeloom(&generate);
    assert_eq!(first.status.code(), Some(0), "{}", err(&first));
    assert!(
        out(&first).contains("1 group-versions, 2 resources,"),
        "{}",
        out(&first)
    );
    assert!(
        out(&first).contains("8 files written, 0 removed, 0 unchanged"),
        "{}",
        out(&first)
    );
    assert!(
        out(&first).contains("features = [\"demo_v1\"]") && out(&first).contains("use my_demo::Clientset;")
    );
    assert!(err(&first).contains("warning[KL009]"), "{}", err(&first));
    assert_eq!(kubeloom(&check).status.code(), Some(0));

    // Nothing changes, nothing is touched.
    let before = fs::metadata(Path::new(&target).join("src/lib.rs"))
        .unwrap()
        .modified()
        .unwrap();
    assert!(out(&kubeloom(&generate)).contains("0 files written, 0 removed, 8 unchanged"));
    assert_eq!(
        fs::metadata(Path::new(&target).join("src/lib.rs"))
            .unwrap()
            .modified()
            .unwrap(),
        before
    );

    // A stale file, a missing one, an orphan, and a file that is none of ours.
    let at = |name: &str| Path::new(&target).join(name);
    fs::write(at("src/lib.rs"), "mod mine;").unwrap();
    fs::remove_file(at("src/demo_v1/free.rs")).unwrap();
    fs::create_dir(at("src/old_v1")).unwrap();
    fs::write(at("src/old_v1/mod.rs"), "").unwrap();
    fs::write(at("src/mine.rs"), "").unwrap();
    let lock = fs::read_to_string(at("kubeloom.lock.json")).unwrap();
    fs::write(
        at("kubeloom.lock.json"),
        lock.replace("\"src/lib.rs\"", "\"src/lib.rs\", \"src/old_v1/mod.rs\""),
    )
    .unwrap();
    let differs = kubeloom(&check);
    assert_eq!(differs.status.code(), Some(1));
    let text = out(&differs);
    for line in [
        "missing src/demo_v1/free.rs\n",
        "stale   src/lib.rs\n",
        "orphan  src/old_v1/mod.rs\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    assert!(!text.contains("mine.rs"), "{text}");
    assert!(
        text.contains(&format!("kubeloom generate {} --out {target}\n", demo())),
        "{text}"
    );
    assert!(out(&kubeloom(&generate)).contains("3 files written, 1 removed"));
    assert!(!at("src/old_v1").exists() && at("src/mine.rs").exists());
    assert_eq!(kubeloom(&check).status.code(), Some(0));
}

#[test]
fn options_that_are_not_given_are_those_of_the_run_before() {
    let folder = tempfile::tempdir().unwrap();
    let target = below(&folder, "demo");
    let options = [
        "--name",
        "other-name",
        "--groups",
        "demo.example.com/v1",
        "--runtime-path",
        "../x",
    ];
    let generate = ["generate", &demo(), "--out", &target];
    let check = [&generate[..], &["--check"]].concat();
    assert_eq!(
        kubeloom(&[&generate[..], &options].concat()).status.code(),
        Some(0)
    );
    let read = |name: &str| fs::read_to_string(Path::new(&target).join(name)).unwrap();
    let lock = read("kubeloom.lock.json");
    let manifest = read("Cargo.toml");
    assert!(
        manifest.contains("other-name") && manifest.contains("../x"),
        "{manifest}"
    );

    assert_eq!(kubeloom(&check).status.code(), Some(0));
    assert!(out(&kubeloom(&generate)).contains("0 files written, 0 removed"));
    assert_eq!(read("kubeloom.lock.json"), lock);

    // Documents that are not those of before are said.
    let source = below(&folder, "source");
    fs::create_dir(&source).unwrap();
    for name in ["discovery.json", "openapi.json"] {
        let text = fs::read_to_string(Path::new(&demo()).join(name)).unwrap();
        fs::write(
            Path::new(&source).join(name),
            text.replace("How many.", "How few."),
        )
        .unwrap();
    }
    let changed = kubeloom(&["generate", &source, "--out", &target, "--check"]);
    assert_eq!(changed.status.code(), Some(1));
    let text = out(&changed);
    assert!(
        text.contains("made from other documents: 1 changed, 0 new, 0 gone of 2 documents."),
        "{text}"
    );

    // One that is given stands for all.
    let named = kubeloom(&[&check[..], &["--name", "demo"]].concat());
    assert!(out(&named).contains("stale   Cargo.toml\n"), "{}", out(&named));
    fs::write(Path::new(&target).join("kubeloom.lock.json"), "{\"options\": 3}").unwrap();
    assert!(out(&kubeloom(&check)).contains("stale   Cargo.toml\n"));
}

#[test]
fn exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    let target = below(&folder, "out");
    let broken = below(&folder, "broken.json");
    fs::write(&broken, "{").unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    let empty = below(&folder, "empty");
    let absent = below(&folder, "absent");
    for (arguments, code, text) in [
        (vec![], 2, "Usage"),
        (vec!["generate"], 2, "--out"),
        (vec!["generate", "--out"], 2, "--out"),
        (vec!["nonsense"], 2, "nonsense"),
        (
            vec!["generate", "--out", &target, "--workspace", "--runtime-path", "x"],
            2,
            "cannot be used with",
        ),
        (
            vec!["generate", "--out", &target, "--groups", "nope/v1"],
            1,
            "error[KL011]",
        ),
        (
            vec!["generate", "--out", &target, "--name", "not a name"],
            1,
            "error[KL012]",
        ),
        (vec!["generate", &broken, "--out", &target], 1, "error[KL002]"),
        (vec!["generate", &absent, "--out", &target], 1, "error[KL001]"),
        (
            vec!["generate", &empty, "--out", &target],
            1,
            "holds no .json and no .yaml file",
        ),
        (
            vec!["generate", &demo(), "--out", &broken, "--name", "x"],
            1,
            "error[KL001]",
        ),
        (vec!["snapshot", &broken, "--out", &target], 1, "error[KL002]"),
    ] {
        let output = kubeloom(&arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(err(&output).contains(text), "{arguments:?}: {}", err(&output));
        assert!(!Path::new(&target).exists(), "{arguments:?}");
    }
    assert_eq!(kubeloom(&["--help"]).status.code(), Some(0));
    assert_eq!(kubeloom(&["--version"]).status.code(), Some(0));
}

#[test]
fn a_reader_that_has_gone_is_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    let target = below(&folder, "demo");
    let mut child = Command::new(env!("CARGO_BIN_EXE_kubeloom"))
        .args(["generate", &demo(), "--out", &target])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(!err(&output).contains("panicked"), "{}", err(&output));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_snapshot_is_a_source_and_two_are_equal() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (below(&folder, "first"), below(&folder, "second"));
    let taken = kubeloom(&["snapshot", &demo(), "--out", &first]);
    assert_eq!(taken.status.code(), Some(0), "{}", err(&taken));
    assert!(out(&taken).contains("2 files"), "{}", out(&taken));
    // A snapshot of the snapshot, over an older one that had more.
    fs::create_dir_all(Path::new(&second).join("openapi/v3")).unwrap();
    fs::write(Path::new(&second).join("openapi/v3/old.json"), "{}").unwrap();
    fs::write(Path::new(&second).join("mine.json"), "{}").unwrap();
    assert_eq!(
        kubeloom(&["snapshot", &first, "--out", &second]).status.code(),
        Some(0)
    );
    assert!(!Path::new(&second).join("openapi/v3/old.json").exists());
    assert!(Path::new(&second).join("mine.json").exists());
    for file in ["openapi/v3/apis/demo.example.com/v1.json", "discovery/apis.json"] {
        let read = |root: &str| fs::read_to_string(Path::new(root).join(file)).unwrap();
        assert_eq!(read(&first), read(&second));
        assert!(!read(&first).contains("/watch/"));
    }
    let described =
        fs::read_to_string(Path::new(&first).join("openapi/v3/apis/demo.example.com/v1.json")).unwrap();
    assert!(described.contains("How many."));

    let bare = below(&folder, "bare");
    assert_eq!(
        kubeloom(&["snapshot", &demo(), "--out", &bare, "--no-descriptions"])
            .status
            .code(),
        Some(0)
    );
    let text = fs::read_to_string(Path::new(&bare).join("openapi/v3/apis/demo.example.com/v1.json")).unwrap();
    // OpenAPI demands that of a response.
    let described = text.matches("\"description\":").count();
    assert_eq!(text.matches("\"description\":\"\"").count(), described);
    assert!(!text.contains("How many.") && described > 0);

    // The crate from the snapshot is the crate from the raw documents.
    let crates = [below(&folder, "a/demo"), below(&folder, "b/demo")];
    for (source, target) in [(demo(), &crates[0]), (first, &crates[1])] {
        assert_eq!(
            kubeloom(&["generate", &source, "--out", target]).status.code(),
            Some(0)
        );
    }
    for file in ["src/lib.rs", "src/demo_v1/cluster.rs", "Cargo.toml"] {
        let read = |root: &String| fs::read_to_string(Path::new(root).join(file)).unwrap();
        assert_eq!(read(&crates[0]), read(&crates[1]));
    }
}
