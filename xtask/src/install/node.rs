//! Packages from npm, installed below `target`, and a Node.js that can run them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{Failure, output, succeed};
use crate::root;

/// The oldest version of Node.js that the packages need.
const LEAST: u32 = 22;

/// The Node.js that is installed where the system's is older.
const VERSION: &str = "22.23.3";

pub(crate) struct Packages {
    pub(crate) directory: PathBuf,
    pub(crate) node: PathBuf,
}

impl Packages {
    /// Installs these packages, once. No script of a package is run.
    pub(crate) fn install(directory: &Path, packages: &[&str]) -> Result<Self, Failure> {
        install(directory, packages)?;
        Ok(Self { directory: directory.to_owned(), node: node()? })
    }

    /// Returns a command that runs a file of a package, by its path below `node_modules`, or any
    /// file, by its absolute path.
    pub(crate) fn run(&self, file: impl AsRef<Path>) -> Command {
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

/// Installs packages, unless they are those that were installed before.
fn install(directory: &Path, packages: &[&str]) -> Result<(), Failure> {
    let installed = directory.join("installed");
    let wanted = packages.join("\n");
    if std::fs::read_to_string(&installed).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    std::fs::create_dir_all(directory)?;
    std::fs::write(directory.join("package.json"), "{\"private\": true, \"type\": \"module\"}\n")?;
    let options =
        ["install", "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--silent"];
    succeed(Command::new("npm").args(options).args(packages).current_dir(directory))?;
    std::fs::write(installed, wanted)?;
    Ok(())
}

/// Returns the system's Node.js, or one that is installed below `target` if that is too old.
fn node() -> Result<PathBuf, Failure> {
    let printed = output(Command::new("node").arg("--version"))?.stdout;
    let version = String::from_utf8_lossy(&printed);
    let major =
        version.trim_start_matches('v').split('.').next().and_then(|part| part.parse().ok());
    if major.is_some_and(|major: u32| major >= LEAST) {
        return Ok(PathBuf::from("node"));
    }
    let directory = root().join("target/node");
    let package = runtime_name();
    install(&directory, &[&format!("{package}@{VERSION}")])?;
    Ok(directory.join(format!("node_modules/{package}/bin/node")))
}

fn runtime_name() -> String {
    let processor = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    format!("node-{}-{processor}", std::env::consts::OS)
}
