//! Packages from npm, installed below `target`, and a Node.js that can run them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{Failure, output, succeed};

/// The oldest version of Node.js that the packages need.
const LEAST: u32 = 22;

/// The Node.js that is installed where the system's is older.
const VERSION: &str = "22.23.3";

/// Packages with the program that runs them.
pub(crate) struct Packages {
    directory: PathBuf,
    node: PathBuf,
}

impl Packages {
    /// Installs these packages, once. No script of a package is run.
    pub(crate) fn install(directory: &Path, packages: &[&str]) -> Result<Self, Failure> {
        let runtime = runtime_package()?;
        let wanted: Vec<_> =
            packages.iter().map(|&name| name.to_owned()).chain(runtime.clone()).collect();
        let installed = directory.join("installed");
        let list = wanted.join("\n");
        if std::fs::read_to_string(&installed).is_ok_and(|found| found == list) {
            return Ok(Self::in_directory(directory, runtime.is_some()));
        }
        std::fs::create_dir_all(directory)?;
        std::fs::write(
            directory.join("package.json"),
            "{\"private\": true, \"type\": \"module\"}\n",
        )?;
        let options =
            ["install", "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--silent"];
        succeed(Command::new("npm").args(options).args(&wanted).current_dir(directory))?;
        std::fs::write(installed, list)?;
        Ok(Self::in_directory(directory, runtime.is_some()))
    }

    fn in_directory(directory: &Path, has_runtime: bool) -> Self {
        let node = if has_runtime {
            let package = format!("node_modules/{}/bin/node", runtime_name());
            directory.join(package)
        } else {
            PathBuf::from("node")
        };
        Self { directory: directory.to_owned(), node }
    }

    /// Returns a command that runs a file of a package, by its path below `node_modules`.
    pub(crate) fn run(&self, file: &str) -> Command {
        let mut command = Command::new(&self.node);
        command.arg(self.directory.join("node_modules").join(file)).current_dir(&self.directory);
        command
    }

    /// Returns a command that runs a module, which finds the packages.
    pub(crate) fn evaluate(&self, module: &str) -> Command {
        let mut command = Command::new(&self.node);
        command.args(["--input-type=module", "--eval", module]).current_dir(&self.directory);
        command
    }
}

/// Returns the package with a Node.js, unless the system's is new enough.
fn runtime_package() -> Result<Option<String>, Failure> {
    let printed = output(Command::new("node").arg("--version"))?.stdout;
    let version = String::from_utf8_lossy(&printed);
    let major =
        version.trim_start_matches('v').split('.').next().and_then(|part| part.parse().ok());
    let is_new = major.is_some_and(|major: u32| major >= LEAST);
    Ok((!is_new).then(|| format!("{}@{VERSION}", runtime_name())))
}

fn runtime_name() -> String {
    let processor = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    format!("node-{}-{processor}", std::env::consts::OS)
}
