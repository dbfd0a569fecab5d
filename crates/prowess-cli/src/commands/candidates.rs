//! The words that completion scripts ask for: names that only this machine knows.
//!
//! The scripts are static; at a word that is one of these names they call `prowess completions
//! --words` with the words up to it. `clap_complete` has an engine for this, which is unstable and
//! needs further crates.

use std::process::ExitCode;

use clap::Command;
use prowess::{Caller, Configuration};
use prowess_store::LockFile;
use serde_json::json;

use crate::args::{Global, command};
use crate::commands::{approvals, help, mcp};
use crate::failure::Failure;
use crate::lock_place::{project_lock, user_lock};
use crate::output::Output;
use crate::paths::surroundings;
use crate::runtime;

/// The kinds of names.
#[derive(Clone, Copy)]
enum Kind {
    Skill,
    Installed,
    Client,
    Approval,
    Key,
    Topic,
}

/// The arguments of commands.
const OF_COMMANDS: [(&str, Kind); 16] = [
    ("show", Kind::Skill),
    ("explain", Kind::Skill),
    ("run", Kind::Skill),
    ("probe", Kind::Skill),
    ("remove", Kind::Installed),
    ("update", Kind::Installed),
    ("mcp install", Kind::Client),
    ("mcp test", Kind::Client),
    ("approvals grant", Kind::Approval),
    ("approvals deny", Kind::Approval),
    ("approvals revoke", Kind::Approval),
    ("config get", Kind::Key),
    ("config set", Kind::Key),
    ("config unset", Kind::Key),
    ("config show", Kind::Key),
    ("help", Kind::Topic),
];

/// The values of options.
const OF_OPTIONS: [(&str, Kind); 3] =
    [("--load", Kind::Skill), ("--client", Kind::Client), ("--set", Kind::Key)];

/// The most files of a package that are looked at.
const MOST_FILES: usize = 1_000;

/// Prints the names for the last of these words, one a line; none if it is no name.
pub(super) fn print(
    words: &[String],
    global: &Global,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let mut found = found(words, global, output)?;
    // A shell may expand other characters.
    let is_plain = |letter: char| letter.is_alphanumeric() || "._/@:+-=".contains(letter);
    found.retain(|word| !word.starts_with('-') && word.chars().all(is_plain));
    found.sort();
    found.dedup();
    output.result(&json!({ "words": found }), |_| {
        found.iter().map(|word| format!("{word}\n")).collect()
    })?;
    Ok(ExitCode::SUCCESS)
}

fn found(words: &[String], global: &Global, output: &Output) -> Result<Vec<String>, Failure> {
    let Some((word, before)) = words.split_last() else { return Ok(Vec::new()) };
    if word.starts_with('-') {
        return Ok(Vec::new());
    }
    let of = |table: &[(&str, Kind)], name: &str| {
        table.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    };
    if let Some(kind) = before.last().and_then(|option| of(&OF_OPTIONS, option)) {
        let names = names(kind, global, output)?;
        let is_set = before.last().is_some_and(|option| option == "--set");
        return Ok(names.into_iter().map(|name| name + if is_set { "=" } else { "" }).collect());
    }
    let (path, arguments) = parts(before);
    match (of(&OF_COMMANDS, &path), &*arguments) {
        (Some(Kind::Skill), [id]) if path == "run" => scripts(id, global),
        (Some(kind @ Kind::Installed), _) | (Some(kind), []) => names(kind, global, output),
        _ => Ok(Vec::new()),
    }
}

/// Splits words into the command and its arguments, without options and their values.
fn parts(words: &[String]) -> (String, Vec<&str>) {
    let root = command();
    let (mut current, mut path, mut arguments) = (&root, Vec::new(), Vec::new());
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if word.starts_with('-') {
            if takes_value(&[current, &root], word) {
                words.next();
            }
        } else if let Some(next) = current.find_subcommand(word).filter(|_| arguments.is_empty()) {
            current = next;
            path.push(word);
        } else {
            arguments.push(word);
        }
    }
    (path.join(" "), arguments)
}

fn takes_value(commands: &[&Command], option: &str) -> bool {
    let name = option.trim_start_matches('-');
    let mut known = commands.iter().flat_map(|command| command.get_arguments());
    let known = known.find(|argument| match option.strip_prefix("--") {
        Some(name) => argument.get_long() == Some(name),
        None => argument.get_short().is_some_and(|short| name.chars().eq([short])),
    });
    known.is_some_and(|argument| argument.get_action().takes_values())
}

fn names(kind: Kind, global: &Global, output: &Output) -> Result<Vec<String>, Failure> {
    Ok(match kind {
        Kind::Skill => {
            let runtime = runtime::runtime(global)?;
            let catalog = runtime.catalog();
            catalog.skills().chain(catalog.excluded()).map(|it| it.id().to_owned()).collect()
        }
        Kind::Installed => {
            let project = project_lock(&surroundings()?);
            let project = project.map(|(path, folder)| LockFile::of_project(path, &folder, None));
            let files = project.into_iter().chain(user_lock());
            files.filter_map(|file| file.load().ok()).flat_map(|it| it.skills.into_keys()).collect()
        }
        Kind::Client => mcp::client_names(),
        Kind::Approval => approvals::numbers(global, output)?,
        Kind::Key => {
            let standard = Configuration::of(&[]);
            let values = standard.iter().flat_map(Configuration::values);
            values.map(|value| value.key.to_string()).collect()
        }
        Kind::Topic => help::topics(),
    })
}

fn scripts(id: &str, global: &Global) -> Result<Vec<String>, Failure> {
    let runtime = runtime::runtime(global)?;
    let catalog = runtime.catalog();
    let record = catalog.find(id, Caller::User).found();
    let scripts = record.and_then(|record| runtime.scripts(&catalog, record, MOST_FILES).ok());
    Ok(scripts.into_iter().flatten().map(|path| path.to_string()).collect())
}
