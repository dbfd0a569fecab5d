//! The executables of the tests, as cargo builds them.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::process::{Failure, artifacts, without_own_variables};
use crate::selection::Selection;

#[derive(Debug)]
pub(crate) struct Executable {
    package: String,
    target: String,
    program: PathBuf,
    /// The directory of the package, in which its tests run.
    directory: PathBuf,
}

impl Executable {
    /// Reads the message of cargo about an artifact, if that is an executable with tests.
    pub(crate) fn read(artifact: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let program = text(&artifact["executable"])?;
        if artifact["profile"]["test"] != true {
            return None;
        }
        let directory = PathBuf::from(text(&artifact["manifest_path"])?).parent()?.to_owned();
        let id = text(&artifact["package_id"])?;
        Some(Self {
            package: package_name(&id, &directory)?,
            target: text(&artifact["target"]["name"])?,
            program: program.into(),
            directory,
        })
    }

    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.package, self.target)
    }

    /// Returns the command that runs all of its tests, with the variables that cargo sets.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        without_own_variables(&mut command);
        command.current_dir(&self.directory).env("CARGO_MANIFEST_DIR", &self.directory);
        command.env("CARGO_PKG_NAME", &self.package);
        command
    }

    pub(crate) fn target(&self) -> &str {
        &self.target
    }

    fn size(&self) -> u64 {
        std::fs::metadata(&self.program).map_or(0, |metadata| metadata.len())
    }
}

/// Builds everything that tests run or open, and returns the executables of these packages, or all.
/// The largest come first, because they take longest.
pub(crate) fn build(selection: Selection, packages: &[&str]) -> Result<Vec<Executable>, Failure> {
    let format = ["--message-format", "json-render-diagnostics"];
    let targets = ["build", "--lib", "--bins", "--examples", "--tests"];
    let mut arguments = [&targets[..], &format].concat();
    // `.ci/run` shows the times of crates.
    arguments.extend(std::env::var_os("XTASK_TIMINGS").map(|_| "--timings"));
    let mut built = artifacts(&selection.cargo(&arguments))?;
    if selection == Selection::Tested {
        let own = ["build", "--package", "xtask", "--tests"];
        built.extend(artifacts(&[&own[..], &format].concat())?);
    }
    let mut executables: Vec<_> = built.iter().filter_map(Executable::read).collect();
    let is_selected = |name: &str| packages.is_empty() || packages.contains(&name);
    executables.retain(|executable| is_selected(&executable.package));
    if executables.is_empty() {
        return Err(Failure(format!("no tests of {}", packages.join(", "))));
    }
    executables.sort_by_key(|executable| std::cmp::Reverse(executable.size()));
    Ok(executables)
}

/// Returns the name in a package id: `path+file:///top/crates/low#0.1.0` has that of the directory,
/// `path+file:///top/crates/low#name@0.1.0` another one.
fn package_name(id: &str, directory: &Path) -> Option<String> {
    let (_, fragment) = id.split_once('#')?;
    match fragment.split_once('@') {
        Some((name, _)) => Some(name.to_owned()),
        None => Some(directory.file_name()?.to_str()?.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn artifact_without_tests_is_left_out() {
        let mut artifact = json!({
            "package_id": "path+file:///top/crates/low#0.1.0",
            "manifest_path": "/top/crates/low/Cargo.toml",
            "target": { "name": "it" },
            "profile": { "test": true },
            "executable": "/top/target/debug/deps/it-1",
        });
        let name = |artifact: &Value| Executable::read(artifact).map(|it| it.name());
        assert_eq!(name(&artifact).as_deref(), Some("low it"));
        artifact["package_id"] = json!("path+file:///top/plugins/own#prowess-plugin-own@0.1.0");
        assert_eq!(name(&artifact).as_deref(), Some("prowess-plugin-own it"));
        artifact["profile"]["test"] = json!(false);
        assert_eq!(name(&artifact), None, "a program has no tests");
        artifact["profile"]["test"] = json!(true);
        artifact["executable"] = Value::Null;
        assert_eq!(name(&artifact), None, "a library is no executable");
    }
}
