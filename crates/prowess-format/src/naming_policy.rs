//! The parts of a policy that override a profile: the name of a directory, and that of the file.

use serde::{Deserialize, Serialize};

use crate::{Diagnostic, Profile, Severity, check};

/// The severity of a declared name that differs from its directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NameMismatch {
    /// That of the profile: an error under `spec` and `strict`, otherwise a warning. The default.
    #[default]
    Profile,
    /// No finding.
    Allow,
    /// A warning.
    Warn,
    /// An error: the skill is not used.
    Error,
}

impl NameMismatch {
    /// Compares a declared name with the name of its package's directory, both in NFKC form. The
    /// finding has no location in the file.
    pub fn check(self, name: &str, directory: &str, profile: Profile) -> Option<Diagnostic> {
        let severity = match self {
            Self::Profile => return check::check_directory(name, directory, profile),
            Self::Allow => return None,
            Self::Warn => Severity::Warning,
            Self::Error => Severity::Error,
        };
        let found = check::check_directory(name, directory, Profile::Lenient)?;
        Some(Diagnostic { severity, ..found })
    }
}

/// The treatment of a `skill.md` instead of a `SKILL.md`. If there are both, `SKILL.md` is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SkillMdCase {
    /// That of the profile: an error under `strict`, otherwise a hint. The default.
    #[default]
    Profile,
    /// It is accepted, with a hint.
    Any,
    /// The skill is rejected.
    Exact,
}

impl SkillMdCase {
    /// Checks the name of the file with the instructions. The finding has no location in the file.
    pub fn check(self, file: &str, profile: Profile) -> Option<Diagnostic> {
        let severity = match self {
            Self::Profile => return check::check_file_name(file, profile),
            Self::Any => Severity::Hint,
            Self::Exact => Severity::Error,
        };
        Some(Diagnostic { severity, ..check::check_file_name(file, Profile::Lenient)? })
    }
}
