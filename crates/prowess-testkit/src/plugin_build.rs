//! Plugins as files, built for tests.

use std::collections::HashSet;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Builds a package of this workspace whose library is a `cdylib`, and says where it lies.
///
/// If `PROWESS_TEST_PLUGINS` is set, the library is taken from that directory. Otherwise it is built, once in
/// a run, into a target directory of its own, so that the tests of one package can be run alone.
///
/// # Panics
///
/// It cannot be built; the message has what cargo says.
pub fn build_plugin(package: &str) -> PathBuf {
    build(&["--package", package, "--lib"], PluginFlavor::Usual).join(file_name(package))
}

/// As [`build_plugin`], for an example of `package` whose crate type is `cdylib`.
///
/// # Panics
///
/// It cannot be built; the message has what cargo says.
pub fn build_plugin_example(package: &str, example: &str) -> PathBuf {
    build_plugin_example_as(package, example, PluginFlavor::Usual)
}

/// As [`build_plugin_example`], by another way of building.
///
/// # Panics
///
/// It cannot be built; the message has what cargo says.
pub fn build_plugin_example_as(package: &str, example: &str, flavor: PluginFlavor) -> PathBuf {
    build(&["--package", package, "--example", example], flavor)
        .join("examples")
        .join(file_name(example))
}

/// As [`build_plugin`], for a package outside of this workspace, by its directory from the top of it.
///
/// # Panics
///
/// It cannot be built; the message has what cargo says.
pub fn build_plugin_outside(directory: &str, package: &str) -> PathBuf {
    let manifest = format!("{directory}/Cargo.toml");
    build(&["--manifest-path", &manifest, "--lib"], PluginFlavor::Usual).join(file_name(package))
}

/// How a plugin is built. Plugins come from other machines, where other people decide this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PluginFlavor {
    /// As this workspace is built.
    Usual,
    /// A release: optimized, also as a whole, without debug assertions.
    Release,
    /// As by another compiler: what has no layout by contract is laid out in another way, and a panic
    /// ends the process.
    Foreign,
}

impl PluginFlavor {
    /// Its directory below the one of the usual flavor, and what cargo is told by its environment.
    fn settings(self) -> (&'static str, &'static [(&'static str, &'static str)]) {
        match self {
            Self::Usual => ("", &[]),
            Self::Release => (
                "release",
                &[
                    ("CARGO_PROFILE_DEV_OPT_LEVEL", "3"),
                    ("CARGO_PROFILE_DEV_LTO", "fat"),
                    ("CARGO_PROFILE_DEV_CODEGEN_UNITS", "1"),
                    ("CARGO_PROFILE_DEV_DEBUG_ASSERTIONS", "false"),
                    ("CARGO_PROFILE_DEV_DEBUG", "false"),
                    ("CARGO_PROFILE_DEV_STRIP", "true"),
                    ("CARGO_PROFILE_DEV_INCREMENTAL", "false"),
                ],
            ),
            Self::Foreign => (
                "foreign",
                &[
                    ("RUSTC_BOOTSTRAP", "1"),
                    ("RUSTFLAGS", "-Zrandomize-layout -Zlayout-seed=7"),
                    ("CARGO_PROFILE_DEV_PANIC", "abort"),
                    ("CARGO_PROFILE_DEV_DEBUG", "false"),
                    ("CARGO_PROFILE_DEV_STRIP", "debuginfo"),
                ],
            ),
        }
    }
}

fn file_name(library: &str) -> String {
    format!("{DLL_PREFIX}{}{DLL_SUFFIX}", library.replace('-', "_"))
}

/// The variable with the directory of a profile in which every library of this workspace was built. A
/// run of all tests sets it, because it has built them already.
const BUILT_PLUGINS: &str = "PROWESS_TEST_PLUGINS";

/// Builds the library that the arguments select and returns its directory.
fn build(arguments: &[&str], flavor: PluginFlavor) -> PathBuf {
    static BUILT: Mutex<Option<HashSet<String>>> = Mutex::new(None);

    let is_of_workspace = arguments.first() == Some(&"--package");
    if let Some(built) = std::env::var_os(BUILT_PLUGINS)
        && is_of_workspace
        && flavor == PluginFlavor::Usual
    {
        return PathBuf::from(built);
    }
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (directory, variables) = flavor.settings();
    let target = target(&workspace).join("plugin-fixtures").join(directory);
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if built.get_or_insert_default().insert(format!("{flavor:?} {}", arguments.join(" "))) {
        run(&workspace, &target, arguments, variables);
    }
    // As cargo does where a target is named for everything that it builds.
    std::env::var_os("CARGO_BUILD_TARGET")
        .map_or(target.clone(), |name| target.join(name))
        .join("debug")
}

/// Where the tests themselves are built, if that is somewhere special.
fn target(workspace: &Path) -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    named.filter(|named| named.is_absolute()).unwrap_or_else(|| workspace.join("target"))
}

fn run(workspace: &Path, target: &Path, arguments: &[&str], variables: &[(&str, &str)]) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let output = Command::new(cargo)
        .args(["build", "--quiet", "--locked", "--target-dir"])
        .arg(target)
        .args(arguments)
        .envs(variables.iter().copied())
        .current_dir(workspace)
        .output()
        .expect("cargo runs the tests, so it can be run");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "`cargo build {}` fails:\n{said}", arguments.join(" "));
}
