//! `prowess plugin list`: the plugins in the plugin directories.

use std::fmt::Write as _;
use std::path::PathBuf;

use prowess::Digest;
use prowess::plugin_host::{self, Listed, PluginPolicy};
use serde::Serialize;

use super::{Verdict, trusted};
use crate::failure::Failure;
use crate::output::{DIM, ID, Output, counted};
use crate::plugins::PluginPaths;
use crate::terminal::{fitted, plain, width};

/// The output of `plugin list --format json`.
#[derive(Serialize)]
struct Plugins {
    directories: Vec<PathBuf>,
    plugins: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    file: PathBuf,
    name: Option<String>,
    version: Option<String>,
    description: Option<String>,
    kinds: Vec<String>,
    digest: Option<Digest>,
    #[serde(flatten)]
    verdict: Verdict,
}

pub(super) fn run(
    policy: &PluginPolicy,
    paths: &PluginPaths,
    output: &Output,
) -> Result<(), Failure> {
    let trust = trusted(paths)?;
    let listed = plugin_host::list(policy, &trust).map_err(|error| {
        Failure::new("plugin-directory-unreadable", error.to_string(), "name folders of plugins")
    })?;
    let directories = policy.directories.clone();
    let plugins = listed.into_iter().map(Entry::from).collect();
    output.result(&Plugins { directories, plugins }, text)
}

impl From<Listed> for Entry {
    fn from(listed: Listed) -> Self {
        let verdict = Verdict::new(&listed.verdict);
        let manifest = listed.inspection.map(|inspection| inspection.manifest);
        Self {
            file: listed.file,
            name: manifest.as_ref().map(|manifest| manifest.name.clone()),
            version: manifest.as_ref().map(|manifest| manifest.version.clone()),
            description: manifest.as_ref().map(|manifest| manifest.description.clone()),
            kinds: manifest.map(|manifest| manifest.kinds).unwrap_or_default(),
            digest: listed.digest,
            verdict,
        }
    }
}

fn text(listed: &Plugins) -> String {
    let mut text = String::new();
    for plugin in &listed.plugins {
        let file = plugin.file.display().to_string();
        let name = plugin.name.as_deref().unwrap_or("?");
        let version = plugin.version.as_deref().unwrap_or_default();
        let name = plain(name);
        let version = plain(version);
        let used = width(&name) + width(&version) + 3;
        let description = fitted(plugin.description.as_deref().unwrap_or_default(), used);
        let _ = writeln!(text, "{ID}{name}{ID:#} {version}  {description}");
        let _ = writeln!(text, "  {DIM}{}{DIM:#}", plain(&file));
        let _ = writeln!(text, "  {}: {}", plugin.verdict.verdict, plain(&plugin.verdict.reason));
        if let Some(help) = &plugin.verdict.help {
            let _ = writeln!(text, "  {DIM}help:{DIM:#} {}", plain(help));
        }
    }
    let directories: Vec<_> =
        listed.directories.iter().map(|directory| directory.display().to_string()).collect();
    let count = counted(listed.plugins.len(), "plugin");
    let _ = writeln!(text, "{count} in {}", plain(&directories.join(", ")));
    text
}
