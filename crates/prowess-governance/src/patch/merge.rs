//! A file as lines, and where the lines of an earlier version of it are now.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::hunk::{Fit, Hunk};

/// A file as lines, each with its line break.
pub(super) struct Text<'t> {
    pub(super) lines: Vec<(&'t str, &'static str)>,
    pub(super) line_break: &'static str,
}

impl<'t> Text<'t> {
    pub(super) fn of(content: &'t str) -> Self {
        let split = |line: &'t str| match line.strip_suffix('\n') {
            None => (line, ""),
            Some(line) => match line.strip_suffix('\r') {
                Some(line) => (line, "\r\n"),
                None => (line, "\n"),
            },
        };
        let lines: Vec<_> = content.split_inclusive('\n').map(split).collect();
        let line_break =
            lines.first().map_or("\n", |(_, end)| if end.is_empty() { "\n" } else { end });
        Self { lines, line_break }
    }

    pub(super) fn has(&self, at: usize, wanted: &[&str]) -> bool {
        let lines = self.lines.get(at..at + wanted.len());
        lines.is_some_and(|lines| lines.iter().map(|(line, _)| line).eq(wanted))
    }

    /// Returns the lines that are most similar to these. If they are the same, it is those next to
    /// them that differ, so these are in it.
    pub(super) fn nearest(&self, wanted: &[&str]) -> Vec<String> {
        let equal = |at: &usize| {
            let lines = self.lines[*at..].iter().zip(wanted);
            lines.filter(|((line, _), wanted)| line == *wanted).count()
        };
        let last = self.lines.len().saturating_sub(wanted.len());
        // The first of several: the maximum of a reversed range.
        let at = (0..=last).rev().max_by_key(equal).unwrap_or_default();
        let around = usize::from(!wanted.is_empty() && self.has(at, wanted));
        let lines = self.lines[..self.lines.len().min(at + wanted.len() + around)].iter();
        lines.skip(at - around.min(at)).map(|(line, _)| (*line).to_owned()).collect()
    }
}

/// The lines of a file that a diff was made for, with where they are now.
pub(super) struct Merge<'b> {
    original: Text<'b>,
    /// The parts that are equal.
    equal: Vec<(Range<usize>, Range<usize>)>,
    /// The number of lines now.
    lines: usize,
}

impl<'b> Merge<'b> {
    pub(super) fn new(original: Text<'b>, now: &Text<'_>) -> Self {
        let lines = |text: &Text<'_>| -> Vec<String> {
            text.lines.iter().map(|(line, _)| (*line).to_owned()).collect()
        };
        let [old, new] = [lines(&original), lines(now)];
        let parts = capture_diff_slices(Algorithm::Myers, &old, &new).into_iter();
        let parts = parts.filter(|part| part.tag() == DiffTag::Equal);
        let equal = parts.map(|part| (part.old_range(), part.new_range())).collect();
        Self { original, equal, lines: new.len() }
    }

    /// Returns where the changed lines of a hunk are now, if they and those next to them are the
    /// same.
    pub(super) fn position<'h, 'd>(&self, hunk: &'h Hunk<'d>) -> Result<Fit<'h, 'd>, String> {
        let of = || "these lines are not in the file that it was made for".to_owned();
        let old = hunk.without('+');
        let at = hunk.at.filter(|at| self.original.has(*at, &old)).ok_or_else(of)?;
        let (before, changes) = hunk.changes();
        let start = at + before;
        let end = start + changes.iter().filter(|(mark, _)| *mark != '+').count();
        let last = self.original.lines.len();
        let around = start.saturating_sub(1)..(end + 1).min(last);
        let is_same = |(old, new): &&(Range<usize>, Range<usize>)| {
            // At an end of the file, lines that were added there are next to the change.
            let is_start = start > 0 || new.start == 0;
            let is_end = end < last || new.end == self.lines;
            old.start <= around.start && around.end <= old.end && is_start && is_end
        };
        let (old, new) = self
            .equal
            .iter()
            .find(is_same)
            .ok_or_else(|| "these lines, or those next to them, are others now".to_owned())?;
        Ok((start - old.start + new.start, changes))
    }
}
