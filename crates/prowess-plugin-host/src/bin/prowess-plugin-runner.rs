//! `prowess-plugin-runner` runs one plugin in a separate process. It is started by a host.
#![forbid(unsafe_code)]

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use prowess_plugin_host::{LogLevel, PluginLog, run_process};

fn main() -> ExitCode {
    run_process(Arc::new(StandardError))
}

/// Writes warnings and errors of the plugin to standard error, which the host shows to its user.
struct StandardError;

impl PluginLog for StandardError {
    fn log(&self, plugin: &str, level: LogLevel, target: &str, message: &str) {
        if level <= LogLevel::Warn {
            let message = prowess_text::terminal_line(message);
            // If the stream is closed, the message is lost.
            let _ = writeln!(std::io::stderr(), "plugin {plugin}: {target}: {message}");
        }
    }
}
