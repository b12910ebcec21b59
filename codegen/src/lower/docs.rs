//! Documentation: facts about types and fields, and descriptions in a form that rustdoc neither runs nor mislinks.

use super::classes::Classes;
use crate::ir::{Check, Demand, Offer, Resource, RustName, Subresource, Type, Verb};
use crate::parse::{Definition, Schema};

/// Packages whose types stand in the reference of the Kubernetes API.
const REFERENCED: &[&str] = &[
    "io.k8s.api.",
    "io.k8s.kube-aggregator.",
    "io.k8s.apiextensions-apiserver.",
];

/// The documentation of a struct that comes from a definition.
pub(super) fn of_type(
    ty: &Type,
    definition: &Definition,
    resource: Option<&Resource>,
    classes: &Classes<'_>,
    module: &RustName,
) -> Vec<String> {
    let title = classes.homes.title(module);
    let mut lines = vec![format!(
        "`{}` of `{title}`.",
        super::homes::last(ty.wire.as_str())
    )];
    paragraph(
        &mut lines,
        clean(definition.schema.description.as_deref().unwrap_or_default()),
    );
    if let Some(resource) = resource {
        let scope = if resource.namespaced {
            "namespaced"
        } else {
            "cluster"
        };
        let mut facts = Vec::new();
        for offer in &resource.offers {
            let verbs: Vec<_> = offer.verbs.keys().map(|verb| verb_name(*verb)).collect();
            let verbs = if verbs.is_empty() {
                "no verbs".to_owned()
            } else {
                verbs.join(", ")
            };
            facts.push(match &offer.subresource {
                None => format!("- `{}` ({scope}): {verbs}", code(resource.plural.as_str())),
                Some(_) => format!("- `{}/{}`: {verbs}", code(resource.plural.as_str()), path(offer)),
            });
        }
        paragraph(&mut lines, facts);
    }
    if let Some(link) = reference(ty, classes, module) {
        paragraph(&mut lines, vec![link]);
    }
    lines
}

/// The documentation of a struct for an object that stands in place.
pub(super) fn of_inline(path: &str, schema: &Schema) -> Vec<String> {
    let mut lines = vec![format!("The object at `{}`.", code(path))];
    paragraph(
        &mut lines,
        clean(schema.description.as_deref().unwrap_or_default()),
    );
    lines
}

/// The documentation of a field.
pub(super) fn of_field(wire: &str, schema: &Schema) -> Vec<String> {
    let mut lines = vec![format!("`{}`", code(wire))];
    paragraph(
        &mut lines,
        clean(schema.description.as_deref().unwrap_or_default()),
    );
    lines
}

/// The documentation of an enum.
pub(super) fn of_inline_text(path: &str, schema: &Schema) -> Vec<String> {
    let mut lines = vec![format!("The text at `{}`.", code(path))];
    paragraph(
        &mut lines,
        clean(schema.description.as_deref().unwrap_or_default()),
    );
    lines
}

/// What a schema asks beyond the type.
pub(super) fn add_facts(lines: &mut Vec<String>, checks: &[Check]) {
    let facts = checks.iter().filter_map(fact).map(|fact| format!("- {fact}"));
    paragraph(lines, facts.collect());
}

/// The longest text of a rule that is shown.
const SHOWN: usize = 200;

fn fact(check: &Check) -> Option<String> {
    let quoted = |text: &str| {
        let mut text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.chars().count() > SHOWN {
            text = text.chars().take(SHOWN).chain("...".chars()).collect();
        }
        format!("`{}`", code(&text))
    };
    let list = |texts: &[String]| {
        texts
            .iter()
            .map(|text| quoted(text))
            .collect::<Vec<_>>()
            .join(", ")
    };
    Some(match check {
        Check::Minimum(least) => format!("at least {least}"),
        Check::Above(least) => format!("above {least}"),
        Check::Maximum(most) => format!("at most {most}"),
        Check::Below(most) => format!("below {most}"),
        Check::MultipleOf(step) => format!("a multiple of {step}"),
        Check::MinLength(least) => format!("length at least {least}"),
        Check::MaxLength(most) => format!("length at most {most}"),
        Check::Pattern(pattern) => format!("matches {}", quoted(pattern)),
        Check::Format(format) => format!("format {}", quoted(format)),
        Check::MinItems(least) => format!("at least {least} items"),
        Check::MaxItems(most) => format!("at most {most} items"),
        Check::MinProperties(least) => format!("at least {least} entries"),
        Check::MaxProperties(most) => format!("at most {most} entries"),
        // The enum lists them.
        Check::Texts(_) | Check::TextsOf(_) => return None,
        Check::Numbers(numbers) => {
            let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
            format!("one of {}", numbers.join(", "))
        }
        Check::ListSet => "items differ".to_owned(),
        Check::ListMap(keys) => format!("items differ in {}", list(keys)),
        Check::Atomic => "applied as a whole".to_owned(),
        Check::Default(value) => format!("default {}", quoted(value)),
        Check::Fields(Demand::One(demands)) => format!("exactly one of {}", choices(demands)),
        Check::Fields(Demand::Any(demands)) => format!("at least one of {}", choices(demands)),
        Check::Fields(demand) => format!("set: {}", quoted(&phrase(demand))),
        Check::Cel(rule, _) => format!("the server checks {}", quoted(rule)),
    })
}

fn choices(demands: &[Demand]) -> String {
    let choices: Vec<_> = demands
        .iter()
        .map(|demand| format!("`{}`", code(&phrase(demand))))
        .collect();
    choices.join(", ")
}

fn phrase(demand: &Demand) -> String {
    let all = |demands: &[Demand], word: &str| {
        let phrases: Vec<_> = demands.iter().map(phrase).collect();
        format!("({})", phrases.join(word))
    };
    match demand {
        Demand::Set(names) => names.join(" and "),
        Demand::Not(inner) => format!("not {}", phrase(inner)),
        Demand::One(demands) => all(demands, " xor "),
        Demand::Any(demands) => all(demands, " or "),
        Demand::All(demands) => all(demands, " and "),
    }
}

fn paragraph(lines: &mut Vec<String>, more: Vec<String>) {
    if !more.is_empty() {
        lines.push(String::new());
        lines.extend(more);
    }
}

/// Whether a character controls something, such as the direction of text, which the compiler refuses.
fn is_hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text that may stand between backticks.
pub(super) fn code(text: &str) -> String {
    text.chars()
        .map(|c| if c == '`' || is_hidden(c) { '\'' } else { c })
        .collect()
}

fn path(offer: &Offer) -> String {
    match &offer.subresource {
        Some(Subresource::Known(name)) => name.to_ascii_lowercase(),
        Some(Subresource::Marker(marker)) => code(marker.path.as_str()),
        None => String::new(),
    }
}

fn verb_name(verb: Verb) -> &'static str {
    match verb {
        Verb::Connect => "connect",
        Verb::Create => "create",
        Verb::Delete => "delete",
        Verb::DeleteCollection => "deletecollection",
        Verb::Get => "get",
        Verb::List => "list",
        Verb::Patch => "patch",
        Verb::Update => "update",
        Verb::Watch => "watch",
    }
}

/// The place in the reference of the Kubernetes API: `#podspec-v1-core`.
fn reference(ty: &Type, classes: &Classes<'_>, module: &RustName) -> Option<String> {
    let wire = ty.wire.as_str();
    let minor = classes.model.version.as_ref()?.minor;
    REFERENCED
        .iter()
        .any(|package| wire.starts_with(package))
        .then_some(())?;
    let title = classes.homes.title(module);
    let (group, version) = title.split_once('/')?;
    let group = group.split('.').next()?;
    let kind = super::homes::last(wire).to_ascii_lowercase();
    let base = "https://kubernetes.io/docs/reference/generated/kubernetes-api";
    Some(format!(
        "[Reference]({base}/v1.{minor}/#{kind}-{version}-{group})"
    ))
}

/// Makes a description fit for rustdoc: fences become plain text, nothing is indented into code, brackets and angles
/// link and mark nothing, bare URLs become links. Code between backticks stays as it is.
pub(super) fn clean(description: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut fence: Option<&str> = None;
    // Where the text of a list item begins; a line that goes on with it is put there.
    let mut item = 0;
    for line in description.trim().lines() {
        let trimmed = line.trim();
        let marker = ["```", "~~~"]
            .into_iter()
            .find(|marker| trimmed.starts_with(marker));
        match (fence, marker) {
            (None, Some(marker)) if !trimmed[3..].contains('`') => {
                fence = Some(marker);
                item = 0;
                lines.push("```text".to_owned());
            }
            (Some(open), Some(marker)) if open == marker && trimmed.chars().all(|c| marker.contains(c)) => {
                fence = None;
                lines.push("```".to_owned());
            }
            // A fence of the other kind within one would end ours.
            (Some(_), _) => lines.push(printable(&line.replace("```", "'''"))),
            (None, _) => {
                let line = prose(trimmed);
                let indent = match item_text(&line) {
                    Some(text) => {
                        item = text;
                        0
                    }
                    None if line.is_empty() => {
                        item = 0;
                        0
                    }
                    None => item,
                };
                lines.push(format!("{:indent$}{line}", ""));
            }
        }
    }
    if fence.is_some() {
        lines.push("```".to_owned());
    }
    lines
}

/// Where the text of a list item begins, if the line is one.
fn item_text(line: &str) -> Option<usize> {
    let marker = line.split(' ').next()?;
    let number = marker.strip_suffix(['.', ')']).unwrap_or_default();
    let numbered =
        !number.is_empty() && number.len() < 10 && number.bytes().all(|byte| byte.is_ascii_digit());
    (matches!(marker, "-" | "+") || numbered).then_some(marker.len() + 1)
}

/// Without control characters; tabs become spaces.
fn printable(line: &str) -> String {
    line.replace('\t', "    ")
        .chars()
        .filter(|c| !is_hidden(*c))
        .collect::<String>()
        .trim_end()
        .to_owned()
}

/// A line outside of fences.
fn prose(line: &str) -> String {
    let words: Vec<_> = line.split_whitespace().collect();
    let line = words.join(" ");
    let line: String = line.chars().filter(|c| !is_hidden(*c)).collect();
    let paired = line.matches('`').count().is_multiple_of(2) && !line.contains("``");
    let mut out = String::new();
    for (index, part) in line.split('`').enumerate() {
        if index > 0 {
            out.push_str(if paired { "`" } else { "\\`" });
        }
        match paired && index % 2 == 1 {
            true => out.push_str(part),
            false => escape(part, &mut out),
        }
    }
    match out.chars().next() {
        // Headings and quotes, within which an indented line would be code.
        Some('#' | '>') => format!("\\{out}"),
        _ => out,
    }
}

fn escape(text: &str, out: &mut String) {
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 {
            out.push(' ');
        }
        match url(word) {
            Some((before, link, after)) => {
                escape_signs(before, out);
                out.push('<');
                out.push_str(link);
                out.push('>');
                escape_signs(after, out);
            }
            None => escape_signs(word, out),
        }
    }
}

/// The URL in a word, with what stands before and behind it.
fn url(word: &str) -> Option<(&str, &str, &str)> {
    let start = ["https://", "http://"]
        .iter()
        .filter_map(|scheme| word.find(scheme))
        .min()?;
    let (before, rest) = word.split_at(start);
    let end = rest
        .find(['<', '>', '"', '\\', ')', ']', '}', '|', '^'])
        .unwrap_or(rest.len());
    let link = rest[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_']);
    let host = link.split_once("://").map_or("", |(_, host)| host);
    (!host.is_empty()).then(|| (before, link, &rest[link.len()..]))
}

fn escape_signs(text: &str, out: &mut String) {
    for c in text.chars() {
        if matches!(
            c,
            '[' | ']' | '<' | '>' | '\\' | '*' | '_' | '|' | '~' | '$' | '&'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_neither_run_nor_linked() {
        for (description, expected) in [
            ("", &[][..]),
            ("A pod.", &["A pod."]),
            ("see [text] and [a](b)", &[r"see \[text\] and \[a\](b)"]),
            ("a Vec<T> here", &[r"a Vec\<T\> here"]),
            ("use `Vec<T>` and `[x]`", &["use `Vec<T>` and `[x]`"]),
            ("odd ` tick <T>", &[r"odd \` tick \<T\>"]),
            (
                "More info: https://example.com/a_b.",
                &["More info: <https://example.com/a_b>."],
            ),
            ("(http://example.com)", &["(<http://example.com>)"]),
            ("https:// is no link", &["https:// is no link"]),
            ("`https://example.com`", &["`https://example.com`"]),
            ("ends */ here", &[r"ends \*/ here"]),
            ("\tindented\n        code", &["indented", "code"]),
            ("-       listed", &["- listed"]),
            ("> quoted", &[r"\> quoted"]),
            ("# heading", &[r"\# heading"]),
            ("```\nlet x = 1;\n```", &["```text", "let x = 1;", "```"]),
            (
                "```rust\npanic!()\n```\nafter",
                &["```text", "panic!()", "```", "after"],
            ),
            ("```yaml\n\ta: <b>", &["```text", "    a: <b>", "```"]),
            ("~~~\na\n```\nb\n~~~", &["```text", "a", "'''", "b", "```"]),
            ("bell \u{7} and \r\nnext", &["bell  and", "next"]),
            ("a\n\nb", &["a", "", "b"]),
        ] {
            assert_eq!(clean(description), expected, "{description:?}");
        }
    }
}
