use serde_json::json;

use super::*;

#[test]
fn new_keeps_the_text_and_refuses_what_is_not_json() {
    let rows = [
        ("{}", Some("{}")),
        (" {\"a\" : 1.10 }\n", Some("{\"a\" : 1.10 }")),
        ("null", Some("null")),
        (
            "123456789012345678901234567890",
            Some("123456789012345678901234567890"),
        ),
        ("\"\\u0041\"", Some("\"\\u0041\"")),
        ("", None),
        ("{", None),
        ("{}{}", None),
        ("{'a':1}", None),
        ("[1,]", None),
        ("01", None),
        ("NaN", None),
        ("\u{feff}{}", None),
        ("\u{a0}{}", None),
    ];
    for (text, kept) in rows {
        assert_eq!(
            RawJson::new(text).ok().as_ref().map(RawJson::get),
            kept,
            "{text:?}"
        );
    }
    let error = RawJson::new("{").unwrap_err();
    assert_eq!(error.to_string(), "the text is not JSON");
    assert!(error.source().is_some());
}

#[test]
fn reading_compacts_and_keeps_numbers_exact() {
    let rows = [
        (
            r#" { "a" : [ 1 , -2 , { } , [ ] ] , "b" : null } "#,
            r#"{"a":[1,-2,{},[]],"b":null}"#,
        ),
        ("18446744073709551615", "18446744073709551615"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("[1.5, 0.1, 1.0]", "[1.5,0.1,1.0]"),
        (
            r#""a\"b\\c\n\u0000é\ud83d\ude00""#,
            "\"a\\\"b\\\\c\\n\\u0000é😀\"",
        ),
        (r#"{"z":1,"a":2,"z":3}"#, r#"{"z":1,"a":2,"z":3}"#),
        (
            r#"{"$serde_json::private::Number":"1"}"#,
            r#"{"$serde_json::private::Number":"1"}"#,
        ),
        ("null", "null"),
    ];
    for (text, compact) in rows {
        let read: RawJson = serde_json::from_str(text).unwrap();
        assert_eq!(read.get(), compact, "{text}");
        assert_eq!(
            serde_json::to_string(&RawJson::new(text).unwrap()).unwrap(),
            compact,
            "{text}"
        );
    }
}

#[test]
fn every_format_carries_it() {
    let raw = RawJson::new(r#"{"s":"1","n":[18446744073709551615,-1,0.5,true,null],"o":{"k":{}}}"#).unwrap();
    let yaml = serde_saphyr::to_string(&raw).unwrap();
    assert_eq!(serde_saphyr::from_str::<RawJson>(&yaml).unwrap(), raw, "{yaml}");
    let mut cbor = Vec::new();
    ciborium::into_writer(&raw, &mut cbor).unwrap();
    assert_eq!(
        ciborium::from_reader::<RawJson, _>(&cbor[..]).unwrap().get(),
        raw.get()
    );
    assert_eq!(serde_json::to_value(&raw).unwrap(), raw.parse::<Value>().unwrap());
    assert_eq!(
        serde_json::from_value::<RawJson>(raw.parse().unwrap()).unwrap(),
        raw
    );
    assert_eq!(RawJson::from_serialize(&raw).unwrap(), raw);
    let keys: RawJson = serde_saphyr::from_str("1: a\ntrue: b\n").unwrap();
    assert_eq!(keys, RawJson::from(json!({"1": "a", "true": "b"})));
    // {"b": h'00ff'}
    assert_eq!(
        ciborium::from_reader::<RawJson, _>(&b"\xa1\x61b\x42\x00\xff"[..])
            .unwrap()
            .get(),
        r#"{"b":"AP8="}"#
    );
    // NaN
    assert!(ciborium::from_reader::<RawJson, _>(&b"\xf9\x7e\x00"[..]).is_err());
    assert!(serde_saphyr::from_str::<RawJson>(".inf").is_err());
}

#[test]
fn a_field_of_a_derived_struct_may_be_absent_null_or_anything() {
    #[derive(Deserialize, Serialize)]
    struct Holder {
        #[serde(default)]
        raw: RawJson,
        #[serde(flatten)]
        rest: std::collections::BTreeMap<String, RawJson>,
    }
    let holder: Holder = serde_json::from_str(r#"{"x":[1, 2],"y":null}"#).unwrap();
    assert!(holder.raw.is_null());
    assert_eq!(
        serde_json::to_string(&holder).unwrap(),
        r#"{"raw":null,"x":[1,2],"y":null}"#
    );
}

#[test]
fn equality_is_by_value() {
    let rows = [
        (r#"{"a":1,"b":2}"#, r#"{ "b":2, "a":1 }"#, true),
        (r#""\u0041""#, r#""A""#, true),
        ("1e2", "100.0", true),
        ("1", "1.0", false),
        ("18446744073709551615", "18446744073709551614", false),
        ("[-1, {\"a\": 1.50}]", "[-1,{\"a\":1.5}]", true),
        (r#"{"a":1}"#, r#"{"b":1}"#, false),
        (r#"{"a":1,"b":1}"#, r#"{"a":1}"#, false),
        ("[1,2]", "[2,1]", false),
        ("null", "{}", false),
        ("0", "\"0\"", false),
    ];
    for (a, b, equal) in rows {
        assert_eq!(
            RawJson::new(a).unwrap() == RawJson::new(b).unwrap(),
            equal,
            "{a} {b}"
        );
    }
    assert_eq!(RawJson::new("null").unwrap(), RawJson::default());
    let empty = |text: &str| RawJson::new(text).unwrap().is_empty();
    assert_eq!(
        ["{}", "[ ]", "null", "{\n}", "\"\"", "0", "[0]"].map(empty),
        [true, true, true, true, false, false, false]
    );
}

#[test]
fn nesting_is_limited_alike_wherever_it_comes_from() {
    for (levels, fits) in [(1, true), (127, true), (128, false), (100_000, false)] {
        let text = "[".repeat(levels) + &"]".repeat(levels);
        assert_eq!(RawJson::new(text.as_str()).is_ok(), fits, "{levels}");
        assert_eq!(serde_json::from_str::<RawJson>(&text).is_ok(), fits, "{levels}");
        if let Ok(raw) = RawJson::new(text.as_str()) {
            assert_eq!(serde_json::to_string(&raw).unwrap(), text);
        }
        let cbor = [vec![0x81; levels - 1], vec![0x80]].concat();
        assert_eq!(
            ciborium::from_reader::<RawJson, _>(&cbor[..]).is_ok(),
            fits,
            "{levels}"
        );
    }
    assert!(
        RawJson::new(format!("\"{}\"", "[".repeat(200))).is_ok(),
        "brackets of a string are no nesting"
    );
}

#[test]
fn unvalidated_rubbish_fails_where_it_is_written() {
    for text in ["{", "1 2", "", "x"] {
        let raw = RawJson::from_validated(text);
        assert_eq!(serde_json::to_string(&raw).is_ok(), text.is_empty(), "{text:?}");
    }
}
