//! Why a text between fences gives no tree, and what to do about it.

use std::ops::Range;

use granit_parser::ErrorKind;

use crate::diagnostic::position;
use crate::{Code, codes};

use super::MAX_DEPTH;

/// Why there is no tree.
#[derive(Debug)]
pub(crate) struct YamlError {
    pub(crate) code: Code,
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) help: &'static str,
    /// The place of the same key before, if it is about one that is there again.
    pub(crate) first: Option<Range<usize>>,
}

impl YamlError {
    /// Returns the message about this file, with the place of the first of two keys.
    pub(crate) fn message_in(&self, file: &[u8]) -> String {
        let Some(first) = &self.first else { return self.message.clone() };
        let (line, column) = position(file, first.start);
        format!("{}, which is at {line}:{column} already", self.message)
    }
}

/// Returns the help for a grammar error: nearly always, to quote.
pub(super) fn help_for(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInIndentation
        | ErrorKind::TabInPlainScalar => "indent with spaces",
        ErrorKind::UnclosedQuotedScalar | ErrorKind::DocumentIndicatorInQuotedScalar => {
            "close the quotes"
        }
        ErrorKind::UnclosedFlowCollection { .. } => {
            "close the bracket, or quote the value if the bracket is part of its text"
        }
        ErrorKind::InvalidIndentation | ErrorKind::ExpectedBlockMappingKey => {
            "write one `key: value` on a line, with the same indentation for each key of a mapping"
        }
        _ => "quote the value, or write it as a block with `|` and indented lines",
    }
}

pub(super) fn alias_error(span: Range<usize>) -> YamlError {
    error(
        codes::YAML_ALIAS,
        span,
        "an alias (`*`) is not allowed in frontmatter",
        "quote the value if it starts with `*`, else write the value out",
    )
}

pub(super) fn control_error(span: Range<usize>, character: char) -> YamlError {
    error(
        codes::YAML_INVALID,
        span,
        format!("YAML does not allow the control character U+{:04X}", u32::from(character)),
        "remove the character",
    )
}

pub(super) fn indicator_error(span: Range<usize>, first: char) -> YamlError {
    error(
        codes::YAML_INVALID,
        span,
        format!("a value that starts with {} must be quoted", shown(first)),
        "quote the value, or write it as a block with `|` and indented lines",
    )
}

/// Returns a character as it stands in a message.
fn shown(character: char) -> String {
    if character == '`' { "a backtick".to_owned() } else { format!("`{character}`") }
}

pub(super) fn too_deep(span: Range<usize>) -> YamlError {
    error(
        codes::YAML_TOO_DEEP,
        span,
        format!("collections are nested deeper than {MAX_DEPTH} levels"),
        "flatten the data, or move it to a file of the package",
    )
}

pub(super) fn error(
    code: Code,
    span: Range<usize>,
    message: impl Into<String>,
    help: &'static str,
) -> YamlError {
    YamlError { code, span, message: message.into(), help, first: None }
}
