//! `cargo xtask msrv`: the workspace with the oldest supported compiler.

use std::process::Command;

use toml::{Table, Value};

use crate::process::{Failure, cargo, run, succeed};
use crate::root;

/// Checks the workspace with the compiler that `rust-version` names.
pub(crate) fn run_check() -> Result<(), Failure> {
    let manifest: Table = std::fs::read_to_string(root().join("Cargo.toml"))?.parse()?;
    let oldest = oldest(&manifest).ok_or_else(|| Failure("`rust-version` is missing".into()))?;
    let said = succeed(Command::new("rustc").arg("--version"))?;
    let said = String::from_utf8_lossy(&said);
    if is_of(&said, oldest) {
        println!("the installed compiler is the oldest supported one, {oldest}");
        // The lints check all that the compiler does, and `.ci/run` has just run them.
        return cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
    }
    let mut command = Command::new("rustup");
    command.args(["run", oldest, "cargo", "check", "--workspace", "--all-targets"]);
    // Cargo passes its own version on to what it starts.
    command.env_remove("RUSTUP_TOOLCHAIN").env_remove("RUSTC").current_dir(root());
    run(&mut command)
}

/// The `rust-version` of the workspace.
fn oldest(manifest: &Table) -> Option<&str> {
    let package = manifest.get("workspace")?.get("package")?;
    package.get("rust-version").and_then(Value::as_str)
}

/// Whether `rustc --version` is of this version: `1.95` is that of `rustc 1.95.0 (…)`.
fn is_of(said: &str, version: &str) -> bool {
    let number = said.split_whitespace().nth(1).unwrap_or_default();
    let rest = number.strip_prefix(version);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_matches_its_patches_only() {
        assert!(is_of("rustc 1.95.0 (59807616e 2026-04-14)", "1.95"));
        assert!(!is_of("rustc 1.950.0 (x)", "1.95"));
        assert!(!is_of("rustc 1.96.0 (x)", "1.95"));
        assert!(!is_of("", "1.95"));
    }
}
