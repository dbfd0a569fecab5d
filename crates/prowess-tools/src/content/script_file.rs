//! Files of a package that are scripts.

use std::path::Path;

use prowess_core::{
    Catalog, ReadLimit, Record, ResourcePath, SkillError, first_line_interpreter, is_script_file,
    usual_interpreter,
};
use prowess_text::{is_exact, quoted};

use crate::codes;
use crate::gate::Refusal;
use crate::names;
use crate::policy::{ScriptRead, ToolPolicy};

/// The refusal of the text of a script, with its path in place of `{path}`, and the tool and the
/// call that run it in place of `{tool}` and `{call}`.
const TEACHING: &str = include_str!("script_read.txt");

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

impl ToolPolicy {
    /// Returns the program that runs a file which [`Self::script_read`] is about; `None` if it is
    /// no script. Scripts are the files of [`is_script_file`], and in
    /// [`Self::script_directories`] what `skills.run` runs: files with the extensions of its
    /// interpreters, and with a `#!` line. A file whose skill is not known counts as one.
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
            first_line_interpreter(&bytes)?.into_iter().next()
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
    /// Whether `skills.run` runs scripts.
    pub(crate) has_runner: bool,
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
        let runs = self.has_runner && policy.has_tool(names::RUN);
        is_blocked.then(|| self.script_refusal(runs))
    }

    fn script_refusal(&self, runs: bool) -> Refusal {
        let Self { skill, path, program, directory, is_mounted, .. } = *self;
        let tool = match program {
            _ if !is_mounted => "Bash",
            "bash" | "sh" => names::EXECUTE,
            _ if runs => "skills_run",
            _ => "",
        };
        let directory = directory.filter(|directory| directory.starts_with('/'));
        let cd = directory.filter(|directory| is_exact(directory));
        let cd = cd.map(|directory| format!("cd {directory} && ")).unwrap_or_default();
        let call = match tool {
            "skills_run" => format!("skills_run(skill=\"{skill}\", path=\"{path}\")"),
            tool => format!("{tool}(command=\"{cd}{program} {path}\")"),
        };
        let reason = match tool {
            "" => UNRUNNABLE.replace("{program}", program),
            tool => TEACHING.replace("{tool}", tool).replace("{call}", &call),
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
