//! Builds plugins for tests.

use std::collections::HashSet;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX, EXE_EXTENSION};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Builds a package of this workspace whose library is a `cdylib`, and returns the path of the
/// library.
///
/// If `PROWESS_TEST_PLUGINS` is set, the library is taken from that directory. Otherwise it is
/// built, once per run, into a separate target directory, so that the tests of one package can be
/// run alone.
pub fn build_plugin(package: &str) -> PathBuf {
    build(&["--package", package, "--lib"], PluginFlavor::Usual).join(file_name(package))
}

/// Like [`build_plugin`], for an example of `package` whose crate type is `cdylib`.
pub fn build_plugin_example(package: &str, example: &str) -> PathBuf {
    build_plugin_example_as(package, example, PluginFlavor::Usual)
}

/// Like [`build_plugin_example`], with this flavor.
pub fn build_plugin_example_as(package: &str, example: &str, flavor: PluginFlavor) -> PathBuf {
    build(&["--package", package, "--example", example], flavor)
        .join("examples")
        .join(file_name(example))
}

/// Like [`build_plugin`], for a program of `package`.
pub fn build_program(package: &str, program: &str) -> PathBuf {
    let directory = build(&["--package", package, "--bin", program], PluginFlavor::Usual);
    directory.join(program).with_extension(EXE_EXTENSION)
}

/// Like [`build_plugin`], for a package outside of this workspace, by its directory relative to the
/// workspace.
pub fn build_plugin_outside(directory: &str, package: &str) -> PathBuf {
    let manifest = format!("{directory}/Cargo.toml");
    build(&["--manifest-path", &manifest, "--lib"], PluginFlavor::Usual).join(file_name(package))
}

/// The settings of a build. Plugins come from other machines, where other people choose them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PluginFlavor {
    /// The settings of this workspace.
    Usual,
    /// A release build: optimised, with LTO, without debug assertions.
    Release,
    /// A build like that of another compiler: types without a stable layout have another one, and a
    /// panic aborts.
    Foreign,
}

impl PluginFlavor {
    /// Returns the directory below that of the usual flavor, and the environment variables for
    /// cargo.
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

/// The variable with the directory of a profile in which all libraries of this workspace are built.
/// A run of all tests sets it.
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
    // Follows cargo, which uses a separate directory if a target is set.
    std::env::var_os("CARGO_BUILD_TARGET")
        .map_or(target.clone(), |name| target.join(name))
        .join("debug")
}

/// Returns the target directory of the tests, which may be configured.
fn target(workspace: &Path) -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    named.filter(|named| named.is_absolute()).unwrap_or_else(|| workspace.join("target"))
}

fn run(workspace: &Path, target: &Path, arguments: &[&str], variables: &[(&str, &str)]) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--locked", "--target-dir"]).arg(target).args(arguments);
    command.envs(variables.iter().copied()).current_dir(workspace);
    // These name the package whose tests run. Build scripts that depend on them would run again,
    // and each crate above would be compiled again, for the tests of another package.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name);
        }
    }
    let output = command.output().expect("cargo runs the tests, so it can be run");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "`cargo build {}` fails:\n{said}", arguments.join(" "));
}
