//! Plugins as files, built for tests.

use std::collections::HashSet;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Builds a package of this workspace whose library is a `cdylib`, and says where it lies.
///
/// Each is built once in a run. It goes into a target directory of its own, because a cargo that waits for
/// the tests holds the lock of the usual one.
///
/// # Panics
///
/// It cannot be built; the message has what cargo says.
pub fn build_plugin(package: &str) -> PathBuf {
    let file = format!("{DLL_PREFIX}{}{DLL_SUFFIX}", package.replace('-', "_"));
    build(&["--package", package, "--lib"]).join(file)
}

/// As [`build_plugin`], for an example of `package` whose crate type is `cdylib`.
///
/// # Panics
///
/// It cannot be built; the message has what cargo says.
pub fn build_plugin_example(package: &str, example: &str) -> PathBuf {
    let file = format!("{DLL_PREFIX}{}{DLL_SUFFIX}", example.replace('-', "_"));
    build(&["--package", package, "--example", example]).join("examples").join(file)
}

/// Builds what the arguments name and gives the directory that it lies in.
fn build(arguments: &[&str]) -> PathBuf {
    static BUILT: Mutex<Option<HashSet<String>>> = Mutex::new(None);

    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = workspace.join("target").join("plugin-fixtures");
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if built.get_or_insert_default().insert(arguments.join(" ")) {
        run(&workspace, &target, arguments);
    }
    target.join("debug")
}

fn run(workspace: &Path, target: &Path, arguments: &[&str]) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let output = Command::new(cargo)
        .args(["build", "--quiet", "--locked", "--target-dir"])
        .arg(target)
        .args(arguments)
        .current_dir(workspace)
        .output()
        .expect("cargo runs the tests, so it can be run");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "`cargo build {}` fails:\n{said}", arguments.join(" "));
}
