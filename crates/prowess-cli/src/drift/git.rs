//! Files of a repository, by its history and by what is not committed yet.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use prowess::lint::{Dependency, Fact};

use super::{MOST_BYTES, bounded, day, files, seconds};
use crate::git;

/// The most bytes of a list of all removed files.
const MOST_REMOVED: u64 = 16 * 1024 * 1024;

/// A repository of git.
pub(super) struct Repository<'p>(&'p Path);

/// A change of the instructions.
enum Own {
    /// It was committed at this time, in seconds since 1970.
    Committed(u64),
    /// It is not committed, and has this time.
    Open(SystemTime),
}

/// A file that is changed, removed or new, and not committed.
struct Open {
    is_new: bool,
    path: String,
}

impl<'p> Repository<'p> {
    /// Returns the repository that a package is in.
    pub(super) fn around(package: &'p Path) -> Option<Self> {
        package.ancestors().find(|above| above.join(".git").exists()).map(Self)
    }

    pub(super) fn root(&self) -> &'p Path {
        self.0
    }

    /// Returns the first change of the files that is not in the history of the instructions, or is
    /// later than the day on which they were verified: a commit, or a file that is not committed.
    /// `None` if the history is not here or cannot be read.
    pub(super) fn change(
        &self,
        package: &Path,
        dependency: &Dependency<'_>,
    ) -> Option<Option<Fact>> {
        let own = self.own(package)?;
        let files = format!(":(top,glob){}", dependency.name);
        let others = format!(":(top,exclude,literal){own}");
        let open = self.open(&[&files, &others])?;
        if self.git(&["rev-parse", "--quiet", "--verify", "HEAD"]).is_none() {
            // Nothing is committed yet.
            return files::change(self.0, package, dependency);
        }
        let last = self.last(package)?;
        let own = self.committed(&own)?;
        let behind = own.as_ref().map_or("HEAD".to_owned(), |(own, _)| format!("{own}..HEAD"));
        let range = match (dependency.verified, &last) {
            (Some(day), _) => vec![format!("--since={day}T23:59:59Z"), "HEAD".to_owned()],
            (None, Own::Committed(_)) => vec![behind],
            (None, Own::Open(time)) => vec![format!("--since={}", text(*time)?), behind],
        };
        // A commit has no fraction of its second. The files have the one in which they changed.
        let is_later = |time: u64, file: &str| match (dependency.verified, &last) {
            (None, Own::Open(own)) if time <= seconds(*own) => {
                files::time(&self.0.join(file)).is_none_or(|changed| changed > *own)
            }
            _ => true,
        };
        // Of a merge, the files that it changes itself.
        let mut arguments = vec!["log", "--reverse", "--cc", "--name-only"];
        arguments.push("--format=%x01%cs%x09%ct%x09%h (%s)");
        arguments.extend(range.iter().map(String::as_str));
        arguments.extend(["--", &files, &others]);
        let log = self.git(&arguments)?;
        let mut commits = log.split('\u{1}').skip(1);
        if let Some(changed) = commits.find_map(|entry| commit(entry, is_later)) {
            return Some(Some(changed));
        }
        let since = match last {
            Own::Committed(time) => SystemTime::UNIX_EPOCH + Duration::from_secs(time),
            Own::Open(time) => time,
        };
        let changed = open.into_iter().map(|Open { path, .. }| {
            // A file that was removed has no time.
            (files::time(&self.0.join(&path)).unwrap_or_else(SystemTime::now), path)
        });
        let is_later = |time: SystemTime| match dependency.verified {
            Some(verified) => day(time).is_some_and(|day| *day > *verified),
            None => time > since,
        };
        if let Some((time, file)) = changed.filter(|(time, _)| is_later(*time)).min() {
            return Some(Some(Fact::Changed { since: day(time)?, file, commit: None }));
        }
        let is_there = self.0.join(dependency.name).exists();
        if !is_there && self.git(&["ls-files", "--", &files])?.is_empty() {
            return Some(Some(Fact::Missing));
        }
        // Without its parents, a commit seems to be the last one of all files.
        let is_cut = self.git(&["rev-parse", "--is-shallow-repository"])?.trim() == "true";
        (!is_cut).then_some(None)
    }

    /// Returns the time of the last change of the instructions, in seconds since 1970.
    pub(super) fn own_time(&self, package: &Path) -> Option<u64> {
        Some(match self.last(package)? {
            Own::Committed(time) => time,
            Own::Open(time) => seconds(time),
        })
    }

    /// Returns the files that the repository had.
    pub(super) fn removed(&self) -> Removed {
        let format = "--format=%x01%cs%x09%h (%s)";
        let filter = ["log", "--no-renames", "--diff-filter=D", "--cc", "--name-only", format];
        let log = self.git_with(&[&filter[..], &["HEAD"]].concat(), MOST_REMOVED);
        let mut removed = HashMap::new();
        let open =
            self.git_with(&["ls-files", "--deleted", "-z"], MOST_REMOVED).unwrap_or_default();
        removed.extend(open.split('\0').map(|path| (path.to_owned(), None)));
        for entry in log.unwrap_or_default().split('\u{1}') {
            let Some((head, files)) = entry.split_once('\n') else { continue };
            let named = head.split_once('\t').map(|(day, it)| (day.to_owned(), it.to_owned()));
            for file in files.lines().filter(|line| !line.is_empty()) {
                removed.entry(file.to_owned()).or_insert_with(|| named.clone());
            }
        }
        Removed(removed)
    }

    /// Returns the path of a package in the repository. In one that is a skill, other files may be
    /// what it depends on.
    fn own(&self, package: &Path) -> Option<String> {
        let own = package.strip_prefix(self.0).ok()?.to_str()?;
        Some(if own.is_empty() { "SKILL.md" } else { own }.to_owned())
    }

    fn last(&self, package: &Path) -> Option<Own> {
        let own = format!(":(top,literal){}", self.own(package)?);
        let open = self.open(&[&own])?;
        // A new file next to the instructions, such as an output, is no change of them.
        let is_own = |it: &&Open| !it.is_new || files::is_instructions(&it.path);
        let times = open.iter().filter(is_own).filter_map(|it| files::time(&self.0.join(&it.path)));
        if let Some(time) = times.max() {
            return Some(Own::Open(time));
        }
        Some(match self.committed(&self.own(package)?)? {
            Some((_, time)) => Own::Committed(time),
            // Such as instructions that git ignores.
            None => Own::Open(files::own_time(package)?),
        })
    }

    /// Returns the last commit of the instructions with its time; `None` in it if there is none.
    fn committed(&self, own: &str) -> Option<Option<(String, u64)>> {
        let own = format!(":(top,literal){own}");
        let last = self.git(&["log", "-1", "--format=%H %ct", "--", &own])?;
        let found = last.trim().split_once(' ');
        Some(found.and_then(|(commit, time)| Some((commit.to_owned(), time.parse().ok()?))))
    }

    /// Returns the files of these patterns that are changed, removed or new, and not committed.
    fn open(&self, patterns: &[&str]) -> Option<Vec<Open>> {
        let listed = "status --porcelain=v1 -z --no-renames --untracked-files=all \
                      --ignore-submodules=all --";
        let arguments = listed.split_whitespace().chain(patterns.iter().copied());
        let listed = self.git(&arguments.collect::<Vec<_>>())?;
        let open = |entry: &str| {
            Some(Open { is_new: entry.starts_with('?'), path: entry.get(3..)?.to_owned() })
        };
        Some(listed.split('\0').filter_map(open).collect())
    }

    fn git(&self, arguments: &[&str]) -> Option<String> {
        self.git_with(arguments, MOST_BYTES)
    }

    fn git_with(&self, arguments: &[&str], most: u64) -> Option<String> {
        let mut git = git::command(self.0, |command| bounded(command, MOST_BYTES));
        bounded(git.args(arguments), most)
    }
}

/// Files that a repository had, with the day and the commit that removed each.
pub(super) struct Removed(HashMap<String, Option<(String, String)>>);

impl Removed {
    /// Finds a file that a body names: from the root of the repository, or from a directory up to
    /// the package.
    pub(super) fn find(&self, root: &Path, package: &Path, path: &str) -> Option<Fact> {
        let above = package.ancestors().take_while(|above| above.starts_with(root));
        let removed = above
            .filter_map(|above| self.0.get(above.strip_prefix(root).ok()?.join(path).to_str()?));
        Some(match removed.last()? {
            Some((since, commit)) => Fact::Changed {
                since: since.clone(),
                file: path.to_owned(),
                commit: Some(commit.clone()),
            },
            None => Fact::Missing,
        })
    }
}

fn text(time: SystemTime) -> Option<String> {
    Some(jiff::Timestamp::try_from(time).ok()?.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// Reads an entry of the log: the day, the time, the commit, and the files, of which the first that
/// is later is named.
fn commit(entry: &str, is_later: impl Fn(u64, &str) -> bool) -> Option<Fact> {
    let mut lines = entry.lines().filter(|line| !line.is_empty());
    let (since, rest) = lines.next()?.split_once('\t')?;
    let (time, commit) = rest.split_once('\t')?;
    let time = time.parse().ok()?;
    let (file, commit) = (lines.find(|file| is_later(time, file))?, Some(commit.to_owned()));
    Some(Fact::Changed { since: since.to_owned(), file: file.to_owned(), commit })
}
