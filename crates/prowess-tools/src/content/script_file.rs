//! Files of a package that are scripts.

use std::path::Path;

use prowess_core::{
    Catalog, ReadLimit, Record, ResourcePath, SkillError, first_line_interpreter, is_script_file,
    usual_interpreter,
};
use prowess_text::{quoted, shell_path, shell_word};
use serde_json::json;

use crate::codes;
use crate::gate::Refusal;
use crate::names;
use crate::policy::{ScriptRead, ToolPolicy};

/// The refusal of the text of a script, with its path in place of `{path}`, and the tool and the
/// call that run it in place of `{tool}` and `{call}`.
const TEACHING: &str = include_str!("script_read.txt");

/// The refusal where a model could write the names of the script in a command in two ways.
const UNNAMEABLE: &str = "Script files must be EXECUTED, not read, and `{path}` is no name for a \
    command; go on without it.";

/// The refusal where no tool runs the script.
const UNRUNNABLE: &str = "Script files must be EXECUTED, not read, and no tool here runs \
    `{program}`; go on without `{path}`.";

/// Returns whether a file is below one of the directories that scripts are run from.
pub(crate) fn is_below(directories: &[String], path: &ResourcePath) -> bool {
    directories.iter().any(|directory| {
        let below = path.as_str().strip_prefix(directory.trim_end_matches('/'));
        below.is_some_and(|below| below.starts_with('/'))
    })
}

/// The first bytes of a program of Linux, and what a shell starts it by.
const ELF: &[u8] = b"\x7fELF";
const AS_PROGRAM: &str = "exec";

impl ToolPolicy {
    /// Returns whether a file of a skill is a script that `skills.run` runs: it is below one of
    /// [`Self::script_directories`], and its extension, its `#!` line or its kind says what runs
    /// it. `settings.ini` and `data.bin` are none.
    pub fn runs(&self, catalog: &Catalog, record: Record<'_>, path: &ResourcePath) -> bool {
        let program = || self.script_program(catalog, Some(record), path);
        is_below(&self.script_directories, path) && program().is_some()
    }

    /// Returns the program that runs a file which [`Self::script_read`] is about; `None` if it is
    /// no script. Scripts are the files of [`is_script_file`], and in
    /// [`Self::script_directories`] what `skills.run` runs: files with the extensions of its
    /// interpreters, with a `#!` line, and programs. A file whose skill is not known counts as one.
    pub(crate) fn script_program(
        &self,
        catalog: &Catalog,
        record: Option<Record<'_>>,
        path: &ResourcePath,
    ) -> Option<String> {
        let usual = usual_interpreter(path).map(str::to_owned);
        if is_script_file(path) || !is_below(&self.script_directories, path) {
            return usual.filter(|_| is_script_file(path));
        }
        let of_line = || {
            let bytes = catalog.read(record?, path, ReadLimit::default()).ok()?;
            let is_program = || bytes.starts_with(ELF).then(|| AS_PROGRAM.to_owned());
            let of_line = first_line_interpreter(&bytes).and_then(|it| it.into_iter().next());
            of_line.or_else(is_program)
        };
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._+-".contains(letter);
        let extension = Path::new(path.as_str()).extension().and_then(|it| it.to_str());
        let is_known = || {
            let mut known = self.script_extensions.iter();
            extension.is_some_and(|it| known.any(|known| known.eq_ignore_ascii_case(it)))
        };
        let shell = || (record.is_none() || is_known()).then(|| "bash".to_owned());
        usual
            .or_else(of_line)
            .or_else(shell)
            .map(|program| if program.chars().all(is_plain) { program } else { "bash".to_owned() })
    }
}

/// A script of a skill that a call would read.
#[derive(Clone, Copy)]
pub(crate) struct SkillScript<'a> {
    pub(crate) skill: &'a str,
    pub(crate) path: &'a ResourcePath,
    /// The program that runs it.
    pub(crate) program: &'a str,
    /// The skill's directory, if a model may know it.
    pub(crate) directory: Option<&'a str>,
    /// Whether the skill is active.
    pub(crate) is_active: bool,
    /// Whether the directory is in the sandbox, whose tool runs scripts of its shell.
    pub(crate) is_mounted: bool,
    /// The name of the tool that runs scripts, as the model calls it, if there is a runner.
    pub(crate) run_tool: Option<&'a str>,
}

impl SkillScript<'_> {
    /// Returns the refusal of a read, if the policy protects the script. Every way to read a file
    /// of a skill calls this function.
    pub(crate) fn refusal(&self, policy: &ToolPolicy) -> Option<Refusal> {
        let is_blocked = match policy.script_read {
            ScriptRead::Allow => false,
            ScriptRead::BlockWhenActive => self.is_active,
            ScriptRead::Block => true,
        };
        let run_tool = self.run_tool.filter(|_| policy.has_tool(names::RUN));
        is_blocked.then(|| self.script_refusal(run_tool))
    }

    fn script_refusal(&self, run_tool: Option<&str>) -> Refusal {
        let Self { skill, path, program, directory, is_mounted, .. } = *self;
        let directory = directory.filter(|directory| directory.starts_with('/'));
        let cd = directory.map(|directory| format!("cd {} && ", shell_word(directory)));
        let command = format!("{}{program} {}", cd.unwrap_or_default(), shell_path(path.as_str()));
        // In the quotes of a call, a backslash or a quote is read in two ways.
        let is_safe = !command.contains(['\\', '"']);
        let of = |tool: &str| TEACHING.replace("{tool}", tool);
        let of_command =
            |tool: &str| of(tool).replace("{call}", &format!("{tool}(command=\"{command}\")"));
        let is_shell = matches!(program, "bash" | "sh");
        let reason = match run_tool {
            _ if is_mounted && is_shell && is_safe => of_command(names::EXECUTE),
            Some(tool) => {
                let (skill, path) = (json!(skill), json!(path.as_str()));
                of(tool).replace("{call}", &format!("{tool}(skill={skill}, path={path})"))
            }
            None if directory.is_none() || (is_mounted && !is_shell) => {
                UNRUNNABLE.replace("{program}", program)
            }
            None if is_safe => of_command("Bash"),
            None => UNNAMEABLE.to_owned(),
        };
        let reason = reason.trim_end().replace("{path}", path.as_str());
        // A model reads a refusal as one line.
        let line = reason.replace('\n', " ");
        let message = format!("{} of skill {}: {line}", quoted(path.as_str()), quoted(skill));
        let error =
            SkillError::ScriptRead { skill: skill.to_owned(), path: path.to_string(), reason };
        Refusal::new(codes::SCRIPT_READ_BLOCKED, message).with_error(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_words_of_the_command_or_there_is_none() {
        for row in include_str!("script_names.txt").lines() {
            let [path, directory, run_tool, said] = row.split('|').collect::<Vec<_>>()[..] else {
                panic!("{row}")
            };
            let path = &ResourcePath::new(path).expect("a path");
            let [directory, run_tool] =
                [directory, run_tool].map(|it| Some(it).filter(|it| !it.is_empty()));
            let (skill, program, is_active, is_mounted) = ("a", "python3", true, false);
            let script =
                SkillScript { skill, path, program, directory, is_active, is_mounted, run_tool };
            let reason = script.script_refusal(run_tool).message;
            assert!(reason.contains(said), "{reason}");
        }
    }
}
