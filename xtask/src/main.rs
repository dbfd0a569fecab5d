//! The task runner: `cargo xtask test` and what a check-in must pass.
//!
//! It is a program of the workspace, so it needs only Rust and a C compiler.
#![forbid(unsafe_code)]
// A task runner prints for a person; the libraries do not.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod checks;
mod corpus;
mod install;
mod night;
mod process;
mod selection;
mod test;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use checks::{api, budget, compile_times, features, loom, prose, readmes, release, tidy};
use process::{Failure, cargo, run};
use selection::Selection;

const HELP: &str = include_str!("help.txt");

fn main() -> ExitCode {
    if let Some(code) = api::as_rustdoc() {
        return code;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if matches!(words.as_slice(), [] | ["help"] | [.., "-h" | "--help"]) {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    match command(&words) {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(failure)) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
        None => {
            eprint!("error: unknown command `{}`\n\n{HELP}", words.join(" "));
            ExitCode::from(2)
        }
    }
}

fn command(words: &[&str]) -> Option<Result<(), Failure>> {
    let done = match words {
        ["test", rest @ ..] => test::run(rest),
        ["tidy"] => tidy::run(),
        ["lint"] => checks::lint(),
        ["api", rest @ ..] => api::run(rest),
        ["budget", rest @ ..] => budget::run(rest),
        ["compile-times"] => compile_times::run(),
        ["corpus", directory, names @ ..] => corpus::run(directory, names),
        ["prefix"] => prefix(),
        ["loom"] => loom::check(),
        ["soak", rest @ ..] => night::soak::soak(rest),
        ["first-run", rest @ ..] => first_run(rest),
        ["changed", rest @ ..] => night::changed::run(rest),
        ["nightly", rest @ ..] => night::run(rest),
        ["features", packages @ ..] => {
            packages.iter().try_for_each(|package| features::run(package))
        }
        ["plugins", rest @ ..] => plugins(rest),
        ["load"] => load("100000"),
        ["load", calls] => load(calls),
        ["clients"] => night::clients::run(),
        ["web"] => night::web::run(),
        ["coverage"] => night::coverage::run(),
        ["dynamic"] => night::dynamic::run(),
        ["fuzz", rest @ ..] => night::fuzz::run(rest),
        ["book"] => night::book::run(),
        ["rig"] => rig(),
        ["states"] => states(),
        ["mcp-conformance"] => night::mcp_conformance::run(),
        ["model", rest @ ..] => night::model::run(rest),
        ["mutants", "--proved", crates @ ..] => night::mutants::run_proved(crates),
        ["mutants", crates @ ..] => night::mutants::run(crates),
        ["oauth"] => night::oauth::run(),
        ["packages"] => night::packages::run(),
        ["postgres"] => night::postgres::run(),
        ["remotes"] => night::remotes::run(),
        ["requests"] => night::requests::run(),
        ["uv"] => night::uv::run(),
        ["asan"] => night::sanitize::asan(),
        ["miri"] => night::sanitize::miri(),
        ["release", "--dry-run"] => release::dry_run(),
        ["bench", "--count"] => bench::count(),
        ["bench", "--start"] => bench::start::measure(),
        ["bench", "--commands"] => bench::print_commands(),
        ["bench", rest @ ..] => bench::run(rest),
        ["benches"] => cargo(Selection::Full.cargo(&["test", "--benches"])),
        ["compare"] => bench::compare::run(),
        ["compare", "--chart"] => bench::compare::draw(),
        ["compare", "--install"] => bench::compare::installs::run(),
        // It is not optimized: counts do not depend on it.
        ["tokens", directory] => cargo(
            ["run", "--package", "benches", "--features", "exact-tokens"]
                .into_iter()
                .chain(["--bin", "tokens", "--", directory]),
        ),
        ["readmes"] => readmes::run(),
        ["codes"] => codes(),
        ["prose"] => prose::run(),
        _ => return None,
    };
    Some(done)
}

/// Tests the crate for rig, which is a workspace of its own.
fn rig() -> Result<(), Failure> {
    let manifest = ["--manifest-path", "crates/prowess/rig/Cargo.toml"];
    cargo(["test", "--quiet", "--target-dir", "target/rig"].into_iter().chain(manifest))
}

/// Checks the models of several hosts, which are a workspace of their own.
fn states() -> Result<(), Failure> {
    let manifest = ["--manifest-path", "xtask/states/Cargo.toml", "--locked"];
    cargo(["test", "--quiet", "--target-dir", "target/states"].into_iter().chain(manifest))
}

fn prefix() -> Result<(), Failure> {
    run(&mut Command::new(Selection::Tested.program("prefix")?))
}

fn first_run(arguments: &[&str]) -> Result<(), Failure> {
    run(Command::new(root().join(".ci/first-ten-minutes")).args(arguments))
}

fn plugins(arguments: &[&str]) -> Result<(), Failure> {
    night::plugins::check()?;
    match arguments {
        [directory] if Path::new(directory).is_dir() => {
            night::plugins::compare(Path::new(directory))
        }
        [directory] => {
            println!("`{directory}` does not exist, so no catalogs are compared");
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Measures a release: without optimization, most of the time would go into parsing.
fn load(calls: &str) -> Result<(), Failure> {
    cargo(["build", "--release", "--package", "prowess-cli", "--features", "http"])?;
    let example = ["--package", "prowess-mcp", "--features", "http", "--example", "load"];
    let prowess = process::built("release", "prowess")?.display().to_string();
    cargo(["run", "--release"].iter().chain(&example).chain(&["--", &prowess, "256", calls]))
}

/// Writes the page of every code. Its examples are run by a test, which compares the page
/// otherwise.
fn codes() -> Result<(), Failure> {
    let test = ["test", "--quiet", "--package", "prowess", "--test", "it", "--", "codes::the_page"];
    process::cargo_with(&[("UPDATE_EXPECT", "1")], test)
}

fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("xtask is a folder of the workspace").to_owned()
}
