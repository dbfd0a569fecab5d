//! The forms of a placeholder.

use std::ops::Range;

use crate::work;

/// How a placeholder is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `$name`
    Bare,
    /// `${name}`
    Enclosed,
    /// `{{ name }}`
    Braces,
}

/// A name in one of the forms.
#[derive(Clone, Debug)]
pub(super) struct Placeholder<'b> {
    pub(super) name: &'b str,
    pub(super) form: Form,
    pub(super) span: Range<usize>,
}

impl<'b> Placeholder<'b> {
    /// The placeholder that begins at this byte, a `$` or a `{`.
    pub(super) fn at(body: &'b str, start: usize) -> Option<Self> {
        let rest = &body[start..];
        let (form, inner, close) = if let Some(inner) = rest.strip_prefix("${") {
            (Form::Enclosed, inner, "}")
        } else if let Some(inner) = rest.strip_prefix("{{") {
            (Form::Braces, inner.trim_start_matches(is_blank), "}}")
        } else {
            (Form::Bare, rest.strip_prefix('$')?, "")
        };
        work::count(rest.len() - inner.len());
        let name = leading_name(inner)?;
        let after = &inner[name.len()..];
        let after = if form == Form::Braces { after.trim_start_matches(is_blank) } else { after };
        work::count(inner.len() - after.len());
        let end = body.len() - after.strip_prefix(close)?.len();
        Some(Self { name, form, span: start..end })
    }
}

fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t')
}

/// The longest name that a text begins with: `_` or a letter, then digits as well, all ASCII. A
/// placeholder so ends where a word of another script begins.
pub(super) fn leading_name(text: &str) -> Option<&str> {
    let length =
        text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    work::count(length);
    let name = &text[..length];
    let is_name = !name.is_empty() && !name.as_bytes()[0].is_ascii_digit();
    is_name.then_some(name)
}
