//! Collects findings and gives each the severity that the profile names.

use std::ops::Range;

use crate::{Code, Diagnostic, Limit, Rules, Severity};

/// The most findings that one file gives: a hostile file must not turn into megabytes of advice.
const MOST: usize = 100;

/// What was found so far.
pub(crate) struct Findings<'t> {
    text: &'t [u8],
    rules: &'t Rules,
    list: Vec<Diagnostic>,
    has_error: bool,
}

impl<'t> Findings<'t> {
    pub(crate) fn new(text: &'t [u8], rules: &'t Rules) -> Self {
        Self { text, rules, list: Vec::new(), has_error: false }
    }

    /// Takes note of a finding about these bytes. `say` gives the message and the help, and is asked
    /// only if the profile speaks of the code.
    pub(crate) fn report(
        &mut self,
        code: Code,
        span: Range<usize>,
        say: impl FnOnce() -> (String, String),
    ) {
        let severity = self.rules.profile.severity(&code);
        self.report_as(severity, code, span, say);
    }

    /// Takes note that a limit is passed, which matters as much as the limit says.
    pub(crate) fn report_limit(
        &mut self,
        limit: Limit,
        code: Code,
        span: Range<usize>,
        say: impl FnOnce() -> (String, String),
    ) {
        let severity = limit.severity.or(self.rules.profile.severity(&code));
        self.report_as(severity, code, span, say);
    }

    fn report_as(
        &mut self,
        severity: Option<Severity>,
        code: Code,
        span: Range<usize>,
        say: impl FnOnce() -> (String, String),
    ) {
        let Some(severity) = severity else {
            return;
        };
        self.has_error |= severity == Severity::Error;
        if self.list.len() < MOST {
            let (message, help) = say();
            self.list.push(Diagnostic::new(code, severity, message, help).at(self.text, span));
        }
    }

    /// How the file is read.
    pub(crate) fn rules(&self) -> &'t Rules {
        self.rules
    }

    /// The file from this byte on.
    pub(crate) fn text_from(&self, start: usize) -> &[u8] {
        self.text.get(start..).unwrap_or_default()
    }

    /// Whether the skill cannot be used.
    pub(crate) fn has_error(&self) -> bool {
        self.has_error
    }

    /// The findings in the order of the file.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|found| found.span.as_ref().map_or(0, |span| span.start));
        self.list
    }
}
