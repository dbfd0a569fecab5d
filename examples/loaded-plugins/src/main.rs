//! A host of your own that loads plugins: skills from one, tools from another.
//!
//! `cargo xtask plugins` builds them into a folder, `cargo run -p loaded-plugins -- target/plugins`
//! loads them from there. To write a plugin, read `plugins/README.md` instead.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess::plugin_host::{
    Isolation, LogLevel, Older, PluginError, PluginLoader, PluginLog, PluginPolicy, PluginSettings,
    SignedOffBy, TrustStore, read,
};
use prowess::text::terminal_line;
use prowess::{Clock, Digest, NoAudit, Runtime, SystemClock, ToolCall};
use serde_json::json;

/// The skill that the plugin of skills is configured with.
const SKILL: &str = "---
name: tea
description: Brews tea. Use when somebody is thirsty.
---
Warm the pot first.
";

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args_os().nth(1).ok_or("name the folder of the plugins")?;
    let directory = PathBuf::from(directory).canonicalize()?;
    let file = |name| directory.join(format!("{DLL_PREFIX}prowess_plugin_{name}{DLL_SUFFIX}"));
    let runtime = runtime(&file("memory"), &file("text_tools"))?;
    let session = runtime.open_session()?;
    let turn = runtime.turn(&session)?;
    println!("{}\n", turn.prompt().text);
    let load = ToolCall::new("skills_load", json!({"names": ["tea"]}));
    println!("{:?}\n", turn.call(&load).result.content);
    let arguments = json!({"json": "{\"green\": 2, \"black\": 4}", "query": "/black"});
    println!("{:?}", turn.call(&ToolCall::new("json_query", arguments)).result.content);
    Ok(())
}

/// A runtime with the skills of one plugin and the tools of another.
fn runtime(source: &Path, tools: &Path) -> Result<Runtime, Box<dyn Error>> {
    let loader = loader(&[source, tools])?;
    // The configuration of the plugin, and the layer of its skills. Each plugin has its own
    // schema of that.
    let settings = PluginSettings {
        config: Some(json!({"name": "drinks", "files": {"tea/SKILL.md": SKILL}})),
        layer: Some("user".to_owned()),
        ..PluginSettings::default()
    };
    let source = loader.load_with(source, settings)?;
    let tools = loader.load(tools)?;
    Ok(Runtime::builder().plugin(&source).plugin(&tools).build()?)
}

fn loader(files: &[&Path]) -> Result<PluginLoader, PluginError> {
    let clock = Arc::new(SystemClock::default());
    // A host for many leaves `isolation` at `auto` and names `prowess-plugin-runner`: then a debug
    // build, and what is trusted by a key alone, runs in a process of its own.
    let policy = PluginPolicy { isolation: Isolation::InProcess, ..PluginPolicy::default() };
    Ok(PluginLoader {
        trust: trust(files, &policy, &*clock)?,
        policy,
        staging: std::env::temp_dir(),
        runner: PathBuf::new(),
        runner_arguments: Vec::new(),
        clock,
        log: Arc::new(Printed),
        audit: Arc::new(NoAudit),
    })
}

/// Only trusted files run. This operator trusts the files as they are now; a host keeps that with
/// `TrustStore::write`, and so notices when a file becomes another one.
fn trust(
    files: &[&Path],
    policy: &PluginPolicy,
    clock: &dyn Clock,
) -> Result<TrustStore, PluginError> {
    let mut store = TrustStore::default();
    let witness = SignedOffBy { who: "the operator".to_owned(), when: clock.now() };
    for file in files {
        let (bytes, inspection) = read(file, policy)?;
        store.pin(file, Digest::of(&bytes), &inspection, &witness, Older::Refuse)?;
    }
    Ok(store)
}

/// Prints what plugins have to say.
struct Printed;

impl PluginLog for Printed {
    fn log(&self, plugin: &str, level: LogLevel, target: &str, message: &str) {
        // Escaped, as it is the text of a stranger.
        eprintln!("{plugin}: {level:?}: {target}: {}", terminal_line(message));
    }
}

#[cfg(test)]
mod tests {
    use prowess_testkit::build_plugin;

    use super::*;

    #[test]
    fn both_plugins_are_used() -> Result<(), Box<dyn Error>> {
        let [source, tools] = ["prowess-plugin-memory", "prowess-plugin-text-tools"]
            .map(|package| build_plugin(package).canonicalize());
        let runtime = runtime(&source?, &tools?)?;
        let session = runtime.open_session()?;
        let turn = runtime.turn(&session)?;
        assert!(turn.prompt().text.contains("Brews tea"), "the skill of the one is offered");
        let loaded = turn.call(&ToolCall::new("skills_load", json!({"names": ["tea"]}))).result;
        assert!(!loaded.is_error, "and loaded: {loaded:?}");
        let call = ToolCall::new("json_query", json!({"json": "[1, 2]", "query": "/1"}));
        let answer = turn.call(&call).result.structured;
        assert_eq!(answer, Some(json!(2)), "the tool of the other answers");
        Ok(())
    }
}
