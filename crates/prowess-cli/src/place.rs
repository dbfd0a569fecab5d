//! Which skills this place has: the roots that were typed, or those of the machine.

use std::path::{Component, Path, PathBuf};

use prowess::source_fs::{project_roots, user_roots};
use prowess::{ConfigError, Policies, Runtime, RuntimeBuilder};

use crate::args::Global;
use crate::failure::Failure;

/// The runtime of the roots that were typed or, without any, of the user, the working directory and
/// the embedded skills.
pub(crate) fn runtime(global: &Global) -> Result<Runtime, Failure> {
    Ok(builder(global)?.build()?)
}

/// As [`runtime`], with everything else still to be chosen.
pub(crate) fn builder(global: &Global) -> Result<RuntimeBuilder, Failure> {
    let mut builder = Runtime::builder().policies(policies(global)?);
    for root in &global.root {
        builder = builder.tree(&root.layer, absolute(&root.directory)?);
    }
    if global.root.is_empty() {
        builder = builder.default_skills();
        for root in std::env::home_dir().iter().flat_map(|home| user_roots(home)) {
            builder = builder.skills_directory("user", root);
        }
        for root in project_roots(&working_directory()?) {
            builder = builder.skills_directory("project", root);
        }
    }
    Ok(builder)
}

/// The policies of the file or preset that was named, or the standard ones.
pub(crate) fn policies(global: &Global) -> Result<Policies, Failure> {
    let invalid = |error: ConfigError| {
        let help = "see the documentation of `prowess::Policies` for the fields and their defaults";
        Failure::usage("config-invalid", error.to_string(), help)
    };
    match (&global.config, &global.preset) {
        (Some(file), _) => {
            let text = std::fs::read_to_string(file).map_err(|error| {
                let message = format!("`{}` cannot be read: {error}", file.display());
                Failure::usage("config-unreadable", message, "name a file of policies")
            })?;
            Policies::from_yaml(&text).map_err(invalid)
        }
        (None, Some(preset)) => Policies::preset(preset).map_err(invalid),
        (None, None) => Ok(Policies::default()),
    }
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
