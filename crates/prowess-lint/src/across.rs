//! Descriptions of a tree against each other: a model chooses a skill by its description, so two that
//! say the same make it guess.

mod likeness;

use prowess_core::{Code, Diagnostic};
use prowess_format::Profile;
use serde::Serialize;

use crate::codes;
use crate::package::Verdict;
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

/// The reports of a tree with what its descriptions say of each other.
pub(crate) fn join(verdicts: Vec<Verdict>, problems: Vec<Diagnostic>, profile: Profile) -> Checked {
    let (mut packages, places): (Vec<_>, Vec<_>) =
        verdicts.into_iter().map(|verdict| (verdict.report, verdict.description)).unzip();
    let descriptions: Vec<&str> = places
        .iter()
        .map(|place| place.as_ref().map_or("", |(description, _)| description.as_str()))
        .collect();
    let mut alike = Vec::new();
    for pair in likeness::pairs(&descriptions, MOST_PAIRS) {
        if let Some((_, place)) = &places[pair.other] {
            let found = finding(&packages, &pair, place, profile);
            packages[pair.other].diagnostics.extend(found);
        }
        alike.push(Alike {
            one: packages[pair.one].path.clone(),
            other: packages[pair.other].path.clone(),
            likeness: pair.likeness,
            score: pair.score,
        });
    }
    for package in &mut packages {
        let place = |found: &Diagnostic| found.span.as_ref().map_or(usize::MAX, |it| it.start);
        package.diagnostics.sort_by_key(place);
        package.valid = !package.diagnostics.iter().any(Diagnostic::is_error);
    }
    Checked { packages, problems, alike }
}

/// The finding of the second skill of a pair, where its description stands.
fn finding(
    packages: &[PackageReport],
    pair: &likeness::Pair,
    place: &Diagnostic,
    profile: Profile,
) -> Option<Diagnostic> {
    let one = &packages[pair.one];
    let code = pair.likeness.code();
    let severity = severity(&code, profile)?;
    // The path from the tree's root is short and tells apart skills of one name.
    let name = if one.package.is_empty() { &one.path } else { &one.package };
    let message = pair.likeness.message(&prowess_format::shown(name), pair.score);
    let help = pair.likeness.help().to_owned();
    Some(Diagnostic { code, severity, message, help, ..place.clone() })
}
