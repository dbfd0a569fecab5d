//! Names outside the grammar that are loaded all the same, and the ids that stand for them.

use std::borrow::Cow;

use prowess_text::has_invisible;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_security::{MixedScript, RestrictionLevel, RestrictionLevelDetection};

/// Returns whether a normalised name breaks the grammar only: it has no invisible character and
/// no second line, and it has a slug, or its directory has one.
pub(crate) fn is_relaxed(name: &str, directory: Option<&str>) -> bool {
    let name = name.trim();
    let has_slug = [name].into_iter().chain(directory).any(|name| !slug(name).is_empty());
    !name.contains(['\n', '\r', '\t']) && !has_invisible(name) && has_slug
}

/// Returns the id for a name: its words in lower case with single hyphens between them, in NFKC
/// form. A name that keeps the grammar is its own slug. Of a word whose scripts have letters that
/// look alike, only the ASCII ones are kept, so that it has the id of no other word. A joiner,
/// which only shapes the letters around it, is left out. Empty if there is no word.
///
/// ```
/// use prowess_format::slug;
///
/// assert_eq!(slug("Ahrefs Automation"), "ahrefs-automation");
/// assert_eq!(slug("CI/CD: llama.cpp"), "ci-cd-llama-cpp");
/// assert_eq!(slug("pdf-forms"), "pdf-forms");
/// assert_eq!(slug("p\u{430}yment"), "p-yment");
/// ```
pub fn slug(name: &str) -> Cow<'_, str> {
    if super::is_portable(name) {
        return Cow::Borrowed(name);
    }
    // Lower case may take a letter apart.
    let lower: String =
        super::normalized(name).to_lowercase().nfkc().filter(is_no_joiner).collect();
    let safe = words(&lower).flat_map(|word| {
        let is_safe = has_one_alphabet(word);
        let is_left_out = move |character: char| !is_safe && !character.is_ascii();
        word.split(is_left_out).filter(|part| !part.is_empty())
    });
    Cow::Owned(safe.collect::<Vec<_>>().join("-"))
}

/// Returns a slug in the letters that a keyboard without accents has: `análisis` as `analisis`,
/// `straße` as `strasse`. What looks alike is not what is alike, so this only finds a name.
pub fn unaccented(slug: &str) -> Cow<'_, str> {
    if slug.is_ascii() {
        return Cow::Borrowed(slug);
    }
    let letters = slug.nfd().filter(|letter| !('\u{300}'..='\u{36f}').contains(letter));
    let plain = letters.map(|letter| {
        let mut others = PLAIN_LETTERS.split(' ');
        let plain = others.find_map(|other| other.strip_prefix(letter));
        plain.map_or_else(|| letter.to_string(), str::to_owned)
    });
    Cow::Owned(plain.collect::<String>().nfc().collect())
}

/// Letters that have no accent, each before what is written without it.
const PLAIN_LETTERS: &str = "ßss æae œoe þth øo łl đd ðd ıi";

fn is_no_joiner(character: &char) -> bool {
    !matches!(character, '\u{200c}' | '\u{200d}')
}

/// The runs of letters, numbers and their marks.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|character| !is_of_a_word(character)).filter(|word| !word.is_empty())
}

/// By general category, as in [`NameRule::Unicode`](crate::NameRule::Unicode). The marks are
/// vowels of many scripts.
fn is_of_a_word(character: char) -> bool {
    matches!(
        character.general_category_group(),
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number | GeneralCategoryGroup::Mark
    )
}

/// Returns whether a word is of one script, or of Latin next to the scripts of East Asia, or next
/// to any other except Greek and Cyrillic, whose letters look like Latin ones (UTS #39).
fn has_one_alphabet(word: &str) -> bool {
    word.is_ascii()
        || word.is_single_script()
        || word.check_restriction_level(RestrictionLevel::ModeratelyRestrictive)
}
