//! The built-in kinds and many objects of each.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};

use kubeloom_tests::arbitrary::{Kind, Kinds, Shape};

/// Overrides the number of objects of each kind.
const CASES_ENV: &str = "KUBELOOM_CASES";
const CASES: u64 = 8;
/// How many failing kinds are shown.
const SHOWN: usize = 12;

/// Every root kind of the generated crate, and the lists of those that are resources.
pub(crate) fn kinds() -> Vec<Kind> {
    let mut kinds = Kinds::default();
    kubeloom_k8s::visit_kinds(&mut kinds);
    kinds.add_body::<kubeloom_k8s::authentication_v1::TokenRequest>();
    kinds.add_body::<kubeloom_k8s::autoscaling_v1::Scale>();
    kinds.add_body::<kubeloom_k8s::policy_v1::Eviction>();
    let found: BTreeSet<String> = kinds
        .0
        .iter()
        .filter(|kind| !kind.is_list)
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        found,
        in_sources(),
        "kinds that are visited, kinds that are in the sources"
    );
    kinds.0
}

/// The root kinds by the text of the generated sources: none may be missed for want of a visit.
fn in_sources() -> BTreeSet<String> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated/k8s/src")];
    let mut found = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(path).unwrap();
            found.extend(text.lines().filter_map(|line| {
                let (_, names) = line.trim().strip_prefix("record! {")?.split_once(" = ")?;
                let mut quoted = names.split('"').skip(1).step_by(2);
                Some(format!("{}/{}", quoted.next()?, quoted.next()?))
            }));
        }
    }
    found
}

/// Calls `check` with each kind and seed, and fails with the first complaint about each kind.
///
/// There are 8 seeds, or as many as the environment variable `KUBELOOM_CASES` says.
pub(crate) fn for_each_object(kinds: &[Kind], mut check: impl FnMut(&Kind, u64) -> Result<(), String>) {
    let cases = env::var(CASES_ENV).map_or(CASES, |text| text.parse().unwrap());
    let mut failures = Vec::new();
    for kind in kinds {
        let complaint = (0..cases).find_map(|seed| Some((seed, check(kind, seed).err()?)));
        if let Some((seed, what)) = complaint {
            failures.push(format!("{kind} seed {seed} ({:?}): {what}", Shape::of_seed(seed)));
        }
    }
    let shown = failures[..failures.len().min(SHOWN)].join("\n");
    assert!(
        failures.is_empty(),
        "{} kinds fail, the first ones:\n{shown}",
        failures.len()
    );
}

/// The surroundings of the first byte at which two bodies differ.
pub(crate) fn first_difference(one: &[u8], other: &[u8]) -> String {
    let at = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let excerpt = |body: &[u8]| {
        let part = &body[at.saturating_sub(60)..(at + 60).min(body.len())];
        String::from_utf8_lossy(part).into_owned()
    };
    format!("at byte {at}: {:?} became {:?}", excerpt(one), excerpt(other))
}
