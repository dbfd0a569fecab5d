//! The name of a skill: a word with rules, checked once.

mod confusable;
mod rule;
mod slug;

use crate::error::NameError;
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use unicode_normalization::UnicodeNormalization;

pub use confusable::{are_confusable, name_skeleton};
pub use rule::NameRule;
pub(crate) use rule::{check, check_grammar, is_portable};
pub(crate) use slug::is_relaxed;
pub use slug::{slug, unaccented};

pub(crate) const MAX_NAME_CHARACTERS: usize = 64;

/// A name that keeps a [`NameRule`], by default that of agentskills.io: 1 to 64 of `a-z`, `0-9` and
/// single inner hyphens, after NFKC normalisation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct SkillName(Box<str>);

impl SkillName {
    /// Checks and normalises a name.
    ///
    /// # Errors
    ///
    /// The first rule that the text breaks; the length comes last.
    pub fn new(text: &str) -> Result<Self, NameError> {
        Self::with_rule(text, NameRule::AgentSkills)
    }

    /// Checks a name by another rule, and normalises it.
    ///
    /// # Errors
    ///
    /// Those of [`SkillName::new`], by the rule's own grammar.
    pub fn with_rule(text: &str, rule: NameRule) -> Result<Self, NameError> {
        let name = normalized(text);
        check(&name, rule)?;
        Ok(Self(name.into()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the name belongs to a tool, to the runtime or to an operating system, so that a
    /// skill should not bear it. Profiles refuse such names; the grammar does not.
    pub fn is_reserved(&self) -> bool {
        is_reserved(&self.0)
    }
}

impl fmt::Display for SkillName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl FromStr for SkillName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::new(text)
    }
}

impl AsRef<str> for SkillName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// The NFKC form of a name; nothing is copied where it is ASCII.
pub(crate) fn normalized(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.nfkc().collect()) }
}

/// Words that a tool, the runtime or a host has already, beside the devices of Windows.
const RESERVED: &[&str] =
    &["bash", "default", "mcp", "skills-load", "skills-read", "skills-unload", "system"];

/// Whether a name that keeps the grammar is one that a skill should not bear.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name) || is_windows_device(name)
}

/// `con`, `prn`, `aux`, `nul`, `com1` to `com9` and `lpt1` to `lpt9`: Windows makes no such folder.
fn is_windows_device(name: &str) -> bool {
    match name.as_bytes() {
        b"con" | b"prn" | b"aux" | b"nul" => true,
        [b'c', b'o', b'm', digit] | [b'l', b'p', b't', digit] => matches!(digit, b'1'..=b'9'),
        _ => false,
    }
}

/// Every reserved name.
pub(crate) fn reserved() -> Vec<String> {
    let numbered =
        ["com", "lpt"].into_iter().flat_map(|port| (0..=9).map(move |at| format!("{port}{at}")));
    let words = RESERVED.iter().copied().chain(["con", "prn", "aux", "nul"]).map(str::to_owned);
    words.chain(numbered).filter(|name| is_reserved(name)).collect()
}
