//! The settings of clients that leave out the server, or tools of it.

use std::path::PathBuf;

use serde_json::Value;

use super::client_file::ClientFile;
use super::clients::{Client, Filter, Kind, Scope, reached};
use super::entries::Entry;
use crate::text_edit;

/// The lists about one entry.
pub(super) struct Filters(Vec<List>);

struct List {
    filter: Filter,
    path: PathBuf,
    value: Value,
}

impl Filters {
    /// Reads the lists that there are. A file that cannot be read has none.
    pub(super) fn read(client: &Client, entry: &Entry, folders: &[String]) -> Self {
        let mut lists = Vec::new();
        for filter in &client.filters {
            let Filter(places, keys, kind, _) = filter;
            if *kind == Kind::NotInProject && entry.scope != Scope::Project {
                continue;
            }
            let keys: Vec<_> = keys.split('.').collect();
            let format = entry.shape.format;
            for place in places.split(' ') {
                let path = match place {
                    "entry" => Some(entry.file.path.clone()),
                    "user" => client.file(Scope::User).ok(),
                    place => client.located(place),
                };
                let Some(path) = path else { continue };
                let settings = match place {
                    "entry" => entry.value.clone(),
                    _ => ClientFile::read(path.clone(), None)
                        .ok()
                        .and_then(|file| text_edit::read(format, file.text()).ok())
                        .unwrap_or_default(),
                };
                let value = reached(&settings, &keys, folders).cloned();
                lists.extend(value.map(|value| List { filter: filter.clone(), path, value }));
            }
        }
        Self(lists)
    }

    /// Returns the list that leaves the server out.
    pub(super) fn of_server(&self) -> Option<String> {
        self.first(|filter| (!filter.3.contains("{tool}")).then(|| filter.3.clone()))
    }

    /// Returns the list that leaves a tool of the server out.
    pub(super) fn of_tool(&self, tool: &str) -> Option<String> {
        self.first(|filter| filter.3.contains("{tool}").then(|| filter.3.replace("{tool}", tool)))
    }

    fn first(&self, named: impl Fn(&Filter) -> Option<String>) -> Option<String> {
        let is_it = |list: &&List| {
            named(&list.filter).is_some_and(|name| leaves_out(list.filter.2, &list.value, &name))
        };
        let List { filter, path, .. } = self.0.iter().find(is_it)?;
        let key = filter.1.replace(".{project}", "");
        Some(format!("`{key}` of `{}`", path.display()))
    }
}

fn leaves_out(kind: Kind, value: &Value, name: &str) -> bool {
    if let Value::Object(rules) = value {
        // The most exact one counts.
        let fitting = rules.iter().filter(|(pattern, _)| fits(pattern, name));
        let rule = fitting.max_by_key(|(pattern, _)| pattern.len());
        return rule.is_some_and(|(_, rule)| *rule == false || rule == "deny");
    }
    let Some(list) = value.as_array() else { return false };
    let is_named = list.iter().filter_map(Value::as_str).any(|pattern| fits(pattern, name));
    match kind {
        Kind::Only => !is_named,
        Kind::OnlyIfAny => !is_named && !list.is_empty(),
        Kind::Not | Kind::NotInProject => is_named,
    }
}

/// Returns whether a pattern, in which `*` stands for anything, or one that ends with arguments in
/// brackets, is about a name.
fn fits(pattern: &str, name: &str) -> bool {
    let pattern = pattern.split('(').next().unwrap_or_default();
    let mut parts: Vec<_> = pattern.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    if parts.is_empty() {
        return pattern == name;
    }
    // The first place of each part leaves the most for the rest, so none is tried twice: the file
    // of a project may have any number of stars.
    let Some(mut rest) = name.strip_prefix(parts[0]) else { return false };
    for part in &parts[1..] {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}
