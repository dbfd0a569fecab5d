//! Passes the version of the compiler and the target to the SDK. An `env!` in an exported macro
//! would be evaluated in the plugin's build, where these variables are not set.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(compiler).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    println!("cargo::rustc-env=PROWESS_RUSTC={}", version.unwrap_or_default());
    let target = std::env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=PROWESS_TARGET={target}");
}
