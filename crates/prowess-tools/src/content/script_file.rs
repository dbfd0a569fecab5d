//! Files of a package that are scripts.

use std::path::Path;

use prowess_core::{ResourcePath, SkillError, is_script_file, usual_interpreter};
use prowess_text::{is_exact, quoted};

use crate::codes;
use crate::gate::Refusal;
use crate::names;
use crate::policy::{ScriptRead, ToolPolicy};

/// The refusal of the text of a script, with its path in place of `{path}`, and a command that
/// runs it in place of `{command}`.
const TEACHING: &str = include_str!("script_read.txt");

/// Returns whether a file is below one of the directories that scripts are run from.
pub(crate) fn is_below(directories: &[String], path: &ResourcePath) -> bool {
    directories.iter().any(|directory| {
        let below = path.as_str().strip_prefix(directory.trim_end_matches('/'));
        below.is_some_and(|below| below.starts_with('/'))
    })
}

impl ToolPolicy {
    /// Returns whether a file is a script, which [`Self::script_read`] is about: each of
    /// [`is_script_file`], and in [`Self::script_directories`] also those with the extensions of
    /// [`Self::script_extensions`] and those without an extension, which `skills.run` runs as well.
    pub fn is_script(&self, path: &ResourcePath) -> bool {
        let runs = || match Path::new(path.as_str()).extension().and_then(|it| it.to_str()) {
            None => true,
            Some(extension) => {
                let is = |known: &String| known.eq_ignore_ascii_case(extension);
                usual_interpreter(path).is_some() || self.script_extensions.iter().any(is)
            }
        };
        is_script_file(path) || (is_below(&self.script_directories, path) && runs())
    }
}

/// A file of a skill that a call would read.
#[derive(Clone, Copy)]
pub(crate) struct SkillFile<'a> {
    pub(crate) skill: &'a str,
    pub(crate) path: &'a ResourcePath,
    /// The skill's directory, if a model may know it.
    pub(crate) directory: Option<&'a str>,
    /// Whether the skill is active.
    pub(crate) is_active: bool,
    /// Whether the directory is in the sandbox, whose tool runs the script.
    pub(crate) is_mounted: bool,
}

impl SkillFile<'_> {
    /// Returns the refusal of a read, if the file is a script that the policy protects. Every way
    /// to read a file of a skill asks this function.
    pub(crate) fn refusal(&self, policy: &ToolPolicy) -> Option<Refusal> {
        let is_blocked = match policy.script_read {
            ScriptRead::Allow => false,
            ScriptRead::BlockWhenActive => self.is_active,
            ScriptRead::Block => true,
        };
        (is_blocked && policy.is_script(self.path)).then(|| self.script_refusal())
    }

    fn script_refusal(&self) -> Refusal {
        let Self { skill, path, directory, is_mounted, .. } = *self;
        let tool = if is_mounted { names::EXECUTE } else { "Bash" };
        let run = format!("{} {path}", usual_interpreter(path).unwrap_or("bash"));
        let directory = directory.filter(|directory| directory.starts_with('/'));
        let command = match directory.filter(|directory| is_exact(directory)) {
            Some(directory) => format!("cd {directory} && {run}"),
            None => run,
        };
        let reason = TEACHING.trim_end().replace("Bash", tool).replace("{command}", &command);
        let reason = reason.replace("{path}", path.as_str());
        // A model reads a refusal as one line.
        let line = reason.replace('\n', " ");
        let message = format!("{} of skill {}: {line}", quoted(path.as_str()), quoted(skill));
        let error =
            SkillError::ScriptRead { skill: skill.to_owned(), path: path.to_string(), reason };
        Refusal::new(codes::SCRIPT_READ_BLOCKED, message).with_error(error)
    }
}
