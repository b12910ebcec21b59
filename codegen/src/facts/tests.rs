//! Tests of the table's text form.

use super::{Facts, FactsError, FieldFact, Holder, Kind, OwnShape, Problem, Shape};

const HEAD: &str =
    "kubeloom-facts 1\nsource example.io/api v1.2.3 h1:abc=\npackage io.example.v1 example.io.v1\n";

fn parse(rest: &str) -> Result<Facts, FactsError> {
    Facts::parse(&format!("{HEAD}{rest}"))
}

fn field(json: &str, path: &[u32], holder: Holder, kind: Kind) -> FieldFact {
    let (element_pointer, omit_empty, omit_zero) = (false, false, false);
    FieldFact {
        json: json.to_owned(),
        path: path.to_vec(),
        holder,
        element_pointer,
        kind,
        omit_empty,
        omit_zero,
    }
}

#[test]
fn every_type_is_read_and_written() {
    let cases = [
        ("string", Holder::Value, false, Kind::String),
        ("*bool", Holder::Pointer, false, Kind::Bool),
        ("[]int32", Holder::Slice, false, Kind::Int32),
        ("{}int64", Holder::Map, false, Kind::Int64),
        ("[]*message", Holder::Slice, true, Kind::Message),
        ("{}*double", Holder::Map, true, Kind::Double),
        ("bytes", Holder::Value, false, Kind::Bytes),
        ("*Time", Holder::Pointer, false, Kind::Own(OwnShape::Time)),
        (
            "{}StringList",
            Holder::Map,
            false,
            Kind::Own(OwnShape::StringList),
        ),
        ("[]JSON", Holder::Slice, false, Kind::Own(OwnShape::Json)),
    ];
    for (text, holder, element_pointer, kind) in cases {
        let facts = parse(&format!("message M\n $ref 2.1 {text} omitempty\n")).unwrap();
        let expected = FieldFact {
            element_pointer,
            omit_empty: true,
            ..field("$ref", &[2, 1], holder, kind)
        };
        let message = &facts.messages["io.example.v1.M"];
        assert_eq!(message.fields(), [expected], "{text}");
        assert_eq!(message.proto.as_deref(), Some("example.io.v1.M"));
        assert_eq!(Facts::parse(&facts.to_text(&[])).as_ref(), Ok(&facts), "{text}");
    }
}

#[test]
fn field_names_that_are_words_of_the_format_are_names() {
    let facts = parse("message M typemeta\n message 1 string\n own 2 string\n package - string\n # 3 bool\n")
        .unwrap();
    let message = &facts.messages["io.example.v1.M"];
    assert!(matches!(message.shape, Shape::Fields { type_meta: true, .. }));
    let names: Vec<&str> = message.fields().iter().map(|field| field.json.as_str()).collect();
    assert_eq!(names, ["message", "own", "package", "#"]);
    assert_eq!(message.field("package").map(|field| field.path.len()), Some(0));
    assert_eq!(message.field("kind"), None);
}

#[test]
fn malformed_lines_are_refused_with_their_number() {
    use Problem::*;
    let name = |text: &str| text.to_owned();
    let cases = [
        ("nonsense\n", 4, Malformed),
        ("message\n", 4, Malformed),
        ("message a.b\n", 4, Malformed),
        ("message M typemeta typemeta\n", 4, BadFlag(name("typemeta"))),
        ("message M typo\n", 4, BadFlag(name("typo"))),
        ("package only-one\n", 4, Malformed),
        ("source a b\n", 4, Malformed),
        (
            "message M\nmessage M\n",
            5,
            DuplicateMessage(name("io.example.v1.M")),
        ),
        (
            "message Time\nown Time\n",
            5,
            DuplicateMessage(name("io.example.v1.Time")),
        ),
        ("own Nothing\n", 4, UnknownShape(name("Nothing"))),
        ("own StringList\n", 4, UnknownShape(name("StringList"))),
        (" a 1 string\n", 4, NoMessage),
        ("own Time\n a 1 string\n", 5, NoMessage),
        ("message M\npackage p q\n a 1 string\n", 6, NoMessage),
        ("message M\n a 1\n", 5, Malformed),
        (
            "message M\n a 1 string\n\n# c\n a 2 string\n",
            8,
            DuplicateField(name("a")),
        ),
        ("message M\n a 1 text\n", 5, BadType(name("text"))),
        ("message M\n a 1 **string\n", 5, BadType(name("**string"))),
        ("message M\n a 1 []**string\n", 5, BadType(name("[]**string"))),
        ("message M\n a 1 *[]string\n", 5, BadType(name("*[]string"))),
        ("message M\n a 1 [][]string\n", 5, BadType(name("[][]string"))),
        ("message M\n a 1 []\n", 5, BadType(name("[]"))),
        ("message M\n a 0 string\n", 5, BadPath(name("0"))),
        ("message M\n a 01 string\n", 5, BadPath(name("01"))),
        ("message M\n a +1 string\n", 5, BadPath(name("+1"))),
        ("message M\n a 1. string\n", 5, BadPath(name("1."))),
        ("message M\n a 1..2 string\n", 5, BadPath(name("1..2"))),
        ("message M\n a 19000 string\n", 5, BadPath(name("19000"))),
        ("message M\n a 536870912 string\n", 5, BadPath(name("536870912"))),
        (
            "message M\n a 99999999999 string\n",
            5,
            BadPath(name("99999999999")),
        ),
        ("message M\n a 1 string\n b 1 string\n", 6, PathTaken(name("1"))),
        ("message M\n a 2.1 string\n b 2 string\n", 6, PathTaken(name("2"))),
        (
            "message M\n a 2 string\n b 2.1 string\n",
            6,
            PathTaken(name("2.1")),
        ),
        (
            "message M\n a 2.3.4 string\n b 2.3 string\n",
            6,
            PathTaken(name("2.3")),
        ),
        (
            "package p -\nmessage M\n a 1 string\n",
            6,
            PathWithoutProto(name("1")),
        ),
        (
            "message M\n a 1 string omitnothing\n",
            5,
            BadFlag(name("omitnothing")),
        ),
        (
            "message M\n a 1 string omitzero omitzero\n",
            5,
            BadFlag(name("omitzero")),
        ),
    ];
    for (text, line, problem) in cases {
        let error = parse(text).expect_err(text);
        assert_eq!(error, FactsError { line, problem }, "{text}");
        assert!(
            error
                .to_string()
                .starts_with(&format!("fact table, line {line}: ")),
            "{error}"
        );
    }
}

#[test]
fn texts_that_are_no_table_are_refused() {
    for text in [
        "",
        "\n",
        "kubeloom-facts 2\n",
        "\u{feff}kubeloom-facts 1\n",
        "{}",
        "kubeloom-facts 1 \n",
    ] {
        let expected = Err(FactsError {
            line: 1,
            problem: Problem::NotATable,
        });
        assert_eq!(Facts::parse(text), expected, "{text:?}");
    }
    let early = Facts::parse("kubeloom-facts 1\nmessage M\n");
    assert_eq!(
        early,
        Err(FactsError {
            line: 2,
            problem: Problem::NoPackage
        })
    );
    assert_eq!(Facts::parse("kubeloom-facts 1"), Ok(Facts::default()));
}

#[test]
fn packages_whose_messages_interleave_by_full_name_are_written_once() {
    let facts =
        parse("message Zeta\npackage io.example.v1.Middle -\nmessage M\n a - string\nown Time\n").unwrap();
    let text = facts.to_text(&["why", "how"]);
    assert_eq!(
        text,
        "kubeloom-facts 1\n# why\n# how\nsource example.io/api v1.2.3 h1:abc=\n\
         \npackage io.example.v1 example.io.v1\nmessage Zeta\n\
         \npackage io.example.v1.Middle -\nmessage M\n a - string\nown Time\n"
    );
    assert_eq!(Facts::parse(&text), Ok(facts));
}

#[test]
fn line_ends_of_windows_are_read() {
    let unix = format!("{HEAD}message M\n a 1 string\n");
    assert_eq!(Facts::parse(&unix.replace('\n', "\r\n")), Facts::parse(&unix));
}

#[test]
fn own_shapes_are_found_by_their_names() {
    for shape in OwnShape::ALL {
        assert_eq!(OwnShape::from_name(shape.name()), Some(shape));
        assert_eq!(Kind::Own(shape).wire_type(), 2);
    }
    assert_eq!(
        OwnShape::ALL.into_iter().filter(|shape| shape.is_time()).count(),
        2
    );
    assert_eq!(OwnShape::from_name("time"), None);
    assert_eq!(
        [Kind::Int32, Kind::Double, Kind::Bytes].map(Kind::wire_type),
        [0, 1, 2]
    );
}
