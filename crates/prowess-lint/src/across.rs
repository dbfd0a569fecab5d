//! The skills of a tree against each other: a model chooses one by its description and asks for it by
//! its name, so two that say the same or look alike make it guess.

mod likeness;

use std::collections::HashMap;

use prowess_core::{Code, Diagnostic};
use prowess_format::{Profile, are_confusable, name_skeleton};
use serde::Serialize;

use crate::codes;
use crate::package::{Shown, Verdict};
use crate::report::{Checked, PackageReport};
use crate::severities::severity;

/// The most pairs that a tree gives.
const MOST_PAIRS: usize = 200;

/// Two skills whose descriptions are alike.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alike {
    /// The directory of the first in the order of paths.
    pub one: String,
    /// The directory of the second.
    pub other: String,
    /// In which way they are alike.
    pub likeness: Likeness,
    /// How much, up to 1: the share of common words, or the cosine of the weighted words.
    pub score: f32,
}

/// In which way two descriptions are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Likeness {
    /// The same words in the same order.
    Duplicate,
    /// At least eight of ten words are common.
    NearDuplicate,
    /// The telling words are common, so a model would confuse the skills.
    Confusable,
}

impl Likeness {
    fn code(self) -> Code {
        match self {
            Self::Duplicate => codes::DESCRIPTION_DUPLICATE,
            Self::NearDuplicate => codes::DESCRIPTION_NEAR_DUPLICATE,
            Self::Confusable => codes::DESCRIPTION_CONFUSABLE,
        }
    }

    fn message(self, other: &str, score: f32) -> String {
        match self {
            Self::Duplicate => format!("the description is the same as that of `{other}`"),
            Self::NearDuplicate => {
                let percent = score * 100.0;
                format!("the description shares {percent:.0} % of its words with that of `{other}`")
            }
            Self::Confusable => {
                format!("a model may confuse this skill with `{other}` (likeness {score:.2})")
            }
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::Duplicate | Self::NearDuplicate => {
                "keep one of the two, or say in each what the other does not do"
            }
            Self::Confusable => "say in both descriptions when to use this one and not the other",
        }
    }
}

/// The reports of a tree with what its names and descriptions say of each other.
pub(crate) fn join(verdicts: Vec<Verdict>, problems: Vec<Diagnostic>, profile: Profile) -> Checked {
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

/// Tells each skill whose name looks like an earlier one's. Equal names are no mistake: a layer may
/// put its own skill before another's.
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
            prowess_format::shown(name),
            prowess_format::shown(&earlier.name),
            prowess_format::shown(path)
        );
        let help = "choose names that nobody takes for each other";
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
            let message = likeness.message(&prowess_format::shown(path), pair.score);
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

/// The packages that can be read, with their numbers.
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

/// A finding in its place, unless the profile is silent about it.
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
