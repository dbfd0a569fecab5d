//! `prowess plugin new`: creates a plugin that builds and passes its tests and `check`.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use prowess::format::SkillName;
use prowess_text::shell_path;
use serde::Serialize;
use serde_json::Value;

use crate::args::{PluginKind, PluginNew, PluginTemplate};
use crate::failure::Failure;
use crate::output::{DIM, ID, Output};
use crate::paths::absolute;
use crate::terminal::plain;

const MANIFEST: &str = include_str!("../../../templates/plugin/Cargo.toml.txt");
const README: &str = include_str!("../../../templates/plugin/README.md.txt");
const SOURCE: &str = include_str!("../../../templates/plugin/source.rs");
const FILES: &str = include_str!("../../../templates/plugin/files.rs");
const TOOLS: &str = include_str!("../../../templates/plugin/tools.rs");
const IGNORED: &str = "/target\n";

/// The SDK's package in a checkout of prowess.
const SDK_IN_CHECKOUT: &str = "crates/prowess-plugin-sdk";

/// The output of `plugin new --format json`.
#[derive(Serialize)]
struct Created {
    name: String,
    kind: PluginKind,
    path: PathBuf,
    files: Vec<&'static str>,
    /// The path of the SDK.
    sdk: String,
    next: Vec<String>,
}

pub(super) fn run(args: &PluginNew, output: &Output) -> Result<ExitCode, Failure> {
    let name = name(&args.name)?;
    let sdk = match &args.sdk {
        Some(named) => sdk(named)?,
        None => sdk_around().ok_or_else(sdk_missing)?,
    };
    if args.kind == PluginKind::Tools && args.template != PluginTemplate::Memory {
        let help = "leave out `--template`, or use `--kind source`";
        return Err(Failure::usage("usage", "plugins of tools have one template", help));
    }
    let path = args.directory.join(&name);
    let files = files(&name, args, &sdk);
    write(&path, &files).map_err(|error| not_written(&path, &error))?;
    let library = library(&name);
    let (with, _) = configured(args);
    let created = Created {
        next: vec![
            format!("cd {}", shell_path(&path)),
            "cargo build && cargo test".to_owned(),
            format!("prowess plugin trust target/debug/{library}"),
            format!("prowess plugin check target/debug/{library}{with}"),
        ],
        files: files.iter().map(|(file, _)| *file).collect(),
        sdk: sdk.display().to_string(),
        kind: args.kind,
        name,
        path,
    };
    output.result(&created, text)?;
    Ok(ExitCode::SUCCESS)
}

/// Checks a name by the rules of skill names, which are stricter than those of cargo.
fn name(name: &str) -> Result<String, Failure> {
    let is_letter = name.starts_with(|first: char| first.is_ascii_lowercase());
    match SkillName::new(name) {
        Ok(name) if is_letter => Ok(name.as_str().to_owned()),
        _ => Err(Failure::usage(
            "name-invalid",
            format!("`{name}` is no name for a plugin"),
            "begin with a letter; use `a` to `z`, `0` to `9` and single hyphens: `team-notes`",
        )),
    }
}

/// Returns the SDK's package, given its directory or that of a checkout.
fn sdk(named: &Path) -> Result<PathBuf, Failure> {
    let path = absolute(named)?;
    let candidates = [path.clone(), path.join(SDK_IN_CHECKOUT)];
    candidates.into_iter().find(|path| is_sdk(path)).ok_or_else(|| {
        let message = format!("there is no `prowess-plugin-sdk` in `{}`", named.display());
        Failure::usage("sdk-not-found", message, "name a checkout of prowess")
    })
}

/// Returns the SDK of the checkout that the working directory is in.
fn sdk_around() -> Option<PathBuf> {
    let directory = std::env::current_dir().ok()?;
    directory.ancestors().map(|parent| parent.join(SDK_IN_CHECKOUT)).find(|path| is_sdk(path))
}

fn is_sdk(path: &Path) -> bool {
    let manifest = fs::read_to_string(path.join("Cargo.toml")).unwrap_or_default();
    manifest.contains("name = \"prowess-plugin-sdk\"")
}

/// Returns the failure for a missing SDK. The SDK is on no registry, so a plugin without its path
/// would not build.
fn sdk_missing() -> Failure {
    let message =
        "a plugin needs the path of `prowess-plugin-sdk`, which no package registry has yet";
    Failure::usage("sdk-required", message, "add `--sdk PATH`, the path of a checkout of prowess")
}

/// Returns the files of a new plugin, by path.
fn files(name: &str, args: &PluginNew, sdk: &Path) -> [(&'static str, String); 4] {
    let text = match (args.kind, args.template) {
        (PluginKind::Source, PluginTemplate::Memory) => SOURCE,
        (PluginKind::Source, PluginTemplate::Files) => FILES,
        (PluginKind::Tools, _) => TOOLS,
    };
    [
        ("Cargo.toml", manifest(name, args, sdk)),
        ("README.md", readme(name, args)),
        ("src/lib.rs", text.to_owned()),
        (".gitignore", IGNORED.to_owned()),
    ]
}

fn manifest(name: &str, args: &PluginNew, sdk: &Path) -> String {
    // A JSON string is a valid TOML string.
    let place = |path: &Path| format!("path = {}", Value::from(path.display().to_string()));
    let json = "serde_json = \"1\"\n";
    let (description, mut dependencies, for_tests) = match args.kind {
        PluginKind::Source => (
            "Skills from a place of your own",
            "serde = { version = \"1\", features = [\"derive\"] }\n".to_owned(),
            json,
        ),
        PluginKind::Tools => ("Tools for models", json.to_owned(), ""),
    };
    if args.template == PluginTemplate::Files {
        let directories = place(&sdk.with_file_name("prowess-dir"));
        dependencies.insert_str(0, &format!("prowess-dir = {{ {directories} }}\n"));
    }
    let place = place(sdk);
    MANIFEST
        .replace("{name}", name)
        .replace("{description}", description)
        .replace("{dependencies}\n", &format!("{dependencies}\n"))
        .replace("{dev_dependencies}\n", &format!("{for_tests}\n"))
        .replace("{sdk}", &format!("{{ {place} }}"))
        .replace("{sdk_for_tests}", &format!("{{ {place}, features = [\"testing\"] }}"))
}

fn readme(name: &str, args: &PluginNew) -> String {
    let (what, try_it) = match args.kind {
        PluginKind::Source => ("it offers skills", "list"),
        PluginKind::Tools => ("it offers tools", "call words_count '{\"text\": \"one two\"}'"),
    };
    let (with, config) = configured(args);
    README
        .replace("{name}", name)
        .replace("{with}", with)
        .replace("{config}", config)
        .replace("{what}", what)
        .replace("{library}", &library(name))
        .replace("{try_it}", try_it)
}

/// Returns the configuration in the commands: of `plugin check`, and of `--plugin`.
fn configured(args: &PluginNew) -> (&'static str, &'static str) {
    match args.template {
        PluginTemplate::Memory => ("", ""),
        PluginTemplate::Files => (
            r#" --with "{\"root\": \"$HOME/.agents/skills\"}""#,
            r#""={\"root\": \"$HOME/.agents/skills\"}""#,
        ),
    }
}

fn library(name: &str) -> String {
    format!("{DLL_PREFIX}{}{DLL_SUFFIX}", name.replace('-', "_"))
}

/// Writes the files. Existing files are never changed.
fn write(path: &Path, files: &[(&'static str, String)]) -> io::Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::create_dir_all(path.join("src"))?;
    for (file, text) in files {
        let mut new = OpenOptions::new();
        new.write(true).create_new(true).open(path.join(file))?.write_all(text.as_bytes())?;
    }
    Ok(())
}

fn not_written(path: &Path, error: &io::Error) -> Failure {
    let path = path.display();
    if error.kind() == io::ErrorKind::AlreadyExists {
        let message = format!("`{path}` is there already; nothing was written");
        return Failure::new("plugin-exists", message, "choose another name or `--directory`");
    }
    let help = "see `--directory` for writing it elsewhere";
    Failure::new("output-failed", format!("`{path}` could not be written: {error}"), help)
}

fn text(created: &Created) -> String {
    let path = plain(&created.path.display().to_string()).into_owned();
    let mut text = format!("{ID}{}{ID:#} was created in {path}\n", created.name);
    for step in &created.next {
        text += &format!("  {DIM}next:{DIM:#} {}\n", plain(step));
    }
    text
}
