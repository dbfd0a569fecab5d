//! Files of a package that are scripts.

use std::path::Path;

use prowess_core::{ResourcePath, SkillError};
use prowess_text::quoted;

use crate::codes;
use crate::gate::Refusal;

/// The refusal of the text of a script, with its path in place of `{path}`.
const TEACHING: &str = include_str!("script_read.txt");

/// The extensions of scripts.
const EXTENSIONS: [&str; 6] = ["js", "pl", "py", "rb", "sh", "ts"];

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
    let extension = Path::new(path.as_str()).extension().and_then(|extension| extension.to_str());
    directory.is_some_and(|directory| DIRECTORIES.contains(&directory))
        && extension.is_some_and(|extension| {
            EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension))
        })
}

/// Returns the refusal of a call that would read a script of a skill instead of running it.
pub fn script_read_refusal(skill: &str, path: &ResourcePath) -> Refusal {
    let reason = TEACHING.trim_end().replace("{path}", path.as_str());
    // A model reads a refusal as one line.
    let line = reason.replace('\n', "; ");
    let message = format!("{} of skill {}: {line}", quoted(path.as_str()), quoted(skill));
    let error = SkillError::ScriptRead { skill: skill.to_owned(), path: path.to_string(), reason };
    Refusal::new(codes::SCRIPT_READ_BLOCKED, message).with_error(error)
}
