//! Tests of reading `.proto` files.

use std::error::Error as _;
use std::fs;
use std::path::Path;

use super::{ProtoError, ProtoField, ProtoKind, ProtoLabel, ProtoRoot, ProtoTable};

/// Writes files below a folder and reads them as one root.
fn read(dir: &Path, prefix: &str, files: &[(&str, &str)]) -> Result<ProtoTable, ProtoError> {
    for (name, text) in files {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    ProtoTable::read(&[ProtoRoot {
        prefix: prefix.to_owned(),
        dir: dir.to_owned(),
    }])
}

const META: &str =
    "syntax = \"proto2\"; package e.meta;\n// A secret comment\nmessage Time { optional int64 s = 1; }";
const CORE: &str = r#"
syntax = "proto2";
package e.core;
import "e.io/api/meta/generated.proto";
import "google/protobuf/any.proto";
message Pod {
  optional .e.meta.Time created = 3;
  required string name = 1;
  repeated int32 ports = 4;
  repeated int32 packed = 5 [packed = true];
  map<string, Inner> inner = 6;
  map<string, bytes> raw = 7;
  optional double ratio = 8;
  optional Phase phase = 9;
  optional google.protobuf.Any any = 10;
  message Inner {}
  enum Phase { NONE = 0; }
}
"#;

#[test]
fn messages_of_a_folder_are_read_with_their_imports() {
    let dir = tempfile::tempdir().unwrap();
    let files = [
        ("core/generated.proto", CORE),
        ("meta/generated.proto", META),
        ("README.md", "not read"),
    ];
    let table = read(dir.path(), "e.io/api", &files).unwrap();
    let packages: Vec<_> = table
        .files
        .iter()
        .map(|(file, package)| (file.as_str(), package.as_str()))
        .collect();
    assert_eq!(
        packages,
        [
            ("e.io/api/core/generated.proto", "e.core"),
            ("e.io/api/meta/generated.proto", "e.meta")
        ]
    );
    let names: Vec<&str> = table.messages.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "e.core.Pod",
            "e.core.Pod.Inner",
            "e.meta.Time",
            "google.protobuf.Any"
        ]
    );

    let string = || ProtoKind::Scalar("string");
    let message = |name: &str| ProtoKind::Message(name.to_owned());
    let expected = [
        (1, "name", ProtoLabel::Required, string()),
        (3, "created", ProtoLabel::Optional, message("e.meta.Time")),
        (
            4,
            "ports",
            ProtoLabel::Repeated { packed: false },
            ProtoKind::Scalar("int32"),
        ),
        (
            5,
            "packed",
            ProtoLabel::Repeated { packed: true },
            ProtoKind::Scalar("int32"),
        ),
        (6, "inner", ProtoLabel::Map(string()), message("e.core.Pod.Inner")),
        (7, "raw", ProtoLabel::Map(string()), ProtoKind::Scalar("bytes")),
        (8, "ratio", ProtoLabel::Optional, ProtoKind::Scalar("double")),
        (
            9,
            "phase",
            ProtoLabel::Optional,
            ProtoKind::Enum("e.core.Pod.Phase".to_owned()),
        ),
        (10, "any", ProtoLabel::Optional, message("google.protobuf.Any")),
    ];
    let expected = expected.map(|(number, name, label, kind)| {
        (
            number,
            ProtoField {
                name: name.into(),
                label,
                kind,
            },
        )
    });
    assert_eq!(table.messages["e.core.Pod"], expected.into_iter().collect());
}

#[test]
fn files_that_do_not_compile_are_named() {
    let cases = [
        ("import of nothing", "syntax = \"proto2\"; import \"gone.proto\";"),
        ("not protobuf", "%PDF-1.7"),
        ("empty message name", "syntax = \"proto2\"; message { }"),
        (
            "number used twice",
            "syntax = \"proto2\"; message M { optional int32 a = 1; optional int32 b = 1; }",
        ),
        (
            "unknown type",
            "syntax = \"proto2\"; message M { optional Gone a = 1; }",
        ),
        ("imports itself", "syntax = \"proto2\"; import \"bad.proto\";"),
    ];
    for (why, text) in cases {
        let dir = tempfile::tempdir().unwrap();
        let error = read(dir.path(), "", &[("bad.proto", text)]).expect_err(why);
        assert!(error.to_string().contains("bad.proto"), "{why}: {error}");
        assert!(error.source().is_some(), "{why}");
    }
}

#[test]
fn roots_that_cannot_be_told_apart_or_listed_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.proto"), META).unwrap();
    let root = ProtoRoot {
        prefix: String::new(),
        dir: dir.path().to_owned(),
    };
    let twice = ProtoTable::read(&[root.clone(), root.clone()]);
    assert!(matches!(twice, Err(ProtoError::Ambiguous(name)) if name == "a.proto"));
    let gone = ProtoRoot {
        dir: dir.path().join("gone"),
        ..root
    };
    assert!(matches!(
        ProtoTable::read(&[gone]),
        Err(ProtoError::Folder { .. })
    ));
    assert_eq!(ProtoTable::read(&[]).unwrap(), ProtoTable::default());
}
