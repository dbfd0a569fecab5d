//! Interpreters: whether the words show the file that runs.

use super::wrapper::has;

/// Modules of Python that run a text or their input.
const MODULES: &str = "timeit pdb bdb code cProfile profile trace asyncio sqlite3 runpy IPython";

/// Returns whether an interpreter runs a file: one stands behind options that have neither a text
/// nor another value, which a later option could belong to.
pub(super) fn runs_file(name: &str, arguments: &[String]) -> bool {
    let is_python = has("python pypy", name);
    // Other languages have a text behind some of these.
    let flags = if is_python { "bBdEIOPqsSuvx" } else { "qvw" };
    let is_flag = |word: &&String| match word.strip_prefix('-') {
        Some(long) if long.starts_with('-') => long.starts_with("-no-") && !long.contains('='),
        Some(letters) => {
            letters.chars().all(|it| flags.contains(it)) || letters == "jar" && name == "java"
        }
        None => *word == "run" && has("deno bun", name),
    };
    let mut words = arguments.iter().skip_while(is_flag).map(String::as_str);
    let word = words.next().unwrap_or("-");
    match word.strip_prefix("-m").filter(|_| is_python) {
        Some("") => words.next().is_some_and(|it| is_file(it) && !has(MODULES, it)),
        Some(module) => !has(MODULES, module),
        None => is_file(word),
    }
}

/// Returns whether a word may be a file, and no device, no text and no command such as `eval`.
fn is_file(word: &str) -> bool {
    let is_plain = |it: char| it.is_alphanumeric() || "._-+/@".contains(it);
    let is_name = !word.starts_with(['-', '@']) && word.chars().all(is_plain);
    is_name && !word.starts_with("/dev/") && !has("eval repl console inspect", word)
}
