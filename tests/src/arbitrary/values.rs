//! Arbitrary scalars: pools of values that have gone wrong somewhere before, and random ones.

use kubeloom::value::{ByteString, Duration, IntOrString, MicroTime, Quantity, RawJson, Str, Time};
use serde_json::{Map as JsonMap, Number, Value as Json};

use super::Bound;
use super::rng::Rng;

/// Texts that YAML, JSON or a terminal may take for something else.
const TEXTS: &[&str] = &[
    "",
    " ",
    "a",
    "name",
    "null",
    "Null",
    "~",
    "true",
    "yes",
    "off",
    "n",
    "0",
    "-1",
    "+1",
    "1_000",
    "0x1f",
    "0o17",
    "017",
    "1e3",
    ".5",
    "1.",
    ".inf",
    "-.Inf",
    ".nan",
    "2026-01-31",
    "2026-01-31T12:00:00Z",
    "12:30:45",
    "<<",
    "=",
    "- a",
    "-",
    "--",
    "---",
    "...",
    "--- a",
    "? a",
    "?",
    ": a",
    ":",
    "a: b",
    "a:",
    "a #b",
    "#",
    "&a",
    "*a",
    "!!str a",
    "!",
    "%a",
    "@a",
    "`a",
    "'",
    "''",
    "\"",
    "\\",
    "\\n",
    "{",
    "}",
    "[",
    "]",
    "{}",
    "[]",
    ",",
    "|",
    ">",
    "|-",
    "a|b",
    " lead",
    "trail ",
    "\t",
    "\ttab",
    "tab\t",
    "\n",
    "\n\n",
    "a\nb",
    "a\n\nb\n",
    "a\n",
    "  a\n b\n",
    "\r",
    "a\r\nb",
    "\r\n",
    "\u{0}",
    "a\u{0}b",
    "\u{1}\u{1b}\u{1f}",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{2028}a\u{2029}",
    "\u{feff}",
    "a\u{feff}",
    "\u{fffd}",
    "\u{ffff}",
    "\u{10ffff}",
    "e\u{301}",
    "ü",
    "日本語",
    "👩‍👩‍👧",
    "\u{202e}abc",
    "<b>&amp;</b>",
    "/a/b~1c",
    "a.b/c-d_e",
    "${x}",
    "{{ x }}",
    "this text is longer than the twenty-four bytes that a string holds inline",
    "a text that is longer than the eighty columns at which a writer of YAML may be tempted to fold it, with words and words",
    "two long lines of which the first one goes on for quite a while and then some more until it ends\n  the second is indented",
];

const QUANTITIES: &[&str] = &[
    "0",
    "1",
    "10",
    "100m",
    "1500m",
    "0.1",
    "1.5",
    "0.001",
    "1.500",
    ".5",
    "5.",
    "+2",
    "-1",
    "-5m",
    "-0.25",
    "1n",
    "1u",
    "250m",
    "3k",
    "4M",
    "5G",
    "6T",
    "7P",
    "8E",
    "1Ki",
    "1024Mi",
    "3Gi",
    "2Ti",
    "9Pi",
    "1Ei",
    "0.5Gi",
    "1.5Mi",
    "1e3",
    "1E6",
    "12e-3",
    "-4e2",
    "100000k",
    "9223372036854775807",
    "-9223372036854775807",
    "0Ki",
    "1000000000n",
    "0.000000001",
];

const SUFFIXES: &[&str] = &[
    "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-2", "e0",
];

const FLOATS: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    0.5,
    -2.5,
    1e-7,
    1e-6,
    123_456.789,
    1e20,
    1e21,
    1e22,
    -1e25,
    9_007_199_254_740_991.0,
    9_007_199_254_740_992.0,
    9_007_199_254_740_994.0,
    1_152_921_504_606_846_976.0,
    18_446_744_073_709_551_616.0,
    1e300,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    f64::EPSILON,
];

/// Seconds of the years 0, 1 (Go's zero plus one), 1969, 1970, and of the last one that RFC 3339 can write.
const SECONDS: &[i64] = &[
    -62_167_219_200,
    -62_135_596_799,
    -86_400,
    -1,
    0,
    1,
    951_782_400,
    1_767_225_600,
    4_102_444_799,
    253_402_300_799,
];

/// The first second and the number of seconds of the years 0 to 9999.
const YEARS: (i64, u64) = (-62_167_219_200, 315_569_520_000);

pub(super) fn text(rng: &mut Rng) -> Str {
    if !rng.one_in(4) {
        return rng.pick(TEXTS).into();
    }
    let length = rng.below(12);
    (0..length).filter_map(|_| character(rng)).collect()
}

/// Any character, those of one byte as often as all others.
fn character(rng: &mut Rng) -> Option<char> {
    let bound = rng.pick_copy(&[0x80, 0x800, 0x1_0000, 0x11_0000, 0x80, 0x80]);
    u32::try_from(rng.below(bound)).ok().and_then(char::from_u32)
}

pub(super) fn key(rng: &mut Rng) -> Str {
    match rng.one_in(3) {
        true => text(rng),
        false => rng
            .pick(&[
                "app",
                "app.kubernetes.io/name",
                "cpu",
                "ephemeral-storage",
                "tls.crt",
                "a",
                "b",
                "Z",
            ])
            .into(),
    }
}

pub(super) fn integer(rng: &mut Rng) -> i64 {
    match rng.below(4) {
        0 => i64::from_ne_bytes(rng.bits().to_ne_bytes()),
        1 => rng.below(65_536) as i64,
        _ => rng.pick_copy(&[
            0,
            1,
            -1,
            127,
            128,
            i64::MIN,
            i64::MAX,
            i64::from(i32::MIN),
            1 << 53,
            (1 << 53) + 1,
            1 << 62,
        ]),
    }
}

pub(super) fn small_integer(rng: &mut Rng) -> i32 {
    match rng.below(4) {
        0 => rng.bits() as u32 as i32,
        1 => rng.below(65_536) as i32,
        _ => rng.pick_copy(&[0, 1, -1, 127, 128, i32::MIN, i32::MAX]),
    }
}

pub(super) fn float(rng: &mut Rng) -> f64 {
    match rng.below(3) {
        0 => Some(f64::from_bits(rng.bits()))
            .filter(|float| float.is_finite())
            .unwrap_or(0.25),
        _ => rng.pick_copy(FLOATS),
    }
}

pub(super) fn bytes(rng: &mut Rng) -> ByteString {
    let length = rng.pick_copy(&[0, 1, 2, 3, 4, 40]);
    (0..length).map(|_| rng.bits() as u8).collect::<Vec<_>>().into()
}

pub(super) fn time(rng: &mut Rng) -> Time {
    Time::from_unix(seconds(rng), 0).unwrap_or_default()
}

pub(super) fn micro_time(rng: &mut Rng) -> MicroTime {
    let micros = rng.pick_copy(&[0, 1, 500_000, 999_999, 120, 7]);
    MicroTime::from_unix(seconds(rng), micros * 1000).unwrap_or_default()
}

fn seconds(rng: &mut Rng) -> i64 {
    match rng.one_in(2) {
        true => rng.pick_copy(SECONDS),
        false => YEARS.0 + (rng.bits() % YEARS.1) as i64,
    }
}

pub(super) fn duration(rng: &mut Rng) -> Duration {
    Duration::from_nanos(match rng.one_in(3) {
        true => integer(rng),
        false => rng.pick_copy(&[
            0,
            1,
            -1,
            1_500,
            2_000_000,
            3_723_500_000_000,
            -60_000_000_000,
            i64::MAX,
            i64::MIN,
        ]),
    })
}

pub(super) fn quantity(rng: &mut Rng, bound: Bound) -> Quantity {
    let text = match rng.one_in(2) {
        true => Str::from(rng.pick(QUANTITIES)),
        false => format!("{}{}", rng.below(2000) as i64 - 500, rng.pick(SUFFIXES)).into(),
    };
    let quantity = Quantity::from_wire(text);
    match bound {
        Bound::Kubeloom => quantity,
        // What Go makes of the text is the text it keeps.
        Bound::Go => quantity
            .server_text()
            .map(Quantity::from_wire)
            .unwrap_or_default(),
    }
}

pub(super) fn int_or_string(rng: &mut Rng, bound: Bound) -> IntOrString {
    match (rng.one_in(2), bound) {
        (true, _) => IntOrString::String(text(rng)),
        (false, Bound::Kubeloom) => IntOrString::Int(integer(rng)),
        (false, Bound::Go) => IntOrString::Int(small_integer(rng).into()),
    }
}

/// Free JSON of any shape in compact text, `null` included.
pub(super) fn raw(rng: &mut Rng) -> RawJson {
    RawJson::from_value(&json(rng, 3))
}

fn json(rng: &mut Rng, depth: usize) -> Json {
    match rng.below(if depth == 0 { 7 } else { 10 }) {
        0 => Json::Null,
        1 => Json::Bool(rng.one_in(2)),
        2 => Json::from(integer(rng)),
        3 => Number::from_f64(float(rng)).map_or(Json::Null, Json::Number),
        4 => rng.pick_copy(&[0, 1]).into(),
        5 => Json::from(u64::MAX - rng.bits() % 3),
        6 => Json::from(text(rng).as_str()),
        7 => {
            let length = rng.below(4);
            Json::Array((0..length).map(|_| json(rng, depth - 1)).collect())
        }
        _ => {
            let length = rng.below(4);
            let entries = (0..length).map(|_| (key(rng).to_string(), json(rng, depth - 1)));
            Json::Object(entries.collect::<JsonMap<_, _>>())
        }
    }
}
