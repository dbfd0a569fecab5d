//! Reads a diff.

use prowess_core::{ResourcePath, SKILL_MD_FILES};
use prowess_text::quoted;

use super::header::{Header, pair};
use super::hunk::{Hunk, marked, range};
use super::{FilePatch, Patch};

/// The maximum number of files that one diff may change.
const MOST_FILES: usize = 50;

/// The maximum number of lines of one diff: the time of a comparison grows with them.
const MOST_LINES: usize = 10_000;

/// The directories whose files belong to programs and not to a skill.
const FOREIGN: [&str; 2] = [".git", "node_modules"];

impl<'d> Patch<'d> {
    /// Reads a diff. Lines without the header of a file are of `file`.
    ///
    /// # Errors
    ///
    /// Returns the reason why it is no diff, or leaves the package.
    pub(crate) fn parse(diff: &'d str, file: &str) -> Result<Self, String> {
        let lines = diff.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
        let lines: Vec<&str> = lines.collect();
        let (lines, number) = unfenced(&lines);
        if lines.len() > MOST_LINES {
            return Err(format!("it has more than {MOST_LINES} lines"));
        }
        let mut reader = Reader { lines, number, at: 0, header: None, files: Vec::new(), file };
        while reader.at < lines.len() {
            reader.step()?;
        }
        reader.finish_header()?;
        match reader.files.last() {
            None => Err("it changes nothing: no line begins with `+` or `-`".to_owned()),
            Some(_) => reader.finish_file().map(|()| Self(reader.files)),
        }
    }
}

/// Returns the lines without the fence of a block of code around all of them and without empty ones
/// at the end, and the number of lines in front.
fn unfenced<'l, 'd>(lines: &'l [&'d str]) -> (&'l [&'d str], usize) {
    let is_empty = |line: &&str| line.trim().is_empty();
    let end = lines.iter().rposition(|line| !is_empty(line)).map_or(0, |last| last + 1);
    let first = lines.iter().position(|line| !is_empty(line)).unwrap_or_default();
    if let Some((open, close)) = lines.get(first).zip(lines[..end].last())
        && let fence = &open[..open.len() - open.trim_start_matches('`').len()]
        && fence.len() >= 3
        && first + 1 < end
        && close.trim_end() == fence
    {
        return (&lines[first + 1..end - 1], first + 1);
    }
    // An empty line at the end may be one of the last hunk.
    (lines.strip_suffix(&[""]).unwrap_or(lines), 0)
}

struct Reader<'l, 'd> {
    lines: &'l [&'d str],
    /// The number of lines in front of them.
    number: usize,
    at: usize,
    /// The header of git that was read and has no file yet.
    header: Option<Header>,
    files: Vec<FilePatch<'d>>,
    /// The file of lines without a header.
    file: &'l str,
}

impl<'d> Reader<'_, 'd> {
    fn step(&mut self) -> Result<(), String> {
        let line = self.lines[self.at];
        if self.is_file_header() {
            let [old, new] = [line, self.lines[self.at + 1]].map(|line| &line[4..]);
            self.at += 2;
            return self.begin(pair(old, new));
        }
        if let Some(paths) = line.strip_prefix("diff --git ") {
            self.finish_header()?;
            self.header = Some(Header::of_git(paths));
            self.at += 1;
            return Ok(());
        }
        if line.starts_with("GIT binary patch") {
            return Err("it changes a file that is not text".to_owned());
        }
        if self.header.get_or_insert_default().read(line)? || (line.is_empty() && !self.is_open()) {
            self.at += 1;
            return Ok(());
        }
        if let Some(rest) = line.strip_prefix("@@") {
            self.finish_header()?;
            self.at += 1;
            return self.hunk(rest);
        }
        if line.starts_with(['+', '-', ' ']) && (self.files.is_empty() || self.is_open()) {
            return self.free_hunk();
        }
        Err(format!("line {} is no part of a unified diff: {}", self.line(), quoted(line)))
    }

    /// Returns the number of the current line.
    fn line(&self) -> usize {
        self.number + self.at + 1
    }

    /// Returns whether lines of a file may follow.
    fn is_open(&self) -> bool {
        self.files.last().is_some_and(|file| file.hunks.is_empty())
    }

    fn is_file_header(&self) -> bool {
        self.lines[self.at].starts_with("--- ")
            && self.lines.get(self.at + 1).is_some_and(|line| line.starts_with("+++ "))
    }

    /// Begins the file of `---` and `+++`, with what the header of git says in front of them.
    fn begin(&mut self, [old, new]: [Option<String>; 2]) -> Result<(), String> {
        let header = self.header.take().unwrap_or_default();
        let old = if header.from.is_some() { header.from } else { old };
        let new = if header.to.is_some() { header.to } else { new };
        if old.is_none() && new.is_none() {
            return Err("a header names no file".to_owned());
        }
        self.push_file(FilePatch {
            old,
            new,
            is_copy: header.is_copy,
            is_executable: header.is_executable,
            hunks: Vec::new(),
        })
    }

    /// Adds the file of a header that has neither `---` nor hunks, such as that of a new mode.
    fn finish_header(&mut self) -> Result<(), String> {
        let Some(header) = self.header.take() else { return Ok(()) };
        let Header { path, from, to, is_copy, is_new, is_removed, is_executable, .. } = header;
        let [old, new] = [from.or_else(|| path.clone()), to.or(path)];
        let old = old.filter(|_| !is_new);
        let new = new.filter(|_| !is_removed);
        if old.is_none() && new.is_none() {
            return match is_removed || is_executable.is_some() {
                true => Err("a header names no file".to_owned()),
                false => Ok(()),
            };
        }
        if header.is_binary && !is_removed {
            return Err("it changes a file that is not text".to_owned());
        }
        self.push_file(FilePatch { old, new, is_copy, is_executable, hunks: Vec::new() })
    }

    fn push_file(&mut self, file: FilePatch<'d>) -> Result<(), String> {
        self.finish_file()?;
        for path in file.old.iter().chain(&file.new) {
            let normal = ResourcePath::new(path).ok().filter(|normal| normal.as_str() == path);
            let is_foreign = path.split('/').any(|part| FOREIGN.contains(&part));
            if normal.is_none() || is_foreign {
                return Err(format!("{} is no path of a file of the skill", quoted(path)));
            }
        }
        let is_moved = !file.is_copy && file.old != file.new;
        if let Some(old) = file.old.as_deref().filter(|_| is_moved)
            && SKILL_MD_FILES.contains(&old)
        {
            return Err(format!(
                "it removes or renames {}, without which there is no skill",
                quoted(old)
            ));
        }
        let is_known = |known: &FilePatch<'_>| {
            let is_same =
                |one: &Option<String>, other: &Option<String>| one.is_some() && one == other;
            is_same(&known.new, &file.new) || (!file.is_copy && is_same(&known.old, &file.old))
        };
        if self.files.iter().any(is_known) {
            let path = file.new.or(file.old).unwrap_or_default();
            return Err(format!("{} is changed twice", quoted(&path)));
        }
        if self.files.len() == MOST_FILES {
            return Err(format!("it changes more than {MOST_FILES} files"));
        }
        self.files.push(file);
        Ok(())
    }

    /// Checks that the last file changes.
    fn finish_file(&self) -> Result<(), String> {
        let Some(file) = self.files.last().filter(|file| file.hunks.is_empty()) else {
            return Ok(());
        };
        match file.old == file.new && file.is_executable.is_none() {
            true => {
                let path = file.new.as_deref().unwrap_or_default();
                Err(format!("it has no lines for {}", quoted(path)))
            }
            false => Ok(()),
        }
    }

    /// Reads a hunk behind its `@@`, with or without the numbers of its lines.
    fn hunk(&mut self, header: &str) -> Result<(), String> {
        let ranges = header.split("@@").next().unwrap_or_default().trim();
        if ranges.is_empty() {
            return self.free_hunk();
        }
        let number = self.line() - 1;
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
        self.finish_header()?;
        let mut hunk = Hunk::default();
        while let Some(line) = self.lines.get(self.at).copied() {
            if line.starts_with("@@") || line.starts_with("diff --git ") || self.is_file_header() {
                break;
            }
            let (mark, text) = marked(line).ok_or_else(|| {
                format!("line {} begins with no `+`, `-` or blank: {}", self.line(), quoted(line))
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
            let line = self.number + self.at;
            return Err(format!("the hunk that ends in line {line} changes nothing"));
        }
        if self.files.is_empty() {
            let file = Some(self.file.to_owned());
            self.begin([file.clone(), file])?;
        }
        if let Some(file) = self.files.last_mut() {
            file.hunks.push(hunk);
        }
        Ok(())
    }
}
