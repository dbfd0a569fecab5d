//! The process that an entry of a client starts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use prowess::text::{shell_path, shell_word};
use prowess_dir::Dir;
use serde::Serialize;

use super::clients::{Client, SERVER, Scope, off_key};
use super::entries::Entry;
use super::filters::Filters;
use super::own_command::PROGRAM;
use super::process::plain;
use super::variables::Variables;
use crate::failure::Failure;
use crate::log::LEVEL;
use crate::output::Output;
use crate::paths::surroundings;
use crate::plugins::this_program;
use crate::policies::is_trusted_folder;
use crate::question::{can_ask, is_confirmed};

/// The keys of entries of servers that run elsewhere.
const URLS: [&str; 4] = ["url", "serverUrl", "httpUrl", "uri"];

/// The process that a client starts.
#[derive(Serialize)]
pub(super) struct Start {
    pub(super) command: Vec<String>,
    pub(super) directory: PathBuf,
    #[serde(skip)]
    variables: Vec<(String, String)>,
    /// Differences that the client may have.
    pub(super) remarks: Vec<String>,
}

impl Start {
    /// Reads what an entry starts, with the client's variables replaced.
    pub(super) fn of(
        client: &Client,
        entry: &Entry,
        filters: &Filters,
        wrong: &dyn Fn(String) -> Failure,
    ) -> Result<Self, Failure> {
        let line = line(entry, filters, wrong)?;
        let around = surroundings()?;
        let starts_here = entry.scope == Scope::Project || client.starts_in_project;
        let project = around.project().filter(|_| starts_here);
        let started_in = project.or(around.home.as_deref()).unwrap_or(Path::new("/"));
        let entry = &entry.value;
        let mut variables = Variables {
            known: &client.variables,
            folder: around.project().unwrap_or(started_in),
            home: around.home.as_deref(),
            left: BTreeSet::new(),
        };
        let command = line.iter().map(|word| variables.replaced(word)).collect();
        let named = ["env", "environment", "envs"].iter().filter_map(|key| entry[key].as_object());
        let named = named.flatten().filter_map(|(name, value)| Some((name, value.as_str()?)));
        let environment = named.map(|(name, value)| (name.clone(), variables.replaced(value)));
        let environment = environment.collect();
        let cwd = ["cwd", "working_directory"].iter().find_map(|key| entry[key].as_str());
        let cwd = cwd.map(|cwd| variables.replaced(cwd));
        let mut remarks: Vec<_> = variables.left.into_iter().map(|it| it + ", stays").collect();
        let mut directory = started_in.to_owned();
        if let Some(cwd) = cwd {
            directory = started_in.join(cwd);
            if !directory.is_dir() {
                let message =
                    format!("`cwd` of the entry, `{}`, is no directory", directory.display());
                return Err(Failure::new("mcp-failed", message, "correct `cwd`, or remove it"));
            }
            if !client.cwd {
                remarks.push("`cwd` is used here; this client is not known to use it".to_owned());
            }
        }
        if entry["envFile"].is_string() {
            remarks.push("`envFile` is not read here".to_owned());
        }
        Ok(Self { command, directory, variables: environment, remarks })
    }

    /// Returns the command line with its variables, for a person.
    pub(super) fn line(&self) -> String {
        let variables = self.variables.iter().map(|(name, value)| format!("{name}={value}"));
        let words = variables.chain(self.command.iter().cloned());
        words.map(|word| shell_word(&word).into_owned()).collect::<Vec<_>>().join(" ")
    }

    /// Returns whether this is the server of this program alone, without options by which it would
    /// start something else.
    fn is_own_server(&self) -> Result<bool, Failure> {
        let Some((program, arguments)) = self.command.split_first() else { return Ok(false) };
        let mut arguments = arguments.iter().map(String::as_str);
        let mut last = None;
        while let Some(argument) = arguments.next() {
            last = Some(argument);
            match argument {
                "-C" | "--root" => drop(arguments.next()),
                "serve" | "--no-config" => {}
                other if other.starts_with("--root=") => {}
                _ => return Ok(false),
            }
        }
        // A relative directory of the PATH is one of the project.
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&path).take_while(|directory| directory.is_absolute());
        let found = found.map(|directory| directory.join(program)).find(|it| it.is_file());
        let is_path = program.contains('/') && !program.starts_with('/');
        let found = found.filter(|_| !is_path).and_then(|it| it.canonicalize().ok());
        let is_own = found.is_some() && found == this_program()?.canonicalize().ok();
        Ok(is_own && last == Some("serve") && self.variables.is_empty())
    }

    /// Returns the directory whose skills are served, and the further options of the server.
    pub(super) fn served(&self) -> (PathBuf, String) {
        // Started by another program or not, and as a version or under another name.
        let is_program = |word: &String| {
            Path::new(word).file_name().is_some_and(|it| it.to_string_lossy().starts_with(PROGRAM))
        };
        let program = self.command.iter().position(is_program).unwrap_or_default() + 1;
        let mut directory = self.directory.clone();
        let mut options = String::new();
        let mut words = self.command.get(program..).unwrap_or_default().iter();
        let mut is_of_server = false;
        while let Some(word) = words.next() {
            match word.as_str() {
                "-C" => directory.push(words.next().map(String::as_str).unwrap_or_default()),
                "serve" => is_of_server = true,
                "--root" | "--config" | "--set" | "--preset" if is_of_server => {
                    let value = words.next().map(String::as_str).unwrap_or_default();
                    options += &format!(" {word} {}", shell_word(value));
                }
                word if is_of_server && word != "--no-config" => {}
                word => options += &format!(" {}", shell_word(word)),
            }
        }
        (directory.canonicalize().unwrap_or(directory), options)
    }

    /// Returns the command that says more about the skills that are served.
    pub(super) fn doctor(&self) -> String {
        let (directory, options) = self.served();
        format!("{PROGRAM} -C {}{options} doctor", shell_path(&directory))
    }

    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).current_dir(&self.directory);
        // The result says what a model sees, and names the command for what is missing.
        if std::env::var_os(LEVEL).is_none() {
            command.env(LEVEL, "off");
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Returns whether the command in the file of a project is started: a clone brings that file
    /// along, and what it names has every right of the user.
    pub(super) fn is_permitted(&self, file: &Path, output: &Output) -> Result<bool, Failure> {
        let around = surroundings()?;
        let Some(project) = around.project() else { return Ok(true) };
        let is_trusted = |opened| is_trusted_folder(&around, project, &opened);
        if Dir::open(project).is_ok_and(is_trusted) || self.is_own_server()? {
            return Ok(true);
        }
        let path = plain(&file.display().to_string());
        let line = plain(&self.line());
        if can_ask(output) {
            let question = format!("You have not trusted the folder of {path}. Start {line}?");
            return Ok(is_confirmed(output, &question));
        }
        let message = format!(
            "`{path}` starts `{line}`, which is not started without a question: you have not \
             trusted its folder, and there is no terminal to ask at"
        );
        let help = format!(
            "if you trust who wrote it, run `prowess trust {}`, or repeat this with `--yes`",
            shell_path(project)
        );
        Err(Failure::usage("confirmation-required", message, help))
    }
}

/// Returns the command line that an entry starts, or why it starts none.
fn line(
    entry: &Entry,
    filters: &Filters,
    wrong: &dyn Fn(String) -> Failure,
) -> Result<Vec<String>, Failure> {
    let (place, value) = (entry.place(), &entry.value);
    if let Some(key) = off_key(value) {
        return Err(wrong(format!("`{key}` switches the entry `{SERVER}` of {place} off")));
    }
    if let Some(list) = filters.of_server() {
        let failure = wrong(format!("{list} leaves the entry `{SERVER}` of {place} out"));
        return Err(failure.with_help("correct that list"));
    }
    entry.shape.line(value).ok_or_else(|| {
        let is_url = URLS.iter().any(|key| value[key].is_string());
        let what = if is_url { "connects to its URL" } else { "starts no command" };
        let failure = wrong(format!("the entry `{SERVER}` of {place} {what}"));
        let help = format!("to start this program, rename or remove it, then {}", failure.help);
        failure.with_help(help)
    })
}
