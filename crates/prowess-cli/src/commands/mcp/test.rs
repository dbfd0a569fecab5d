//! `prowess mcp test`: starts the server as a client does, and lists what a model sees.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use prowess::text::shell_word;
use serde::Serialize;
use serde_json::{Value, json};

use super::clients::{Client, SERVER, Scope};
use super::entries::{Entry, entries, folders, replaced};
use super::filters::Filters;
use super::process::{Process, handshake, plain, result, skills};
use super::start::Start;
use crate::failure::Failure;
use crate::output::{DIM, ID, Output, counted};
use crate::terminal::{columns_behind, fitted, padded, wrapped};

/// The widest name of a tool that the others are aligned with.
const MOST_NAME: usize = 32;

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
    let mut start = Start::of(client, &entry, &filters, &wrong)?;
    start.remarks.extend(replaced(&others));
    if output.is_text() {
        output.data(&described(client, &entry, &start))?;
    }
    if !yes && scope == Scope::Project && !start.is_permitted(&entry.file.path, output)? {
        output.remark("nothing was started\n");
        return Ok(ExitCode::FAILURE);
    }
    let server = Process::start(start.command(), patience)
        .map_err(|failure| wrong(format!("`{}`: {}", start.command[0], failure.message)))?;
    let tested = tested(client, &entry, start, &filters, server).map_err(|failure| {
        let help = format!("{}; to write the entry again, {install}", failure.help);
        failure.with_help(help)
    })?;
    output.result(&tested, text)?;
    tested.verdict(&wrong)
}

/// Asks a server as the client does.
fn tested(
    client: &Client,
    entry: &Entry,
    start: Start,
    filters: &Filters,
    mut server: Process,
) -> Result<Tested, Failure> {
    let greeting = result(server.request(0, "initialize", &handshake())?)?;
    server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
    let listed = result(server.request(1, "tools/list", &json!({}))?)?;
    let (mut tools, mut left_out) = (Vec::new(), Vec::new());
    for tool in listed["tools"].as_array().into_iter().flatten().map(|it| seen(client, it)) {
        match filters.of_tool(&tool.name) {
            Some(by) => left_out.push(LeftOut { name: tool.name, by }),
            None => tools.push(tool),
        }
    }
    Ok(Tested {
        client: client.name.clone(),
        file: entry.file.path.clone(),
        start,
        server: greeting["serverInfo"]["name"].as_str().unwrap_or("without a name").to_owned(),
        tools,
        left_out,
        skills: skills(&mut server),
        hidden: hidden(&mut server, &greeting),
    })
}

impl Tested {
    /// Returns whether the client's model has skills of this program, or why it has none.
    fn verdict(&self, wrong: &dyn Fn(String) -> Failure) -> Result<ExitCode, Failure> {
        if self.server != SERVER {
            let server = plain(&self.server);
            let message = format!("the entry starts another server, which calls itself {server}");
            return Err(wrong(message));
        }
        if let ([], [LeftOut { by, .. }, ..]) = (&*self.tools, &*self.left_out) {
            let failure = wrong(format!("{by} leaves every tool of the entry `{SERVER}` out"));
            return Err(failure.with_help("correct that list"));
        }
        if !self.skills.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        let (directory, options) = self.start.served();
        let message = format!("no skill is served in `{}`", directory.display());
        let help = self.hidden.first().cloned().unwrap_or_else(|| {
            let is_chosen = directory != self.start.directory || options.contains("--root");
            let more = "; for the skills of a project, install with `-C DIR`";
            let more = if is_chosen { "" } else { more };
            format!("see `{}`{more}", self.start.doctor())
        });
        Err(Failure::new("no-skills", message, help))
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
