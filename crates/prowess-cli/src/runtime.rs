//! The runtime of a command: its policies, sources and cache.

use std::sync::Arc;

use prowess::state::{CurrentTrust, RecordCache};
use prowess::{FolderTrust, NoFolderTrust, Policies, Runtime, RuntimeBuilder};

use crate::args::Global;
use crate::failure::Failure;
use crate::paths::{absolute, machine, surroundings, trust_file};
use crate::plugins::Loaded;
use crate::policies::policies;

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
