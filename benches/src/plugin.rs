//! Loads plugins that were built just now.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_core::{Digest, NoAudit};
use prowess_plugin_host::{
    NoLog, Older, PluginLoader, PluginPolicy, SignedOffBy, TrustStore, inspect,
};
use prowess_testkit::ManualClock;

use crate::corpus::LATER;

/// A loader that trusts nothing yet. The program that runs plugins in processes of their own is
/// built next to this one.
pub fn loader(policy: PluginPolicy, staging: PathBuf) -> PluginLoader {
    let program = std::env::current_exe().expect("the program knows itself");
    PluginLoader {
        policy,
        trust: TrustStore::default(),
        staging,
        runner: program.with_file_name("prowess-plugin-runner"),
        runner_arguments: Vec::new(),
        clock: Arc::new(ManualClock::at(LATER)),
        log: Arc::new(NoLog),
        audit: Arc::new(NoAudit),
    }
}

/// Trusts these bytes of a file.
///
/// # Errors
///
/// They are no plugin.
pub fn trust(
    loader: &mut PluginLoader,
    file: &Path,
    bytes: &[u8],
) -> Result<(), Box<dyn std::error::Error>> {
    let witness = SignedOffBy { who: "the benchmark".into(), when: LATER };
    let inspection = inspect(file, bytes)?;
    loader.trust.pin(file, Digest::of(bytes), &inspection, &witness, Older::Refuse)?;
    Ok(())
}
