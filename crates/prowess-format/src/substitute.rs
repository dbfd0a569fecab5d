//! Puts the arguments of a call into a skill's body.
//!
//! ```
//! use prowess_format::substitute::{Arguments, Parameter, substitute};
//!
//! let parameters = [Parameter::new("name"), Parameter::with_default("title", "Commander")];
//! let arguments = Arguments {
//!     parameters: &parameters,
//!     values: &[("name", "Alice")],
//!     ..Arguments::default()
//! };
//! let done = substitute("Greet {{ title }} $name, who pays \\$5.", &arguments);
//! assert_eq!(done.text, "Greet Commander Alice, who pays $5.");
//! ```
//!
//! - A placeholder of a parameter is `$name`, `${name}` or `{{ name }}`; `$ARGUMENTS` and
//!   `${ARGUMENTS}` are the whole text that was typed behind the skill's name.
//! - One pass: a value is put in as it is. What looks like a placeholder inside of it stays.
//! - Unknown placeholders are kept and reported. A bare `$word` is reported only if the skill has
//!   parameters: elsewhere it belongs to a shell. Other uses of `$` and `{{` are kept without a
//!   finding.
//! - `\$` is a `$` that begins no placeholder, only where the skill has parameters. Elsewhere, a
//!   backslash is a backslash, and a body without placeholders comes out byte for byte.
//!
//! The work is linear in the body and what is put in, which together are bounded: see
//! [`MAX_INSERTED_BYTES`].

mod declared;
mod placeholder;
mod report;

use std::borrow::Cow;

use memchr::memchr3;

use crate::{Diagnostic, work};

use declared::Declared;
use placeholder::{Form, Placeholder};
use report::Report;

pub use crate::codes::{
    ARGUMENT_MISSING, ARGUMENT_UNDECLARED, INSERTED_TOO_LARGE, PARAMETER_DUPLICATE,
    PARAMETER_INVALID, PLACEHOLDER_UNKNOWN,
};
pub use declared::{Parameter, is_parameter_name, parameters};

/// The most bytes that values put into a body (2 MiB), so that a body of many placeholders and a
/// long value do not fill the memory between them.
pub const MAX_INSERTED_BYTES: usize = 2 * 1024 * 1024;

/// The name of the placeholder for everything that was typed.
const WHOLE: &str = "ARGUMENTS";

/// The arguments of a call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arguments<'a> {
    /// The declared parameters; see [`parameters`]. Of two with one name, the first is used.
    pub parameters: &'a [Parameter<'a>],
    /// Values by name. The first of two with one name counts.
    pub values: &'a [(&'a str, &'a str)],
    /// Everything that was typed behind the skill's name. In a body without a placeholder it is
    /// added at the end, behind `ARGUMENTS: `. By default, this is empty.
    pub text: &'a str,
}

/// A body with the arguments in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Substituted<'b> {
    /// The text; borrowed where nothing changed.
    pub text: Cow<'b, str>,
    /// The findings. Spans are those of the body. Each name is reported once.
    pub diagnostics: Vec<Diagnostic>,
}

/// Puts arguments into a body; the rules stand at the top of this module.
///
/// Never fails: what cannot be put in stays as it was written, with a diagnostic. All are warnings
/// except [`INSERTED_TOO_LARGE`], an error, from which on placeholders stay.
pub fn substitute<'b>(body: &'b str, arguments: &Arguments<'_>) -> Substituted<'b> {
    let mut report = Report::new(body);
    let declared = Declared::new(arguments, &mut report);
    let mut pass = Pass {
        body,
        arguments,
        declared,
        report,
        text: String::new(),
        copied: 0,
        inserted: 0,
        has_place: false,
    };
    pass.run();
    pass.finish()
}

/// The one way through a body.
struct Pass<'b, 'a> {
    body: &'b str,
    arguments: &'a Arguments<'a>,
    declared: Declared<'a>,
    report: Report<'b>,
    text: String,
    /// The body up to here is in `text`.
    copied: usize,
    inserted: usize,
    /// Whether the body has a placeholder that a value belongs to.
    has_place: bool,
}

impl<'b> Pass<'b, '_> {
    fn run(&mut self) {
        let bytes = self.body.as_bytes();
        let mut at = 0;
        while let Some(offset) = memchr3(b'$', b'{', b'\\', &bytes[at..]) {
            work::count(offset + 1);
            at += offset;
            at = match bytes[at] {
                b'\\' => self.escape(at),
                _ => match Placeholder::at(self.body, at) {
                    Some(placeholder) => self.place(&placeholder),
                    None => at + 1,
                },
            };
        }
    }

    /// Drops the backslash before a `$`, and gives where to look on.
    fn escape(&mut self, at: usize) -> usize {
        if self.declared.is_empty() || self.body.as_bytes().get(at + 1) != Some(&b'$') {
            return at + 1;
        }
        self.text.push_str(&self.body[self.copied..at]);
        self.copied = at + 1;
        at + 2
    }

    /// Puts in a value where there is one, and gives where to look on.
    fn place(&mut self, placeholder: &Placeholder<'b>) -> usize {
        let name = placeholder.name;
        if name == WHOLE && placeholder.form != Form::Braces {
            self.insert(placeholder, self.arguments.text);
        } else if let Some(value) = self.declared.get(name) {
            match value {
                Some(value) => self.insert(placeholder, value),
                None => self.report.missing(placeholder),
            }
            self.has_place = true;
        } else if placeholder.form != Form::Bare || !self.declared.is_empty() {
            self.report.unknown(placeholder);
        }
        placeholder.span.end
    }

    fn insert(&mut self, placeholder: &Placeholder<'b>, value: &str) {
        self.has_place = true;
        if value.len() > MAX_INSERTED_BYTES - self.inserted {
            // Nothing more is inserted, or a short value further on would hide that one is missing.
            self.inserted = MAX_INSERTED_BYTES;
            self.report.too_large(placeholder);
            return;
        }
        self.inserted += value.len();
        work::count(value.len() + placeholder.span.end - self.copied);
        self.text.push_str(&self.body[self.copied..placeholder.span.start]);
        self.text.push_str(value);
        self.copied = placeholder.span.end;
    }

    fn finish(mut self) -> Substituted<'b> {
        let text = self.arguments.text;
        let is_appended = !self.has_place && !text.is_empty();
        if self.copied == 0 && !is_appended {
            return Substituted {
                text: Cow::Borrowed(self.body),
                diagnostics: self.report.finish(),
            };
        }
        self.text.push_str(&self.body[self.copied..]);
        if is_appended {
            append(&mut self.text, text);
        }
        Substituted { text: Cow::Owned(self.text), diagnostics: self.report.finish() }
    }
}

/// Adds a paragraph of its own.
fn append(body: &mut String, text: &str) {
    let lines = body.len() - body.trim_end_matches('\n').len();
    if !body.is_empty() {
        body.push_str(["\n\n", "\n", ""][lines.min(2)]);
    }
    body.push_str(WHOLE);
    body.push_str(": ");
    body.push_str(text);
}
