//! Unified diffs: parsed strictly, and applied to the files of a package.

mod difference;
mod header;
mod hunk;
mod merge;
mod read;

use std::path::Path;

use prowess_core::{PackageFile, PackageFiles};
use serde::Serialize;

pub use difference::package_diff;
use hunk::{Fit, Hunk};
use merge::{Merge, Text};

/// The changes of some files.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Patch<'d>(Vec<FilePatch<'d>>);

/// The change of one file.
#[derive(Debug, PartialEq, Eq)]
struct FilePatch<'d> {
    /// The path before; `None` if the file is new.
    old: Option<String>,
    /// The path after; `None` if the file is removed.
    new: Option<String>,
    /// Whether the old file stays under its path, too.
    is_copy: bool,
    /// Whether the file is executable after the change, if the diff says it.
    is_executable: Option<bool>,
    hunks: Vec<Hunk<'d>>,
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

/// The file that a diff was made for, as far as it is known.
pub(crate) enum Base<'b> {
    /// It is the file as it is now.
    Same,
    /// Its bytes.
    Original(&'b [u8]),
    /// Nothing.
    Unknown,
}

impl Patch<'_> {
    /// Lets paths begin in the directory of the package that begin in one above it, as those of
    /// `git diff` do. Of new files alone, a single name in front may be a directory of the package.
    pub(crate) fn relocate(&mut self, package: &Path, files: &PackageFiles) {
        let paths = self.paths();
        let mut above = paths.iter().take(1).flat_map(|first| Path::new(first).ancestors().skip(1));
        let above = above.find(|it| it.parent().is_some() && package.ends_with(it));
        let Some(above) = above.and_then(Path::to_str).map(|above| format!("{above}/")) else {
            return;
        };
        let rests = paths.iter().map_while(|path| path.strip_prefix(&above));
        let is_below = rests.clone().count() == paths.len()
            && !paths.iter().any(|path| files.contains_key(path))
            && (above.matches('/').count() > 1 || rests.clone().any(|it| files.contains_key(it)));
        let all = self.0.iter_mut().flat_map(|file| [&mut file.old, &mut file.new]);
        for path in all.flatten().filter(|_| is_below) {
            path.drain(..above.len());
        }
    }

    /// Returns the paths of the files that exist before.
    pub(crate) fn changed(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|file| file.old.as_deref())
    }

    /// Returns the paths of all files, each once.
    pub(crate) fn paths(&self) -> Vec<String> {
        let mut paths: Vec<_> =
            self.0.iter().flat_map(|file| file.new.iter().chain(&file.old)).cloned().collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// Returns the files with the changes, which are those that the diff was made for.
    ///
    /// # Errors
    ///
    /// Returns each hunk that does not fit.
    pub(crate) fn apply(&self, files: &PackageFiles) -> Result<PackageFiles, Vec<Conflict>> {
        self.merge(files, |_| Base::Same)
    }

    /// Returns files with the changes that were made for others, as a merge: a change fits if
    /// neither its lines nor those next to it are others now. Without the original of a file, all
    /// lines of the hunk have to be in the file once.
    ///
    /// # Errors
    ///
    /// Returns each hunk that does not fit.
    pub(crate) fn merge<'b>(
        &self,
        files: &PackageFiles,
        base: impl Fn(&str) -> Base<'b>,
    ) -> Result<PackageFiles, Vec<Conflict>> {
        let mut result = files.clone();
        // Before any file gets a new path: two may exchange theirs.
        for patch in self.0.iter().filter(|patch| !patch.is_copy && patch.old != patch.new) {
            patch.old.as_ref().map(|old| result.remove(old));
        }
        let mut conflicts = Vec::new();
        for patch in &self.0 {
            let base = patch.old.as_deref().map_or(Base::Same, &base);
            let is_taken = patch.new.as_ref().is_some_and(|new| result.contains_key(new));
            match patch.applied(files, &base) {
                // Another change has brought the same new file.
                Ok(file) if patch.old.is_none() && patch.is_there(&result, &file) => {}
                _ if is_taken && patch.old != patch.new => {
                    let text = patch.new.as_ref().and_then(|new| result.get(new));
                    let text = text.map(|file| String::from_utf8_lossy(&file.content));
                    let now = text.iter().flat_map(|it| it.lines()).map(str::to_owned).collect();
                    conflicts.push(Conflict { now, ..patch.refused("the file exists already") });
                }
                Ok(file) => drop(patch.new.clone().map(|new| result.insert(new, file))),
                Err(mut found) => conflicts.append(&mut found),
            }
        }
        if conflicts.is_empty() { Ok(result) } else { Err(conflicts) }
    }
}

impl FilePatch<'_> {
    /// Returns the file after the change; of a removed one, an empty one.
    fn applied(&self, files: &PackageFiles, base: &Base<'_>) -> Result<PackageFile, Vec<Conflict>> {
        let refused = |reason: &str| vec![self.refused(reason)];
        let new = PackageFile::default();
        let file = match &self.old {
            Some(old) => files.get(old).ok_or_else(|| refused("there is no such file"))?,
            None => &new,
        };
        let is_executable = self.is_executable.unwrap_or(file.is_executable);
        if self.hunks.is_empty() {
            let is_known = match base {
                Base::Same => true,
                Base::Original(original) => *original == file.content,
                Base::Unknown => false,
            };
            return match self.new {
                None if !is_known => Err(refused("the file has other contents now")),
                _ => Ok(PackageFile { content: file.content.clone(), is_executable }),
            };
        }
        let content = str::from_utf8(&file.content).map_err(|_| refused("the file is not text"))?;
        let content = self.changed(content, base)?.into_bytes();
        match self.new {
            None if !content.is_empty() => Err(refused("the file has more lines than are removed")),
            _ => Ok(PackageFile { content, is_executable }),
        }
    }

    /// Returns the text with the changes of all hunks.
    fn changed(&self, content: &str, base: &Base<'_>) -> Result<String, Vec<Conflict>> {
        let text = Text::of(content);
        let merge = match base {
            Base::Original(original) => {
                let original = str::from_utf8(original).ok();
                original.map(|original| Merge::new(Text::of(original), &text))
            }
            _ => None,
        };
        let mut conflicts = Vec::new();
        let mut result: Vec<(&str, &str)> = Vec::new();
        let mut from = 0;
        for (number, hunk) in self.hunks.iter().enumerate() {
            let fit = match &merge {
                Some(merge) if self.old.is_some() => merge.position(hunk),
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
        Ok(result.into_iter().flat_map(|(line, end)| [line, end]).collect())
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
        if self.old.is_none() {
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

    fn is_there(&self, files: &PackageFiles, file: &PackageFile) -> bool {
        self.new.as_ref().is_some_and(|new| files.get(new) == Some(file))
    }

    /// Returns the conflict of the whole file.
    fn refused(&self, reason: &str) -> Conflict {
        let nothing = Hunk::default();
        let hunk = self.hunks.first().unwrap_or(&nothing);
        self.conflict(0, hunk, Vec::new(), reason.to_owned())
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
            path: self.old.as_ref().or(self.new.as_ref()).cloned().unwrap_or_default(),
            hunk: number + 1,
            base: owned(hunk.without('+')),
            proposed: owned(hunk.without('-')),
            now,
            reason,
        }
    }
}
