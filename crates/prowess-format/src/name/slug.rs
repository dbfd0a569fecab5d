//! Names outside the grammar that are loaded all the same, and the ids that stand for them.

use std::borrow::Cow;

use prowess_text::is_invisible;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_security::{RestrictionLevel, RestrictionLevelDetection};

/// Returns whether a normalised name breaks the grammar only: it has no invisible character and no
/// path separator, no word of it mixes scripts that look alike, and it has a slug.
pub(crate) fn is_relaxed(name: &str) -> bool {
    let is_path = |character| matches!(character, '/' | '\\' | '\n' | '\t');
    !name.contains(is_path)
        && !name.contains(is_invisible)
        && words(name).all(has_one_alphabet)
        && words(name).next().is_some()
}

/// Returns the id for a name: its words in lower case with single hyphens between them. A name that
/// keeps the grammar is its own slug.
///
/// ```
/// use prowess_format::slug;
///
/// assert_eq!(slug("Ahrefs Automation"), "ahrefs-automation");
/// assert_eq!(slug("pdf-forms"), "pdf-forms");
/// ```
pub fn slug(name: &str) -> Cow<'_, str> {
    if super::is_portable(name) {
        return Cow::Borrowed(name);
    }
    let words: Vec<String> = words(name).map(str::to_lowercase).collect();
    Cow::Owned(words.join("-"))
}

/// The runs of letters, numbers and their marks.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|character| !is_of_a_word(character)).filter(|word| !word.is_empty())
}

/// By general category, as in [`NameRule::Unicode`](crate::NameRule::Unicode). The marks are vowels
/// of many scripts.
fn is_of_a_word(character: char) -> bool {
    matches!(
        character.general_category_group(),
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number | GeneralCategoryGroup::Mark
    )
}

/// Latin may stand next to the scripts of East Asia, and next to any other except Greek and
/// Cyrillic, whose letters look like Latin ones (UTS #39).
fn has_one_alphabet(word: &str) -> bool {
    word.is_ascii() || word.check_restriction_level(RestrictionLevel::ModeratelyRestrictive)
}
