//! Programs that are not known: one that is given the words of a command may run it.

use super::{Run, Runs, Table, names};
use crate::HostFiles;

/// The most words of a program in which commands are looked for.
const MAX_WORDS: usize = 4096;
/// The most words of such a command that are compared.
const MAX_COMPARED: usize = 16;

/// Programs whose words are data.
static PLAIN: Table = Table::new(include_str!("mention/plain.txt"));

/// Parts of the names of options whose value is a program.
const PROGRAM_WORDS: [&str; 8] =
    ["prog", "command", "cmd", "exec", "shell", "rsh", "pager", "editor"];

const QUOTES: [char; 3] = ['\'', '"', '\\'];

/// Returns whether the words of a program are data.
pub(crate) fn is_plain(name: &str) -> bool {
    PLAIN.has(name.strip_suffix(".debianutils").unwrap_or(name))
}

/// Adds each run of words in which a command may stand, also within a word.
pub(super) fn follow(runs: &mut Runs, name: &str, run: &Run, files: Option<&dyn HostFiles>) {
    // An option of such a name may be of a program after all.
    let names_program = |word: &String| {
        let option = word.split('=').next().filter(|it| it.starts_with("--")).unwrap_or_default();
        PROGRAM_WORDS.iter().any(|part| option.contains(part))
    };
    if run.is_guess || is_plain(name) && !run.words.iter().any(names_program) {
        return;
    }
    if run.is_fed {
        return runs.hide(name);
    }
    let words = run.words.iter().skip(1);
    // A shell of the program's removes these.
    let quoted =
        words.clone().filter(|word| word.contains(QUOTES)).map(|it| it.replace(QUOTES, ""));
    let quoted: Vec<_> = quoted.collect();
    match self::runs(run, words.chain(&quoted).map(String::as_str), files) {
        Some(found) => runs.mentioned.extend(found.into_iter().map(|run| (name.to_owned(), run))),
        None => runs.hide(name),
    }
}

/// Returns each run of words in texts; `None` if they are too many.
pub(super) fn runs<'t>(
    run: &Run,
    texts: impl Iterator<Item = &'t str>,
    files: Option<&dyn HostFiles>,
) -> Option<Vec<Run>> {
    let is_part = |letter: char| letter.is_alphanumeric() || "._-/+".contains(letter);
    let words = texts.flat_map(|text| text.split(|letter| !is_part(letter)));
    let words: Vec<_> = words.filter(|word| !word.is_empty()).map(str::to_owned).collect();
    if words.len() > MAX_WORDS {
        return None;
    }
    let mut found = Vec::new();
    for at in 0..words.len() {
        // Only a path is looked up: the search path may have a program of any word's name.
        let files = files.filter(|_| words[at].contains('/'));
        let words = &words[at..words.len().min(at + MAX_COMPARED)];
        found.push(Run { names: names(words.first(), files), ..run.with(words) });
        // `-crm`
        if let Some(value) = words[0].strip_prefix('-').and_then(|letters| letters.get(1..)) {
            found.push(Run { names: vec![value.to_ascii_lowercase()], ..run.with(words) });
        }
    }
    Some(found)
}
