//! The joiners and tags that are a part of the spelling.
//!
//! A joiner shapes the letters next to it, in the contexts of UAX #31 (A1, A2 and B) and in those
//! that Persian, Bengali and Kannada need besides: `ه` with a joiner stands for a word, an ending
//! follows a Latin word, a number or a quote behind a joiner, and a joiner before the sign that
//! removes a vowel chooses its form. Tags spell the flag of a part of a
//! country (UTS #51), of which three are recommended for interchange.

use std::ops::RangeInclusive;

use unicode_normalization::char::canonical_combining_class;

const NON_JOINER: char = '\u{200C}';
const JOINER: char = '\u{200D}';

/// The flag that tags follow.
pub(crate) const BLACK_FLAG: char = '\u{1F3F4}';

/// The tags of England, Scotland and Wales, each with the one that ends the sequence.
const FLAGS: [&str; 3] = [
    "\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];

/// The number of tags in each of [`FLAGS`].
pub(crate) const FLAG_TAGS: usize = 6;

/// The blocks of scripts whose letters join: Arabic, Syriac, N'Ko, Mandaic, Mongolian, Phags-pa,
/// Manichaean, Psalter Pahlavi, Rohingya, Sogdian and its neighbours, Adlam.
const CURSIVE: [RangeInclusive<char>; 12] = [
    '\u{0600}'..='\u{06FF}',
    '\u{0700}'..='\u{077F}',
    '\u{07C0}'..='\u{07FF}',
    '\u{0840}'..='\u{08FF}',
    '\u{1820}'..='\u{18AA}',
    '\u{A840}'..='\u{A873}',
    '\u{FB50}'..='\u{FDFF}',
    '\u{FE70}'..='\u{FEFC}',
    '\u{10AC0}'..='\u{10BAF}',
    '\u{10D00}'..='\u{10D27}',
    '\u{10F30}'..='\u{10FCB}',
    '\u{1E900}'..='\u{1E94B}',
];

/// The blocks of the Brahmic scripts, from Devanagari to those of South-East Asia.
const BRAHMIC: [RangeInclusive<char>; 9] = [
    '\u{0900}'..='\u{0DFF}',
    '\u{0F00}'..='\u{109F}',
    '\u{1700}'..='\u{17FF}',
    '\u{1A20}'..='\u{1AAF}',
    '\u{1B00}'..='\u{1BFF}',
    '\u{A800}'..='\u{A82F}',
    '\u{A880}'..='\u{A9DF}',
    '\u{AAE0}'..='\u{ABFF}',
    '\u{11000}'..='\u{11DAF}',
];

/// Returns whether a joiner shapes its neighbours: the two visible characters before it, the nearer
/// one last, and the character after it. A second joiner shapes nothing.
pub(crate) fn is_shaping([first, before]: [char; 2], joiner: char, after: char) -> bool {
    if !matches!(joiner, NON_JOINER | JOINER) || matches!(after, NON_JOINER | JOINER) {
        return false;
    }
    let is_behind_virama = is_virama(before) && is_in(&BRAHMIC, first);
    let is_before_virama = is_in(&BRAHMIC, before) && is_virama(after);
    let is_written = before.is_alphanumeric() || ")]»\"'”’`*".contains(before);
    let is_between = (is_cursive(before) || is_written) && is_cursive(after);
    let is_at_end = is_cursive(before) && !is_cursive(after);
    match joiner {
        NON_JOINER => is_behind_virama || is_between,
        _ => is_behind_virama || is_before_virama || is_at_end,
    }
}

/// Returns whether the text behind a black flag makes it the flag of a country.
pub(crate) fn is_flag(tags: &str) -> bool {
    FLAGS.iter().any(|flag| tags.starts_with(flag))
}

/// Returns whether a character removes the vowel of the one before it, as U+094D does.
fn is_virama(character: char) -> bool {
    canonical_combining_class(character) == 9
}

/// Returns whether a character is a letter that joins, or a mark of one.
fn is_cursive(character: char) -> bool {
    let is_mark = canonical_combining_class(character) != 0;
    is_in(&CURSIVE, character) && (character.is_alphabetic() || is_mark)
}

fn is_in(blocks: &[RangeInclusive<char>], character: char) -> bool {
    blocks.iter().any(|block| block.contains(&character))
}
