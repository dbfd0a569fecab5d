//! Starts git in a repository of others, of which nothing is executed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Settings by which the configuration of a repository starts no program and no transfer.
const SETTINGS: [(&str, &str); 8] = [
    ("commit.gpgSign", "false"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.quotePath", "false"),
    ("gc.auto", "0"),
    ("log.showSignature", "false"),
    ("maintenance.auto", "false"),
    ("submodule.recurse", "false"),
];

/// The variables of the user from which git has its settings and the author of a commit.
#[rustfmt::skip]
const KEPT: [&str; 10] = [
    "EMAIL", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_NAME",
    "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "HOME", "USER", "XDG_CONFIG_HOME",
];

/// Returns git in a directory. The caller runs a command that asks for what else is switched off.
pub(crate) fn command(
    directory: &Path,
    run: impl FnOnce(&mut Command) -> Option<String>,
) -> Command {
    let mut command = with(directory, &[]);
    // Filters and hooks have names of their own, so each is switched off by its name.
    let keys = r"^(filter|hook)\..*\.(clean|command|process|required|smudge)$";
    let found = run(command.args(["config", "-z", "--name-only", "--get-regexp", keys]));
    let found = found.unwrap_or_default();
    let keys = found.split('\0').filter(|key| !key.is_empty());
    let off = keys.map(|key| match key.rsplit_once('.') {
        Some((hook, "command")) => (format!("{hook}.enabled"), "false"),
        Some((_, "required")) => (key.to_owned(), "false"),
        _ => (key.to_owned(), ""),
    });
    with(directory, &off.collect::<Vec<_>>())
}

fn with(directory: &Path, off: &[(String, &str)]) -> Command {
    // A directory of the path may be relative to the repository.
    let places = std::env::var_os("PATH").unwrap_or_default();
    let places: Vec<_> = std::env::split_paths(&places).filter(|it| it.is_absolute()).collect();
    let program = places.iter().map(|place| place.join("git")).find(|path| path.is_file());
    let mut command = Command::new(program.unwrap_or_else(|| PathBuf::from("/usr/bin/git")));
    command.args(["--no-pager", "--no-optional-locks"]);
    command.current_dir(directory).stdin(Stdio::null()).env_clear();
    command.envs(KEPT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    command.envs(std::env::join_paths(places).map(|places| ("PATH", places)));
    command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0");
    // A clone without all objects asks no server for the others.
    command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "");
    let off = off.iter().map(|(key, value)| (key.as_str(), *value));
    for (number, (key, value)) in SETTINGS.into_iter().chain(off).enumerate() {
        command.env(format!("GIT_CONFIG_KEY_{number}"), key);
        command.env(format!("GIT_CONFIG_VALUE_{number}"), value);
        command.env("GIT_CONFIG_COUNT", (number + 1).to_string());
    }
    command
}
