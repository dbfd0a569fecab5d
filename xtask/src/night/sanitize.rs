//! Finds misuse of memory: AddressSanitizer over both sides of the boundary to plugins, and
//! Miri over the side that can do without opening one.

use std::process::Command;

use crate::process::{self, Failure};
use crate::root;

/// Where all of this is built. It is large and of no use afterwards, so it is removed.
const ASAN: &str = "target/asan";
const MIRI: &str = "target/miri";

/// The tests that open plugins in their own process. A process with bounds on its address space has
/// no room for what the sanitizer keeps of each byte.
pub(super) const IN_PROCESS: [&str; 3] = ["faults::", "generations::", "old::"];

/// The tests that hand memory over. Those that compare layouts hand none over, and take Miri many
/// minutes.
pub(super) const UNDER_MIRI: [(&str, &str); 2] =
    [("prowess-plugin-abi", "blob::"), ("prowess-plugin-sdk", "boundary::")];

/// Runs the tests of the boundary with host and plugin instrumented, by the stable compiler.
pub(crate) fn asan() -> Result<(), Failure> {
    let host = process::host()?;
    let target = root().join(ASAN).display().to_string();
    let variables = [
        // Sanitizers are unstable options, and their runtime comes with the stable compiler.
        ("RUSTC_BOOTSTRAP", "1"),
        // A plugin uses the runtime of its host, which has to export it.
        ("RUSTFLAGS", "-Zsanitizer=address -Clink-arg=-rdynamic"),
        // With a target named, build scripts and macros are built as ever, also for plugins.
        ("CARGO_BUILD_TARGET", &host),
        ("CARGO_TARGET_DIR", &target),
        ("CARGO_PROFILE_DEV_DEBUG", "line-tables-only"),
        ("RUST_TEST_THREADS", "2"),
    ];
    // Without the examples of the documentation, which are not built with these flags.
    let it = ["test", "--test", "it", "--package"];
    let abi = it.into_iter().chain(["prowess-plugin-abi", "--package", "prowess-plugin-sdk"]);
    let in_host = it.into_iter().chain(["prowess-plugin-host", "--"]).chain(IN_PROCESS);
    let done = process::cargo_with(&variables, abi)
        .and_then(|()| process::cargo_with(&variables, in_host));
    std::fs::remove_dir_all(root().join(ASAN))?;
    done
}

/// Runs the tests of the boundary's types and of the SDK's adapters by Miri, of the nightly
/// compiler.
pub(crate) fn miri() -> Result<(), Failure> {
    let cargo = ["run", "nightly", "cargo", "miri"];
    let miri = || {
        let mut command = Command::new("rustup");
        // The environment of this program names the usual compiler.
        for variable in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN"] {
            command.env_remove(variable);
        }
        command.args(cargo).current_dir(root()).env("CARGO_TARGET_DIR", MIRI);
        command
    };
    let version = process::output(miri().arg("--version"))?;
    if !version.status.success() {
        let said = String::from_utf8_lossy(&version.stderr);
        let said = said.lines().next().unwrap_or_default();
        return Err(Failure(format!(
            "there is no Miri ({said}); get it by `rustup toolchain install nightly --component miri \
             --component rust-src`"
        )));
    }
    let done = UNDER_MIRI.iter().try_for_each(|(package, tests)| {
        let status = miri()
            .args(["test", "--package", package, "--test", "it", "--", tests])
            .env("MIRIFLAGS", "-Zmiri-disable-isolation")
            .status()?;
        match status.success() {
            true => Ok(()),
            false => Err(Failure(format!("Miri found something in `{package}`: {status}"))),
        }
    });
    std::fs::remove_dir_all(root().join(MIRI))?;
    done
}
