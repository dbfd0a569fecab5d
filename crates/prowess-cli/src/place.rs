//! Which skills this place has: the roots that were typed, or those of the machine.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use prowess::format::LimitSeverity;
use prowess::plugin_host::Plugin;
use prowess::source_fs::Surroundings;
use prowess::state::{CurrentTrust, RecordCache, TrustFile};
use prowess::{ConfigError, FolderTrust, NoFolderTrust, Policies, Runtime, RuntimeBuilder};

use crate::args::Global;
use crate::failure::Failure;

/// The runtime of the roots that were typed or, without any, of the user, the working directory and
/// the embedded skills.
pub(crate) fn runtime(global: &Global) -> Result<Runtime, Failure> {
    Ok(builder(global)?.build()?)
}

/// As [`runtime`], with everything else still to be chosen.
pub(crate) fn builder(global: &Global) -> Result<RuntimeBuilder, Failure> {
    let policies = policies(global)?;
    let plugins = crate::plugins::load(global, &policies)?;
    builder_with(global, policies, &plugins)
}

/// As [`builder`], with these policies and plugins.
pub(crate) fn builder_with(
    global: &Global,
    policies: Policies,
    plugins: &[Plugin],
) -> Result<RuntimeBuilder, Failure> {
    let built_in = crate::plugins::built_in(global, &policies)?;
    let mut builder = Runtime::builder().policies(policies);
    for plugin in plugins {
        builder = builder.plugin(plugin);
    }
    if let Some(loader) = built_in {
        builder = builder.dynamic(loader);
    }
    if let Some(cache) = record_cache().filter(|_| !global.no_cache) {
        builder = builder.record_cache(cache);
    }
    for root in &global.root {
        builder = builder.tree(&root.layer, absolute(&root.directory)?);
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

/// Where what scans find is kept, for this very build of the program; `None` for a user without a
/// home.
fn record_cache() -> Option<RecordCache> {
    let program = std::env::current_exe().ok()?.metadata().ok()?;
    let (version, length, changed) =
        (env!("CARGO_PKG_VERSION"), program.len(), program.modified().ok()?);
    let directory = machine(None).cache_home()?.join("prowess/records");
    Some(RecordCache::new(directory, format!("prowess {version}, {length} bytes of {changed:?}")))
}

/// What the environment says of the machine and its user.
pub(crate) fn surroundings() -> Result<Surroundings, Failure> {
    Ok(machine(Some(working_directory()?)))
}

fn machine(working_directory: Option<PathBuf>) -> Surroundings {
    let surroundings = Surroundings::new(std::env::home_dir(), working_directory);
    surroundings.with_environment(|name| std::env::var_os(name))
}

/// Where it is written which folders the user trusts; `None` for a user without a home.
pub(crate) fn trust_file(surroundings: &Surroundings) -> Option<TrustFile> {
    Some(TrustFile::new(surroundings.state_home()?.join("prowess/trust.json")))
}

/// Whether a source's root is more than a place where skills may lie one day, as most of a machine's
/// are.
pub(crate) fn is_there(root: &str) -> bool {
    !root.starts_with('/') || Path::new(root).exists()
}

/// The policies of the file or preset that was named, or the standard ones.
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
            let text = std::fs::read_to_string(file).map_err(|error| {
                let message = format!("`{}` cannot be read: {error}", file.display());
                Failure::usage("config-unreadable", message, "name a file of policies")
            })?;
            Policies::from_yaml(&text).map_err(|error| in_file(file, error))
        }
        (None, Some(preset)) => {
            Policies::preset(preset).map_err(|error| invalid(error.to_string()))
        }
        (None, None) => Ok(Policies::default()),
    };
    policies.map(warned_of_size)
}

/// People are told of a skill that costs too much when they list it; a system call more for each skill is
/// nothing to them.
fn warned_of_size(mut policies: Policies) -> Policies {
    let severity = &mut policies.registry.limits.body_tokens.severity;
    if *severity == LimitSeverity::Profile {
        *severity = LimitSeverity::Warning;
    }
    policies
}

/// A path as it is from the file system's root. Links stay as they were typed, unless a `..` asks what
/// they lead to.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    let complete = std::path::absolute(path).map_err(|error| {
        let message = format!("`{}` cannot be made absolute: {error}", path.display());
        Failure::usage("path-invalid", message, "name an existing folder")
    })?;
    if complete.components().any(|part| part == Component::ParentDir) {
        return Ok(complete.canonicalize().unwrap_or(complete));
    }
    Ok(complete)
}

pub(crate) fn working_directory() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        let message = format!("the working directory cannot be read: {error}");
        Failure::new("working-directory-unreadable", message, "change to a folder that exists")
    })
}
