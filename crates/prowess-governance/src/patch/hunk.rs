//! A hunk of a diff, and the parts of its lines.

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Hunk<'d> {
    /// The line before which the hunk begins, if the diff says it.
    pub(super) at: Option<usize>,
    /// The lines with their marks: `-`, `+` or a blank.
    pub(super) lines: Vec<(char, &'d str)>,
    /// Whether the last new line ends without a line break.
    pub(super) is_unfinished: bool,
}

impl<'d> Hunk<'d> {
    /// Returns the lines from the first changed one to the last, and the number of those in front.
    pub(super) fn changes(&self) -> (usize, &[(char, &'d str)]) {
        let is_changed = |(mark, _): &(char, &str)| *mark != ' ';
        let before = self.lines.iter().position(is_changed).unwrap_or_default();
        let behind = self.lines.iter().rev().position(is_changed).unwrap_or_default();
        (before, &self.lines[before..self.lines.len() - behind])
    }

    /// Returns the lines that the hunk finds, or leaves: all but those with this mark.
    pub(super) fn without(&self, mark: char) -> Vec<&'d str> {
        self.lines.iter().filter(|(it, _)| *it != mark).map(|(_, line)| *line).collect()
    }
}

/// Where a hunk begins, and its lines there.
pub(super) type Fit<'h, 'd> = (usize, &'h [(char, &'d str)]);

/// Returns the mark and the text of a line of a hunk. Editors remove the blank of an empty line.
pub(super) fn marked(line: &str) -> Option<(char, &str)> {
    let mark = line.chars().next().unwrap_or(' ');
    matches!(mark, '+' | '-' | ' ').then(|| (mark, line.get(1..).unwrap_or_default()))
}

/// Returns the start and the length of a range such as `-3,4`.
pub(super) fn range(text: &str, mark: char) -> Option<(usize, usize)> {
    let text = text.strip_prefix(mark)?;
    let (start, length) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, length.parse().ok()?))
}
