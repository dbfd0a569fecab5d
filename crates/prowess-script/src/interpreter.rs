//! The program that runs a script.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use prowess_core::{ResourcePath, SCRIPT_EXTENSIONS, ScriptError, first_line_interpreter};
use prowess_sandbox::Program;
use prowess_text::quoted;
use serde::{Deserialize, Serialize};

use crate::codes;

/// Interpreters by the extension of a file, in lower case: a program and its first arguments.
///
/// A file with another extension runs by the program of its `#!` line. By default:
///
/// ```
/// use prowess_script::Interpreters;
///
/// let Interpreters(table) = Interpreters::default();
/// let line = |(extension, words): (_, Vec<_>)| format!("{extension}: {}", words.join(" "));
/// let lines: Vec<String> = table.into_iter().map(line).collect();
/// assert_eq!(
///     lines.join(", "),
///     "bash: bash, cjs: node, js: node, mjs: node, pl: perl, py: python3, rb: ruby, sh: bash"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Interpreters(pub BTreeMap<String, Vec<String>>);

/// How Python scripts run that list their dependencies in a `# /// script` block ([PEP 723]).
///
/// [PEP 723]: https://peps.python.org/pep-0723/
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InlineMetadata {
    /// With the interpreter of their extension, which ignores the block. The default.
    #[default]
    Ignore,
    /// With `uv run --script`, which installs the dependencies in each run, to the script's own
    /// directory: from wheels in the package, which a block names by `[tool.uv]` and `find-links`,
    /// from a directory of wheels that the policy lets scripts read and `UV_FIND_LINKS` names, or
    /// from an index whose hosts the policy grants.
    ///
    /// A cache that `UV_CACHE_DIR` names has to be writable, so each script could change what
    /// others import.
    Uv,
}

impl Default for Interpreters {
    fn default() -> Self {
        // Several programs run TypeScript, so the `#!` line of a file names its own.
        let table = SCRIPT_EXTENSIONS.into_iter().filter(|(extension, _)| *extension != "ts");
        Self(table.map(|(extension, program)| (extension.into(), vec![program.into()])).collect())
    }
}

/// The first bytes of a program for the kernel of Linux.
const ELF: &[u8] = b"\x7fELF";

/// Returns the program that runs the script at `file`, whose content is `bytes`.
pub(crate) fn program(
    interpreters: &Interpreters,
    metadata: InlineMetadata,
    search_path: &[PathBuf],
    path: &ResourcePath,
    bytes: &[u8],
    file: &Path,
) -> Result<Program, ScriptError> {
    let Some(words) = interpreter(interpreters, metadata, path, bytes) else {
        if bytes.starts_with(ELF) {
            return Ok(Program::new(file));
        }
        let path = quoted(path.as_str());
        let message = format!(
            "nothing says what runs {path}: it has neither a known extension nor a first line \
             such as `#!/usr/bin/env python3`"
        );
        return Err(ScriptError::new(codes::INTERPRETER_UNKNOWN, message));
    };
    let (name, arguments) = words.split_first().map_or(("", &[][..]), |(name, rest)| (name, rest));
    let found = find(name, search_path).ok_or_else(|| missing(name, path))?;
    let program = arguments.iter().fold(Program::new(found), Program::argument);
    Ok(program.argument(file))
}

/// Returns the words of the interpreter's command, by the extension or by the first line.
fn interpreter(
    interpreters: &Interpreters,
    metadata: InlineMetadata,
    path: &ResourcePath,
    bytes: &[u8],
) -> Option<Vec<String>> {
    if metadata == InlineMetadata::Uv && has_metadata(path, bytes) {
        return Some(["uv", "run", "--script"].map(str::to_owned).into());
    }
    let extension = Path::new(path.as_str()).extension().and_then(|extension| extension.to_str());
    let by_extension =
        extension.and_then(|extension| interpreters.0.get(&extension.to_ascii_lowercase()));
    by_extension
        .filter(|words| !words.is_empty())
        .cloned()
        .or_else(|| first_line_interpreter(bytes))
}

/// Returns whether a Python script begins a block of metadata and ends it.
fn has_metadata(path: &ResourcePath, bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let mut lines = text.lines().skip_while(|line| line.trim_end() != "# /// script").skip(1);
    let is_comment = |line: &&str| *line == "#" || line.starts_with("# ");
    let has_end = lines.by_ref().take_while(is_comment).any(|line| line.trim_end() == "# ///");
    let extension = Path::new(path.as_str()).extension();
    has_end && extension.is_some_and(|extension| extension.eq_ignore_ascii_case("py"))
}

/// Returns the path of a program. A name with a slash is a path already.
fn find(name: &str, search_path: &[PathBuf]) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(name.into());
    }
    search_path.iter().map(|directory| directory.join(name)).find(|path| is_program(path))
}

/// A directory may be executable too, such as the one that a name `..` means.
fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

fn missing(name: &str, path: &ResourcePath) -> ScriptError {
    let message = format!(
        "{}, which runs {}, is not installed where scripts may find it; follow the skill's \
         instructions without the script, or ask the user to install it",
        quoted(name),
        quoted(path.as_str())
    );
    ScriptError::new(codes::INTERPRETER_MISSING, message)
}
