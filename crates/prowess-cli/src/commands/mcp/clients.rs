//! The known clients: where their configurations are, and what a server's entry looks like.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use prowess::source_fs::Surroundings;
use prowess::text::{enumerated, quoted, shell_word};
use prowess::tools::closest;
use serde::Deserialize;
use serde_json::Value;

use crate::args::LEAST_SIMILARITY;
use crate::failure::Failure;
use crate::paths::{surroundings, without_home};
use crate::text_edit::{self, Fault, TextFormat};

use super::variables::Syntax;

/// The name of the entry.
pub(super) const SERVER: &str = "prowess";

/// A list of a client's settings: where it is, separated by blanks (`entry`, the client's `user`
/// file, or files as the table of clients has them), its keys, its kind, and what it names.
#[derive(Clone, Deserialize)]
pub(super) struct Filter(pub(super) String, pub(super) String, pub(super) Kind, pub(super) String);

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// All that is not in it is left out.
    Only,
    /// The same, unless it is empty.
    OnlyIfAny,
    /// All that is in it is left out; of a table, each that is `false` or `deny`.
    Not,
    /// The same for entries in files of projects.
    NotInProject,
}

#[derive(Deserialize)]
struct Table {
    shapes: BTreeMap<String, Shape>,
    /// Names of clients whose skills are read and whose servers are not written here, each with
    /// the reason.
    not_written: BTreeMap<String, String>,
    clients: Vec<Client>,
}

/// How the configuration of a client lists servers.
#[derive(Clone, Deserialize)]
pub(super) struct Shape {
    pub(super) format: TextFormat,
    /// The keys of the table of servers.
    pub(super) at: Vec<String>,
    /// The key of the program where an earlier form of an entry has a table as its command.
    in_command: Option<String>,
    /// The keys of an entry, in their order, with `{command}`, `{args}` and `{line}` in the values.
    entry: Vec<(String, Value)>,
}

/// A client, and where its configuration is.
#[derive(Clone, Deserialize)]
pub(super) struct Client {
    pub(super) name: String,
    /// Further names.
    #[serde(default)]
    also: Vec<String>,
    shape: String,
    /// The user's file, or the variable that names it or its directory; the first of several whose
    /// variable is set, or that exists.
    #[serde(default)]
    user: Vec<String>,
    /// The same of a project.
    #[serde(default)]
    project: Vec<String>,
    /// The keys of a table of servers in the user's file that count in one `{project}`, before all
    /// others.
    #[serde(default)]
    pub(super) local: Vec<String>,
    /// The lists that leave the server or tools of it out.
    #[serde(default)]
    pub(super) filters: Vec<Filter>,
    /// The start of the client's own command that adds the server.
    own: Option<String>,
    /// Whether servers of the user's file are started in the directory of the project.
    #[serde(default)]
    pub(super) starts_in_project: bool,
    /// The variables that the client replaces in an entry.
    #[serde(default)]
    pub(super) variables: Vec<Syntax>,
    /// The variable for the folder of the project, where servers of a project's file may be started
    /// elsewhere.
    pub(super) folder: Option<String>,
    /// Whether the client's documentation names the key `cwd` of an entry.
    #[serde(default)]
    pub(super) cwd: bool,
    /// The number of characters that the client keeps of the description of a tool.
    pub(super) description: Option<usize>,
}

/// Whose file of a client.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    User,
    Project,
}

fn table() -> Table {
    serde_json::from_str(include_str!("clients.json")).expect("a test reads the table")
}

/// Returns every client.
pub(super) fn all() -> Vec<Client> {
    table().clients
}

/// Returns the client of a name in any case; `gemini-cli` is `gemini`, too.
pub(super) fn find(name: &str) -> Result<Client, Failure> {
    let Table { clients, not_written, .. } = table();
    let meant = name.to_lowercase();
    let meant = meant.strip_suffix("-cli").unwrap_or(&meant);
    let is_it = |client: &&Client| {
        [&client.name].into_iter().chain(&client.also).any(|known| known == meant)
    };
    let found = clients.iter().find(is_it);
    found.cloned().ok_or_else(|| {
        let names = || clients.iter().map(|client| client.name.as_str());
        let help = format!(
            "the known clients are {}; `prowess mcp config --client cursor` prints a block that \
             many others read",
            enumerated(names(), "and")
        );
        let similar = || closest(meant, names(), LEAST_SIMILARITY);
        let message = match (not_written.get(meant), similar()) {
            (Some(reason), _) => format!("{} {reason}", quoted(meant)),
            (None, Some(it)) => format!("no client named {}; did you mean `{it}`?", quoted(name)),
            (None, None) => format!("no client named {}", quoted(name)),
        };
        Failure::usage("client-unknown", message, help)
    })
}

impl Client {
    pub(super) fn shape(&self) -> Shape {
        table().shapes.remove(&self.shape).expect("a test reads each shape")
    }

    /// Returns the scope that is meant if none is named.
    pub(super) fn usual_scope(&self) -> Scope {
        if self.user.is_empty() { Scope::Project } else { Scope::User }
    }

    pub(super) fn has(&self, scope: Scope) -> bool {
        match scope {
            Scope::User => !self.user.is_empty(),
            Scope::Project => !self.project.is_empty(),
        }
    }

    /// Returns the client's own command that adds a server, if it has one.
    pub(super) fn own_command(&self, line: &[String]) -> Option<String> {
        let own = self.own.as_ref()?;
        let quoted = line.iter().map(shell_word);
        Some(own.clone() + &quoted.collect::<Vec<_>>().join(" "))
    }

    /// Returns the paths of the client's files as a person writes them.
    pub(super) fn places(&self) -> String {
        let user = self.user.iter().find(|file| !file.starts_with('$')).map(|file| {
            file.replace("{config}", "~/.config").replace("{app}", application_support())
        });
        let project = self.project.first().map(|file| format!("{file} in the project"));
        user.into_iter().chain(project).collect::<Vec<_>>().join(", or ")
    }

    /// Returns the path of a further file of the client, of the project if it is relative.
    pub(super) fn located(&self, file: &str) -> Option<PathBuf> {
        let is_of_user = file.starts_with(['~', '$', '{']);
        let scope = if is_of_user { Scope::User } else { Scope::Project };
        located(file, scope, &surroundings().ok()?)
    }

    /// Returns the path of the client's file: that of its variable, or the first that exists, or
    /// else the one that the client would create.
    pub(super) fn file(&self, scope: Scope) -> Result<PathBuf, Failure> {
        let around = surroundings()?;
        let files = match scope {
            Scope::User => &self.user,
            Scope::Project => &self.project,
        };
        let paths = files.iter().filter_map(|file| Some((file, located(file, scope, &around)?)));
        let paths: Vec<_> = paths.collect();
        let is_meant = |path: &Path| path.symlink_metadata().is_ok();
        let there = paths.iter().find(|(file, path)| file.starts_with('$') || is_meant(path));
        let path = there.or_else(|| paths.first()).map(|(_, path)| path.clone());
        path.ok_or_else(|| without_home(&format!("the configuration of {}", self.name)))
    }
}

/// Where desktop applications have their files.
fn application_support() -> &'static str {
    if cfg!(target_os = "macos") { "~/Library/Application Support" } else { "~/.config" }
}

fn located(file: &str, scope: Scope, around: &Surroundings) -> Option<PathBuf> {
    if scope == Scope::Project {
        return Some(around.project()?.join(file));
    }
    if let Some(file) = file.strip_prefix('$') {
        let (variable, rest) = file.split_once('/').unwrap_or((file, ""));
        let named = std::env::var_os(variable).map(PathBuf::from);
        let named = named.filter(|named| named.is_absolute())?;
        return Some(if rest.is_empty() { named } else { named.join(rest) });
    }
    let config = || around.config_home();
    if let Some(rest) = file.strip_prefix("{config}/") {
        return Some(config()?.join(rest));
    }
    if let Some(rest) = file.strip_prefix("{app}/").filter(|_| !cfg!(target_os = "macos")) {
        return Some(config()?.join(rest));
    }
    let file = file.replace("{app}", application_support());
    Some(around.home.as_deref()?.join(Path::new(&file).strip_prefix("~").ok()?))
}

impl Shape {
    /// Returns the shape with another table of servers.
    pub(super) fn below(&self, at: Vec<String>) -> Self {
        Self { at, ..self.clone() }
    }

    /// Returns the keys and values of the entry that starts this command line.
    pub(super) fn entry(&self, line: &[String]) -> Vec<(String, Value)> {
        let filled = |value: &Value| match value.as_str() {
            Some("{command}") => Value::from(line[0].as_str()),
            Some("{args}") => Value::from(&line[1..]),
            Some("{line}") => Value::from(line),
            _ => value.clone(),
        };
        self.entry.iter().map(|(key, value)| (key.clone(), filled(value))).collect()
    }

    /// Returns the command line of an entry.
    pub(super) fn line(&self, entry: &Value) -> Option<Vec<String>> {
        let key = |placeholder: &str| {
            let found = self.entry.iter().find(|(_, value)| value.as_str() == Some(placeholder));
            found.map(|(key, _)| &entry[key])
        };
        let words = |value: &Value| {
            let words = value.as_array()?.iter().map(|word| Some(word.as_str()?.to_owned()));
            words.collect::<Option<Vec<_>>>()
        };
        if let Some(line) = key("{line}") {
            return words(line).filter(|line| !line.is_empty());
        }
        let command = key("{command}")?.as_str()?.to_owned();
        let args = key("{args}").filter(|args| !args.is_null()).map_or(Some(Vec::new()), words)?;
        Some([command].into_iter().chain(args).collect())
    }

    /// Returns the entry of the server in the text of a file, in the present form.
    pub(super) fn found(&self, text: &str) -> Result<Option<Value>, Fault> {
        Ok(self.written(text)?.map(|entry| self.present(entry)))
    }

    /// Returns the entry as it is written.
    fn written(&self, text: &str) -> Result<Option<Value>, Fault> {
        let value = text_edit::read(self.format, text)?;
        let keys: Vec<_> = self.at.iter().map(String::as_str).chain([SERVER]).collect();
        Ok(reached(&value, &keys, &[]).filter(|value| !value.is_null()).cloned())
    }

    /// Returns an entry with the keys of its command beside the others.
    fn present(&self, mut entry: Value) -> Value {
        if let (Some(program), Value::Object(command)) = (&self.in_command, &entry["command"]) {
            for (key, value) in command.clone() {
                entry[if key == *program { "command" } else { &key }] = value;
            }
        }
        entry
    }

    /// Returns the text with the entry of the server, which is switched on. Other keys of an entry
    /// that is there already are kept.
    pub(super) fn installed(&self, text: &str, line: &[String]) -> Result<String, Fault> {
        let written = self.written(text)?;
        let now = written.clone().map(|entry| self.present(entry));
        if now.as_ref().is_some_and(|now| self.line(now).is_none()) {
            let message = format!(
                "the entry `{SERVER}` is there and starts no command; rename or remove it first"
            );
            let at = text.find(SERVER).unwrap_or_default();
            return Err(Fault { message, at });
        }
        let (written, now) = (written.unwrap_or_default(), now.unwrap_or_default());
        let switch = off_key(&now).map(|key| (key.to_owned(), Value::from(key == "enabled")));
        let environment = now.get("env").map(|value| ("env".to_owned(), value.clone()));
        let entry = self.entry(line).into_iter().chain(switch).chain(environment);
        self.with(text, entry.filter(|(key, value)| written.get(key) != Some(value)))
    }

    /// Returns the text without the entry of the server.
    pub(super) fn removed(&self, text: &str) -> Result<String, Fault> {
        let path: Vec<_> = self.at.iter().map(String::as_str).chain([SERVER]).collect();
        Ok(text_edit::unset(self.format, text, &path)?.unwrap_or_else(|| text.to_owned()))
    }

    /// Returns the part of a text that [`Self::installed`] may change: nothing of other servers,
    /// whose entries may have secrets, and none of the keys that are kept.
    pub(super) fn own_part(&self, text: &str) -> Result<String, Fault> {
        let Some(now) = self.found(text)? else { return Ok(String::new()) };
        let keys = self.entry.iter().map(|(key, _)| key.as_str()).chain(["enabled", "disabled"]);
        let values = keys.filter_map(|key| Some((key.to_owned(), now.get(key)?.clone())));
        self.with("", values)
    }

    fn with(
        &self,
        text: &str,
        values: impl Iterator<Item = (String, Value)>,
    ) -> Result<String, Fault> {
        values.into_iter().try_fold(text.to_owned(), |text, (key, value)| {
            let path = self.at.iter().map(String::as_str).chain([SERVER, &key]);
            text_edit::set(self.format, &text, &path.collect::<Vec<_>>(), &value)
        })
    }
}

/// Returns the value below some keys, of which `{project}` is one of these folders.
pub(super) fn reached<'v>(
    value: &'v Value,
    keys: &[&str],
    folders: &[String],
) -> Option<&'v Value> {
    keys.iter().try_fold(value, |value, key| match *key {
        "{project}" => folders.iter().find_map(|folder| value.get(folder)),
        key => value.get(key),
    })
}

/// Returns the key by which an entry is switched off.
pub(super) fn off_key(entry: &Value) -> Option<&'static str> {
    let is_off = |(key, off): &(&str, bool)| entry[*key] == *off;
    [("disabled", true), ("enabled", false)].into_iter().find(is_off).map(|(key, _)| key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_whose_skills_are_read_are_written_or_have_a_reason() {
        let names = Surroundings::default().client_skills("").unwrap_err();
        assert!(names.len() > 20, "{names:?}");
        let has_no_reason = |name: &&str| !table().not_written.contains_key(*name);
        let missing = names.into_iter().filter(|name| find(name).is_err()).filter(has_no_reason);
        assert_eq!(missing.collect::<Vec<_>>(), [""; 0]);
    }
}
