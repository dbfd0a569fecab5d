//! The parameters of a plugin's process.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use prowess_sandbox::{Confinement, DemandedLevel, Limits, Plan, Program, Rights};
use serde_json::Value;

use crate::{PluginError, PluginErrorKind, PluginLimits, PluginRights, SandboxPolicy, Staged};

/// The limits of a plugin's process, which protect the machine: a plugin that needs more is a
/// program of its own.
const LIMITS: Limits = Limits {
    processes: 256,
    file_bytes: 64 << 20,
    // Then the process is replaced.
    cpu_seconds: 3_600,
    memory_bytes: 2 << 30,
    address_space: 2 << 30,
    open_files: 256,
    demanded: Vec::new(),
};

/// The parameters of a plugin's process.
#[derive(Clone)]
pub struct Launch {
    /// The program that calls [`run_process`](crate::run_process).
    pub program: PathBuf,
    /// The program's arguments.
    pub arguments: Vec<OsString>,
    /// The plugin's name, for the trace.
    pub name: String,
    /// The plugin's file as the operator named it, for messages.
    pub file: PathBuf,
    /// The verified bytes.
    pub library: Staged,
    /// The plugin's configuration.
    pub config: Option<Value>,
    /// Limits on time and resources.
    pub limits: PluginLimits,
    /// The required level of confinement.
    pub sandbox: SandboxPolicy,
    /// The rights of the process.
    pub rights: PluginRights,
    /// Whether the plugin's tools have access to the conversation of a call: the verified manifest
    /// names the feature `conversation`.
    pub shows_conversation: bool,
    /// The working directory, to which paths in the configuration and the rights are relative.
    pub directory: PathBuf,
}

impl Launch {
    pub(super) fn failed(&self, kind: PluginErrorKind, reason: String) -> PluginError {
        let help = "report it to its author; its output is on standard error";
        PluginError::failed(kind, &self.file, reason, help)
    }

    pub(super) fn not_started(&self, error: &std::io::Error) -> PluginError {
        let program = self.program.display();
        let reason = format!("cannot be started in a separate process by `{program}`: {error}");
        let help = "install `prowess-plugin-runner` next to this program";
        PluginError::refused(PluginErrorKind::Init, &self.file, reason, help)
    }

    /// Returns the plan of the process and its confinement.
    pub fn plan(&self) -> Plan {
        let stage = Program { path: self.program.clone(), arguments: self.arguments.clone() };
        // Each arena of glibc takes address space, which is limited.
        let environment = [("MALLOC_ARENA_MAX", "2"), ("RUST_BACKTRACE", "0")];
        Plan {
            environment: environment.map(|(name, value)| (name.into(), value.into())).into(),
            directory: self.directory.clone(),
            confinement: self.confinement(),
            start_ms: self.limits.init_ms,
            ..Plan::enter(stage)
        }
    }

    fn confinement(&self) -> Confinement {
        let (level, rights) = (self.level(), self.sandbox_rights());
        Confinement { level, rights, limits: LIMITS }
    }

    /// Returns the required level. A plugin that may start processes needs namespaces, since only
    /// they end those processes with the plugin.
    fn level(&self) -> DemandedLevel {
        match self.sandbox {
            SandboxPolicy::Auto if !self.rights.run.is_empty() => DemandedLevel::Namespaces,
            SandboxPolicy::Auto => DemandedLevel::Best,
            SandboxPolicy::Floor => DemandedLevel::Floor,
            SandboxPolicy::Namespaces => DemandedLevel::Namespaces,
            SandboxPolicy::Off => DemandedLevel::Unconfined,
        }
    }

    fn sandbox_rights(&self) -> Rights {
        let PluginRights { read, write, run, network } = &self.rights;
        let mut read = match read {
            Some(read) => self.absolute(read),
            None => named_paths(self.config.as_ref(), &self.directory),
        };
        // A library that is not in memory is in this directory.
        read.extend(self.library.directory().map(Path::to_owned));
        Rights {
            read,
            write: self.absolute(write),
            execute: self.absolute(run),
            network: *network,
            processes: !run.is_empty(),
            ..Rights::default()
        }
    }

    fn absolute(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        paths.iter().map(|path| self.directory.join(path)).collect()
    }
}

/// Returns the existing files and directories that strings of a configuration name, except the root
/// directory: a string `/` rarely means access to every file.
fn named_paths(config: Option<&Value>, directory: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    collect_paths(config.unwrap_or(&Value::Null), directory, &mut paths);
    paths
}

fn collect_paths(value: &Value, directory: &Path, paths: &mut Vec<PathBuf>) {
    match value {
        Value::String(text) if !text.is_empty() => {
            let path = directory.join(text);
            let is_root = path.parent().is_none();
            if !is_root && path.exists() {
                paths.push(path);
            }
        }
        Value::Array(values) => {
            values.iter().for_each(|value| collect_paths(value, directory, paths));
        }
        Value::Object(fields) => {
            fields.values().for_each(|value| collect_paths(value, directory, paths));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn configuration_grants_paths_that_it_names() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let base = directory.path();
        std::fs::create_dir(base.join("skills")).expect("the directory is writable");
        std::fs::write(base.join("index.zip"), "").expect("the directory is writable");
        let inside = base.join("skills").display().to_string();
        let config = json!({
            "root": inside,
            "list": ["skills", {"file": "./index.zip"}, "missing", "", "/", 1, null],
        });
        let expected = vec![base.join("skills"), base.join("skills"), base.join("./index.zip")];
        assert_eq!(named_paths(Some(&config), base), expected, "only existing paths, not the root");
        assert!(named_paths(None, base).is_empty(), "without a configuration nothing is granted");
    }
}
