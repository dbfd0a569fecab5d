//! Package managers and runners: most of their commands run code of the project or of a package.

use super::wrapper::{has, is_question};
use super::{Run, Runs};

/// The commands that run none. Whatever else stands there may be a script, an alias or a build.
const HARMLESS: [(&str, &str); 21] = [
    (
        "cargo",
        "add remove rm update search tree metadata fmt locate-project login logout owner yank new \
            init generate-lockfile fetch vendor version help clean pkgid info",
    ),
    (
        "npm pnpm yarn",
        "ls list ll la view info show outdated root prefix search docs repo whoami ping help why \
            explain fund bin",
    ),
    ("go", "version env list doc fmt help mod work clean get install build vet"),
    ("dotnet", "list new sln search help"),
    (
        "pip",
        "list show freeze check index cache config debug help inspect hash search tree find dir",
    ),
    ("uv", "tree version cache help self"),
    ("poetry", "show version check env search about config help"),
    ("pipenv pdm rye pipx hatch", "list show info search graph verify status environment help"),
    ("conda mamba micromamba", "list info search config help"),
    ("mise rtx asdf rbenv pyenv nodenv", "ls list current which where version versions help"),
    ("nix guix", "search show describe path-info log hash store help"),
    ("devbox", "list info search version help"),
    (
        "docker podman nerdctl",
        "ps images logs inspect version info stats top port history events help",
    ),
    ("kubectl", ""),
    ("gh", "pr issue run workflow release search status label auth"),
    ("systemctl", "status show list-units list-unit-files is-active is-enabled is-failed cat"),
    ("apt apt-get aptitude", "list search show policy depends rdepends changelog download"),
    ("brew", "list ls search info desc deps uses outdated leaves doctor config"),
    ("dnf yum zypper pacman apk", "list search info provides repolist check-update repoquery"),
    ("helm", "list ls search show status version history get env help"),
    ("swift corepack uvx npx bunx pnpx bundle bundler", ""),
];

/// The long options that name neither a program nor a file with settings. Any other one may.
const OPTIONS: &str = "all quiet verbose silent long json format depth edges invert package prod \
    production dev installed upgradable outdated tail follow since limit state label title body draft \
    base head repo reviewer assignee milestone fill comments web no-deps format-version features \
    all-features workspace no-dev global dry-run frozen locked offline name-only user version help \
    no-color output filter no-trunc latest omit check no-pager failed log-failed jq delete-branch \
    squash merge rebase body-file notes";

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
    HARMLESS.iter().any(|(names, _)| has(names, name))
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
    let Some((_, harmless)) = HARMLESS.iter().find(|(names, _)| has(names, name)) else {
        return false;
    };
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
