//! Files of a package that are scripts, by their paths.

use std::path::Path;

use crate::ResourcePath;

/// The extensions of scripts, with the programs that usually run them.
pub const SCRIPT_EXTENSIONS: [(&str, &str); 9] = [
    ("bash", "bash"),
    ("cjs", "node"),
    ("js", "node"),
    ("mjs", "node"),
    ("pl", "perl"),
    ("py", "python3"),
    ("rb", "ruby"),
    ("sh", "bash"),
    ("ts", "node"),
];

/// The longest first line that names an interpreter.
const LINE_BYTES: usize = 256;

/// The directories of a package that hold scripts, at any depth below them.
const DIRECTORIES: [&str; 3] = ["bin", "scripts", "tools"];

/// Returns whether a file is a script, by its extension and its directory: one with an extension
/// of [`usual_interpreter`] below `scripts`, `bin` and `tools`.
///
/// ```
/// use prowess_core::{ResourcePath, is_script_file};
///
/// assert!(is_script_file(&ResourcePath::new("./scripts/forms/fill.py")?));
/// assert!(!is_script_file(&ResourcePath::new("scripts/notes.txt")?));
/// # Ok::<(), prowess_core::PathError>(())
/// ```
pub fn is_script_file(path: &ResourcePath) -> bool {
    let directory = path.as_str().split_once('/').map(|(directory, _)| directory);
    directory.is_some_and(|directory| DIRECTORIES.contains(&directory))
        && usual_interpreter(path).is_some()
}

/// Returns the program that usually runs a file with the extension of a script: `.sh`, `.bash`,
/// `.py`, `.rb`, `.js`, `.cjs`, `.mjs`, `.ts` or `.pl`, whose case does not matter.
pub fn usual_interpreter(path: &ResourcePath) -> Option<&'static str> {
    let extension = Path::new(path.as_str()).extension()?.to_str()?;
    let known =
        SCRIPT_EXTENSIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension))?;
    Some(known.1)
}

/// Returns the interpreter of a `#!` line. A path counts as the name of its program, which is
/// searched for like every other one.
pub fn first_line_interpreter(bytes: &[u8]) -> Option<Vec<String>> {
    let line = bytes.strip_prefix(b"#!")?;
    let line = &line[..line.len().min(LINE_BYTES)];
    let end = line.iter().position(|&byte| byte == b'\n')?;
    let line = std::str::from_utf8(&line[..end]).ok()?;
    let mut words = line.split_whitespace().map(str::to_owned).peekable();
    let first = words.next()?;
    let mut name = first.rsplit('/').next()?.to_owned();
    if name == "env" {
        // `env -S` splits its words, which has been done already.
        words.next_if_eq("-S");
        name = words.next()?;
    }
    let is_name = !name.is_empty() && !name.starts_with('-') && !name.contains(['/', '=']);
    is_name.then(|| std::iter::once(name).chain(words).collect())
}
