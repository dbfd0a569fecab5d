//! How much each finding about a package matters under each profile.

use prowess_core::{Code, Severity};
use prowess_format::Profile;

use crate::codes;

/// A code with its severities in the order of [`Profile::ALL`]; `None` is silence.
type Row = (Code, [Option<Severity>; 5]);

const ERROR: Option<Severity> = Some(Severity::Error);
const WARN: Option<Severity> = Some(Severity::Warning);
const HINT: Option<Severity> = Some(Severity::Hint);
const NONE: Option<Severity> = None;

/// A code that is not in the table is an error under each profile.
#[rustfmt::skip]
const TABLE: &[Row] = &[
    //                                   lenient extended spec  strict  skills-ref
    (codes::BODY_TOKENS_NEAR_LIMIT,      [HINT,   HINT,   HINT,  HINT,   NONE]),
    (codes::BODY_TOKENS,                 [WARN,   WARN,   WARN,  WARN,   NONE]),
    (codes::BODY_TOKENS_SOFT_LIMIT,      [WARN,   WARN,   WARN,  WARN,   NONE]),
    (codes::BODY_NO_HEADINGS,            [HINT,   HINT,   HINT,  HINT,   NONE]),
    (codes::BODY_NO_WHEN,                [HINT,   HINT,   HINT,  HINT,   NONE]),
    (codes::BODY_NO_EXAMPLE,             [HINT,   HINT,   HINT,  HINT,   NONE]),
    (codes::BODY_HIDDEN_CHARACTER,       [WARN,   WARN,   WARN,  ERROR,  NONE]),
    (codes::CATALOG_ENTRY_LONG,          [HINT,   HINT,   HINT,  HINT,   NONE]),
    (codes::DESCRIPTION_NO_WHEN,         [HINT,   HINT,   HINT,  HINT,   NONE]),
    (codes::DESCRIPTION_DUPLICATE,       [WARN,   WARN,   WARN,  WARN,   NONE]),
    (codes::DESCRIPTION_NEAR_DUPLICATE,  [HINT,   WARN,   WARN,  WARN,   NONE]),
    (codes::DESCRIPTION_CONFUSABLE,      [HINT,   HINT,   HINT,  HINT,   NONE]),
    (codes::LINK_BROKEN,                 [WARN,   WARN,   WARN,  WARN,   NONE]),
    (codes::PATH_MISSING,                [HINT,   WARN,   WARN,  WARN,   NONE]),
    (codes::HOOK_MISSING,                [WARN,   ERROR,  ERROR, ERROR,  NONE]),
    (codes::LINK_ABSOLUTE,               [WARN,   WARN,   ERROR, ERROR,  NONE]),
    (codes::LINK_LEAVES_PACKAGE,         [WARN,   WARN,   ERROR, ERROR,  NONE]),
    (codes::LINK_TOO_DEEP,               [HINT,   HINT,   HINT,  HINT,   NONE]),
    (codes::EXTRANEOUS_FILE,             [HINT,   HINT,   HINT,  HINT,   NONE]),
    (codes::SCRIPT_NO_HEADER,            [HINT,   HINT,   HINT,  HINT,   NONE]),
    (codes::FILE_NAME_HIDDEN_CHARACTER,  [WARN,   WARN,   WARN,  ERROR,  NONE]),
    (codes::FILE_NAMES_ALIKE,            [WARN,   WARN,   WARN,  WARN,   NONE]),
    (codes::NAME_CONFUSABLE,             [WARN,   WARN,   WARN,  WARN,   NONE]),
    (codes::LISTING_FAILED,              [WARN,   WARN,   WARN,  WARN,   NONE]),
];

/// How much a finding of [`codes`] matters; `None` where the profile is silent about it.
///
/// The reference tool looks at the frontmatter only, so `skills-ref` is silent about all others.
pub fn severity(code: &Code, profile: Profile) -> Option<Severity> {
    let row = TABLE.iter().find(|(known, _)| known == code);
    row.map_or(Some(Severity::Error), |(_, severities)| severities[profile as usize])
}
