//! How long things may be: one table, which a host may change.

use serde::{Deserialize, Serialize};

use crate::Severity;

/// How long the parts of a skill may be, and how much it matters if one is longer.
///
/// The bounds that keep a reader from harm are none of these: [`crate::MAX_FILE_BYTES`] and
/// [`crate::MAX_FRONTMATTER_BYTES`] always hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// `name`, in characters after NFKC. By default 64.
    pub name_characters: Limit,
    /// `description`, in characters. By default 1,024.
    pub description_characters: Limit,
    /// `compatibility`, in characters. By default 500.
    pub compatibility_characters: Limit,
    /// The body, in lines. By default 500.
    pub body_lines: Limit,
    /// The body, in tokens by estimate. By default 8,000, and a warning under every profile for who validates.
    /// A scan tells of it where a severity is named here: the size of each file is one system call more.
    pub body_tokens: Limit,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            name_characters: Limit::of(64),
            description_characters: Limit::of(1024),
            compatibility_characters: Limit::of(500),
            body_lines: Limit::of(500),
            body_tokens: Limit::of(8000),
        }
    }
}

/// The most of something, and how much it matters if there is more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// The most that there may be.
    pub max: usize,
    /// What it is if there is more. By default, what the profile says.
    #[serde(default)]
    pub severity: LimitSeverity,
}

impl Limit {
    /// This much, with the profile's severity.
    pub const fn of(max: usize) -> Self {
        Self { max, severity: LimitSeverity::Profile }
    }
}

/// How much it matters that a limit is passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LimitSeverity {
    /// What the profile says. The default.
    #[default]
    Profile,
    /// Nothing worth a word.
    Allow,
    /// A hint.
    Hint,
    /// A warning.
    Warning,
    /// An error: the skill cannot be used.
    Error,
}

impl LimitSeverity {
    /// The severity itself, where `profile` is what the profile says; `None` is silence.
    pub fn or(self, profile: Option<Severity>) -> Option<Severity> {
        match self {
            Self::Profile => profile,
            Self::Allow => None,
            Self::Hint => Some(Severity::Hint),
            Self::Warning => Some(Severity::Warning),
            Self::Error => Some(Severity::Error),
        }
    }
}
