//! How much each finding matters under each profile. The only place where profiles differ.

use crate::{Code, Severity, codes};

/// A code with its severities under `lenient`, `spec` and `skills-ref`; `None` is silence.
type Row = (Code, [Option<Severity>; 3]);

const ERROR: Option<Severity> = Some(Severity::Error);
const WARN: Option<Severity> = Some(Severity::Warning);
const HINT: Option<Severity> = Some(Severity::Hint);
const NONE: Option<Severity> = None;

/// A code that is not in the table is an error under each profile.
#[rustfmt::skip]
pub(crate) const TABLE: &[Row] = &[
    //                                   lenient  spec   skills-ref
    (codes::BYTE_ORDER_MARK,           [HINT,  HINT,  ERROR]),
    (codes::UNQUOTED_COLON,            [WARN,  ERROR, ERROR]),
    (codes::NAME_TOO_LONG,             [WARN,  ERROR, ERROR]),
    (codes::NAME_RESERVED,             [ERROR, ERROR, NONE]),
    (codes::NAME_DIRECTORY_MISMATCH,   [WARN,  ERROR, ERROR]),
    (codes::DESCRIPTION_TOO_LONG,      [WARN,  ERROR, ERROR]),
    (codes::DESCRIPTION_CUT,           [HINT,  HINT,  NONE]),
    (codes::COMPATIBILITY_TOO_LONG,    [WARN,  ERROR, ERROR]),
    (codes::FIELD_NOT_TEXT,            [WARN,  ERROR, ERROR]),
    (codes::METADATA_NOT_MAPPING,      [WARN,  ERROR, NONE]),
    (codes::PLAIN_NOT_TEXT,            [HINT,  ERROR, NONE]),
    (codes::ALLOWED_TOOLS_MALFORMED,   [WARN,  ERROR, NONE]),
    (codes::ALLOWED_TOOLS_TOO_LONG,    [WARN,  ERROR, NONE]),
    (codes::ALLOWED_TOOLS_ALIAS,       [HINT,  ERROR, ERROR]),
    (codes::UNKNOWN_FIELD,             [NONE,  ERROR, ERROR]),
    (codes::MISSPELLED_FIELD,          [WARN,  ERROR, ERROR]),
    (codes::HIDDEN_CHARACTER,          [WARN,  WARN,  NONE]),
    (codes::BODY_TOO_LONG,             [WARN,  WARN,  NONE]),
    (codes::BODY_EMPTY,                [HINT,  HINT,  NONE]),
];
