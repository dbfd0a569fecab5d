//! Line ranges and pages of a long text.

use prowess_text::one_line;
use serde::Deserialize;
use serde_json::json;

/// The lines that a call asks for, counted from 1, both included.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(crate) struct Lines {
    pub(crate) from: Option<usize>,
    pub(crate) to: Option<usize>,
    /// The first character of the first line, counted from 1.
    pub(crate) column: Option<usize>,
}

/// Consecutive lines of a text, or a part of a line that is longer than a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page<'t> {
    pub(crate) text: &'t str,
    /// The number of the first line, from 1.
    first: usize,
    /// The first character of the first line, from 1.
    column: usize,
    /// The last character, if the page ends within the first line.
    until: Option<usize>,
    /// The number of the last line; smaller than `first` in an empty text.
    last: usize,
    /// The number of lines of the whole text.
    total: usize,
}

impl<'t> Page<'t> {
    /// Returns the requested lines, and of those as many as fit into `most_bytes`, or as much of
    /// the first one, at least a character.
    ///
    /// # Errors
    ///
    /// The text has none of the requested lines; the error is the number of its lines.
    pub(crate) fn of(
        text: &'t str,
        lines: Option<Lines>,
        most_bytes: usize,
    ) -> Result<Self, usize> {
        let Lines { from, to, column } = lines.unwrap_or_default();
        let [first, column] = [from, column].map(|number| number.unwrap_or(1));
        let to = to.unwrap_or(usize::MAX);
        let last = first.saturating_sub(1);
        let mut page = Self { text: "", first, column, until: None, last, total: 0 };
        let (mut offset, mut start, mut end) = (0, 0, 0);
        for line in text.split_inclusive('\n') {
            page.total += 1;
            let is_first = page.total == first && first <= to;
            if is_first {
                let skipped = column.checked_sub(1).and_then(|at| line.char_indices().nth(at));
                let Some((skipped, _)) = skipped else { return Err(text.lines().count()) };
                start = offset + skipped;
                end = start;
                let long = &line[skipped..];
                let least = long.chars().next().map_or(0, char::len_utf8);
                if long.trim_end_matches(['\r', '\n']).len() > most_bytes.max(least) {
                    let part = &long[..long.floor_char_boundary(most_bytes).max(least)];
                    end = start + part.len();
                    page.until = Some(column - 1 + part.chars().count());
                }
            }
            offset += line.len();
            let is_next = page.total >= first && page.total == page.last + 1;
            let fits = offset - start <= most_bytes || is_first;
            if page.until.is_none() && is_next && page.total <= to && fits {
                end = offset;
                page.last = page.total;
            }
        }
        page.text = &text[start..end];
        let is_missing = first == 0 || (end == start && lines.is_some());
        if is_missing { Err(page.total) } else { Ok(page) }
    }

    /// Returns the note for a model if this is not the whole text.
    pub(crate) fn note(&self, reader: &Reader<'_>) -> Option<String> {
        let Self { first, column, last, total, .. } = *self;
        let mut note = match self.until {
            Some(until) => {
                format!(
                    "Note: these are characters {column} to {until} of line {first} of {total}."
                )
            }
            None if column > 1 => format!(
                "Note: these are lines {first} to {last} of {total}, the first from its character \
                 {column} on."
            ),
            None if last - (first - 1) == total => return None,
            None => format!("Note: these are lines {first} to {last} of {total}."),
        };
        if let Some(next) = self.next(0, reader) {
            note.push_str(&format!(" To read on, call {next}."));
        }
        Some(note)
    }

    /// Returns the note at the start of instructions of which this is the first page, with the call
    /// for the next one; `None` if they are whole. `before` lines of the file are in front of them.
    pub(crate) fn note_of_instructions(
        &self,
        before: usize,
        reader: &Reader<'_>,
    ) -> Option<String> {
        let Self { last, total, .. } = *self;
        let next = self.next(before, reader)?;
        let part = match self.until {
            Some(until) => format!("{until} characters of the first of {total} lines"),
            None => format!("{last} of {total} lines"),
        };
        Some(format!(
            "Note: this is the first part of the instructions, {part}. Read on before you follow \
             them: call {next}."
        ))
    }

    /// Returns the call for what follows this page; `None` at the end.
    fn next(&self, before: usize, reader: &Reader<'_>) -> Option<String> {
        let lines = match self.until {
            Some(until) => {
                format!(r#"{{"from": {}, "column": {}}}"#, before + self.first, until + 1)
            }
            None if self.last < self.total => format!(r#"{{"from": {}}}"#, before + self.last + 1),
            None => return None,
        };
        Some(reader.call_for(&lines))
    }
}

/// The call that returns the lines of a file.
pub(crate) struct Reader<'a> {
    /// The tool, as the model calls it.
    pub(crate) tool: &'a str,
    pub(crate) skill: &'a str,
    pub(crate) path: &'a str,
}

impl Reader<'_> {
    fn call_for(&self, lines: &str) -> String {
        let Self { tool, skill, path } = self;
        let [skill, path] =
            [skill, path].map(|text| one_line(&json!(text).to_string()).into_owned());
        format!("`{tool}` with {{\"skill\": {skill}, \"path\": {path}, \"lines\": {lines}}}")
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, Page, Reader};

    const READER: Reader<'_> = Reader { tool: "skills_read", skill: "pdf", path: "a.md" };

    const TEXT: &str = "one\ntwo\n\nfour";

    #[track_caller]
    fn check(lines: (usize, usize), most: usize, expected: Result<(&str, Option<&str>), usize>) {
        let lines = Lines { from: Some(lines.0), to: Some(lines.1), column: None };
        let page = Page::of(TEXT, Some(lines), most);
        let found = page.map(|page| (page.text, page.note(&READER)));
        let expected = expected.map(|(text, note)| (text, note.map(str::to_owned)));
        assert_eq!(found, expected, "{lines:?} with at most {most} bytes");
    }

    #[test]
    fn ranges_hold_both_ends() {
        check((1, 9), 99, Ok((TEXT, None)));
        let next = "Note: these are lines 1 to 2 of 4. To read on, call `skills_read` with \
            {\"skill\": \"pdf\", \"path\": \"a.md\", \"lines\": {\"from\": 3}}.";
        check((1, 2), 99, Ok(("one\ntwo\n", Some(next))));
        check((3, 4), 99, Ok(("\nfour", Some("Note: these are lines 3 to 4 of 4."))));
        for none in [(5, 9), (2, 1), (0, 0), (usize::MAX, usize::MAX)] {
            check(none, 99, Err(4));
        }
    }

    #[test]
    fn a_page_ends_at_a_line() {
        let next = "Note: these are lines 1 to 1 of 4. To read on, call `skills_read` with \
            {\"skill\": \"pdf\", \"path\": \"a.md\", \"lines\": {\"from\": 2}}.";
        check((1, 9), 7, Ok(("one\n", Some(next))));
        check((1, 9), 3, Ok(("one\n", Some(next))));
        let rest = "Note: these are lines 2 to 4 of 4.";
        check((2, 9), 9, Ok(("two\n\nfour", Some(rest))));
    }

    /// Each page of a long line fits, and all of them are the text.
    #[test]
    fn a_long_line_has_pages() {
        let long = "a\u{e9}\u{20ac}\u{1f600}".repeat(100_000);
        for text in [&*long, "a\n\u{1f600}\u{20ac}b\r\nc\r\n", "\r\n\u{e9}", "ab\r\ncd\n\nef"] {
            for most in [1, 2, 3, 5, 7, 8_000].into_iter().filter(|most| text.len() < 100 * most) {
                let (mut read, mut lines) = (String::new(), Lines::default());
                loop {
                    let page = Page::of(text, Some(lines), most).expect("there is more");
                    let content = page.text.trim_end_matches(['\r', '\n']).len();
                    assert!(content <= most.max(4) && !page.text.is_empty(), "{page:?}");
                    read.push_str(page.text);
                    let note = page.note(&READER).unwrap_or_default();
                    let Some((_, next)) = note.split_once("\"lines\": ") else { break };
                    let next = next.split_once('}').expect("it ends").0.to_owned() + "}";
                    lines = serde_json::from_str(&next).expect("lines");
                }
                assert_eq!(read, text, "with at most {most} bytes");
            }
        }
        let at = |column| Lines { from: Some(4), to: None, column: Some(column) };
        let note = Page::of(TEXT, Some(at(3)), 9).map(|page| (page.text, page.note(&READER)));
        let said = "Note: these are lines 4 to 4 of 4, the first from its character 3 on.";
        assert_eq!(note, Ok(("ur", Some(said.to_owned()))));
        for column in [0, 5, usize::MAX] {
            assert_eq!(Page::of(TEXT, Some(at(column)), 9), Err(4), "no character {column}");
        }
        let page = Page::of(TEXT, None, 2).expect("a page");
        let first = page.note_of_instructions(5, &READER).expect("there is more");
        assert!(first.contains("2 characters of the first of 4 lines"), "{first}");
        assert!(first.contains("{\"from\": 6, \"column\": 3}"), "{first}");
    }

    #[test]
    fn instructions_name_the_line_of_their_file() {
        let note =
            |most| Page::of(TEXT, None, most).expect("lines").note_of_instructions(5, &READER);
        assert_eq!(note(99), None, "they are whole");
        let first = note(9).expect("there is more");
        assert!(first.contains("3 of 4 lines") && first.contains("\"from\": 9"), "{first}");
    }

    #[test]
    fn an_empty_text_is_one_page() {
        let page = Page::of("", None, 0).map(|page| (page.text, page.note(&READER)));
        assert_eq!(page, Ok(("", None)), "nothing was left out");
        let lines = Some(Lines::default());
        assert_eq!(Page::of("", lines, 0).map(|page| page.text), Err(0), "it has no line");
    }
}
