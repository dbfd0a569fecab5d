//! Arrays with comments, in JSON and TOML.

use std::ops::Range;

use serde_json::Value;

use super::{indentation, inline, line_end};

/// The comments between two items, or before the first or behind the last one.
struct Gap<'t> {
    /// Those on the line of what is before them.
    behind: Vec<&'t str>,
    /// Those on further lines.
    above: Vec<&'t str>,
    has_comma: bool,
}

impl<'t> Gap<'t> {
    fn of(text: &'t str) -> Self {
        let mut gap = Self { behind: Vec::new(), above: Vec::new(), has_comma: false };
        let (mut rest, mut is_behind) = (text, true);
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '/' if rest.starts_with("/*") => rest.find("*/").map(|end| end + 2),
                '#' | '/' => rest.find('\n'),
                _ => Some(first.len_utf8()),
            };
            let (part, next) = rest.split_at(length.unwrap_or(rest.len()));
            match first {
                '#' | '/' if is_behind => gap.behind.push(part.trim_end()),
                '#' | '/' => gap.above.push(part.trim_end()),
                _ => {
                    is_behind &= first != '\n';
                    gap.has_comma |= first == ',';
                }
            }
            rest = next;
        }
        gap
    }
}

/// Returns the text of an array that becomes another one. Each comment stays: with its item or what
/// replaces it, and else on a line of its own. `None` if there is no comment.
pub(super) fn with_comments(
    text: &str,
    array: &Range<usize>,
    old: &[(Range<usize>, Value)],
    new: &Value,
) -> Option<String> {
    let new = new.as_array()?;
    let ends = [array.start + 1].into_iter().chain(old.iter().map(|(span, _)| span.end));
    let starts = old.iter().map(|(span, _)| span.start).chain([array.end - 1]);
    let gaps: Vec<_> = ends.zip(starts).map(|(from, to)| Gap::of(&text[from..to])).collect();
    if gaps.iter().all(|gap| gap.behind.is_empty() && gap.above.is_empty()) {
        return None;
    }
    let (first, last) = (gaps.first()?, gaps.last()?);
    let outer = indentation(text, array.start);
    let before = |start: usize| text[..start].trim_end_matches([' ', '\t']).ends_with('\n');
    let inner = old.first().filter(|(span, _)| before(span.start));
    let inner = inner.map(|(span, _)| indentation(text, span.start).to_owned());
    let line = format!("{}{}", line_end(text), inner.unwrap_or_else(|| format!("{outer}  ")));
    let behind = |comments: &[&str]| comments.iter().map(|it| format!(" {it}")).collect::<String>();
    let mut written = format!("[{}", behind(&first.behind));
    let own_line = |written: &mut String, comments: &[&str]| {
        comments.iter().for_each(|comment| written.extend([&*line, comment]));
    };
    let mut at = 0;
    for (index, item) in new.iter().enumerate() {
        let found = old[at..].iter().position(|(_, value)| value == item).map(|found| at + found);
        let replaced = || old.get(at).filter(|(_, value)| !new.contains(value)).map(|_| at);
        let place = found.or_else(replaced);
        let text = match found {
            Some(found) => text[old[found].0.clone()].to_owned(),
            None => inline(item),
        };
        for removed in at..place.unwrap_or(at) {
            own_line(&mut written, &gaps[removed].above);
            own_line(&mut written, &gaps[removed + 1].behind);
        }
        place.inspect(|place| own_line(&mut written, &gaps[*place].above));
        let comma = if index + 1 < new.len() || last.has_comma { "," } else { "" };
        let own = place.map(|place| behind(&gaps[place + 1].behind)).unwrap_or_default();
        written.extend([&*line, &text, comma, &own]);
        at = place.map_or(at, |place| place + 1);
    }
    for removed in at..old.len() {
        own_line(&mut written, &gaps[removed].above);
        own_line(&mut written, &gaps[removed + 1].behind);
    }
    own_line(&mut written, &last.above);
    Some(written + line_end(text) + outer + "]")
}
