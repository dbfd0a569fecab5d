//! The runtime of a command: its policies, its roots and the paths of this machine.

use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use prowess::format::LimitSeverity;
use prowess::source_fs::Surroundings;
use prowess::state::{CurrentTrust, RecordCache, TrustFile};
use prowess::{ConfigError, FolderTrust, NoFolderTrust, Policies, Runtime, RuntimeBuilder};

use crate::args::Global;
use crate::failure::Failure;
use crate::plugins::Loaded;

/// Builds the runtime of the named roots or, without any, of the user, the working directory and
/// the embedded skills.
pub(crate) fn runtime(global: &Global) -> Result<Runtime, Failure> {
    Ok(builder(global)?.build()?)
}

/// Returns a builder of the runtime that [`runtime`] builds.
pub(crate) fn builder(global: &Global) -> Result<RuntimeBuilder, Failure> {
    let policies = policies(global)?;
    let plugins = crate::plugins::load(global, &policies)?;
    builder_with(global, policies, &plugins)
}

/// Returns a builder like [`builder`], with these policies and plugins.
pub(crate) fn builder_with(
    global: &Global,
    policies: Policies,
    loaded: &Loaded,
) -> Result<RuntimeBuilder, Failure> {
    let built_in = crate::plugins::built_in(global, &policies)?;
    let mut builder = Runtime::builder().policies(policies);
    for plugin in &loaded.plugins {
        builder = builder.plugin(plugin);
    }
    for failure in &loaded.failures {
        builder = builder.finding(failure.clone());
    }
    if let Some(loader) = built_in {
        builder = builder.dynamic(loader);
    }
    if let Some(cache) = record_cache().filter(|_| !global.no_cache) {
        builder = builder.record_cache(cache);
    }
    for root in &global.root {
        let directory = absolute(&root.directory)?;
        builder = builder.tree(&root.layer, directory);
    }
    if global.root.is_empty() {
        let surroundings = surroundings()?;
        let trust: Arc<dyn FolderTrust> = match trust_file(&surroundings) {
            Some(file) => Arc::new(CurrentTrust::new(file)),
            None => Arc::new(NoFolderTrust),
        };
        builder = builder.default_skills().discover(surroundings, trust);
    }
    Ok(builder)
}

/// Returns the scan cache of this build of the program; `None` for a user without a home directory.
fn record_cache() -> Option<RecordCache> {
    let program = std::env::current_exe().ok()?.metadata().ok()?;
    let version = env!("CARGO_PKG_VERSION");
    let length = program.len();
    let changed = program.modified().ok()?;
    let directory = machine(None).cache_home()?.join("prowess/records");
    Some(RecordCache::new(directory, format!("prowess {version}, {length} bytes of {changed:?}")))
}

/// Returns the directories of this machine and its user, from the environment.
pub(crate) fn surroundings() -> Result<Surroundings, Failure> {
    Ok(machine(Some(working_directory()?)))
}

fn machine(working_directory: Option<PathBuf>) -> Surroundings {
    let surroundings = Surroundings::new(std::env::home_dir(), working_directory);
    surroundings.with_environment(|name| std::env::var_os(name))
}

/// Returns the file of trusted directories; `None` for a user without a home directory.
pub(crate) fn trust_file(surroundings: &Surroundings) -> Option<TrustFile> {
    Some(TrustFile::new(surroundings.state_home()?.join("prowess/trust.json")))
}

/// Returns whether a source's root exists. Most of the default roots of a machine do not.
pub(crate) fn is_there(root: &str) -> bool {
    !root.starts_with('/') || Path::new(root).exists()
}

/// Returns the policies of the named file or preset, or the standard ones.
pub(crate) fn policies(global: &Global) -> Result<Policies, Failure> {
    let mut policies = written(global)?;
    let of_environment = || std::env::var_os("PROWESS_DYNAMIC").filter(|dir| !dir.is_empty());
    let named = global.dynamic.clone().or_else(|| of_environment().map(PathBuf::from));
    if let Some(directory) = named.or_else(|| policies.plugins.built_in.take()) {
        policies.plugins.built_in = Some(absolute(&directory)?);
    }
    Ok(policies)
}

fn written(global: &Global) -> Result<Policies, Failure> {
    let invalid = |message: String| {
        let help = "see `prowess.example.yaml` for every key with its values";
        Failure::usage("config-invalid", message, help)
    };
    let in_file =
        |file: &Path, error: ConfigError| invalid(format!("`{}`: {error}", file.display()));
    let policies = match (&global.config, &global.preset) {
        (Some(file), _) => {
            let text = config_text(file)?;
            Policies::from_yaml(&text).map_err(|error| in_file(file, error))
        }
        (None, Some(preset)) => {
            Policies::preset(preset).map_err(|error| invalid(error.to_string()))
        }
        (None, None) => Ok(Policies::default()),
    };
    policies.map(warned_of_size)
}

/// The maximum size of a configuration file, in bytes.
const MOST_CONFIG_BYTES: u64 = 1 << 20;

/// Reads the configuration file, which may be a pipe.
fn config_text(file: &Path) -> Result<String, Failure> {
    let unreadable = |reason: String| {
        let message = format!("`{}` cannot be read: {reason}", file.display());
        Failure::usage("config-unreadable", message, "name a configuration file (YAML)")
    };
    let opened = File::open(file).map_err(|error| unreadable(error.to_string()))?;
    let mut text = String::new();
    let read = opened.take(MOST_CONFIG_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| unreadable(error.to_string()))?;
    if text.len() as u64 > MOST_CONFIG_BYTES {
        return Err(unreadable(format!("it is larger than {MOST_CONFIG_BYTES} bytes")));
    }
    Ok(text)
}

/// Turns on the warning about large skills.
fn warned_of_size(mut policies: Policies) -> Policies {
    let severity = &mut policies.registry.limits.body_tokens.severity;
    if *severity == LimitSeverity::Profile {
        *severity = LimitSeverity::Warning;
    }
    policies
}

/// Returns an absolute path. Links are kept as they are, unless the path contains `..`.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    let complete = std::path::absolute(path).map_err(|error| {
        let message = format!("`{}` cannot be made absolute: {error}", path.display());
        Failure::usage("path-invalid", message, "name an existing directory")
    })?;
    if complete.components().any(|part| part == Component::ParentDir) {
        return Ok(complete.canonicalize().unwrap_or(complete));
    }
    Ok(complete)
}

pub(crate) fn working_directory() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        let message = format!("the working directory cannot be read: {error}");
        Failure::new("working-directory-unreadable", message, "change to a directory that exists")
    })
}
