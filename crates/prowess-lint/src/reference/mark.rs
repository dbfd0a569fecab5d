//! Places in the frontmatter, and errors that show them.

use super::Crash;

/// How the tool calls its input.
const LABEL: &str = "<unicode string>";

/// How many characters of a line stand on one side of a place: half of 75, less one.
const SIDE: f64 = 75.0 / 2.0 - 1.0;

/// A place, all counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) index: usize,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// A mistake in the YAML: what was being done and where, what is wrong and where.
#[derive(Debug)]
pub(crate) struct Marked {
    pub(crate) context: Option<(&'static str, Option<Mark>)>,
    pub(crate) problem: String,
    pub(crate) place: Mark,
}

/// Why reading ends.
#[derive(Debug)]
pub(crate) enum Failure {
    Marked(Box<Marked>),
    Crash(Crash),
}

impl Failure {
    pub(crate) fn at(place: Mark, problem: impl Into<String>) -> Self {
        Self::Marked(Box::new(Marked { context: None, problem: problem.into(), place }))
    }

    pub(crate) fn within(
        context: &'static str,
        start: Mark,
        problem: impl Into<String>,
        place: Mark,
    ) -> Self {
        Self::Marked(Box::new(Marked {
            context: Some((context, Some(start))),
            problem: problem.into(),
            place,
        }))
    }
}

impl Marked {
    /// The message, with the lines of `text`, which ends with U+0000.
    pub(crate) fn render(&self, text: &[char]) -> String {
        let mut lines = Vec::new();
        if let Some((context, start)) = &self.context {
            lines.push((*context).to_owned());
            if let Some(start) = start.filter(|start| is_elsewhere(*start, self.place)) {
                lines.push(show(text, start));
            }
        }
        lines.push(self.problem.clone());
        lines.push(show(text, self.place));
        lines.join("\n")
    }
}

fn is_elsewhere(one: Mark, other: Mark) -> bool {
    (one.line, one.column) != (other.line, other.column)
}

fn show(text: &[char], mark: Mark) -> String {
    let snippet = snippet(text, mark);
    let line = mark.line + 1;
    let column = mark.column + 1;
    format!("  in \"{LABEL}\", line {line}, column {column}:\n{snippet}")
}

/// The line around a place, cut on both sides where it is long, and a caret below the place.
fn snippet(text: &[char], mark: Mark) -> String {
    let (head, start) = left(text, mark.index);
    let (tail, end) = right(text, mark.index);
    let shown: String = text[start.min(end)..end].iter().collect();
    let indentation = 4 + mark.index.saturating_sub(start) + head.len();
    let line = mark.line + 1;
    format!("    {head}{shown}{tail}\n{}^ (line: {line})", " ".repeat(indentation))
}

fn left(text: &[char], place: usize) -> (&'static str, usize) {
    let mut start = place;
    while start > 0 && !ends_snippet(text[start - 1]) {
        start -= 1;
        if is_far(place - start) {
            return (" ... ", start + 5);
        }
    }
    ("", start)
}

fn right(text: &[char], place: usize) -> (&'static str, usize) {
    let mut end = place;
    while end < text.len() && !ends_snippet(text[end]) {
        end += 1;
        if is_far(end - place) {
            return (" ... ", end - 5);
        }
    }
    ("", end)
}

#[expect(clippy::cast_precision_loss, reason = "at most 37 is compared")]
fn is_far(distance: usize) -> bool {
    distance as f64 > SIDE
}

fn ends_snippet(character: char) -> bool {
    matches!(character, '\0' | '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}
