//! The commit of the changed files of a skill, in the repository that has them.

use std::path::{Path, PathBuf};
use std::process::Command;

use prowess::PackageFiles;
use prowess::governance::SkillPackage;

use crate::failure::Failure;
use crate::git;
use crate::terminal::plain;

/// A change that can be committed: the files and no others.
pub(super) struct Commit {
    directory: PathBuf,
    paths: Vec<PathBuf>,
}

impl Commit {
    /// Checks, before a change is made, that it can be committed: nothing else of its files would
    /// be, and no program of the repository would run.
    pub(super) fn of(
        package: &SkillPackage,
        before: &PackageFiles,
        after: &PackageFiles,
    ) -> Result<Self, Failure> {
        let path = package.path();
        // The package may be a repository of its own, or not be there yet.
        let (directory, start) = match path.parent().zip(path.file_name()) {
            Some((parent, name)) if !path.is_dir() => (parent.to_owned(), PathBuf::from(name)),
            _ => (path, PathBuf::new()),
        };
        let changed =
            before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path));
        let commit = Self { directory, paths: changed.map(|path| start.join(path)).collect() };
        if let Some((reason, help)) = commit.refusal() {
            let message = format!("nothing was changed: it cannot be committed, because {reason}");
            return Err(Failure::new("commit-refused", message, help));
        }
        Ok(commit)
    }

    /// Returns why the files cannot be committed, and the next step.
    fn refusal(&self) -> Option<(String, &'static str)> {
        let without = "leave out `--commit`, and commit it by hand";
        match self.run(&["rev-parse", "--is-inside-work-tree"], &[]) {
            Ok(inside) if inside.trim_ascii() == b"true" => {}
            Ok(_) => return Some(("it is in no work tree of git".to_owned(), without)),
            Err(error) => return Some((error, without)),
        }
        // `git am` and a bisect have no head.
        let begun = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge"];
        for begun in begun.into_iter().chain(["rebase-apply", "sequencer", "BISECT_LOG"]) {
            let is_head = begun.ends_with("HEAD");
            let path = self.run(&["rev-parse", "--git-path", begun], &[]);
            let path = path.map(|path| String::from_utf8_lossy(&path).trim_end().to_owned());
            if is_head && self.run(&["rev-parse", "--quiet", "--verify", begun], &[]).is_ok()
                || path.is_ok_and(|path| self.directory.join(path).exists())
            {
                return Some((format!("another commit is begun ({begun})"), "end that first"));
            }
        }
        for who in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
            if let Err(error) = self.run(&["var", who], &[]) {
                return Some((error, "set `user.name` and `user.email` with `git config`"));
            }
        }
        let attributes = self.run(&["check-attr", "-z", "filter", "--"], &self.paths);
        let attributes = attributes.unwrap_or_else(String::into_bytes);
        let attributes: Vec<_> = attributes.split(|byte| *byte == 0).collect();
        let is_filtered =
            |it: &&[&[u8]]| it.len() == 3 && !matches!(it[2], b"unspecified" | b"unset");
        if let Some(filtered) = attributes.chunks(3).find(is_filtered) {
            let reason = format!("a program of the repository filters `{}`", shown(filtered[0]));
            return Some((reason, without));
        }
        if let Ok(ignored) = self.run(&["check-ignore", "--"], &self.paths) {
            let first = ignored.split(|byte| *byte == b'\n').next().unwrap_or_default();
            return Some((format!("git ignores `{}`", shown(first)), without));
        }
        let options = ["--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=all"];
        match self.run(&[&["status"], &options[..], &["--no-renames", "--"]].concat(), &self.paths)
        {
            Ok(others) if others.is_empty() => None,
            Ok(others) => {
                let path = shown(others.get(3..).unwrap_or_default());
                Some((format!("`{path}` has changes that are not committed"), without))
            }
            Err(error) => Some((error, without)),
        }
    }

    /// Commits the files, without the hooks of the repository and without a signature.
    pub(super) fn make(&self, message: &str) -> Result<(), Failure> {
        let options = ["--quiet", "--no-verify", "--no-gpg-sign", "--cleanup=whitespace", "--only"];
        let commit = [&["commit"], &options[..], &["-m", message, "--"]].concat();
        let added = self.run(&["add", "--all", "--"], &self.paths);
        added.and_then(|_| self.run(&commit, &self.paths)).map(drop).map_err(|error| {
            // None of it was staged before.
            let _ = self.run(&["reset", "--quiet", "--"], &self.paths);
            let message = format!("the skill has changed, and the commit was not made: {error}");
            Failure::new("commit-failed", message, "commit the files with git")
        })
    }

    fn run(&self, arguments: &[&str], paths: &[PathBuf]) -> Result<Vec<u8>, String> {
        let lines = |command: &mut Command| {
            command.output().ok().map(|ended| String::from_utf8_lossy(&ended.stdout).into_owned())
        };
        let mut command = git::command(&self.directory, lines);
        // Names of files may have the form of a pattern, except where git has no patterns.
        if arguments.first() != Some(&"check-ignore") {
            command.env("GIT_LITERAL_PATHSPECS", "1");
        }
        let ended = command.args(arguments).args(paths).output();
        let ended = ended.map_err(|error| format!("git cannot be started: {error}"))?;
        match ended.status.success() {
            true => Ok(ended.stdout),
            false => {
                // The lines around it are advice for another caller.
                let messages = String::from_utf8_lossy(&ended.stderr);
                let prefixes = ["fatal: ", "error: "];
                let error = |line| prefixes.iter().find_map(|it| str::strip_prefix(line, it));
                let found = messages.lines().find_map(error).or_else(|| messages.lines().next());
                Err(plain(found.unwrap_or("git failed")).into_owned())
            }
        }
    }
}

/// Returns the first of the paths that git prints.
fn shown(printed: &[u8]) -> String {
    let path = printed.split(|byte| *byte == 0).next().unwrap_or_default();
    plain(&Path::new(&*String::from_utf8_lossy(path)).to_string_lossy()).into_owned()
}
