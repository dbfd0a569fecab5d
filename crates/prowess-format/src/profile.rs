//! How strict reading is, as data: a table of codes with a severity for each profile.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::severities::TABLE;
use crate::{Code, Severity};

/// A named degree of strictness. Profiles differ in the severity that they give to a finding, not
/// in what is read: the document is the same under each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The client guide of agentskills.io: load what can be loaded and say what was wrong. The default.
    #[default]
    Lenient,
    /// The specification with named extensions beside it: a field of neither is a warning.
    Extended,
    /// The specification of agentskills.io, as a checker for authors applies it.
    Spec,
    /// The specification with its advice as law: the six fields and no other, at most 500 lines.
    Strict,
    /// The reference tool `skills-ref`. Its exact verdicts, messages and order come from
    /// [`crate::skills_ref`]; reading under this profile gives our own findings with the severities
    /// that come nearest.
    SkillsRef,
}

impl Profile {
    /// Every profile, in the order in which `--help` lists them.
    pub const ALL: [Self; 5] =
        [Self::Lenient, Self::Extended, Self::Spec, Self::Strict, Self::SkillsRef];

    /// The name that a user types.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lenient => "lenient",
            Self::Extended => "extended",
            Self::Spec => "spec",
            Self::Strict => "strict",
            Self::SkillsRef => "skills-ref",
        }
    }

    /// How much a finding of this code matters; `None` where the profile is silent about it.
    ///
    /// Codes that are not named in the profiles' table are errors under each.
    pub fn severity(self, code: &Code) -> Option<Severity> {
        let row = TABLE.iter().find(|(known, _)| known == code);
        row.map_or(Some(Severity::Error), |(_, severities)| severities[self as usize])
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// No profile has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no profile named `{0}`; the profiles are `lenient`, `extended`, `spec`, `strict` and `skills-ref`"
)]
pub struct UnknownProfile(pub String);

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|profile| profile.as_str() == text)
            .ok_or_else(|| UnknownProfile(text.to_owned()))
    }
}
