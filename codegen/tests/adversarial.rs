//! Documents that are wrong in every way that was thought of, and in many that were not.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use kubeloom_codegen::diagnostic::Code;
use kubeloom_codegen::sources::{self, Descriptions, Documents, Snapshot};
use kubeloom_codegen::{Options, describe, generate};
use serde_json::{Value, json};
use support::{demo, documents};

const DISCOVERY: &str = r#"{"kind": "APIGroupDiscoveryList", "items": [{"metadata": {"name": "g"}, "versions": [
    {"version": "v1", "resources": [{"resource": "as", "responseKind": {"kind": "A"}, "verbs": ["get"]}]}]}]}"#;

/// OpenAPI v3 with the kind `A` and what else is given.
fn openapi(fields: &str, others: &str) -> String {
    format!(
        r##"{{"openapi": "3.0.0", "paths": {{"/apis/g/v1/as": {{}}}}, "components": {{"schemas": {{
        "x.g.v1.A": {{"type": "object", "x-kubernetes-group-version-kind": [{{"group": "g", "version": "v1", "kind": "A"}}],
        "properties": {{"apiVersion": {{"type": "string"}}, "kind": {{"type": "string"}} {fields}}}}} {others}}}}}}}"##
    )
}

/// The codes of a run, and the text of the kind `A` if there is any.
fn run(documents: &Documents) -> (Vec<&'static str>, String) {
    match generate(documents, &Options::new("demo")) {
        Ok(generated) => {
            let codes = generated
                .warnings
                .diagnostics()
                .iter()
                .map(|d| d.code.id())
                .collect();
            (
                codes,
                generated.files.get("src/g_v1/a.rs").cloned().unwrap_or_default(),
            )
        }
        Err(report) => {
            assert!(report.has_errors());
            assert!(!report.render(true).is_empty());
            (
                report.diagnostics().iter().map(|d| d.code.id()).collect(),
                String::new(),
            )
        }
    }
}

#[test]
fn wrong_documents() {
    let good = openapi("", "");
    let conflict = openapi(r#", "more": {"type": "string"}"#, "");
    for (name, texts, expected) in [
        ("nothing", vec![], &["KL005", "KL005"][..]),
        ("empty file", vec![("a.json", "")], &["KL002"]),
        ("white space", vec![("a.json", " \n\t ")], &["KL002"]),
        (
            "cut off",
            vec![("a.json", "{\"openapi\": \"3.0"), ("d.json", DISCOVERY)],
            &["KL002"],
        ),
        ("binary", vec![("a.json", "\0\0\0\u{1}")], &["KL002"]),
        ("yaml", vec![("a.json", "openapi: 3.0.0\n")], &["KL002"]),
        (
            "array",
            vec![("a.json", "[]"), ("b.json", &good), ("d.json", DISCOVERY)],
            &["KL003"],
        ),
        (
            "a pod",
            vec![
                ("a.json", r#"{"kind": "Pod", "apiVersion": "v1"}"#),
                ("b.json", &good),
                ("d.json", DISCOVERY),
            ],
            &["KL003"],
        ),
        (
            "a status",
            vec![("a.json", r#"{"kind": "Status", "code": 401}"#)],
            &["KL003"],
        ),
        (
            "openapi 2 as number",
            vec![("a.json", r#"{"swagger": 2}"#)],
            &["KL003"],
        ),
        ("no discovery", vec![("b.json", &good)], &["KL005"]),
        ("no openapi", vec![("d.json", DISCOVERY)], &["KL005"]),
        (
            "twice the same",
            vec![("b.json", &good), ("c.json", &good), ("d.json", DISCOVERY)],
            &[],
        ),
        (
            "two schemas of one name",
            vec![("b.json", &good), ("c.json", &conflict), ("d.json", DISCOVERY)],
            &["KL007"],
        ),
        (
            "schemas is a list",
            vec![
                ("a.json", r#"{"openapi": "3.0.0", "components": {"schemas": []}}"#),
                ("b.json", &good),
                ("d.json", DISCOVERY),
            ],
            &["KL004"],
        ),
        (
            "paths is null",
            vec![
                ("a.json", r#"{"openapi": "3.0.0", "paths": null}"#),
                ("b.json", &good),
                ("d.json", DISCOVERY),
            ],
            &["KL004"],
        ),
        (
            "version without minor",
            vec![
                ("v.json", r#"{"gitVersion": "", "major": ""}"#),
                ("b.json", &good),
                ("d.json", DISCOVERY),
            ],
            &["KL004"],
        ),
        (
            "resource without name",
            vec![
                ("b.json", &good),
                (
                    "d.json",
                    r#"{"kind": "APIResourceList", "groupVersion": "g/v1", "resources": [{}]}"#,
                ),
            ],
            &["KL004"],
        ),
        (
            "with a byte order mark",
            vec![("b.json", &format!("\u{feff}{good}")), ("d.json", DISCOVERY)],
            &[],
        ),
    ] {
        let (codes, _) = run(&documents(&texts));
        assert_eq!(codes, expected, "{name}");
    }
}

#[test]
fn wrong_schemas() {
    for (fields, others, codes, text) in [
        (
            r##", "b": {"$ref": "#/components/schemas/gone"}"##,
            "",
            &["KL006"][..],
            "",
        ),
        (
            r##", "b": {"$ref": "http://example.com/x.json"}"##,
            "",
            &["KL006"],
            "",
        ),
        (r##", "b": {"$ref": 3}"##, "", &["KL006"], ""),
        (r#", "b": 3"#, "", &["KL004"], ""),
        (r#", "b": null"#, "", &["KL004"], ""),
        (
            r#", "b": {"type": "object", "properties": []}, "c": {"type": "string"}"#,
            "",
            &["KL017"],
            "pub b: Option<RawJson>,\n    /// `c`\n    pub c: Option<Str>,",
        ),
        (
            r#", "b": {"type": "integer", "minLength": -1}"#,
            "",
            &["KL017"],
            "pub b: Option<RawJson>,",
        ),
        (
            r#", "b": {"type": "string", "nullable": "yes"}"#,
            "",
            &["KL017"],
            "pub b: Option<RawJson>,",
        ),
        (
            r#", "b": {"type": "integer", "format": "int32", "maximum": 1e300, "multipleOf": 18446744073709551615}"#,
            "",
            &[],
            "pub b: Option<i32>,",
        ),
        (
            r#", "b": {"type": "array", "items": [{"type": "string"}]}"#,
            "",
            &["KL017"],
            "pub b: Option<RawJson>,",
        ),
        (
            r#", "b": {"type": "object", "properties": {"c": {"type": "string"}}, "oneOf": [{"required": ["c"]}]}"#,
            "",
            &[],
            "pub b: Option<Box<AB>>,",
        ),
        (
            r#", "b": {"type": "BoolString"}"#,
            "",
            &["KL013"],
            "pub b: Option<RawJson>,",
        ),
        (r#", "b": true"#, "", &[], "pub b: Option<RawJson>,"),
        (r#", "b": {}"#, "", &[], "pub b: Option<RawJson>,"),
        (
            r#", "b": {"type": ["string", "null"]}"#,
            "",
            &[],
            "pub b: Option<Str>,",
        ),
        (
            r#", "b": {"type": ["string", "integer"]}"#,
            "",
            &[],
            "pub b: Option<RawJson>,",
        ),
        (
            r#", "b": {"type": "array"}"#,
            "",
            &[],
            "pub b: Option<Vec<RawJson>>,",
        ),
        (
            r#", "b": {"oneOf": [{"type": "string"}, {"type": "array"}]}"#,
            "",
            &[],
            "pub b: Option<RawJson>,",
        ),
        (
            r#", "b": {"type": "object", "additionalProperties": false}"#,
            "",
            &[],
            "pub b: Option<RawJson>,",
        ),
        (
            r#", "b": {"type": "object", "additionalProperties": {"type": "object"}}"#,
            "",
            &[],
            "pub b: Option<Map<RawJson>>,",
        ),
        (
            r#", "b": {"properties": {"c": {"type": "integer"}}}"#,
            "",
            &[],
            "pub b: Option<Box<AB>>,",
        ),
        (r#", "": {"type": "string"}"#, "", &[], "pub field: Option<Str>,"),
        (
            r#", "self": {"type": "string"}"#,
            "",
            &[],
            "pub self_: Option<Str>,",
        ),
        (
            r#", "a\"; b": {"type": "string"}"#,
            "",
            &[],
            r#"a_b "a\"; b" [] OPT;"#,
        ),
        (
            r#", "x\n}; fn": {"type": "string"}"#,
            "",
            &[],
            r#"x_fn "x\n}; fn" [] OPT;"#,
        ),
        (
            r#", "b": {"type": "string"}, "B": {"type": "string"}"#,
            "",
            &[],
            "pub b_2: Option<Str>,",
        ),
        (
            r##", "b": {"$ref": "#/components/schemas/x.g.v1.Loop"}"##,
            r##", "x.g.v1.Loop": {"$ref": "#/components/schemas/x.g.v1.Loop"}"##,
            &[],
            "pub b: Option<RawJson>,",
        ),
        (
            r##", "b": {"$ref": "#/components/schemas/x.g.v1.Ping"}"##,
            r##", "x.g.v1.Ping": {"allOf": [{"$ref": "#/components/schemas/x.g.v1.Pong"}]}, "x.g.v1.Pong": {"type": "array", "items": {"$ref": "#/components/schemas/x.g.v1.Ping"}}"##,
            &[],
            "pub b: Option<",
        ),
        (
            r##", "b": {"$ref": "#/components/schemas/x.g.v1.Option"}"##,
            r##", "x.g.v1.Option": {"type": "object", "properties": {"c": {"type": "string"}}}"##,
            &[],
            "pub b: Option<Box<Option_>>,",
        ),
        (
            r##", "b": {"$ref": "#/components/schemas/x.g.v1.RawJson"}, "c": {}"##,
            r##", "x.g.v1.RawJson": {"type": "object", "properties": {"c": {"type": "string"}}}"##,
            &[],
            "pub c: Option<kubeloom::generated::RawJson>,",
        ),
    ] {
        let openapi = openapi(fields, others);
        let (found, kind) = run(&documents(&[("o.json", &openapi), ("d.json", DISCOVERY)]));
        assert_eq!(found, codes, "{fields}");
        assert!(kind.contains(text), "{fields}: {kind}");
    }
}

#[test]
fn deep_nesting_is_refused_and_does_not_overflow() {
    let deep = format!(
        "{}{}",
        r#"{"openapi":"3.0.0","paths":{"a":"#.repeat(5_000),
        "[".repeat(50_000)
    );
    assert_eq!(run(&documents(&[("a.json", &deep)])).0, ["KL002"]);
    let nested = |depth: usize| {
        let field = format!(
            "{}{{\"type\": \"string\"}}{}",
            r#"{"type": "array", "items": "#.repeat(depth),
            "}".repeat(depth)
        );
        let openapi = openapi(&format!(r#", "b": {field}"#), "");
        let (codes, kind) = run(&documents(&[("o.json", &openapi), ("d.json", DISCOVERY)]));
        (codes, kind.split_whitespace().collect::<String>())
    };
    let (codes, kind) = nested(16);
    assert!(
        codes.is_empty() && kind.contains(&format!("{}Str", "Vec<".repeat(16))),
        "{codes:?}"
    );
    let (codes, kind) = nested(100);
    assert!(
        codes == ["KL013"] && kind.contains(&format!("{}RawJson", "Vec<".repeat(16))),
        "{codes:?}"
    );
    assert_eq!(nested(130).0, ["KL002"]);
    // Objects within objects become a type each.
    let depth = 50;
    let field = format!(
        "{}{{\"type\": \"string\"}}{}",
        r#"{"type": "object", "properties": {"b": "#.repeat(depth),
        "}}".repeat(depth)
    );
    let (codes, kind) = run(&documents(&[
        ("o.json", &openapi(&format!(r#", "b": {field}"#), "")),
        ("d.json", DISCOVERY),
    ]));
    assert!(
        codes.is_empty() && kind.contains(&format!("pub struct A{} {{", "B".repeat(depth))),
        "{codes:?} {kind}"
    );
}

/// A reader that tries a reference and then a schema at each level would try a mistake at level 60 more often than there is time.
#[test]
fn a_mistake_deep_down_costs_no_more_than_one_above() {
    let wrong = r#"{"type": "string", "nullable": 3}"#;
    let field = format!(
        "{}{wrong}{}",
        r#"{"type": "object", "properties": {"b": "#.repeat(40),
        "}}".repeat(40)
    );
    let parameter = format!("{}{wrong}{}", r#"{"not": "#.repeat(60), "}".repeat(60));
    let path = format!(
        r##""paths": {{"/apis/g/v1/as/{{name}}": {{"get": {{"parameters": [{{"in": "query", "name": "x", "schema": {parameter}}}],
        "responses": {{"200": {{"description": "", "headers": {{"a": 3}}, "content": {{"application/json": {{"schema": {{"$ref": "#/components/schemas/x.g.v1.A"}}}}}}}}}}}}}}}}"##
    );
    let openapi =
        openapi(&format!(r#", "b": {field}"#), "").replace(r#""paths": {"/apis/g/v1/as": {}}"#, &path);
    let report = generate(
        &documents(&[("o.json", &openapi), ("d.json", DISCOVERY)]),
        &Options::new("demo"),
    );
    let warnings = report.unwrap().warnings;
    let [only] = warnings.diagnostics() else {
        panic!("{warnings}")
    };
    let pointer = format!("/components/schemas/x.g.v1.A{}", "/properties/b".repeat(41));
    assert_eq!(
        (only.code, only.location.pointer.as_str()),
        (Code::OddSchema, pointer.as_str())
    );
}

#[test]
fn wrong_operations() {
    let with = |operation: &str, components: &str| {
        openapi("", "")
            .replace(
                r#"{"/apis/g/v1/as": {}}"#,
                &format!(r#"{{"/apis/g/v1/as/{{name}}": {{"get": {operation}}}}}"#),
            )
            .replace(r#""components": {"#, &format!(r#""components": {{{components}"#))
    };
    let reference =
        r##"{"content": {"application/json": {"schema": {"$ref": "#/components/schemas/x.g.v1.A"}}}}"##;
    let get = "/paths/~1apis~1g~1v1~1as~1{name}/get";
    for (operation, components, expected) in [
        (r#"{"responses": {}}"#.to_owned(), "", vec![]),
        ("{}".to_owned(), "", vec![("KL017", get.to_owned())]),
        (
            format!(r#"{{"responses": {{"200": {reference}}}}}"#),
            "",
            vec![("KL017", format!("{get}/responses/200"))],
        ),
        ("3".to_owned(), "", vec![("KL017", get.to_owned())]),
        (
            r#"{"responses": {}, "parameters": [{"in": "nowhere", "name": 3}]}"#.to_owned(),
            "",
            vec![("KL017", get.to_owned())],
        ),
        (
            r##"{"responses": {"200": {"$ref": "#/components/responses/A"}}}"##.to_owned(),
            r#""responses": {"A": {"description": "an A"}}, "#,
            vec![],
        ),
        (
            r##"{"responses": {"200": {"$ref": "#/components/responses/B"}}}"##.to_owned(),
            r#""responses": {"A": {"description": "an A"}}, "#,
            vec![("KL006", format!("{get}/responses/200/$ref"))],
        ),
        (
            r##"{"responses": {}, "requestBody": {"$ref": "#/components/requestBodies/A"}}"##.to_owned(),
            r#""requestBodies": 3, "#,
            vec![("KL006", format!("{get}/requestBody/$ref"))],
        ),
    ] {
        let openapi = with(&operation, components);
        let found = match generate(
            &documents(&[("o.json", &openapi), ("d.json", DISCOVERY)]),
            &Options::new("demo"),
        ) {
            Ok(generated) => generated.warnings,
            Err(report) => report,
        };
        let found: Vec<_> = found
            .diagnostics()
            .iter()
            .map(|d| (d.code.id(), d.location.pointer.clone()))
            .collect();
        assert_eq!(found, expected, "{operation} {components}");
    }
}

#[test]
fn a_wrong_word_lists_the_known_ones() {
    let options = Options {
        groups: vec!["apps/v2".to_owned(), "core/v1".to_owned()],
        ..Options::new("demo")
    };
    let report = generate(&sources::embedded(), &options).unwrap_err();
    let [only] = report.diagnostics() else {
        panic!("{report}")
    };
    assert_eq!(only.code, Code::UnknownGroup);
    assert!(
        only.help.as_ref().unwrap().contains("core/v1") && only.help.as_ref().unwrap().contains("apps/v1")
    );
    assert!(
        report
            .to_string()
            .contains("error[KL011]: \"apps/v2\" names no group-version"),
        "{report}"
    );
    for name in ["", "a b", "../x", "1a", "a\"", "ä"] {
        let report = generate(&demo(), &Options::new(name)).unwrap_err();
        assert_eq!(report.diagnostics()[0].code, Code::Option, "{name:?}");
    }
}

#[test]
fn an_error_of_syntax_shows_its_line() {
    let report = generate(
        &documents(&[("dir/a.json", "{\n  \"openapi\": oops\n}")]),
        &Options::new("demo"),
    )
    .unwrap_err();
    let text = report.to_string();
    assert!(text.contains("dir/a.json:2:14"), "{text}");
    assert!(text.contains("\"openapi\": oops"), "{text}");
}

/// A small generator of numbers, the same in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end.max(1) as u64).unwrap()
    }
}

/// Cuts, flips, doubles and swaps pieces of a text.
fn mutate(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    let at = numbers.below(bytes.len());
    match numbers.below(6) {
        0 => bytes.truncate(at),
        1 => bytes[at] = u8::try_from(numbers.below(256)).unwrap(),
        2 => bytes.insert(at, b"{}[]\",:0tn\\"[numbers.below(11)]),
        3 => {
            let end = (at + numbers.below(40)).min(bytes.len());
            bytes.drain(at..end);
        }
        4 => {
            let end = (at + numbers.below(40)).min(bytes.len());
            let piece = bytes[at..end].to_vec();
            let to = numbers.below(bytes.len());
            bytes.splice(to..to, piece);
        }
        _ => bytes.reverse(),
    }
}

/// How many values stand in a value, itself included.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(map) => map.values().map(count).sum::<usize>(),
        _ => 0,
    }
}

/// Replaces the value of this number: the document stays JSON and is wrong further down.
fn replace(value: &mut Value, number: usize, by: &Value) {
    if number == 0 {
        *value = by.clone();
        return;
    }
    let mut number = number - 1;
    let below: Vec<&mut Value> = match value {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(map) => map.values_mut().collect(),
        _ => return,
    };
    for value in below {
        let inside = count(value);
        if number < inside {
            return replace(value, number, by);
        }
        number -= inside;
    }
}

fn mutate_value(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    let words = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1.5),
        json!(""),
        json!("object"),
        json!("array"),
        json!("Fn"),
        json!([]),
        json!({}),
        json!(["type"]),
        json!({"$ref": "#/components/schemas/com.example.demo.v1.Cluster"}),
        json!({"type": "object", "properties": {"self": {"$ref": "#/components/schemas/com.example.demo.v1.ClusterSpec"}}}),
        json!({"type": "array", "items": {"type": "object", "additionalProperties": {}}}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}}),
        json!("a `b` [c] <d> */ \n```\nx"),
        json!("\u{0}\"}; fn main() {"),
        json!("#/definitions/"),
    ];
    let mut value: Value = serde_json::from_slice(bytes).unwrap();
    let number = numbers.below(count(&value));
    replace(&mut value, number, &words[numbers.below(words.len())]);
    *bytes = value.to_string().into_bytes();
}

#[test]
fn a_group_whose_name_ends_a_comment_stays_within_it() {
    let group = "g`\n```\nfn injected() {}";
    let quoted = serde_json::to_string(group).unwrap();
    let rename = |text: String| text.replace("\"g\"", &quoted);
    let sources = documents(&[
        ("discovery.json", &rename(DISCOVERY.to_owned())),
        ("openapi.json", &rename(openapi("", ""))),
    ]);
    let generated = generate(&sources, &Options::new("demo")).unwrap();
    for (path, text) in generated.files.iter().filter(|(path, _)| path.ends_with(".rs")) {
        syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}\n{text}"));
        assert!(
            !text.lines().any(|line| line.starts_with("fn injected")),
            "{text}"
        );
    }
}

#[test]
fn no_mutation_makes_it_panic() {
    let mut numbers = Numbers(0x2545_F491_4F6C_DD1D);
    let (mut good, mut bad) = (0, 0);
    for round in 0..240 {
        let mut mutated = Documents::default();
        for document in demo().iter() {
            let mut bytes = document.bytes.clone();
            for _ in 0..=numbers.below(3) {
                match round % 4 {
                    0 if !bytes.is_empty() => mutate(&mut bytes, &mut numbers),
                    0 => {}
                    _ => mutate_value(&mut bytes, &mut numbers),
                }
            }
            mutated.insert(document.path.as_str(), bytes);
        }
        match generate(&mutated, &Options::new("demo")) {
            Ok(generated) => {
                good += 1;
                // What comes out is Rust, whatever went in.
                for (path, text) in generated.files.iter().filter(|(path, _)| path.ends_with(".rs")) {
                    syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}\n{text}"));
                }
            }
            Err(report) => {
                bad += 1;
                assert!(!report.render(false).is_empty());
            }
        }
        let _ = Snapshot::from_documents(&mutated, Descriptions::Strip);
    }
    assert!(good > 30 && bad > 30, "{good} good, {bad} bad");
}

#[test]
fn no_cut_or_flip_of_the_bundle_makes_it_panic() {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    let bundle = sources::embedded();
    // Two group-versions that need each other's types: the rest is no different, only more.
    let kept = ["discovery/", "openapi/v3/api/v1", "openapi/v3/apis/apps/"];
    let bundle: Vec<_> = bundle
        .iter()
        .filter(|document| kept.iter().any(|start| document.path.starts_with(start)))
        .collect();
    for _ in 0..12 {
        let victim = numbers.below(bundle.len());
        let mut mutated = Documents::default();
        for (index, document) in bundle.iter().enumerate() {
            let mut bytes = document.bytes.clone();
            if index == victim {
                mutate(&mut bytes, &mut numbers);
            }
            mutated.insert(document.path.as_str(), bytes);
        }
        if let Err(report) = describe(&mutated, &Options::new("demo")) {
            assert!(!report.render(false).is_empty());
        }
    }
}
