//! The name of a skill: a word with rules, checked once.

use std::fmt;

use serde::Serialize;

/// A name by the rule of agentskills.io: 1 to 64 of `a-z`, `0-9` and single inner hyphens, after
/// NFKC normalisation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct SkillName(Box<str>);

impl SkillName {
    /// Checks and normalises a name.
    ///
    /// # Errors
    ///
    /// The first rule that the text breaks.
    pub fn new(text: &str) -> Result<Self, NameError> {
        let _ = text;
        Err(NameError::Empty)
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SkillName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The rule that a name breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// There is no text.
    #[error("a skill's name must not be empty")]
    Empty,
}
