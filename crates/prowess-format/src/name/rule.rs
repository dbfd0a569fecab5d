//! The grammars of names that clients use.

use std::fmt;

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use super::{MAX_NAME_CHARACTERS, NameError};

/// Which names are valid. Under each, a name has 1 to 64 characters, counted after NFKC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NameRule {
    /// agentskills.io: `a-z`, `0-9` and single inner hyphens. The default.
    #[default]
    AgentSkills,
    /// A letter from `a` to `z`, then `a-z`, `0-9` and hyphens anywhere.
    KebabLetterFirst,
    /// As `AgentSkills`, with the letters and digits of every script (general categories L* and N*),
    /// in lower case where there is a case.
    Unicode,
}

impl NameRule {
    /// Every rule.
    pub const ALL: [Self; 3] = [Self::AgentSkills, Self::KebabLetterFirst, Self::Unicode];

    /// `agentskills`, `kebab-letter-first` or `unicode`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AgentSkills => "agentskills",
            Self::KebabLetterFirst => "kebab-letter-first",
            Self::Unicode => "unicode",
        }
    }

    /// What a name may have, for advice.
    pub(crate) fn advice(self) -> &'static str {
        match self {
            Self::AgentSkills => "use `a` to `z`, `0` to `9` and single hyphens between them",
            Self::KebabLetterFirst => {
                "begin with `a` to `z`, and go on with `a` to `z`, `0` to `9` and hyphens"
            }
            Self::Unicode => "use lower-case letters, digits and single hyphens between them",
        }
    }

    fn refused(self, character: char) -> Option<NameError> {
        let is_allowed = match character {
            'a'..='z' | '0'..='9' | '-' => true,
            _ => self == Self::Unicode && is_lower_letter_or_number(character),
        };
        let is_upper = match self {
            Self::Unicode => has_case(character),
            _ => character.is_ascii_uppercase(),
        };
        match self {
            _ if is_allowed => None,
            _ if is_upper => Some(NameError::UpperCase(character)),
            Self::Unicode => Some(NameError::InvalidLetter(character)),
            _ => Some(NameError::InvalidCharacter(character)),
        }
    }
}

impl fmt::Display for NameRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Whether a name keeps every rule: single inner hyphens between `a-z` and `0-9`, a letter first.
///
/// Most names do, and this tells it in one go over the bytes.
pub(crate) fn is_portable(name: &str) -> bool {
    let is_kept = |last: u8, &byte: &u8| match byte {
        b'a'..=b'z' => Some(byte),
        b'0'..=b'9' if last != 0 => Some(byte),
        b'-' if last != 0 && last != b'-' => Some(byte),
        _ => None,
    };
    let last = name.as_bytes().iter().try_fold(0, is_kept);
    name.len() <= MAX_NAME_CHARACTERS && last.is_some_and(|last| last != 0 && last != b'-')
}

/// Checks a normalised name.
pub(crate) fn check(name: &str, rule: NameRule) -> Result<(), NameError> {
    if name.is_empty() {
        return Err(NameError::Empty);
    }
    if let Some(error) = name.chars().find_map(|character| rule.refused(character)) {
        return Err(error);
    }
    check_edges(name, rule)?;
    // Bytes bound characters from above.
    if name.len() > MAX_NAME_CHARACTERS {
        let characters = name.chars().count();
        if characters > MAX_NAME_CHARACTERS {
            return Err(NameError::TooLong(characters));
        }
    }
    Ok(())
}

fn check_edges(name: &str, rule: NameRule) -> Result<(), NameError> {
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

/// By general category: `char::is_alphanumeric` also takes marks that are no letters, such as the
/// circled ones.
fn is_lower_letter_or_number(character: char) -> bool {
    let group = character.general_category_group();
    matches!(group, GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
        && !has_case(character)
}

fn has_case(character: char) -> bool {
    let category = character.general_category();
    matches!(category, GeneralCategory::UppercaseLetter | GeneralCategory::TitlecaseLetter)
}
