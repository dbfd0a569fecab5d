//! The program of a plugin's process: it opens the library that the host passes to it.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use prowess_core::{Clock, Timestamp};

use super::plugin::{ChildPlugin, ChildRequest};
use super::serve::serve_child;
use crate::{
    LoadedCode, LoadedPlugin, PluginError, PluginErrorKind, PluginLog, PluginSetup, inspect,
};

/// Serves one plugin, whose library the host passes over standard input, until the host ends. A
/// runner program does nothing else. `log` receives the plugin's messages in this process.
pub fn run_process(log: Arc<dyn PluginLog>) -> ExitCode {
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

/// The system clock, for a plugin's process.
pub(crate) struct ProcessClock(Instant);

impl Default for ProcessClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for ProcessClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
