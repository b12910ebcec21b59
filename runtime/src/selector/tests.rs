use super::Selector;
use crate::meta::{LabelSelector, LabelSelectorRequirement};
use crate::value::map;

fn parse(text: &str) -> Selector {
    text.parse().unwrap()
}

#[test]
fn what_matches_what() {
    let web = map([
        ("app", "web"),
        ("tier", "front"),
        ("n", "7"),
        ("empty", ""),
        ("k8s.io/x", "y"),
    ]);
    let rows = [
        ("", true),
        ("  ", true),
        ("app=web", true),
        ("app==web", true),
        (" app = web ", true),
        ("app=api", false),
        ("app=", false),
        ("empty=", true),
        ("missing=", false),
        ("app!=api", true),
        ("app!=web", false),
        ("missing!=x", true),
        ("app in (web)", true),
        ("app in(api,web)", true),
        ("app in ( api , web )", true),
        ("app in (api)", false),
        ("missing in (x)", false),
        ("empty in (,x)", true),
        ("app in ()", false),
        ("app notin (api)", true),
        ("app notin (api,web)", false),
        ("missing notin (x)", true),
        ("app", true),
        ("empty", true),
        ("missing", false),
        ("!missing", true),
        ("! app", false),
        ("n>6", true),
        ("n > 7", false),
        ("n<8", true),
        ("n>-1", true),
        ("app>1", false),
        ("missing<1", false),
        ("k8s.io/x=y", true),
        ("app=web,tier=front", true),
        ("app=web,tier=back", false),
        ("in in (x)", false),
        ("notin", false),
        ("in", false),
    ];
    for (text, expected) in rows {
        let selector = parse(text);
        assert_eq!(selector.matches(&web), expected, "{text}");
        let again = parse(&selector.to_string());
        assert_eq!(again, selector, "{text} is {selector}");
    }
    assert!(parse("").is_everything() && Selector::everything().matches(&map([("a", "b")])));
}

#[test]
fn errors_name_the_place_and_what_is_expected() {
    let rows = [
        (",", "at 0: the name of a label expected, not ','"),
        ("a,", "at 2: the name of a label expected, the text ends"),
        ("a,,b", "at 2: the name of a label expected, not ','"),
        ("!", "at 1: the name of a label expected, the text ends"),
        ("=x", "at 0: the name of a label expected, not '='"),
        ("a!", "at 2: `=` behind `!` expected, the text ends"),
        ("a!x", "at 2: `=` behind `!` expected, not 'x'"),
        (
            "a b",
            "at 2: one of `=`, `==`, `!=`, `in`, `notin`, `>`, `<`, `,` or the end expected",
        ),
        ("a=b c", "at 4: `,` or the end expected, not 'c'"),
        ("a===b", "at 3: `,` or the end expected, not '='"),
        ("!a=b", "at 2: `,` or the end expected, not '='"),
        ("a in x", "at 5: `(` expected, not 'x'"),
        ("a in (x", "at 7: `,` or `)` expected, the text ends"),
        ("a in (x y)", "at 8: `,` or `)` expected, not 'y'"),
        ("a>x", "at 2: an integer expected, not \"x\""),
        ("a>", "at 2: an integer expected, not \"\""),
        ("a>99999999999999999999", "at 2: an integer expected"),
        ("-a", "at 0: \"-a\" is no name of a label"),
        ("/a", "at 0: \"\" is no prefix of a label"),
        ("A.io/a", "at 0: \"A.io\" is no prefix of a label"),
        ("a/b/c", "at 0: \"b/c\" is no name of a label"),
        ("a/", "at 0: \"\" is no name of a label"),
        ("a=b/c", "at 2: \"b/c\" is no value of a label"),
        ("a=größe", "at 2: \"größe\" is no value of a label"),
        ("a=-", "at 2: \"-\" is no value of a label"),
    ];
    for (text, expected) in rows {
        let error = text.parse::<Selector>().unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("`{text}`, {expected}")),
            "{text}: {error}"
        );
    }
    let long = "x".repeat(64);
    assert!(format!("a={long}").parse::<Selector>().is_err());
    assert!(long.parse::<Selector>().is_err());
}

#[test]
fn selectors_of_objects() {
    let expression = |key: &str, operator: &str, values: &[&str]| LabelSelectorRequirement {
        key: key.into(),
        operator: operator.into(),
        values: values.iter().map(|value| (*value).into()).collect(),
    };
    let selector = LabelSelector {
        match_labels: map([("app", "web")]),
        match_expressions: vec![
            expression("tier", "NotIn", &["cache", "db"]),
            expression("a", "Exists", &[]),
            expression("b", "DoesNotExist", &[]),
        ],
    };
    let selector = Selector::try_from(&selector).unwrap();
    assert_eq!(selector.to_string(), "app=web,tier notin (cache,db),a,!b");
    assert!(
        Selector::try_from(&LabelSelector::default())
            .unwrap()
            .is_everything()
    );
    let rows = [
        (expression("a", "In", &[]), "matchExpressions[0]: In needs values"),
        (
            expression("a", "Exists", &["x"]),
            "matchExpressions[0]: Exists takes no values",
        ),
        (
            expression("a", "Gt", &["1"]),
            "matchExpressions[0]: the operator \"Gt\" is none of In, NotIn, Exists and DoesNotExist",
        ),
        (
            expression("a b", "Exists", &[]),
            "matchExpressions[0]: \"a b\" is no name of a label",
        ),
    ];
    for (one, expected) in rows {
        let selector = LabelSelector {
            match_expressions: vec![one],
            ..LabelSelector::default()
        };
        let error = Selector::try_from(&selector).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn no_text_makes_it_panic() {
    let mut random = fastrand::Rng::with_seed(3);
    let signs = [
        "a", "in", "notin", "=", "!", "(", ")", ",", " ", "<", ">", "ß", "/", "\u{2003}", "1",
    ];
    for _ in 0..20_000 {
        let text: String = (0..random.usize(..9))
            .map(|_| signs[random.usize(..signs.len())])
            .collect();
        if let Ok(selector) = text.parse::<Selector>() {
            assert_eq!(selector.to_string().parse(), Ok(selector), "{text}");
        }
    }
}
