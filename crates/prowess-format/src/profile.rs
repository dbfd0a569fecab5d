//! Degrees of strictness, as data: each has a severity for each code.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Code, CodeEntry, Severity, UnknownProfile, codes};

prowess_text::declare_kinds! {
    /// A named degree of strictness. Profiles differ in the severity of findings, not in the result
    /// of parsing: the document is the same under each.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Profile {
        /// The client guide of agentskills.io: load what can be loaded and report the rest. The
        /// default.
        #[default]
        Lenient = "lenient",
        /// The specification and named extensions: a field of neither is a warning.
        Extended = "extended",
        /// The specification of agentskills.io, as a checker for authors applies it.
        Spec = "spec",
        /// The specification with its advice as rules: only the six fields, at most 500 lines.
        Strict = "strict",
        /// The severities closest to the verdicts of the reference tool `skills-ref`. The tool's
        /// exact messages and their order come from `prowess-lint`, with its feature `reference`.
        SkillsRef = "skills-ref",
        /// [`Self::Extended`] with the fields that Claude Code documents.
        ClaudeCode = "claude-code",
    }
}

impl Profile {
    /// Returns the severity of one of [`codes::ALL`]; `None` if the profile does not report it. Any
    /// other code is an error.
    pub fn severity(self, code: &Code) -> Option<Severity> {
        let entry = codes::ALL.iter().find(|entry| entry.code == *code);
        entry.map_or(Some(Severity::Error), |entry| self.severity_of(entry))
    }

    /// Returns the severity of a code that is declared like those of [`codes::ALL`]; `None` if the
    /// profile does not report it. A code to which no profile applies is an error.
    pub fn severity_of(self, entry: &CodeEntry) -> Option<Severity> {
        let Some(severities) = entry.severities else { return Some(Severity::Error) };
        if self != Self::ClaudeCode {
            return severities[self as usize];
        }
        match entry.code.as_str() {
            // Claude Code uses the name of the directory and the first paragraph, and shortens a
            // description by itself.
            "name-from-directory" | "description-from-body" => Some(Severity::Hint),
            // A word that its next version may know, what other clients refuse, and a file that it
            // offers with all of its text.
            "description-too-long"
            | "extension-value-unknown"
            | "frontmatter-fence-in-text"
            | "frontmatter-missing"
            | "frontmatter-not-first"
            | "name-relaxed" => Some(Severity::Warning),
            _ => severities[Self::Extended as usize],
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_code(text).ok_or_else(|| UnknownProfile(text.to_owned()))
    }
}
