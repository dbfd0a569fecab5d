//! Everything that a plugin's process is started with.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use prowess_sandbox::{Confinement, DemandedLevel, Limits, Plan, Program, Rights};
use serde_json::Value;

use crate::{PluginError, PluginErrorKind, PluginLimits, PluginRights, SandboxPolicy, Staged};

/// Everything that a plugin's process is started with.
pub struct Launch {
    /// The program that calls [`run_process`](crate::run_process).
    pub program: PathBuf,
    /// The program's arguments.
    pub arguments: Vec<OsString>,
    /// The plugin's name, for the trace.
    pub name: String,
    /// The plugin's file as the operator knows it, for messages.
    pub file: PathBuf,
    /// The verified bytes.
    pub library: Staged,
    /// The plugin's configuration.
    pub config: Option<Value>,
    /// Limits on time and resources.
    pub limits: PluginLimits,
    /// The level at which the process is confined.
    pub sandbox: SandboxPolicy,
    /// The rights of the process.
    pub rights: PluginRights,
    /// Whether the plugin's tools see the conversation that they are called in: its verified
    /// manifest names the feature `conversation`.
    pub shows_conversation: bool,
    /// The working directory, which relative paths of the configuration and the rights start from.
    pub directory: PathBuf,
}

impl Launch {
    /// Returns the same for another build of the plugin.
    pub(super) fn with(&self, library: Staged) -> Self {
        Self {
            program: self.program.clone(),
            arguments: self.arguments.clone(),
            name: self.name.clone(),
            file: self.file.clone(),
            library,
            config: self.config.clone(),
            limits: self.limits.clone(),
            sandbox: self.sandbox,
            rights: self.rights.clone(),
            shows_conversation: self.shows_conversation,
            directory: self.directory.clone(),
        }
    }

    pub(super) fn failed(&self, kind: PluginErrorKind, reason: String) -> PluginError {
        let help = "report it to its author; its output is on standard error";
        PluginError::failed(kind, &self.file, reason, help)
    }

    pub(super) fn not_started(&self, error: &std::io::Error) -> PluginError {
        let program = self.program.display();
        let reason = format!("cannot be started in a process of its own by `{program}`: {error}");
        let help = "install `prowess-plugin-runner` next to this program";
        PluginError::refused(PluginErrorKind::Init, &self.file, reason, help)
    }

    /// Returns the process and its confinement.
    pub fn plan(&self) -> Plan {
        let stage = Program { path: self.program.clone(), arguments: self.arguments.clone() };
        // Each of glibc's arenas takes address space, and there is a limit on that.
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
        Confinement { level: self.level(), rights: self.sandbox_rights(), limits: self.limits() }
    }

    /// Returns the demanded level. Processes that a plugin starts end with it only in namespaces.
    fn level(&self) -> DemandedLevel {
        match self.sandbox {
            SandboxPolicy::Auto if !self.rights.run.is_empty() => DemandedLevel::Namespaces,
            SandboxPolicy::Auto => DemandedLevel::Best,
            SandboxPolicy::Floor => DemandedLevel::Floor,
            SandboxPolicy::Namespaces => DemandedLevel::Namespaces,
            SandboxPolicy::Off => DemandedLevel::Unconfined,
        }
    }

    fn limits(&self) -> Limits {
        let PluginLimits { processes, file_bytes, cpu_seconds, address_space, open_files, .. } =
            self.limits;
        Limits { processes, file_bytes, cpu_seconds, address_space, open_files }
    }

    fn sandbox_rights(&self) -> Rights {
        let PluginRights { read, write, run, network } = &self.rights;
        let mut read = match read {
            Some(read) => self.absolute(read),
            None => named_paths(self.config.as_ref(), &self.directory),
        };
        // Bytes that could not be kept in memory lie in a directory.
        read.extend(self.library.directory().map(Path::to_owned));
        Rights {
            read,
            write: self.absolute(write),
            execute: self.absolute(run),
            network: *network,
            processes: !run.is_empty(),
            private_tmp: false,
        }
    }

    fn absolute(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        paths.iter().map(|path| self.directory.join(path)).collect()
    }
}

/// Returns the existing files and directories that texts of a configuration name. The root
/// directory has to be granted in so many words: a text `/` is seldom meant as everything.
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
    fn configuration_grants_what_it_names() {
        let directory = tempfile::tempdir().expect("there is room");
        let base = directory.path();
        std::fs::create_dir(base.join("skills")).expect("there is room");
        std::fs::write(base.join("index.zip"), "").expect("there is room");
        let inside = base.join("skills").display().to_string();
        let config = json!({
            "root": inside,
            "list": ["skills", {"file": "./index.zip"}, "missing", "", "/", 1, null],
        });
        let expected = vec![base.join("skills"), base.join("skills"), base.join("./index.zip")];
        assert_eq!(named_paths(Some(&config), base), expected, "and nothing else");
        assert!(named_paths(None, base).is_empty(), "no configuration names nothing");
    }
}
