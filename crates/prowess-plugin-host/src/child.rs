//! A plugin in a process of its own.
//!
//! In the host's process nothing holds back a plugin that aborts, exits, overflows its stack, hangs or
//! takes all memory. Here it takes its own process along and no more: the host gets an error that says
//! what happened, begins the plugin again after a while, and leaves it alone if that happens too often.
//! The source and the tools are those of the core, so nobody else can tell.

mod alone;
mod batch;
mod broken;
mod confine;
mod connection;
mod failures;
pub(crate) mod frame;
pub(crate) mod handover;
mod places;
mod process;
mod protocol;
mod remote;
mod run;
mod scan;
mod serve;
mod server;
mod supervisor;
mod tools;
mod watches;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::{PluginError, PluginErrorKind, PluginLimits, Staged};

pub(crate) use alone::ProcessClock;
pub(crate) use confine::{bounds, take_socket};
pub(crate) use process::died;
pub use remote::{ProcessPlugin, start_process};
pub(crate) use run::open_library;
pub use run::{run_process, run_process_with};
pub use serve::{ChildPlugin, ChildRequest, serve_child};

/// What a plugin's process is started with.
pub struct Launch {
    /// The program that calls [`serve_child`].
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The plugin's file as the operator knows it, for messages.
    pub file: PathBuf,
    /// The verified bytes.
    pub library: Staged,
    /// The plugin's configuration.
    pub config: Option<Value>,
    /// How long and how much.
    pub limits: PluginLimits,
}

impl Launch {
    /// The same for another build of the plugin.
    fn with(&self, library: Staged) -> Self {
        let Self { program, arguments, file, config, limits, .. } = self;
        Self {
            program: program.clone(),
            arguments: arguments.clone(),
            file: file.clone(),
            library,
            config: config.clone(),
            limits: limits.clone(),
        }
    }

    fn failed(&self, kind: PluginErrorKind, reason: String) -> PluginError {
        let help = "tell its author; what it printed stands on standard error";
        PluginError::failed(kind, &self.file, reason, help)
    }

    fn not_started(&self, error: &std::io::Error) -> PluginError {
        let program = self.program.display();
        let reason = format!("cannot be given a process by `{program}`: {error}");
        let help = "install `prowess-plugin-runner` beside this program";
        PluginError::refused(PluginErrorKind::Init, &self.file, reason, help)
    }
}

/// What is behind these locks is whole at each moment, also after a panic.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
