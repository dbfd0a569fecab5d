//! How much each finding about a package matters under each profile.

use prowess_core::{Code, Severity};
use prowess_format::Profile;

use crate::codes;

/// A code with its severities for those who use a skill and for its author; `None` is silence.
type Row = (Code, [Option<Severity>; 2]);

const ERROR: Option<Severity> = Some(Severity::Error);
const WARN: Option<Severity> = Some(Severity::Warning);
const HINT: Option<Severity> = Some(Severity::Hint);

/// A code that is not in the table is an error under each profile.
#[rustfmt::skip]
const TABLE: &[Row] = &[
    //                                     lenient  others
    (codes::BODY_TOKENS_NEAR_LIMIT,      [HINT, HINT]),
    (codes::BODY_TOKENS,                 [WARN, WARN]),
    (codes::BODY_TOKENS_SOFT_LIMIT,      [WARN, WARN]),
    (codes::BODY_NO_HEADINGS,            [HINT, HINT]),
    (codes::BODY_NO_WHEN,                [HINT, HINT]),
    (codes::BODY_NO_EXAMPLE,             [HINT, HINT]),
    (codes::BODY_HIDDEN_CHARACTER,       [WARN, WARN]),
    (codes::CATALOG_ENTRY_LONG,          [HINT, HINT]),
    (codes::DESCRIPTION_NO_WHEN,         [HINT, HINT]),
    (codes::DESCRIPTION_DUPLICATE,       [WARN, WARN]),
    (codes::DESCRIPTION_NEAR_DUPLICATE,  [HINT, WARN]),
    (codes::DESCRIPTION_CONFUSABLE,      [HINT, HINT]),
    (codes::LINK_BROKEN,                 [WARN, WARN]),
    (codes::LINK_ABSOLUTE,               [WARN, ERROR]),
    (codes::LINK_LEAVES_PACKAGE,         [WARN, ERROR]),
    (codes::LINK_TOO_DEEP,               [HINT, HINT]),
    (codes::EXTRANEOUS_FILE,             [HINT, HINT]),
    (codes::SCRIPT_NO_HEADER,            [HINT, HINT]),
    (codes::FILE_NAME_HIDDEN_CHARACTER,  [WARN, WARN]),
    (codes::INSTRUCTIONS_FILE_CASE,      [HINT, HINT]),
    (codes::LISTING_FAILED,              [WARN, WARN]),
];

/// How much a finding of [`codes`] matters; `None` where the profile is silent about it.
///
/// The reference tool looks at the frontmatter only, so `skills-ref` is silent about all others.
pub fn severity(code: &Code, profile: Profile) -> Option<Severity> {
    let row = TABLE.iter().find(|(known, _)| known == code);
    let Some((_, [lenient, others])) = row else {
        return Some(Severity::Error);
    };
    match profile {
        Profile::Lenient => *lenient,
        Profile::SkillsRef => None,
        _ => *others,
    }
}
