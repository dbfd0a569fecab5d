//! Package managers and runners: most of their commands run code of the project or of a package.

use super::wrapper::{has, is_question};
use super::{Run, Runs, Table};

/// The commands that run none. Whatever else stands there may be a script, an alias or a build.
static HARMLESS: Table = Table::new(include_str!("managers/harmless.txt"));

/// The long options that name neither a program nor a file with settings. Any other one may.
const OPTIONS: &str = include_str!("managers/options.txt");

/// Hides what such a program runs. Returns whether it is one.
pub(super) fn follow(runs: &mut Runs, name: &str, run: &Run) -> bool {
    let is_manager = is_one(name);
    let arguments = &run.words[1..];
    let is_plain = !run.is_fed && arguments.iter().all(|word| is_plain_option(name, word));
    if is_manager
        && !is_question(name, arguments)
        && !(is_plain && is_harmless(name, arguments, run.is_open))
    {
        runs.hide_code(name);
    }
    is_manager
}

pub(super) fn is_one(name: &str) -> bool {
    HARMLESS.has(name)
}

/// Returns whether a word is no option, or one that names neither a program nor a file with
/// settings.
fn is_plain_option(name: &str, word: &str) -> bool {
    let Some(option) = word.strip_prefix('-').filter(|_| word != "--") else { return true };
    let option = option.split('=').next().unwrap_or_default();
    match option.strip_prefix('-') {
        Some(long) => has(OPTIONS, long),
        None if name == "go" => has("v x a n m u json race o tags trimpath mod f d", option),
        // `-p` names an interpreter.
        None if name.contains("pip") || name == "uv" => {
            option.chars().all(|it| "lqvie".contains(it))
        }
        None => {
            option.chars().all(|it| it.is_ascii_digit() || "aAbBdDefFgilLmnNpqRstuvwy".contains(it))
        }
    }
}

/// Returns whether each word that may be the command is one that runs nothing: a word behind an
/// option may be its value.
fn is_harmless(name: &str, arguments: &[String], is_open: bool) -> bool {
    let Some(harmless) = HARMLESS.row(name) else { return false };
    let mut is_value = false;
    let mut is_command_known = false;
    for (at, word) in arguments.iter().enumerate() {
        if word.starts_with(['-', '+']) {
            is_value = word.starts_with('-') && !word.contains('=');
            continue;
        }
        if name == "uv" && !is_value && has("pip python tool", word) {
            return is_harmless("pip", &arguments[at + 1..], is_open);
        }
        if !has(harmless, word) {
            return false;
        }
        is_command_known = true;
        if !is_value {
            return true;
        }
        is_value = false;
    }
    // `yarn` and `bundle` install by themselves, others print their help.
    !is_open && (is_command_known || !has("yarn", name) && !harmless.is_empty())
}
