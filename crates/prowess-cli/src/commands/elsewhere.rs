//! Skills that are on this machine and not read, and the commands that show them.

use std::path::Path;

use prowess::source_fs::{DirectoryOfSkills, Unread, projects_below};
use prowess::{Code, Diagnostic, Policies, Severity};
use prowess_text::{shell_path, shell_word};
use serde::Serialize;

use crate::args::Global;
use crate::failure::Failure;
use crate::output::{Output, counted};
use crate::paths::surroundings;
use crate::terminal::plain;

const SKILLS_NOT_READ: Code = Code::new("skills-not-read");
const PROJECTS_BELOW: Code = Code::new("projects-below");

/// The maximum number of directories that a sentence names.
const MOST_NAMED: usize = 4;

/// The skills that are elsewhere. Nothing is, if the command line names the roots.
#[derive(Default)]
pub(crate) struct Elsewhere {
    unread: Unread,
    projects: Vec<DirectoryOfSkills>,
}

/// A directory in JSON.
#[derive(Serialize)]
pub(crate) struct UnreadLine {
    directory: String,
    skills: usize,
}

impl Elsewhere {
    pub(crate) fn of(global: &Global, policies: &Policies) -> Result<Self, Failure> {
        if !global.skills.root.is_empty() {
            return Ok(Self::default());
        }
        let surroundings = surroundings()?;
        let unread = policies.discovery.unread(&surroundings);
        Ok(Self { unread, projects: projects_below(&surroundings) })
    }

    /// Returns the findings, each with the command as its help.
    pub(crate) fn findings(&self) -> Vec<Diagnostic> {
        self.sentences()
            .into_iter()
            .map(|(code, place, what, how)| {
                Diagnostic::new(code, Severity::Hint, what, how).in_file(place)
            })
            .collect()
    }

    /// Returns each finding as one line.
    pub(crate) fn lines(&self) -> String {
        let sentences = self.sentences().into_iter();
        sentences.map(|(_, _, what, how)| format!("{}; {}\n", plain(&what), plain(&how))).collect()
    }

    /// Prints each finding as one line.
    pub(crate) fn remark(&self, output: &Output) {
        output.remark(&self.lines());
    }

    pub(crate) fn in_json(&self) -> Vec<UnreadLine> {
        let line = |it: &DirectoryOfSkills| UnreadLine {
            directory: it.directory.to_string_lossy().into_owned(),
            skills: it.skills.len(),
        };
        self.unread.directories.iter().map(line).collect()
    }

    /// Returns why a skill with this name, or at this path, is not read.
    pub(crate) fn reason(&self, query: &str, path: &Path) -> Option<String> {
        let found = self.unread.directories.iter().find(|it| {
            path.starts_with(&it.directory)
                || it.skills.iter().any(|skill| skill.rsplit('/').next() == Some(query))
        })?;
        let directory = found.directory.display();
        Some(format!("`{query}` is in `{directory}`, which is not read; {}", self.command()))
    }

    fn sentences(&self) -> Vec<(Code, String, String, String)> {
        let mut sentences = Vec::new();
        let mut say = |code, directories: &[DirectoryOfSkills], place: &str, how: String| {
            let Some(first) = directories.first() else { return };
            let all = counted(directories.iter().map(|it| it.skills.len()).sum(), "skill");
            let name = |it: &DirectoryOfSkills| {
                format!("`{}` ({})", it.directory.display(), it.skills.len())
            };
            let named: Vec<_> = directories.iter().take(MOST_NAMED).map(name).collect();
            let more = match directories.len().saturating_sub(MOST_NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let what = format!("{all} {place}: {}{more}", named.join(", "));
            let file = first.directory.to_string_lossy().into_owned();
            sentences.push((code, file, what, how));
        };
        say(SKILLS_NOT_READ, &self.unread.directories, "not read", self.command());
        if let Some(first) = self.projects.first() {
            let how =
                format!("see those of one with `prowess -C {} list`", shell_path(&first.directory));
            say(PROJECTS_BELOW, &self.projects, "in projects below this directory", how);
        }
        sentences
    }

    /// Returns the commands that add every unread directory.
    fn command(&self) -> String {
        let command = |(key, value): &(String, String)| {
            format!("`prowess config set {key} {}`", shell_word(value))
        };
        let commands: Vec<_> = self.unread.settings.iter().map(command).collect();
        format!("to read them, run {}", commands.join(" and "))
    }
}
