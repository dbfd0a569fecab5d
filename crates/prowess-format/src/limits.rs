//! Limits of length, in one table that a host may change.

use serde::{Deserialize, Serialize};

use crate::{Code, Diagnostic, Severity};

/// Limits of the parts of a skill, with the severity of a finding above each.
///
/// The limits that protect the parser are not among them: [`crate::MAX_FILE_BYTES`] and
/// [`crate::MAX_FRONTMATTER_BYTES`] always apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// `name`, in characters after NFKC. By default 64. No key of a file: the severity follows the
    /// profile.
    #[serde(skip)]
    pub name_characters: Limit,
    /// `description`, in characters. By default 1,024. No key of a file: the severity follows the
    /// profile.
    #[serde(skip)]
    pub description_characters: Limit,
    /// `compatibility`, in characters. By default 500. No key of a file: the severity follows the
    /// profile.
    #[serde(skip)]
    pub compatibility_characters: Limit,
    /// The body, in lines. By default 500.
    pub body_lines: Limit,
    /// The estimated tokens of the body. By default 8,000, with a warning of `validate` under every
    /// profile. A scan checks it only if a severity is set here.
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

/// A maximum, and the severity of a finding above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// The maximum.
    pub max: usize,
    /// The severity of a finding above the limit. By default, that of the profile.
    #[serde(default)]
    pub severity: LimitSeverity,
}

impl Limit {
    /// This much, with the profile's severity.
    pub const fn of(max: usize) -> Self {
        Self { max, severity: LimitSeverity::Profile }
    }

    /// Returns the finding about a file with more tokens than this, by its size: a scan reads no
    /// body. Four bytes count as a token, like four characters in the estimate of texts.
    ///
    /// Only a host that sets a severity gets the finding.
    pub fn tokens_of_file(self, bytes: u64, code: Code) -> Option<Diagnostic> {
        let (tokens, max) = (bytes.div_ceil(4), self.max);
        if usize::try_from(tokens).is_ok_and(|tokens| tokens <= max) {
            return None;
        }
        let severity = self.severity.or(None)?;
        let message =
            format!("the file costs approx. {tokens} tokens once it is loaded, more than {max}");
        let help = "move details to files below `references/` and name them in the body";
        Some(Diagnostic::new(code, severity, message, help))
    }
}

/// The severity of a finding above a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LimitSeverity {
    /// The severity of the profile. The default.
    #[default]
    Profile,
    /// No finding.
    Allow,
    /// A hint.
    Hint,
    /// A warning.
    Warning,
    /// An error: the skill cannot be used.
    Error,
}

impl LimitSeverity {
    /// Returns the severity, given that of the profile; `None` if there is no finding.
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
