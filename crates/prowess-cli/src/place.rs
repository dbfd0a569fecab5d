//! Which skills this place has: the roots that were typed, or those of the machine.

use std::path::PathBuf;

use prowess::source_fs::{project_roots, user_roots};
use prowess::{Runtime, RuntimeBuilder};

use crate::args::Global;
use crate::failure::Failure;

/// The runtime of the roots that were typed or, without any, of the user, the working directory and
/// the embedded skills.
pub(crate) fn runtime(global: &Global) -> Result<Runtime, Failure> {
    Ok(builder(global)?.build()?)
}

/// As [`runtime`], with everything else still to be chosen.
pub(crate) fn builder(global: &Global) -> Result<RuntimeBuilder, Failure> {
    let mut builder = Runtime::builder();
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

/// A path as it is from the file system's root, with no link resolved.
pub(crate) fn absolute(path: &std::path::Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| {
        let message = format!("`{}` cannot be made absolute: {error}", path.display());
        Failure::usage("path-invalid", message, "name an existing folder")
    })
}

fn working_directory() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        let message = format!("the working directory cannot be read: {error}");
        Failure::new("working-directory-unreadable", message, "change to a folder that exists")
    })
}
