//! Files of a package that are scripts.

use std::path::Path;

use prowess_core::{ResourcePath, SkillError};
use prowess_text::{is_exact, quoted};

use crate::codes;
use crate::gate::Refusal;
use crate::policy::ScriptRead;

/// The refusal of the text of a script, with its path in place of `{path}`, and a command that
/// runs it in place of `{command}`.
const TEACHING: &str = include_str!("script_read.txt");

/// The extensions of scripts, with the programs that usually run them.
const EXTENSIONS: [(&str, &str); 6] = [
    ("js", "node"),
    ("pl", "perl"),
    ("py", "python3"),
    ("rb", "ruby"),
    ("sh", "bash"),
    ("ts", "node"),
];

/// The directories of a package that hold scripts, at any depth below them.
const DIRECTORIES: [&str; 3] = ["bin", "scripts", "tools"];

/// Returns whether a file is a script, by its extension and its directory: `.sh`, `.py`, `.rb`,
/// `.js`, `.ts` and `.pl` below `scripts`, `bin` and `tools`. The case of the extension does not
/// matter.
///
/// ```
/// use prowess_core::ResourcePath;
/// use prowess_tools::is_script_file;
///
/// assert!(is_script_file(&ResourcePath::new("./scripts/forms/fill.py")?));
/// assert!(!is_script_file(&ResourcePath::new("scripts/notes.txt")?));
/// # Ok::<(), prowess_core::PathError>(())
/// ```
pub fn is_script_file(path: &ResourcePath) -> bool {
    let directory = path.as_str().split_once('/').map(|(directory, _)| directory);
    directory.is_some_and(|directory| DIRECTORIES.contains(&directory))
        && interpreter(path).is_some()
}

/// Returns the program that usually runs a file with the extension of a script.
fn interpreter(path: &ResourcePath) -> Option<&'static str> {
    let extension =
        Path::new(path.as_str()).extension().and_then(|extension| extension.to_str())?;
    let known = EXTENSIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension))?;
    Some(known.1)
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
}

impl SkillFile<'_> {
    /// Returns the refusal of a read, if the file is a script that the policy protects. Every way
    /// to read a file of a skill asks this function.
    pub(crate) fn refusal(&self, policy: ScriptRead) -> Option<Refusal> {
        let is_blocked = match policy {
            ScriptRead::Allow => false,
            ScriptRead::BlockWhenActive => self.is_active,
            ScriptRead::Block => true,
        };
        (is_blocked && is_script_file(self.path)).then(|| self.script_refusal())
    }

    fn script_refusal(&self) -> Refusal {
        let Self { skill, path, directory, .. } = *self;
        let run = format!("{} {path}", interpreter(path).unwrap_or("bash"));
        let directory = directory.filter(|directory| directory.starts_with('/'));
        let command = match directory.filter(|directory| is_exact(directory)) {
            Some(directory) => format!("cd {directory} && {run}"),
            None => run,
        };
        let reason = TEACHING.trim_end().replace("{command}", &command);
        let reason = reason.replace("{path}", path.as_str());
        // A model reads a refusal as one line.
        let line = reason.replace('\n', " ");
        let message = format!("{} of skill {}: {line}", quoted(path.as_str()), quoted(skill));
        let error =
            SkillError::ScriptRead { skill: skill.to_owned(), path: path.to_string(), reason };
        Refusal::new(codes::SCRIPT_READ_BLOCKED, message).with_error(error)
    }
}
