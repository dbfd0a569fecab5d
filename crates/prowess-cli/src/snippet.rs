//! Renders a finding as a compiler does: the line, the position in it, and the fix.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use anstream::adapter::strip_str;
use prowess::{Diagnostic, Severity};

use crate::output::severity_style;
use crate::terminal::{columns_behind, plain, wrapped};

/// The maximum number of shown characters of a line.
const WIDTH: usize = 92;

/// The number of columns before a line: its number and a bar.
const MARGIN: usize = 8;

/// The number of columns before a help.
const HELP_MARGIN: usize = 10;

/// The number of characters before the position that are shown of a longer line.
const BEFORE: usize = 16;

/// Renders a finding with the line of `text` that it is about. `path` is the file's displayed path.
pub(crate) fn render(found: &Diagnostic, path: &str, text: Option<&[u8]>) -> String {
    let level = match found.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Hint => Level::NOTE.with_name("hint"),
    };
    let label = found.severity.as_str().len() + found.code.as_str().len() + "[]: ".len();
    let message = wrapped(&plain(&found.message), columns_behind(label), 0);
    let title = level.primary_title(message).id(plain(found.code.as_str()));
    let mut group = Group::with_title(title);
    let line = found.line.unwrap_or(1) as usize;
    let column = found.column.unwrap_or(1) as usize;
    let span = found.span.clone().zip(text);
    let excerpt =
        span.and_then(|(span, text)| excerpt(text, span, columns_behind(MARGIN).min(WIDTH)));
    // In an unchanged line, the renderer finds the column by itself.
    let has_own_path =
        excerpt.as_ref().is_some_and(|excerpt: &Excerpt| excerpt.before + 1 == column);
    if !has_own_path && !path.is_empty() {
        let origin = Origin::path(plain(path));
        group = group.element(match found.line {
            Some(_) => origin.line(line).char_column(column),
            None => origin,
        });
    }
    let has_excerpt = excerpt.is_some();
    if let Some(excerpt) = excerpt {
        let annotation = AnnotationKind::Primary.span(excerpt.span);
        let snippet = Snippet::source(excerpt.line).line_start(line).annotation(annotation);
        group = group.element(if has_own_path { snippet.path(plain(path)) } else { snippet });
    }
    let help = wrapped(&plain(&found.help), columns_behind(HELP_MARGIN), 0);
    let help = Level::HELP.message(help);
    let renderer = Renderer::styled()
        .error(severity_style(Severity::Error))
        .warning(severity_style(Severity::Warning))
        .note(severity_style(Severity::Hint));
    let rendered = without_elisions(&renderer.render(&[group.element(help)]));
    if has_excerpt { rendered } else { indented(&rendered) }
}

/// Moves the place and the help of a finding without a line to where those of the others are,
/// behind the column of the line's number.
fn indented(rendered: &str) -> String {
    let mut is_behind = false;
    let lines = rendered.split_inclusive('\n').map(|line| {
        let shown = strip_str(line).to_string();
        is_behind |= shown.starts_with("-->") || shown.starts_with(" = ");
        format!("{}{line}", if is_behind { " " } else { "" })
    });
    lines.collect()
}

/// Removes the `:::` that the renderer prints before a line without a path, as if lines were left
/// out. A line of the file cannot match, because it starts with its number.
fn without_elisions(rendered: &str) -> String {
    rendered
        .lines()
        .filter(|line| strip_str(line).to_string().trim() != ":::")
        .flat_map(|line| [line, "\n"])
        .collect()
}

/// The shown part of a line, and the range of bytes to mark.
#[derive(Debug, PartialEq, Eq)]
struct Excerpt {
    line: String,
    span: Range<usize>,
    /// The number of shown characters before the marked ones.
    before: usize,
}

/// Returns the line in which `span` starts, encoded for a terminal, in at most `width` characters.
fn excerpt(text: &[u8], span: Range<usize>, width: usize) -> Option<Excerpt> {
    let before = text.get(..span.start)?;
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let rest = text.get(span.start..)?;
    let end = span.start + rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    let meant = span.start..span.end.clamp(span.start, end);
    let lead = String::from_utf8_lossy(text.get(start..meant.start)?);
    let middle = String::from_utf8_lossy(text.get(meant.clone())?);
    let tail = String::from_utf8_lossy(text.get(meant.end..end)?);
    let lead = shown(&lead);
    let middle = shown(&middle);
    let tail = shown(tail.trim_end_matches('\r'));
    Some(fitted([&lead, &middle, &tail], width))
}

fn shown(text: &str) -> String {
    plain(&text.replace('\t', "    ")).into_owned()
}

/// Fits the three parts of a line into `width` characters, with an ellipsis at each cut.
fn fitted([lead, middle, tail]: [&str; 3], width: usize) -> Excerpt {
    let length = |text: &str| text.chars().count();
    let is_long = length(lead) + length(middle) + length(tail) > width;
    let mut line = match length(lead).checked_sub(BEFORE) {
        Some(cut) if is_long && cut > 0 => {
            std::iter::once('…').chain(lead.chars().skip(cut)).collect()
        }
        _ => lead.to_owned(),
    };
    let start = line.len();
    let before = length(&line);
    let room = width.saturating_sub(length(&line));
    line.extend(middle.chars().take(room));
    let end = line.len();
    let room = width.saturating_sub(length(&line));
    line.extend(tail.chars().take(room));
    if length(middle) + length(tail) > length(&line[start..]) {
        line.push('…');
    }
    Excerpt { line, span: start..end, before }
}
