//! `prowess mcp test`: starts the server as a client does, and lists what a model sees.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use prowess::text::{shell_path, shell_word};
use prowess_dir::Dir;
use serde::Serialize;
use serde_json::{Value, json};

use super::clients::{Client, SERVER, Scope, off_key};
use super::entries::{Entry, entries, folders, replaced};
use super::filters::Filters;
use super::own_command::PROGRAM;
use super::process::{Process, handshake, plain, result, skills};
use super::variables::Variables;
use crate::failure::Failure;
use crate::log::LEVEL;
use crate::output::{DIM, ID, Output, counted};
use crate::paths::surroundings;
use crate::plugins::this_program;
use crate::policies::is_trusted_folder;
use crate::question::{can_ask, is_confirmed};
use crate::terminal::{columns_behind, fitted, padded, wrapped};

/// The keys of entries of servers that run elsewhere.
const URLS: [&str; 4] = ["url", "serverUrl", "httpUrl", "uri"];

/// The widest name of a tool that the others are aligned with.
const MOST_NAME: usize = 32;

/// The process that a client starts.
#[derive(Serialize)]
struct Start {
    command: Vec<String>,
    directory: PathBuf,
    #[serde(skip)]
    variables: Vec<(String, String)>,
    /// Differences that the client may have.
    remarks: Vec<String>,
}

/// The server as a client sees it.
#[derive(Serialize)]
struct Tested {
    client: String,
    file: PathBuf,
    #[serde(flatten)]
    start: Start,
    server: String,
    tools: Vec<Seen>,
    left_out: Vec<LeftOut>,
    skills: Vec<String>,
    /// Messages about skills that wait for trust.
    hidden: Vec<String>,
}

/// A tool as the model sees it.
#[derive(Serialize)]
struct Seen {
    name: String,
    description: String,
    /// The number of characters that the client cuts off.
    cut: usize,
}

/// A tool that the client's settings leave out, and the list that does.
#[derive(Serialize)]
struct LeftOut {
    name: String,
    by: String,
}

pub(super) fn run(
    client: &Client,
    scope: Scope,
    patience: Duration,
    yes: bool,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let (mut found, file) = entries(client, scope)?;
    let others = found.split_off(found.len().min(1));
    let scope = found.first().map_or(scope, |entry| entry.scope);
    let flag = if scope == client.usual_scope() { "" } else { " --project" };
    let install = format!("run `prowess mcp install {}{flag}`", client.name);
    let wrong = |message: String| Failure::new("mcp-not-installed", message, install.clone());
    let path = file.path.display();
    let entry = found.pop().ok_or_else(|| match file.is_there() {
        true => wrong(format!("`{path}` has no entry `{SERVER}`")),
        false => wrong(format!("`{path}` does not exist")),
    })?;
    let filters = Filters::read(client, &entry, &folders()?);
    let line = line(&entry, &filters, &wrong)?;
    let mut start = start(client, &entry.value, &line, &directory(client, &entry)?)?;
    start.remarks.extend(replaced(&others));
    if output.is_text() {
        output.data(&described(client, &entry, &start))?;
    }
    if !yes && scope == Scope::Project && !may_start(&start, &entry.file.path, output)? {
        output.remark("nothing was started\n");
        return Ok(ExitCode::FAILURE);
    }
    let mut server = Process::start(start.command(), patience)
        .map_err(|failure| wrong(format!("`{}`: {}", start.command[0], failure.message)))?;
    let greeted = server.request(0, "initialize", &handshake()).map_err(|failure| {
        let help = format!("{}; to write the entry again, {install}", failure.help);
        failure.with_help(help)
    });
    let greeting = result(greeted?)?;
    server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
    let tools = result(server.request(1, "tools/list", &json!({}))?)?;
    let tools = tools["tools"].as_array().into_iter().flatten().map(|tool| seen(client, tool));
    let (mut left_out, mut tools): (Vec<_>, Vec<_>) = (Vec::new(), tools.collect());
    tools.retain(|tool: &Seen| {
        let list = filters.of_tool(&tool.name);
        left_out.extend(list.map(|by| LeftOut { name: tool.name.clone(), by }));
        left_out.last().is_none_or(|it| it.name != tool.name)
    });
    let tested = Tested {
        client: client.name.clone(),
        file: entry.file.path.clone(),
        start,
        server: greeting["serverInfo"]["name"].as_str().unwrap_or("without a name").to_owned(),
        tools,
        left_out,
        skills: skills(&mut server),
        hidden: hidden(&mut server, &greeting),
    };
    drop(server);
    output.result(&tested, text)?;
    if tested.server != SERVER {
        let server = plain(&tested.server);
        return Err(wrong(format!("the entry starts another server, which calls itself {server}")));
    }
    if let Some(LeftOut { by, .. }) = tested.left_out.first().filter(|_| tested.tools.is_empty()) {
        let failure = wrong(format!("{by} leaves every tool of the entry `{SERVER}` out"));
        return Err(failure.with_help("correct that list"));
    }
    if !tested.skills.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let (directory, options) = tested.start.served();
    let message = format!("no skill is served in `{}`", directory.display());
    let help = tested.hidden.first().cloned().unwrap_or_else(|| {
        let is_chosen = directory != tested.start.directory || options.contains("--root");
        let more = "; for the skills of a project, install with `-C DIR`";
        let more = if is_chosen { "" } else { more };
        format!("see `{}`{more}", tested.start.doctor())
    });
    Err(Failure::new("no-skills", message, help))
}

/// Returns whether the command in the file of a project is started: a clone brings that file along,
/// and what it names has every right of the user.
fn may_start(start: &Start, file: &Path, output: &Output) -> Result<bool, Failure> {
    let around = surroundings()?;
    let Some(project) = around.project() else { return Ok(true) };
    let is_trusted = |opened| is_trusted_folder(&around, project, &opened);
    if Dir::open(project).is_ok_and(is_trusted) || start.is_own_server()? {
        return Ok(true);
    }
    let path = plain(&file.display().to_string());
    let line = plain(&start.line());
    if can_ask(output) {
        let question = format!("You have not trusted the folder of {path}. Start {line}?");
        return Ok(is_confirmed(output, &question));
    }
    let message = format!(
        "`{path}` starts `{line}`, which is not started without a question: you have not trusted \
         its folder, and there is no terminal to ask at"
    );
    let help = format!(
        "if you trust who wrote it, run `prowess trust {}`, or repeat this with `--yes`",
        shell_path(project)
    );
    Err(Failure::usage("confirmation-required", message, help))
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

/// Reads what an entry starts, with the client's variables replaced.
fn start(
    client: &Client,
    entry: &Value,
    line: &[String],
    started_in: &Path,
) -> Result<Start, Failure> {
    let around = surroundings()?;
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
    let cwd = entry["cwd"].as_str().map(|cwd| variables.replaced(cwd));
    let mut remarks: Vec<_> = variables.left.into_iter().map(|it| it + ", stays").collect();
    let mut directory = started_in.to_owned();
    if let Some(cwd) = cwd {
        directory = started_in.join(cwd);
        if !directory.is_dir() {
            let message = format!("`cwd` of the entry, `{}`, is no directory", directory.display());
            return Err(Failure::new("mcp-failed", message, "correct `cwd`, or remove it"));
        }
        if !client.cwd {
            remarks.push("`cwd` is used here; this client is not known to use it".to_owned());
        }
    }
    if entry["envFile"].is_string() {
        remarks.push("`envFile` is not read here".to_owned());
    }
    Ok(Start { command, directory, variables: environment, remarks })
}

impl Start {
    /// Returns the command line with its variables, for a person.
    fn line(&self) -> String {
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
    fn served(&self) -> (PathBuf, String) {
        let is_program = |word: &String| Path::new(word).file_name() == Some(PROGRAM.as_ref());
        let program = self.command.iter().position(is_program).map_or(0, |at| at + 1);
        let end = self.command.iter().position(|word| word == "serve").unwrap_or(program);
        let mut directory = self.directory.clone();
        let mut options = String::new();
        let mut words = self.command.get(program..end).unwrap_or_default().iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "-C" => directory.push(words.next().map(String::as_str).unwrap_or_default()),
                word => options += &format!(" {}", shell_word(word)),
            }
        }
        (directory.canonicalize().unwrap_or(directory), options)
    }

    /// Returns the command that says more about the skills that are served.
    fn doctor(&self) -> String {
        let (directory, options) = self.served();
        format!("{PROGRAM} -C {}{options} doctor", shell_path(&directory))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).current_dir(&self.directory);
        // The result says what a model sees, and names the command for what is missing.
        if std::env::var_os(LEVEL).is_none() {
            command.env(LEVEL, "off");
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// Returns the messages of the server about skills that wait for trust.
fn hidden(server: &mut Process, greeting: &Value) -> Vec<String> {
    if greeting["capabilities"]["logging"].is_object() {
        // An answer comes after the messages that the request has led to.
        let _ = server.request(1000, "logging/setLevel", &json!({ "level": "warning" }));
    }
    let logged = server.logged.iter().filter(|data| data["code"] == "project-not-trusted");
    logged.filter_map(|data| Some(plain(data["message"].as_str()?))).collect()
}

/// Returns the directory in which the client starts the server.
fn directory(client: &Client, entry: &Entry) -> Result<PathBuf, Failure> {
    let around = surroundings()?;
    let starts_here = entry.scope == Scope::Project || client.starts_in_project;
    let project = around.project().filter(|_| starts_here);
    let directory = project.or(around.home.as_deref());
    Ok(directory.map_or_else(|| PathBuf::from("/"), PathBuf::from))
}

fn seen(client: &Client, tool: &Value) -> Seen {
    let text = tool["description"].as_str().unwrap_or_default();
    let length = text.chars().count();
    let kept = client.description.unwrap_or(length);
    Seen {
        name: tool["name"].as_str().unwrap_or_default().to_owned(),
        description: text.chars().take(kept).collect(),
        cut: length.saturating_sub(kept),
    }
}

/// Returns what is started.
fn described(client: &Client, entry: &Entry, start: &Start) -> String {
    let how = format!(
        "{} starts {} in {}, as {} says",
        client.name,
        plain(&start.command.iter().map(shell_word).collect::<Vec<_>>().join(" ")),
        plain(&start.directory.display().to_string()),
        plain(&entry.place().replace('`', "")),
    );
    let remarks = start.remarks.iter().map(|remark| format!("  {}\n", plain(remark)));
    wrapped(&how, columns_behind(2), 2) + "\n" + &remarks.collect::<String>()
}

fn text(tested: &Tested) -> String {
    let Tested { client, start, server, tools, left_out, skills, hidden, .. } = tested;
    let mut text = format!(
        "{}: {}, {}\n",
        plain(server),
        counted(tools.len(), "tool"),
        counted(skills.len(), "skill"),
    );
    let names = tools.iter().map(|tool| plain(&tool.name).chars().count());
    let column = names.max().unwrap_or_default().min(MOST_NAME);
    for tool in tools {
        let name = plain(&tool.name);
        let used = name.chars().count().max(column) + 4;
        let name = format!("{ID}{}{ID:#}", padded(&name, column));
        text += &format!("  {name}  {}\n", fitted(&tool.description, used));
        if tool.cut > 0 {
            let cut = counted(tool.cut, "character");
            text +=
                &format!("    {DIM}{client} cuts off the last {cut} of its description{DIM:#}\n");
        }
    }
    for LeftOut { name, by } in left_out {
        let how = format!("without {ID}{}{ID:#}: {} leaves it out", plain(name), plain(by));
        text += &format!("  {}\n", wrapped(&how, columns_behind(2), 2));
    }
    for skill in skills {
        text += &format!("  skill {ID}{}{ID:#}\n", plain(skill));
    }
    let doctor = plain(&start.doctor());
    text += &format!("  {DIM}why others are missing: {doctor}{DIM:#}\n");
    for hidden in hidden.iter().filter(|_| !skills.is_empty()) {
        text += &format!("  {}\n", wrapped(hidden, columns_behind(2), 2));
    }
    text
}
