//! Unified diffs: parsed strictly, and applied to the files of a package.

use std::collections::BTreeMap;
use std::ops::Range;

use prowess_core::{PackageFile, PackageFiles, ResourcePath};
use prowess_text::quoted;
use serde::Serialize;
use similar::{Algorithm, DiffTag, TextDiff, capture_diff_slices};

/// The maximum number of files that one diff may change.
const MOST_FILES: usize = 50;

/// The maximum number of lines of one diff: the time of a comparison grows with them.
const MOST_LINES: usize = 10_000;

/// The directories whose files belong to programs and not to a skill.
const FOREIGN: [&str; 2] = [".git", "node_modules"];

/// The changes of some files.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Patch<'d>(Vec<FilePatch<'d>>);

#[derive(Debug, PartialEq, Eq)]
struct FilePatch<'d> {
    path: String,
    is_new: bool,
    hunks: Vec<Hunk<'d>>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Hunk<'d> {
    /// The line before which the hunk begins, if the diff says it.
    at: Option<usize>,
    /// The lines with their marks: `-`, `+` or a blank.
    lines: Vec<(char, &'d str)>,
    /// Whether the last new line ends without a line break.
    is_unfinished: bool,
}

impl<'d> Hunk<'d> {
    /// Returns the lines from the first changed one to the last, and the number of those in front.
    fn changes(&self) -> (usize, &[(char, &'d str)]) {
        let is_changed = |(mark, _): &(char, &str)| *mark != ' ';
        let before = self.lines.iter().position(is_changed).unwrap_or_default();
        let behind = self.lines.iter().rev().position(is_changed).unwrap_or_default();
        (before, &self.lines[before..self.lines.len() - behind])
    }

    /// Returns the lines that the hunk finds, or leaves: all but those with this mark.
    fn without(&self, mark: char) -> Vec<&'d str> {
        self.lines.iter().filter(|(it, _)| *it != mark).map(|(_, line)| *line).collect()
    }
}

/// A part of a proposal that does not fit the files, as the three texts of a merge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// The path of the file.
    pub path: String,
    /// The number of the hunk in that file, from 1 on.
    pub hunk: usize,
    /// The lines that the proposal was made for.
    pub base: Vec<String>,
    /// The lines that the proposal has instead.
    pub proposed: Vec<String>,
    /// The lines that are most similar to the first ones now.
    pub now: Vec<String>,
    /// Why the hunk does not fit.
    pub reason: String,
}

impl<'d> Patch<'d> {
    /// Reads a diff. Lines without the header of a file are of `file`.
    ///
    /// # Errors
    ///
    /// Returns the reason why it is no diff, or leaves the package.
    pub(crate) fn parse(diff: &'d str, file: &str) -> Result<Self, String> {
        let lines = diff.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
        let mut lines: Vec<&str> = lines.collect();
        if lines.last() == Some(&"") {
            lines.pop();
        }
        if lines.len() > MOST_LINES {
            return Err(format!("it has more than {MOST_LINES} lines"));
        }
        let mut reader = Reader { lines: &lines, at: 0, files: Vec::new(), file };
        while reader.at < lines.len() {
            reader.step()?;
        }
        let files = reader.files;
        if files.iter().all(|file| file.hunks.is_empty()) {
            return Err("it changes nothing: no line begins with `+` or `-`".to_owned());
        }
        if let Some(file) = files.iter().find(|file| file.hunks.is_empty()) {
            return Err(format!("it has no lines for {}", quoted(&file.path)));
        }
        Ok(Self(files))
    }

    /// Returns the paths of the files that exist before.
    pub(crate) fn changed(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|file| !file.is_new).map(|file| &*file.path)
    }

    /// Returns the files with the changes, which are those that the diff was made for.
    ///
    /// # Errors
    ///
    /// Returns each hunk that does not fit.
    pub(crate) fn apply(&self, files: &PackageFiles) -> Result<PackageFiles, Vec<Conflict>> {
        self.apply_each(files, |_| Base::Same)
    }

    /// Returns files with the changes that were made for `originals`, as a merge: a change fits if
    /// neither its lines nor those next to it are others now. Without the original of a file, all
    /// lines of the hunk have to be in the file once.
    ///
    /// # Errors
    ///
    /// Returns each hunk that does not fit.
    pub(crate) fn merge(
        &self,
        files: &PackageFiles,
        originals: &BTreeMap<String, Vec<u8>>,
    ) -> Result<PackageFiles, Vec<Conflict>> {
        self.apply_each(files, |path| {
            let original = originals.get(path).and_then(|it| str::from_utf8(it).ok());
            original.map_or(Base::Unknown, Base::Original)
        })
    }

    fn apply_each<'b>(
        &self,
        files: &PackageFiles,
        base: impl Fn(&str) -> Base<'b>,
    ) -> Result<PackageFiles, Vec<Conflict>> {
        let mut result = files.clone();
        let mut conflicts = Vec::new();
        for patch in &self.0 {
            match patch.applied(files, &base(&patch.path)) {
                Ok(content) => {
                    let file = result.entry(patch.path.clone()).or_default();
                    *file = PackageFile { content, ..*file };
                }
                Err(mut found) => conflicts.append(&mut found),
            }
        }
        if conflicts.is_empty() { Ok(result) } else { Err(conflicts) }
    }
}

/// The file that a diff was made for, as far as it is known.
enum Base<'b> {
    /// It is the file as it is now.
    Same,
    /// Its text.
    Original(&'b str),
    /// Nothing.
    Unknown,
}

/// Where a hunk begins, and its lines there.
type Fit<'h, 'd> = (usize, &'h [(char, &'d str)]);

/// A file as lines, each with its line break.
struct Text<'t> {
    lines: Vec<(&'t str, &'static str)>,
    line_break: &'static str,
}

impl<'t> Text<'t> {
    fn of(content: &'t str) -> Self {
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

    fn has(&self, at: usize, wanted: &[&str]) -> bool {
        let lines = self.lines.get(at..at + wanted.len());
        lines.is_some_and(|lines| lines.iter().map(|(line, _)| line).eq(wanted))
    }

    /// Returns the lines that are most similar to these.
    fn nearest(&self, wanted: &[&str]) -> Vec<String> {
        let equal = |at: &usize| {
            let lines = self.lines[*at..].iter().zip(wanted);
            lines.filter(|((line, _), wanted)| line == *wanted).count()
        };
        let last = self.lines.len().saturating_sub(wanted.len());
        // The first of several: the maximum of a reversed range.
        let at = (0..=last).rev().max_by_key(equal).unwrap_or_default();
        let lines = self.lines[at..].iter().take(wanted.len());
        lines.map(|(line, _)| (*line).to_owned()).collect()
    }
}

impl FilePatch<'_> {
    fn applied(&self, files: &PackageFiles, base: &Base<'_>) -> Result<Vec<u8>, Vec<Conflict>> {
        let refused = |reason: &str| {
            let hunk = &self.hunks[0];
            vec![self.conflict(0, hunk, Vec::new(), reason.to_owned())]
        };
        let content = match files.get(&self.path) {
            Some(_) if self.is_new => return Err(refused("the file exists already")),
            Some(file) => &*file.content,
            None if self.is_new => &[],
            None => return Err(refused("there is no such file")),
        };
        let content = str::from_utf8(content).map_err(|_| refused("the file is not text"))?;
        let text = Text::of(content);
        let merge = match base {
            Base::Original(original) => Some(Merge::new(Text::of(original), &text)),
            _ => None,
        };
        let mut conflicts = Vec::new();
        let mut result: Vec<(&str, &str)> = Vec::new();
        let mut from = 0;
        for (number, hunk) in self.hunks.iter().enumerate() {
            let fit = match &merge {
                Some(merge) if !self.is_new => merge.position(hunk),
                _ => self.position(&text, hunk, from, matches!(base, Base::Same)),
            };
            let (at, lines) = match fit {
                Ok(found) => found,
                Err(reason) => {
                    let now = text.nearest(&hunk.without('+'));
                    conflicts.push(self.conflict(number, hunk, now, reason));
                    continue;
                }
            };
            result.extend(&text.lines[from..at]);
            let mut line = at;
            for (mark, new) in lines {
                match mark {
                    '+' => result.push((new, text.line_break)),
                    ' ' => result.push(text.lines[line]),
                    _ => {}
                }
                line += usize::from(*mark != '+');
            }
            from = line;
            if hunk.is_unfinished
                && from == text.lines.len()
                && let Some((_, end)) = result.last_mut()
            {
                *end = "";
            }
        }
        if !conflicts.is_empty() {
            return Err(conflicts);
        }
        result.extend(&text.lines[from..]);
        // A line that was the last one of the file without a line break may have got a successor.
        let last = result.len().saturating_sub(1);
        for (_, end) in &mut result[..last] {
            if end.is_empty() {
                *end = text.line_break;
            }
        }
        Ok(result.into_iter().flat_map(|(line, end)| [line, end]).collect::<String>().into_bytes())
    }

    /// Returns where a hunk fits: where it says, if that `counts`, or else in the one place that
    /// has its lines.
    fn position<'h, 'd>(
        &self,
        text: &Text<'_>,
        hunk: &'h Hunk<'d>,
        from: usize,
        counts: bool,
    ) -> Result<Fit<'h, 'd>, String> {
        let old = hunk.without('+');
        if self.is_new {
            let reason = "a new file has no lines yet".to_owned();
            return if old.is_empty() { Ok((0, &hunk.lines)) } else { Err(reason) };
        }
        let stated = hunk.at.filter(|at| *at >= from && text.has(*at, &old));
        if let Some(at) = stated.filter(|_| counts) {
            return Ok((at, &hunk.lines));
        }
        if old.is_empty() {
            return Err("it adds lines without lines around them".to_owned());
        }
        let mut found = (from..=text.lines.len()).filter(|at| text.has(*at, &old));
        match (found.next(), found.next()) {
            (Some(at), None) => Ok((at, &hunk.lines)),
            (None, _) => Err("these lines are not in the file".to_owned()),
            (Some(_), Some(_)) => Err("these lines are in the file more than once".to_owned()),
        }
    }

    fn conflict(
        &self,
        number: usize,
        hunk: &Hunk<'_>,
        now: Vec<String>,
        reason: String,
    ) -> Conflict {
        let owned = |lines: Vec<&str>| lines.into_iter().map(str::to_owned).collect();
        Conflict {
            path: self.path.clone(),
            hunk: number + 1,
            base: owned(hunk.without('+')),
            proposed: owned(hunk.without('-')),
            now,
            reason,
        }
    }
}

/// The lines of a file that a diff was made for, with where they are now.
struct Merge<'b> {
    original: Text<'b>,
    /// The parts that are equal.
    equal: Vec<(Range<usize>, Range<usize>)>,
    /// The number of lines now.
    lines: usize,
}

impl<'b> Merge<'b> {
    fn new(original: Text<'b>, now: &Text<'_>) -> Self {
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
    fn position<'h, 'd>(&self, hunk: &'h Hunk<'d>) -> Result<Fit<'h, 'd>, String> {
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

/// Reads the lines of a diff.
struct Reader<'l, 'd> {
    lines: &'l [&'d str],
    at: usize,
    files: Vec<FilePatch<'d>>,
    /// The file of lines without a header.
    file: &'l str,
}

impl<'d> Reader<'_, 'd> {
    fn step(&mut self) -> Result<(), String> {
        let line = self.lines[self.at];
        if self.is_file_header() {
            let [old, new] = [line, self.lines[self.at + 1]].map(|line| named(&line[4..]));
            self.at += 2;
            return self.begin(old, new);
        }
        const NOTES: [&str; 3] = ["diff --git ", "index ", "new file mode "];
        if NOTES.iter().any(|note| line.starts_with(note)) || (line.is_empty() && !self.is_open()) {
            self.at += 1;
            return Ok(());
        }
        if let Some(rest) = line.strip_prefix("@@") {
            self.at += 1;
            return self.hunk(rest);
        }
        if line.starts_with(['+', '-', ' ']) && self.files.is_empty() {
            return self.free_hunk();
        }
        Err(format!("line {} is no part of a unified diff: {}", self.at + 1, quoted(line)))
    }

    /// Returns whether lines of a file may follow.
    fn is_open(&self) -> bool {
        self.files.last().is_some_and(|file| file.hunks.is_empty())
    }

    fn is_file_header(&self) -> bool {
        self.lines[self.at].starts_with("--- ")
            && self.lines.get(self.at + 1).is_some_and(|line| line.starts_with("+++ "))
    }

    fn begin(&mut self, old: Option<&str>, new: Option<&str>) -> Result<(), String> {
        let Some(path) = new else {
            return Err("it removes a file; only changed and new files can be proposed".to_owned());
        };
        if old.is_some_and(|old| old != path) {
            return Err("it renames a file; only changed and new files can be proposed".to_owned());
        }
        let normal = ResourcePath::new(path).ok().filter(|normal| normal.as_str() == path);
        let is_foreign = path.split('/').any(|part| FOREIGN.contains(&part));
        if normal.is_none() || is_foreign {
            return Err(format!("{} is no path of a file of the skill", quoted(path)));
        }
        if self.files.iter().any(|file| file.path == path) {
            return Err(format!("{} is changed twice", quoted(path)));
        }
        if self.files.len() == MOST_FILES {
            return Err(format!("it changes more than {MOST_FILES} files"));
        }
        let is_new = old.is_none();
        self.files.push(FilePatch { path: path.to_owned(), is_new, hunks: Vec::new() });
        Ok(())
    }

    /// Reads a hunk behind its `@@`, with or without the numbers of its lines.
    fn hunk(&mut self, header: &str) -> Result<(), String> {
        let ranges = header.split("@@").next().unwrap_or_default().trim();
        if ranges.is_empty() {
            return self.free_hunk();
        }
        let number = self.at;
        let invalid = || {
            format!("line {number} has no valid numbers; write `@@` alone for a place by its lines")
        };
        let (old, new) = ranges.split_once(' ').ok_or_else(invalid)?;
        let (start, old) = range(old, '-').ok_or_else(invalid)?;
        let (_, new) = range(new.trim(), '+').ok_or_else(invalid)?;
        // An empty range is behind its line.
        let at = if old == 0 { start } else { start.checked_sub(1).ok_or_else(invalid)? };
        let mut hunk = Hunk { at: Some(at), ..Hunk::default() };
        let (mut olds, mut news) = (0, 0);
        while olds < old || news < new {
            let line = self.lines.get(self.at).copied();
            let line = line.ok_or_else(|| format!("the hunk of line {number} is cut off"))?;
            let (mark, text) = marked(line).ok_or_else(|| {
                format!("the hunk of line {number} has fewer lines than it says; {}", invalid())
            })?;
            olds += usize::from(mark != '+');
            news += usize::from(mark != '-');
            if olds > old || news > new {
                return Err(format!(
                    "the hunk of line {number} has other lines than it says; {}",
                    invalid()
                ));
            }
            self.push(&mut hunk, mark, text);
        }
        self.finish(hunk)
    }

    /// Reads a hunk without numbers, up to the next header.
    fn free_hunk(&mut self) -> Result<(), String> {
        let mut hunk = Hunk::default();
        while let Some(line) = self.lines.get(self.at).copied() {
            if line.starts_with("@@") || line.starts_with("diff --git ") || self.is_file_header() {
                break;
            }
            let (mark, text) = marked(line).ok_or_else(|| {
                let line = quoted(line);
                format!("line {} begins with no `+`, `-` or blank: {line}", self.at + 1)
            })?;
            self.push(&mut hunk, mark, text);
        }
        // Empty lines between two files are of neither.
        while hunk.lines.last() == Some(&(' ', "")) {
            hunk.lines.pop();
        }
        self.finish(hunk)
    }

    fn push(&mut self, hunk: &mut Hunk<'d>, mark: char, text: &'d str) {
        hunk.lines.push((mark, text));
        self.at += 1;
        if self.lines.get(self.at).is_some_and(|line| line.starts_with("\\ ")) {
            hunk.is_unfinished |= mark != '-';
            self.at += 1;
        }
    }

    fn finish(&mut self, hunk: Hunk<'d>) -> Result<(), String> {
        if hunk.lines.iter().all(|(mark, _)| *mark == ' ') {
            return Err(format!("the hunk that ends in line {} changes nothing", self.at));
        }
        if self.files.is_empty() {
            self.begin(Some(self.file), Some(self.file))?;
        }
        if let Some(file) = self.files.last_mut() {
            file.hunks.push(hunk);
        }
        Ok(())
    }
}

/// Returns the mark and the text of a line of a hunk. Editors remove the blank of an empty line.
fn marked(line: &str) -> Option<(char, &str)> {
    let mark = line.chars().next().unwrap_or(' ');
    matches!(mark, '+' | '-' | ' ').then(|| (mark, line.get(1..).unwrap_or_default()))
}

/// Returns the start and the length of a range such as `-3,4`.
fn range(text: &str, mark: char) -> Option<(usize, usize)> {
    let text = text.strip_prefix(mark)?;
    let (start, length) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, length.parse().ok()?))
}

/// Returns the path in a header; `None` for that of a file that does not exist.
fn named(text: &str) -> Option<&str> {
    let path = text.split('\t').next().unwrap_or_default().trim_end();
    let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path);
    (path != "/dev/null").then_some(path)
}

/// Returns the difference of two states of a package as a unified diff, with three lines around
/// each change. Files that are not text are named.
pub fn package_diff(before: &PackageFiles, after: &PackageFiles) -> String {
    let mut diff = String::new();
    let paths: BTreeMap<_, ()> = before.keys().chain(after.keys()).map(|path| (path, ())).collect();
    for path in paths.into_keys() {
        let [old, new] = [before, after].map(|files| files.get(path));
        if old == new {
            continue;
        }
        let name = |mark: &str, file: Option<&PackageFile>| match file {
            Some(_) => format!("{mark}/{path}"),
            None => "/dev/null".to_owned(),
        };
        let (old_name, new_name) = (name("a", old), name("b", new));
        match [old, new].map(text) {
            [Some(old), Some(new)] => {
                let lines = TextDiff::from_lines(&*old, &*new);
                let unified = lines.unified_diff().header(&old_name, &new_name).to_string();
                diff.push_str(&unified);
                if unified.is_empty() {
                    diff.push_str(&format!("Mode of {path} changes\n"));
                }
            }
            _ => diff.push_str(&format!("Binary files {old_name} and {new_name} differ\n")),
        }
    }
    diff
}

/// Returns a file as text with line breaks of one kind; empty if there is none.
fn text(file: Option<&PackageFile>) -> Option<String> {
    let Some(file) = file else { return Some(String::new()) };
    str::from_utf8(&file.content).ok().map(|text| text.replace("\r\n", "\n"))
}
