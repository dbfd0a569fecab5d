//! Findings: the problem, its severity, its location and the next step.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A stable, lower-case, hyphenated name for one kind of problem, such as `frontmatter-missing`.
///
/// Programs branch on it; the wording of a message may change, a code never does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Code(Cow<'static, str>);

impl Code {
    /// A code that this program knows at compile time.
    pub const fn new(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }

    /// The code as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A code that was read, such as that of an error of a program.
impl From<String> for Code {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

prowess_text::declare_kinds! {
    /// How much a diagnostic matters. An `Error` keeps its skill out of the catalog, nothing else
    /// does.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Severity {
        /// Advice; the skill is used as it is.
        Hint = "hint",
        /// A mistake; the skill can be used.
        Warning = "warning",
        /// The skill cannot be used.
        Error = "error",
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// One finding about a skill or the place that it came from.
///
/// Serialises to the contract of the command line: `{code, severity, path, line, column, message,
/// help}`, with `null` for a place that is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The kind of the problem.
    pub code: Code,
    /// How much it matters.
    pub severity: Severity,
    /// The file or directory, as the source names it. The format crate leaves it empty: it knows no
    /// files.
    pub path: Option<Box<str>>,
    /// Line in the file, counted from 1.
    pub line: Option<u32>,
    /// Column in that line, counted in characters from 1.
    pub column: Option<u32>,
    /// Bytes of the file that the finding is about, always on character boundaries.
    #[serde(skip)]
    pub span: Option<Range<usize>>,
    /// One sentence that names the thing, without a full stop.
    pub message: String,
    /// The next step for the author or the operator.
    pub help: String,
}

impl Diagnostic {
    /// A finding about no place in particular; see [`Diagnostic::at`] and [`Diagnostic::in_file`].
    pub fn new(
        code: Code,
        severity: Severity,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            code,
            severity,
            path: None,
            line: None,
            column: None,
            span: None,
            message: message.into(),
            help: help.into(),
        }
    }

    /// The same finding about this file or directory.
    #[must_use]
    pub fn in_file(mut self, path: impl Into<Box<str>>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// The same finding about these bytes of `text`, with line and column worked out from them.
    #[must_use]
    pub fn at(mut self, text: &[u8], span: Range<usize>) -> Self {
        let (start, end) = (span.start.min(text.len()), span.end.min(text.len()));
        // A place that is named by its length may end inside of a character.
        let is_boundary = |at: &usize| text.get(*at).is_none_or(|byte| byte & 0xC0 != 0x80);
        let span = start..(start..=end).rev().take(4).find(is_boundary).unwrap_or(end);
        let (line, column) = position(text, span.start);
        (self.line, self.column, self.span) = (Some(line), Some(column), Some(span));
        self
    }

    /// Whether this keeps its skill out of the catalog.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Returns the line and the column of a byte of a text, counted from 1.
pub(crate) fn position(text: &[u8], at: usize) -> (u32, u32) {
    let before = &text[..at.min(text.len())];
    crate::work::count(before.len());
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(formatter, "{path}:")?;
        }
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(formatter, "{line}:{column}:")?;
        }
        if self.path.is_some() || self.line.is_some() {
            formatter.write_str(" ")?;
        }
        write!(formatter, "{}[{}]: {}", self.severity, self.code, self.message)
    }
}
