//! The grammars of names that clients use.

use std::fmt;

use serde::{Deserialize, Serialize};
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use super::MAX_NAME_CHARACTERS;
use crate::NameError;
use prowess_text::is_invisible;

prowess_text::declare_kinds! {
    /// Which names are valid. Under each, a name has 1 to 64 characters, counted after NFKC.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum NameRule {
        /// agentskills.io: `a-z`, `0-9` and single inner hyphens. The default.
        #[default]
        #[serde(rename = "agentskills")]
        AgentSkills = "agentskills",
        /// A letter from `a` to `z`, then `a-z`, `0-9` and hyphens anywhere.
        #[serde(rename = "kebab-letter-first")]
        KebabLetterFirst = "kebab-letter-first",
        /// As `AgentSkills`, with the letters and digits of every script (general categories L* and
        /// N*), in lower case where there is a case.
        #[serde(rename = "unicode")]
        Unicode = "unicode",
        /// Any name that a file may have on every system: no invisible character, no slash or
        /// backslash, no blank at an end, and not dots alone.
        #[serde(rename = "any")]
        Any = "any",
    }
}

impl NameRule {
    /// Describes the characters of a valid name, for help texts.
    pub(crate) fn advice(self) -> &'static str {
        match self {
            Self::AgentSkills => "use `a` to `z`, `0` to `9` and single hyphens between them",
            Self::KebabLetterFirst => {
                "start with `a` to `z`, and continue with `a` to `z`, `0` to `9` and hyphens"
            }
            Self::Unicode => "use lower-case letters, digits and single hyphens between them",
            Self::Any => {
                "use what can be the name of a file: no slash, no character without a look"
            }
        }
    }

    fn refused(self, character: char) -> Option<NameError> {
        match (self, character) {
            (_, 'a'..='z' | '0'..='9' | '-') => None,
            (Self::Any, _) => is_of_no_file(character).then_some(NameError::NotOfAFile(character)),
            (Self::Unicode, _) if has_case(character) => Some(NameError::UpperCase(character)),
            (Self::Unicode, _) if is_letter_or_number(character) => None,
            (Self::Unicode, _) => Some(NameError::InvalidLetter(character)),
            (_, 'A'..='Z') => Some(NameError::UpperCase(character)),
            _ => Some(NameError::InvalidCharacter(character)),
        }
    }
}

impl fmt::Display for NameRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Returns whether a name is valid by every rule: single inner hyphens between `a-z` and `0-9`, a
/// letter first.
///
/// Most names are, and this checks it in one pass over the bytes.
pub(crate) fn is_portable(name: &str) -> bool {
    let [first @ b'a'..=b'z', rest @ ..] = name.as_bytes() else { return false };
    let kept = |last: u8, &byte: &u8| match byte {
        b'-' if last == b'-' => None,
        b'a'..=b'z' | b'0'..=b'9' | b'-' => Some(byte),
        _ => None,
    };
    let last = rest.iter().try_fold(*first, kept);
    name.len() <= MAX_NAME_CHARACTERS && last.is_some_and(|last| last != b'-')
}

pub(crate) fn check(name: &str, rule: NameRule) -> Result<(), NameError> {
    check_grammar(name, rule)?;
    match name.chars().count() {
        0..=MAX_NAME_CHARACTERS => Ok(()),
        characters => Err(NameError::TooLong(characters)),
    }
}

/// Checks a normalised name, whatever its length.
#[inline]
pub(crate) fn check_grammar(name: &str, rule: NameRule) -> Result<(), NameError> {
    if is_portable(name) {
        return Ok(());
    }
    if name.is_empty() {
        return Err(NameError::Empty);
    }
    if let Some(error) = name.chars().find_map(|character| rule.refused(character)) {
        return Err(error);
    }
    check_edges(name, rule)
}

fn check_edges(name: &str, rule: NameRule) -> Result<(), NameError> {
    if rule == NameRule::Any {
        let is_trimmed = name.trim().len() == name.len();
        let is_dots = name.bytes().all(|byte| byte == b'.');
        return if is_trimmed && !is_dots { Ok(()) } else { Err(NameError::NoFile) };
    }
    if name.starts_with('-') {
        return Err(NameError::LeadingHyphen);
    }
    if rule == NameRule::KebabLetterFirst {
        let digit = name.chars().next().filter(char::is_ascii_digit);
        return digit.map_or(Ok(()), |digit| Err(NameError::LeadingDigit(digit)));
    }
    if name.ends_with('-') {
        return Err(NameError::TrailingHyphen);
    }
    if name.contains("--") {
        return Err(NameError::DoubleHyphen);
    }
    Ok(())
}

/// Whether a character divides paths or cannot be seen.
fn is_of_no_file(character: char) -> bool {
    matches!(character, '/' | '\\' | '\n' | '\t') || is_invisible(character)
}

/// By general category: `char::is_alphanumeric` also takes marks that are no letters, such as the
/// circled ones.
fn is_letter_or_number(character: char) -> bool {
    let group = character.general_category_group();
    matches!(group, GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
}

fn has_case(character: char) -> bool {
    let category = character.general_category();
    matches!(category, GeneralCategory::UppercaseLetter | GeneralCategory::TitlecaseLetter)
}
