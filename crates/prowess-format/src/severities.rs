//! How much each finding matters under each profile. The only place where profiles differ.

use crate::{Code, Severity, codes};

/// A code with its severities in the order of [`crate::Profile::ALL`]; `None` is silence.
type Row = (Code, [Option<Severity>; 5]);

const ERROR: Option<Severity> = Some(Severity::Error);
const WARN: Option<Severity> = Some(Severity::Warning);
const HINT: Option<Severity> = Some(Severity::Hint);
const NONE: Option<Severity> = None;

/// A code that is not in the table is an error under each profile.
#[rustfmt::skip]
pub(crate) const TABLE: &[Row] = &[
    //                                  lenient extended spec  strict  skills-ref
    (codes::BYTE_ORDER_MARK,           [HINT,   HINT,   HINT,  HINT,  ERROR]),
    (codes::FRONTMATTER_CLOSED_BY_DOTS,[WARN,   ERROR,  ERROR, ERROR, ERROR]),
    (codes::UNQUOTED_COLON,            [WARN,   ERROR,  ERROR, ERROR, ERROR]),
    (codes::FLOW_FOR_TEXT,             [WARN,   ERROR,  ERROR, ERROR, ERROR]),
    (codes::QUOTE_UNCLOSED,            [WARN,   ERROR,  ERROR, ERROR, ERROR]),
    (codes::INSTRUCTIONS_FILE_CASE,    [HINT,   HINT,   HINT,  ERROR, NONE]),
    (codes::NAME_NOT_STANDARD,         [WARN,   WARN,   WARN,  WARN,  NONE]),
    (codes::NAME_NOT_PORTABLE,         [HINT,   WARN,   HINT,  HINT,  NONE]),
    (codes::NAME_TOO_LONG,             [WARN,   ERROR,  ERROR, ERROR, ERROR]),
    (codes::NAME_RESERVED,             [ERROR,  ERROR,  ERROR, ERROR, NONE]),
    (codes::NAME_DIRECTORY_MISMATCH,   [WARN,   WARN,   ERROR, ERROR, ERROR]),
    (codes::DESCRIPTION_TOO_LONG,      [WARN,   ERROR,  ERROR, ERROR, ERROR]),
    (codes::DESCRIPTION_TRIMMED,       [HINT,   HINT,   HINT,  HINT,  NONE]),
    (codes::DESCRIPTION_CUT,           [HINT,   HINT,   HINT,  WARN,  NONE]),
    (codes::COMPATIBILITY_TOO_LONG,    [WARN,   WARN,   ERROR, ERROR, ERROR]),
    (codes::FIELD_NOT_TEXT,            [WARN,   ERROR,  ERROR, ERROR, ERROR]),
    (codes::METADATA_NOT_MAPPING,      [WARN,   ERROR,  ERROR, ERROR, NONE]),
    (codes::METADATA_KEY_TOO_LONG,     [WARN,   ERROR,  ERROR, ERROR, NONE]),
    (codes::PLAIN_NOT_TEXT,            [HINT,   ERROR,  ERROR, ERROR, NONE]),
    (codes::ALLOWED_TOOLS_MALFORMED,   [WARN,   ERROR,  ERROR, ERROR, NONE]),
    (codes::ALLOWED_TOOLS_TOO_LONG,    [WARN,   ERROR,  ERROR, ERROR, NONE]),
    (codes::ALLOWED_TOOLS_ALIAS,       [HINT,   HINT,   ERROR, ERROR, ERROR]),
    (codes::UNKNOWN_FIELD,             [NONE,   WARN,   ERROR, ERROR, ERROR]),
    (codes::MISSPELLED_FIELD,          [WARN,   WARN,   ERROR, ERROR, ERROR]),
    (codes::EXTENSION_FIELD,           [NONE,   NONE,   ERROR, ERROR, ERROR]),
    (codes::EXTENSION_FIELD_TYPE,      [WARN,   ERROR,  ERROR, ERROR, NONE]),
    (codes::EXTENSION_VALUE_UNKNOWN,   [WARN,   ERROR,  ERROR, ERROR, NONE]),
    (codes::EXTENSION_VALUE_INVALID,   [WARN,   ERROR,  ERROR, ERROR, NONE]),
    (codes::EXTENSION_DUPLICATE,       [WARN,   ERROR,  ERROR, ERROR, NONE]),
    (codes::EXTENSION_PATH,            [WARN,   ERROR,  ERROR, ERROR, NONE]),
    (codes::EXTENSION_FIELD_IDLE,      [WARN,   WARN,   WARN,  WARN,  NONE]),
    (codes::HIDDEN_CHARACTER,          [WARN,   WARN,   WARN,  ERROR, NONE]),
    (codes::BODY_TOO_LONG,             [WARN,   WARN,   WARN,  ERROR, NONE]),
    (codes::BODY_EMPTY,                [HINT,   HINT,   HINT,  HINT,  NONE]),
    // Not of reading, so no profile has another opinion.
    (codes::PLACEHOLDER_UNKNOWN,       [WARN,   WARN,   WARN,  WARN,  WARN]),
    (codes::ARGUMENT_MISSING,          [WARN,   WARN,   WARN,  WARN,  WARN]),
    (codes::ARGUMENT_UNDECLARED,       [WARN,   WARN,   WARN,  WARN,  WARN]),
    (codes::PARAMETER_DUPLICATE,       [WARN,   WARN,   WARN,  WARN,  WARN]),
    (codes::PARAMETER_INVALID,         [WARN,   WARN,   WARN,  WARN,  WARN]),
    (codes::COMMENT_LOST,              [WARN,   WARN,   WARN,  WARN,  WARN]),
];
