//! Compares the skills of a tree: a model chooses one by its description and names it, so similar
//! names and descriptions make it guess.

mod likeness;

use std::collections::HashMap;

use prowess_core::{Code, Diagnostic};
use prowess_format::{Profile, are_confusable, name_skeleton};

use crate::alike::Alike;
use crate::codes::{self, severity};
use crate::package::{CheckedPackage, Shown};
use crate::report::{Checked, PackageReport};

/// The maximum number of reported pairs.
const MOST_PAIRS: usize = 200;

/// Adds the findings about similar names and descriptions to the reports of a tree.
pub(crate) fn join(
    verdicts: Vec<CheckedPackage>,
    problems: Vec<Diagnostic>,
    profile: Profile,
) -> Checked {
    let (mut packages, shown): (Vec<_>, Vec<_>) =
        verdicts.into_iter().map(|verdict| (verdict.report, verdict.shown)).unzip();
    compare_names(&mut packages, &shown, profile);
    let alike = compare_descriptions(&mut packages, &shown, profile);
    for package in &mut packages {
        let place = |found: &Diagnostic| found.span.as_ref().map_or(usize::MAX, |it| it.start);
        package.diagnostics.sort_by_key(place);
        package.valid = !package.diagnostics.iter().any(Diagnostic::is_error);
    }
    Checked { packages, problems, alike }
}

/// Reports each skill whose name looks like an earlier one's. Equal names are no mistake: a layer
/// may override the skill of another.
fn compare_names(packages: &mut [PackageReport], shown: &[Option<Shown>], profile: Profile) {
    let mut first: HashMap<String, usize> = HashMap::new();
    for (other, Shown { name, name_place, .. }) in known(shown) {
        let one = *first.entry(name_skeleton(name)).or_insert(other);
        let Some(earlier) = shown[one].as_ref().filter(|it| are_confusable(&it.name, name)) else {
            continue;
        };
        let path = place_of(&packages[one], &packages[other]);
        let message = format!(
            "the name `{}` looks like `{}`, that of `{}`",
            prowess_format::for_message(name),
            prowess_format::for_message(&earlier.name),
            prowess_format::for_message(path)
        );
        let help = "choose names that look different";
        let found = filled(name_place, codes::NAME_CONFUSABLE, message, help, profile);
        packages[other].diagnostics.extend(found);
    }
}

fn compare_descriptions(
    packages: &mut [PackageReport],
    shown: &[Option<Shown>],
    profile: Profile,
) -> Vec<Alike> {
    let descriptions: Vec<&str> =
        shown.iter().map(|it| it.as_ref().map_or("", |it| it.description.as_str())).collect();
    let mut alike = Vec::new();
    for pair in likeness::pairs(&descriptions, MOST_PAIRS) {
        let likeness = pair.likeness;
        if let Some(Shown { description_place, .. }) = &shown[pair.other] {
            let path = place_of(&packages[pair.one], &packages[pair.other]);
            let message = likeness.message(&prowess_format::for_message(path), pair.score);
            let found =
                filled(description_place, likeness.code(), message, likeness.help(), profile);
            packages[pair.other].diagnostics.extend(found);
        }
        alike.push(Alike {
            one: packages[pair.one].path.clone(),
            other: packages[pair.other].path.clone(),
            likeness,
            score: pair.score,
        });
    }
    alike
}

/// Returns the readable packages with their indices.
fn known(shown: &[Option<Shown>]) -> impl Iterator<Item = (usize, &Shown)> {
    shown.iter().enumerate().filter_map(|(at, shown)| Some((at, shown.as_ref()?)))
}

/// A package as it is seen from another: by the path from the root that both have, which is short,
/// else by the whole path.
fn place_of<'r>(one: &'r PackageReport, other: &PackageReport) -> &'r str {
    let root = |report: &PackageReport| report.path.len() - report.package.len();
    let is_one_root = one.path[..root(one)] == other.path[..root(other)];
    if one.package.is_empty() || !is_one_root { &one.path } else { &one.package }
}

/// Returns a finding with a location, unless the profile does not report it.
fn filled(
    place: &Diagnostic,
    code: Code,
    message: String,
    help: &str,
    profile: Profile,
) -> Option<Diagnostic> {
    let severity = severity(&code, profile)?;
    Some(Diagnostic { code, severity, message, help: help.to_owned(), ..place.clone() })
}
