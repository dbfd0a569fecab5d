//! Collects the findings about one package and looks up the severity of each.

use std::ops::Range;

use prowess_core::{Code, Diagnostic, Severity};
use prowess_format::Profile;

use crate::codes::severity;

/// The maximum number of findings with one code about one package.
const MOST_OF_A_CODE: usize = 20;

/// The findings so far about one package.
pub(crate) struct Findings<'t> {
    text: &'t [u8],
    profile: Profile,
    list: Vec<Diagnostic>,
}

impl<'t> Findings<'t> {
    pub(crate) fn new(text: &'t [u8], profile: Profile, list: Vec<Diagnostic>) -> Self {
        Self { text, profile, list }
    }

    /// Adds a finding about these bytes of the instructions.
    pub(crate) fn at(&mut self, code: Code, span: Range<usize>, message: String, help: &str) {
        self.at_most(Severity::Error, code, span, message, help);
    }

    /// Adds a finding about these bytes of the instructions, with this severity or a lower one.
    pub(crate) fn at_most(
        &mut self,
        most: Severity,
        code: Code,
        span: Range<usize>,
        message: String,
        help: &str,
    ) {
        let text = self.text;
        self.push(code, message, help, |found| {
            let severity = found.severity.min(most);
            Diagnostic { severity, ..found.at(text, span) }
        });
    }

    /// Adds a finding about the package.
    pub(crate) fn report(&mut self, code: Code, message: String, help: &str) {
        self.push(code, message, help, |found| found);
    }

    fn push(
        &mut self,
        code: Code,
        message: String,
        help: &str,
        place: impl FnOnce(Diagnostic) -> Diagnostic,
    ) {
        let Some(severity) = severity(&code, self.profile) else {
            return;
        };
        if self.list.iter().filter(|found| found.code == code).count() < MOST_OF_A_CODE {
            self.list.push(place(Diagnostic::new(code, severity, message, help)));
        }
    }

    /// Adds findings of the format crate.
    pub(crate) fn extend(&mut self, found: impl IntoIterator<Item = Diagnostic>) {
        self.list.extend(found);
    }

    /// Returns the findings in the order of the file, those without a span last.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|found| found.span.as_ref().map_or(usize::MAX, |span| span.start));
        self.list
    }
}
