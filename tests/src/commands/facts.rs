//! `facts`: writes or checks the committed fact table of the Kubernetes types.

use std::path::Path;

use anyhow::{Context, bail};

use crate::facts;

/// What repairs a table that is out of date.
const REPAIR: &str = "cargo run -p kubeloom-tests -- facts";
/// The table, relative to the workspace root.
const TABLE: &str = "codegen/specs/facts/kubernetes.facts";

/// Arguments of `facts`.
#[derive(clap::Args, Clone, Debug)]
pub struct FactsArgs {
    /// Compare with the committed table instead of writing it
    #[arg(long)]
    check: bool,
}

/// Makes the fact table from the Kubernetes modules that `tests/go-facts/go.mod` pins, which Go downloads if its
/// module cache lacks them, and writes it or, with `--check`, compares it with the committed one.
///
/// Without Go a check says that it is skipped, and succeeds.
///
/// # Errors
///
/// If the modules cannot be had or read, if the `.proto` files and the Go types disagree, if the table cannot be read
/// or written, or if a check finds a difference.
pub fn run(args: FactsArgs) -> anyhow::Result<()> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .context("the crate has no parent folder")?;
    let table = workspace.join(TABLE);
    if !crate::go::available() {
        if args.check {
            eprintln!(
                "SKIPPED: facts --check: no `go` on the PATH, so {TABLE} was not compared with its sources"
            );
            return Ok(());
        }
        bail!("`go` is not on the PATH; the fact table is read from Go modules");
    }
    let facts = facts::collect(&workspace.join("tests/go-facts"))?;
    let text = facts.to_text(&[
        "Protobuf numbers, field order and presence of the Kubernetes types: facts that OpenAPI does not carry.",
        &format!("Made from the modules below. To make it anew: {REPAIR}"),
        "The format is described at kubeloom_codegen::facts::Facts::parse.",
    ]);
    let fields: usize = facts
        .messages
        .values()
        .map(|message| message.fields().len())
        .sum();
    let summary = format!(
        "{} definitions, {fields} fields, {} bytes",
        facts.messages.len(),
        text.len()
    );
    if !args.check {
        if let Some(folder) = table.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        std::fs::write(&table, text).with_context(|| format!("cannot write {}", table.display()))?;
        println!("{TABLE}: {summary}");
        return Ok(());
    }
    let committed =
        std::fs::read_to_string(&table).with_context(|| format!("cannot read {}", table.display()))?;
    if let Some(difference) = first_difference(&committed, &text) {
        bail!("{TABLE} is out of date: {difference}\nTo repair it: {REPAIR}");
    }
    println!("{TABLE} is up to date: {summary}");
    Ok(())
}

/// Says where two texts first differ, or `None` if they do not, line ends and the end of the text included.
fn first_difference(committed: &str, fresh: &str) -> Option<String> {
    if committed == fresh {
        return None;
    }
    let mut lines = fresh.split('\n');
    for (index, old) in committed.split('\n').enumerate() {
        match lines.next() {
            Some(new) if new == old => {}
            new => return Some(describe(index, Some(old), new)),
        }
    }
    Some(describe(committed.split('\n').count(), None, lines.next()))
}

fn describe(index: usize, old: Option<&str>, new: Option<&str>) -> String {
    let show = |line: Option<&str>| line.map_or("nothing".to_owned(), |text| format!("{text:?}"));
    format!(
        "line {} is {}, the sources say {}",
        index + 1,
        show(old),
        show(new)
    )
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn differences_are_found_wherever_they_are() {
        let cases = [
            ("a\nb\n", "a\nb\n", None),
            ("a\nb\n", "a\nc\n", Some("line 2 is \"b\", the sources say \"c\"")),
            ("a\n", "a\nb\n", Some("line 2 is \"\", the sources say \"b\"")),
            ("a\nb\n", "a\n", Some("line 2 is \"b\", the sources say \"\"")),
            ("a\n", "a", Some("line 2 is \"\", the sources say nothing")),
            ("a", "a\n", Some("line 2 is nothing, the sources say \"\"")),
            ("a\r\n", "a\n", Some("line 1 is \"a\\r\", the sources say \"a\"")),
        ];
        for (committed, fresh, expected) in cases {
            assert_eq!(
                first_difference(committed, fresh).as_deref(),
                expected,
                "{committed:?} {fresh:?}"
            );
        }
    }
}
