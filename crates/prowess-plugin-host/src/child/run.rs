//! The program of a plugin's process: it opens the library that the host passes to it.

use std::io::Write;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use super::clock::ProcessClock;
use super::plugin::{ChildPlugin, ChildRequest};
use super::serve::serve_child;
use crate::{
    LoadedCode, LoadedPlugin, LogLevel, PluginError, PluginErrorKind, PluginLog, PluginSetup,
    inspect,
};

/// Serves one plugin, whose library the host passes over standard input, until the host ends. A
/// runner program does nothing else. Warnings and errors of the plugin are written to standard
/// error.
pub fn run_process() -> ExitCode {
    run_process_with(Arc::new(StandardError))
}

/// As [`run_process`]; `log` receives the plugin's messages in this process.
pub fn run_process_with(log: Arc<dyn PluginLog>) -> ExitCode {
    serve_child(|request| open(request, log))
}

fn open(request: ChildRequest, log: Arc<dyn PluginLog>) -> Result<ChildPlugin, PluginError> {
    let ChildRequest { library, file, config, limits } = request;
    let code = open_library(library, &file)?;
    let setup = PluginSetup {
        config: config.unwrap_or_default(),
        limits,
        generations: 0,
        clock: Arc::new(ProcessClock::default()),
        log,
    };
    let plugin = LoadedPlugin::start_without_timeouts(code, setup)?;
    Ok(ChildPlugin { sources: plugin.sources(), tools: plugin.tools() })
}

/// Opens the library that the host passed to this process.
///
/// # Errors
///
/// Returns an error if the library cannot be read or opened.
pub(crate) fn open_library(library: OwnedFd, file: &Path) -> Result<LoadedCode, PluginError> {
    let path = PathBuf::from(format!("/proc/self/fd/{}", library.as_raw_fd()));
    // The loader identifies libraries by path, so the descriptor stays open until the process ends.
    std::mem::forget(library);
    let bytes = std::fs::read(&path).map_err(|error| {
        let reason = format!("cannot be read by its process: {error}");
        let help = "mount `/proc` where plugins run, or run the plugin in the host";
        PluginError::refused(PluginErrorKind::Staging, file, reason, help)
    })?;
    let manifest = inspect(file, &bytes)?.manifest;
    drop(bytes);
    LoadedCode::open_path(file, &path, &manifest)
}

/// Writes warnings and errors of the plugin to standard error.
struct StandardError;

impl PluginLog for StandardError {
    fn log(&self, plugin: &str, level: LogLevel, target: &str, message: &str) {
        // The host forwards standard error to its user, so other levels are dropped.
        if level <= LogLevel::Warn {
            let message = prowess_text::terminal_line(message);
            // If the stream is closed, the message is lost.
            let _ = writeln!(std::io::stderr(), "plugin {plugin}: {target}: {message}");
        }
    }
}
