//! `prowess plugin list`: the plugins in the plugin directories.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use prowess::Digest;
use prowess::plugin_host::{self, Listed, PluginPolicy};
use serde::Serialize;

use super::{Verdict, trusted};
use crate::args::Global;
use crate::commands::config::{adding, in_yaml};
use crate::failure::Failure;
use crate::output::{DIM, ID, Output, counted};
use crate::plugins::PluginPaths;
use crate::terminal::{columns_behind, fitted, plain, width, wrapped};

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
    /// Whether commands load it.
    loaded: bool,
    /// The command that makes them load it.
    load: Option<String>,
    #[serde(flatten)]
    verdict: Verdict,
}

pub(super) fn run(
    global: &Global,
    policy: &PluginPolicy,
    paths: &PluginPaths,
    output: &Output,
) -> Result<(), Failure> {
    let trust = trusted(paths)?;
    let listed = plugin_host::list(policy, &trust).map_err(|error| {
        Failure::new("plugin-directory-unreadable", error.to_string(), "name folders of plugins")
    })?;
    let directories = policy.directories.clone();
    let named = global.skills.plugin.iter().map(|plugin| plugin.file.as_path());
    let loaded: Vec<_> = policy.load.iter().map(PathBuf::as_path).chain(named).collect();
    let plugins = listed.into_iter().map(|listed| Entry::new(listed, &loaded)).collect();
    output.result(&Plugins { directories, plugins }, text)
}

impl Entry {
    /// Returns the entry of a file, if these are loaded.
    fn new(listed: Listed, loaded: &[&Path]) -> Self {
        let verdict = Verdict::new(&listed.verdict);
        let real = |path: &Path| path.canonicalize().ok();
        let own = real(&listed.file);
        let loaded = loaded.iter().any(|path| *path == listed.file || real(path) == own);
        let may_load = !loaded && verdict.help.is_none();
        let manifest = listed.inspection.map(|inspection| inspection.manifest);
        Self {
            load: may_load
                .then(|| adding("plugins.load", &[in_yaml(&listed.file.to_string_lossy())])),
            loaded,
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
        let state = if plugin.loaded || plugin.load.is_none() { "" } else { ", and is not loaded" };
        let reason = plain(&plugin.verdict.reason);
        let verdict = format!("{}: {reason}{state}", plugin.verdict.verdict);
        let _ = writeln!(text, "  {}", wrapped(&verdict, columns_behind(2), 4));
        if let Some(load) = &plugin.load {
            // A command is copied as a whole.
            let _ = writeln!(text, "  {DIM}to load it:{DIM:#}\n    {}", plain(load));
        }
        if let Some(help) = &plugin.verdict.help {
            let help = wrapped(&plain(help), columns_behind(8), 8);
            let _ = writeln!(text, "  {DIM}help:{DIM:#} {help}");
        }
    }
    let directories: Vec<_> =
        listed.directories.iter().map(|directory| directory.display().to_string()).collect();
    let count = counted(listed.plugins.len(), "plugin");
    let _ = writeln!(text, "{count} in {}", plain(&directories.join(", ")));
    text
}
