use std::collections::HashSet;

use super::*;

/// What Go's `resource` package (apimachinery 0.37) gives: text (JSON), then unless it refuses: `String()`, canonical
/// form, format, `AsInt64` and the exact decimal.
const GO: &str = include_str!("testdata/quantity.tsv");
/// Operands, their sum, difference, negation and triple of the first, and the order, from the same.
const GO_ARITHMETIC: &str = include_str!("testdata/quantity_arithmetic.tsv");

/// Texts without a digit, which Go takes for zero against its own grammar.
const NO_DIGITS: [&str; 7] = [".", "+", "-", "+.", "Ki", "m", "e3"];
/// Of a decimal number that is a multiple of 1000E, Go's canonical text loses the suffix and so the magnitude.
fn go_loses_magnitude(amount: Amount) -> bool {
    let thousand_exa = Amount::parse("1000E").unwrap();
    let magnitude = if amount.signum() < 0 { -amount } else { amount };
    amount.format() == Format::DecimalSi && magnitude >= thousand_exa && amount.to_string().ends_with("000E")
}

fn quantity(text: &str) -> Quantity {
    Quantity::from_wire(text.into())
}

#[test]
fn texts_mean_what_they_mean_to_go() {
    let (mut valid, mut refused) = (0, 0);
    for row in GO.lines() {
        let cells: Vec<&str> = row.split('\t').collect();
        let text: String = serde_json::from_str(cells[0]).unwrap();
        let parsed = Quantity::parse(&text);
        let [_, string, canonical, format, int, decimal] = cells[..] else {
            assert!(parsed.is_err(), "{text:?}");
            refused += 1;
            continue;
        };
        if NO_DIGITS.contains(&text.as_str()) {
            assert_eq!(parsed.unwrap_err().kind(), QuantityErrorKind::Syntax, "{text:?}");
            continue;
        }
        let q = parsed.unwrap_or_else(|error| panic!("{error}"));
        let amount = q.amount().unwrap();
        assert_eq!(amount, Amount::parse(decimal).unwrap(), "{text:?}");
        assert_eq!(
            format!("{:?}", amount.format()).to_lowercase(),
            format.to_lowercase(),
            "{text:?}"
        );
        let read_back = quantity(&q.canonical().unwrap());
        assert_eq!(read_back, q, "{text:?}");
        assert_eq!(read_back.canonical().unwrap(), read_back.as_str(), "{text:?}");
        if go_loses_magnitude(amount) {
            assert_ne!(Amount::parse(canonical).unwrap(), amount, "{text:?}");
        } else {
            assert_eq!(q.canonical().unwrap(), canonical, "{text:?}");
            assert_eq!(q.server_text().unwrap(), string, "{text:?}");
        }
        if int != "-" {
            assert_eq!(q.as_i64(), Some(int.parse().unwrap()), "{text:?}");
        }
        assert_eq!(q.as_f64().unwrap(), decimal.parse::<f64>().unwrap(), "{text:?}");
        assert_eq!(q.as_str(), text);
        valid += 1;
    }
    assert!(valid > 300 && refused > 30, "{valid} {refused}");
}

#[test]
fn arithmetic_is_that_of_go() {
    for row in GO_ARITHMETIC.lines() {
        let [a, b, sum, difference, negated, tripled, order] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        let (a, b) = (quantity(a), quantity(b));
        if a.as_str() == "1e30" {
            // Forty digits.
            assert_eq!((&a + &b).unwrap_err().kind(), QuantityErrorKind::OutOfRange);
            continue;
        }
        let text = |result: Result<Quantity, QuantityError>| result.unwrap().as_str().to_owned();
        let got = [text(&a + &b), text(&a - &b), text(-&a), text(&a * 3)];
        assert_eq!(got, [sum, difference, negated, tripled], "{row}");
        assert_eq!(a.cmp(&b) as i32, order.parse::<i32>().unwrap(), "{row}");
        assert_eq!(b.cmp(&a), a.cmp(&b).reverse(), "{row}");
    }
}

#[test]
fn format_survives_results_that_do_not_show_it() {
    let kib = Amount::parse("1Ki").unwrap();
    let half = kib.checked_sub(Amount::from(512)).unwrap();
    assert_eq!(half.to_string(), "512");
    assert_eq!(half.checked_add(half).unwrap().to_string(), "1Ki");
    assert_eq!(
        Quantity::sum(&[quantity("1Gi"), quantity("1Gi")])
            .unwrap()
            .as_str(),
        "2Gi"
    );
    assert_eq!(Quantity::sum(&[]).unwrap().as_str(), "0");
    assert!(Quantity::sum(&[quantity("1"), quantity("rubbish")]).is_err());
}

#[test]
fn scaled_values_round_away_from_zero() {
    let rows = [
        ("0", 0, 0),
        ("1", 1, 1000),
        ("1m", 1, 1),
        ("1n", 1, 1),
        ("-1n", -1, -1),
        ("1001m", 2, 1001),
        ("-1.5", -2, -1500),
        ("999999u", 1, 1000),
        ("1Ki", 1024, 1_024_000),
        ("1.0000000001", 2, 1001),
    ];
    for (text, value, milli) in rows {
        let q = quantity(text);
        assert_eq!(
            (q.value().unwrap(), q.milli_value().unwrap()),
            (value, milli),
            "{text}"
        );
    }
    let max = quantity("9223372036854775807");
    assert_eq!(
        (max.value(), max.scaled_value(Scale::Exa)),
        (Ok(i64::MAX), Ok(10))
    );
    assert_eq!(
        max.milli_value().unwrap_err().kind(),
        QuantityErrorKind::OutOfRange
    );
    assert_eq!(quantity("-9223372036854775808").value(), Ok(i64::MIN));
    assert_eq!(quantity("1e-2000000000").scaled_value(Scale::Nano), Ok(1));
    assert!(quantity("1e2000000000").value().is_err());
}

#[test]
fn the_ends_of_the_range() {
    let digits = "1".repeat(38);
    assert_eq!(quantity(&digits).canonical().unwrap(), digits);
    assert!(Quantity::parse(&"1".repeat(40)).is_err());
    assert!(Quantity::parse("1e2147483648").is_err());
    assert!(Quantity::parse("1e99999999999999999999").is_err());
    // Zeros are no digits to hold, and a binary number beyond the largest is the largest whatever its length.
    assert_eq!(quantity(&format!("1{}", "0".repeat(100))).as_f64(), Some(1e100));
    assert_eq!(quantity(&format!("{}Ki", "9".repeat(60))).value(), Ok(i64::MAX));
    assert_eq!(
        quantity(&format!("0.{}1", "0".repeat(100_000)))
            .canonical()
            .unwrap(),
        "1n"
    );
    assert_eq!(
        quantity(&format!("1.{}1", "0".repeat(60))).canonical().unwrap(),
        "1000000001n"
    );
    // An exponent is not spelled out in zeros, whatever the format.
    let huge = Amount::parse("1e2147483641")
        .unwrap()
        .with_format(Format::DecimalSi);
    assert_eq!(huge.to_string(), "10e2147483640");
    assert!(huge.checked_add(Amount::from(1)).is_err());
    assert!(huge > Amount::from(i64::MAX) && -huge < Amount::from(i64::MIN));
    assert!(huge.as_f64().is_infinite());
    assert_eq!(
        Amount::new(i64::MIN, Scale::Exa, Format::DecimalSi)
            .checked_mul(i64::MIN)
            .unwrap()
            .signum(),
        1
    );
}

#[test]
fn equality_order_and_hash_go_by_value() {
    let same = [
        "1Gi",
        "1024Mi",
        "1073741824",
        "1073741824000m",
        "1.073741824e9",
        " 1Gi",
    ]
    .map(quantity);
    let set: HashSet<_> = same.iter().cloned().collect();
    assert_eq!(set.len(), 1);
    assert!(!same[0].same_text(&same[1]));
    let mut sorted = ["b", "1", "", "-1k", "a", "1500m", "1e100", "999E", "0"].map(quantity);
    sorted.sort();
    assert_eq!(
        sorted.each_ref().map(Quantity::as_str),
        ["-1k", "0", "1", "1500m", "999E", "1e100", "", "a", "b"]
    );
    assert_ne!(quantity("a"), quantity("b"));
    assert_eq!(quantity("a"), quantity("a"));
}

#[test]
fn any_wire_form_is_kept() {
    let rows = [
        (r#""1024Mi""#, r#""1024Mi""#),
        ("1", r#""1""#),
        ("-5", r#""-5""#),
        ("18446744073709551615", r#""18446744073709551615""#),
        ("0.5", r#""0.5""#),
        ("1e3", r#""1000""#),
        ("1e-7", r#""0.0000001""#),
        ("1e21", r#""1000000000000000000000""#),
        ("null", r#""0""#),
        (r#""""#, r#""""#),
        (r#"" 1Gi""#, r#"" 1Gi""#),
        (r#""rubbish""#, r#""rubbish""#),
    ];
    for (json, out) in rows {
        let read: Quantity = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), out, "{json}");
        let mut cbor = Vec::new();
        ciborium::into_writer(&read, &mut cbor).unwrap();
        assert!(
            ciborium::from_reader::<Quantity, _>(&cbor[..])
                .unwrap()
                .same_text(&read),
            "{json}"
        );
    }
    for json in ["true", "[]", "{}"] {
        assert!(serde_json::from_str::<Quantity>(json).is_err(), "{json}");
    }
    let yaml: Vec<Quantity> = serde_saphyr::from_str("[1, 0.5, 1Gi, '2', .5, 100m]").unwrap();
    assert_eq!(
        yaml.iter().map(Quantity::as_str).collect::<Vec<_>>(),
        ["1", "0.5", "1Gi", "2", "0.5", "100m"]
    );
    assert!(serde_saphyr::from_str::<Quantity>(".nan").is_err());
}

#[test]
fn the_default_is_zero_and_small() {
    let zero = Quantity::default();
    assert!(zero.is_zero() && zero.as_str() == "0" && zero.signum() == Some(0));
    assert_eq!((quantity("").is_zero(), quantity("").signum()), (false, None));
    assert_eq!(size_of::<Quantity>(), 24);
    assert_eq!(
        format!("{:>5}|{:?}", Quantity::from(7), Quantity::from(7)),
        "    7|Quantity(\"7\")"
    );
    assert_eq!(
        Quantity::parse("1K").unwrap_err().to_string(),
        "invalid quantity \"1K\": unknown suffix"
    );
}
