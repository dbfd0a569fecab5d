//! Packages for Python, installed below `target`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{Failure, succeed};
use crate::root;

/// The program that installs packages, which takes a tenth of the time of pip.
const UV: &str = "uv==0.13.8";

/// Returns a Python with these packages in a directory. They are installed once.
pub(crate) fn environment(directory: &Path, packages: &[&str]) -> Result<PathBuf, Failure> {
    once(directory, packages, || {
        let uv = uv()?;
        // A wheel that several environments have is stored once, and linked.
        let cache = root().join("target/python/cache");
        let run = |arguments: &[&str]| {
            let mut command = Command::new(&uv);
            command.env("UV_CACHE_DIR", &cache).env("UV_PYTHON_DOWNLOADS", "never");
            command.args(arguments);
            command
        };
        succeed(run(&["venv", "--quiet", "--clear", "--python", "python3"]).arg(directory))?;
        let install = &["pip", "install", "--quiet", "--python"];
        succeed(run(install).arg(python_in(directory)).args(packages))?;
        Ok(())
    })
}

/// Returns the program `uv`, which pip installs once.
pub(crate) fn uv() -> Result<PathBuf, Failure> {
    let directory = root().join("target/python/uv");
    let python = once(&directory, &[UV], || {
        succeed(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&directory))?;
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", UV];
        succeed(Command::new(python_in(&directory)).args(pip))?;
        Ok(())
    })?;
    Ok(python.with_file_name("uv"))
}

/// Installs packages, unless they are those that were installed before, and returns their Python.
fn once(
    directory: &Path,
    packages: &[&str],
    install: impl FnOnce() -> Result<(), Failure>,
) -> Result<PathBuf, Failure> {
    let installed = directory.join("installed");
    let wanted = packages.join("\n");
    if !std::fs::read_to_string(&installed).is_ok_and(|found| found == wanted) {
        std::fs::create_dir_all(directory)?;
        install()?;
        std::fs::write(installed, wanted)?;
    }
    Ok(python_in(directory))
}

fn python_in(directory: &Path) -> PathBuf {
    directory.join("bin/python")
}
