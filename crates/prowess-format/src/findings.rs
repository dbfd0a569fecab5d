//! Collects findings and looks up the severity of each in the profile.

use std::ops::Range;

use crate::{Code, Diagnostic, Limit, Rules, Severity};

/// The largest number of findings about one file, so that a hostile file cannot produce megabytes
/// of them.
const MOST: usize = 100;

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

    /// Adds a finding about these bytes. `say` returns the message and the help, and is called only
    /// if the profile reports the code.
    pub(crate) fn report<M: Into<String>, H: Into<String>>(
        &mut self,
        code: Code,
        span: Range<usize>,
        say: impl FnOnce() -> (M, H),
    ) {
        let severity = self.rules.profile.severity(&code);
        self.report_as(severity, code, span, say);
    }

    /// Adds a finding about an exceeded limit, with the severity of the limit.
    pub(crate) fn report_limit<M: Into<String>, H: Into<String>>(
        &mut self,
        limit: Limit,
        code: Code,
        span: Range<usize>,
        say: impl FnOnce() -> (M, H),
    ) {
        let severity = limit.severity.or(self.rules.profile.severity(&code));
        self.report_as(severity, code, span, say);
    }

    fn report_as<M: Into<String>, H: Into<String>>(
        &mut self,
        severity: Option<Severity>,
        code: Code,
        span: Range<usize>,
        say: impl FnOnce() -> (M, H),
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

    /// The rules by which the file is read.
    pub(crate) fn rules(&self) -> &'t Rules {
        self.rules
    }

    /// Returns the bytes of the file from this offset.
    pub(crate) fn text_from(&self, start: usize) -> &[u8] {
        self.text.get(start..).unwrap_or_default()
    }

    pub(crate) fn has_error(&self) -> bool {
        self.has_error
    }

    /// Returns the findings in the order of the file.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|found| found.span.as_ref().map_or(0, |span| span.start));
        self.list
    }
}
