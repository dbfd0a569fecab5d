//! Findings about names, parameters and placeholders.

use std::collections::HashSet;
use std::ops::Range;

use crate::codes::{
    ARGUMENT_MISSING, ARGUMENT_UNDECLARED, INSERTED_TOO_LARGE, PARAMETER_DUPLICATE,
    PARAMETER_INVALID, PLACEHOLDER_UNKNOWN,
};
use crate::for_message;
use crate::{Code, Diagnostic, Severity};

use super::MAX_INSERTED_BYTES;
use super::placeholder::Placeholder;

/// The most findings of one pass, so that a hostile body does not turn into megabytes of advice,
/// nor looking for lines into quadratic work.
const MOST: usize = 100;

/// The findings so far.
pub(super) struct Report<'b> {
    body: &'b str,
    reported: HashSet<(Code, String)>,
    list: Vec<Diagnostic>,
}

impl<'b> Report<'b> {
    pub(super) fn new(body: &'b str) -> Self {
        Self { body, reported: HashSet::new(), list: Vec::new() }
    }

    pub(super) fn unknown(&mut self, placeholder: &Placeholder<'_>) {
        let name = placeholder.name;
        let help = "declare it below `arguments`, or write the text in another way";
        self.tell(PLACEHOLDER_UNKNOWN, name, Some(placeholder.span.clone()), |shown| {
            (format!("the placeholder `{shown}` has no parameter; it stays as it is"), help.into())
        });
    }

    pub(super) fn missing(&mut self, placeholder: &Placeholder<'_>) {
        let name = placeholder.name;
        self.tell(ARGUMENT_MISSING, name, Some(placeholder.span.clone()), |shown| {
            (
                format!("the parameter `{shown}` has no value; its placeholder stays as it is"),
                format!("give a value for `{shown}`, or declare a `default` for it"),
            )
        });
    }

    pub(super) fn undeclared(&mut self, name: &str) {
        self.tell(ARGUMENT_UNDECLARED, name, None, |shown| {
            (
                format!("the value of `{shown}` belongs to no parameter; it is not used"),
                "use a name that the skill declares below `arguments`".to_owned(),
            )
        });
    }

    pub(super) fn duplicate(&mut self, name: &str) {
        self.tell(PARAMETER_DUPLICATE, name, None, |shown| {
            (
                format!("the parameter `{shown}` is declared twice; the first one counts"),
                "keep one of the two".to_owned(),
            )
        });
    }

    pub(super) fn invalid(&mut self, name: &str) {
        self.tell(PARAMETER_INVALID, name, None, |shown| {
            (
                format!("`{shown}` cannot be the name of a parameter; it is not used"),
                "use letters from `a` to `z`, digits and `_`, with no digit first".to_owned(),
            )
        });
    }

    pub(super) fn too_large(&mut self, placeholder: &Placeholder<'_>) {
        // Reported once, with any name: from here on, every placeholder is kept.
        self.tell(INSERTED_TOO_LARGE, "", Some(placeholder.span.clone()), |_| {
            (
                format!("the values add more than {MAX_INSERTED_BYTES} bytes; what is left stays"),
                "put a long value into a file and give its path".to_owned(),
            )
        });
    }

    fn tell(
        &mut self,
        code: Code,
        name: &str,
        span: Option<Range<usize>>,
        say: impl FnOnce(&str) -> (String, String),
    ) {
        let name = for_message(name);
        if self.list.len() == MOST || !self.reported.insert((code.clone(), name.clone())) {
            return;
        }
        let severity = if code == INSERTED_TOO_LARGE { Severity::Error } else { Severity::Warning };
        let (message, help) = say(&name);
        let found = Diagnostic::new(code, severity, message, help);
        self.list.push(match span {
            Some(span) => found.at(self.body.as_bytes(), span),
            None => found,
        });
    }

    pub(super) fn finish(self) -> Vec<Diagnostic> {
        self.list
    }
}
