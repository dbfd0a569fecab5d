//! Block scalars: `|` and `>` with their indented lines.

use std::borrow::Cow;
use std::ops::Range;

use crate::fields::Shape;

use super::line::{Line, Lines};

/// The value of a block scalar whose indicator is `header`; `lines` stands on the line after it.
pub(super) fn scan<'t>(header: &str, lines: &mut Lines<'t>) -> Option<Shape<'t>> {
    let (is_folded, keeps_line_end) = match header {
        "|" => (false, true),
        "|-" => (false, false),
        ">" => (true, true),
        ">-" => (true, false),
        // Indentation indicators, kept line ends, comments: the full parser's.
        _ => return None,
    };
    let content = Content::read(lines)?;
    let text = match content.single_line(lines, keeps_line_end) {
        Some(text) => Cow::Borrowed(text),
        None if is_folded => Cow::Owned(content.folded(lines, keeps_line_end)?),
        None => Cow::Owned(content.literal(lines, keeps_line_end)),
    };
    Some(Shape::Text { text, is_plain: false })
}

/// The lines of a block scalar up to its last one that is not blank.
struct Content {
    indentation: usize,
    /// From the start of the first line, blank ones included, to that after the last filled one.
    lines: Range<usize>,
    /// Whether a line other than the last has content.
    count: usize,
}

impl Content {
    /// Goes past the block's lines.
    fn read(lines: &mut Lines<'_>) -> Option<Self> {
        let start = lines.position();
        let mut end = start;
        let mut indentation = None;
        let mut count = 0;
        let mut widest_blank = 0;
        while let Some(line) = lines.peek() {
            if line.is_blank() {
                widest_blank = widest_blank.max(line.text.len());
                lines.next();
                continue;
            }
            let width = line.indentation();
            let least = *indentation.get_or_insert(width);
            if width == 0 {
                break;
            }
            // Fewer blanks may be an error or a comment.
            if width < least {
                return None;
            }
            lines.next();
            end = lines.position();
            count += 1;
        }
        let indentation = indentation.filter(|width| *width > 0 && count > 0)?;
        // Blanks beyond the indentation are content.
        (widest_blank <= indentation).then_some(Self { indentation, lines: start..end, count })
    }

    /// The text as it stands in the file, where it is one line whose end is LF.
    fn single_line<'t>(&self, lines: &Lines<'t>, keeps_line_end: bool) -> Option<&'t str> {
        let text = lines.slice(self.lines.clone());
        if self.count != 1 || !text.starts_with(' ') || text.len() <= self.indentation {
            return None;
        }
        let text = &text[self.indentation..];
        let line = text.strip_suffix('\n')?;
        if line.ends_with('\r') || line.contains('\n') {
            return None;
        }
        Some(if keeps_line_end { text } else { line })
    }

    fn literal(&self, lines: &Lines<'_>, keeps_line_end: bool) -> String {
        let mut text = String::with_capacity(self.lines.len());
        for line in self.each(lines) {
            text.push_str(self.dedented(line));
            text.push('\n');
        }
        if !keeps_line_end {
            text.pop();
        }
        text
    }

    /// Single line ends become blanks; n + 1 in a row become n.
    fn folded(&self, lines: &Lines<'_>, keeps_line_end: bool) -> Option<String> {
        let mut text = String::with_capacity(self.lines.len());
        let mut line_ends = 0;
        for line in self.each(lines) {
            let content = self.dedented(line);
            if content.is_empty() {
                line_ends += 1;
                continue;
            }
            // Lines with more indentation are not folded: the full parser's.
            if content.starts_with(' ') {
                return None;
            }
            if line_ends > 0 {
                text.extend(std::iter::repeat_n('\n', line_ends));
            } else if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(content);
            line_ends = 0;
        }
        if keeps_line_end {
            text.push('\n');
        }
        Some(text)
    }

    fn each<'t>(&self, lines: &Lines<'t>) -> impl Iterator<Item = Line<'t>> + use<'t> {
        let mut within = lines.within(self.lines.clone());
        std::iter::from_fn(move || within.next())
    }

    fn dedented<'t>(&self, line: Line<'t>) -> &'t str {
        line.text.get(self.indentation..).unwrap_or("")
    }
}
