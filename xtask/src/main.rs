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

use checks::{api, budget, compile_times, features, loom, msrv, prose, readmes, release, tidy};
use process::{Failure, cargo, run};
use selection::Selection;

const HELP: &str = "\
cargo xtask COMMAND

Each change
  test [--full | --night] [PACKAGE...]
                     build the tests once and run all of them, and `tidy`; with --full, with all features;
                     with --night, only those in modules `night::`
  tidy               check the floors, the manifests, the examples, the documents, the files, circles between them,
                     sleeping tests and the wording
  lint               run clippy on everything, with all features; a warning is a failure
  api                build the documentation, in which a warning is a failure, and compare the public interfaces
                     with their snapshots; `UPDATE_EXPECT=1 cargo xtask api` accepts a difference
  budget [--time]    compare what the project weighs with the table in CONTRIBUTING.md; with --time, also the
                     times of builds from nothing
  compile-times      print the crates that took longest to compile, by the reports of `cargo build --timings`
  corpus DIR [NAME...]
                     measure the program on a folder of skills: how many load, how often the search and a
                     scripted model find the right one, what `validate` finds, and the reference tool's answers;
                     `UPDATE_EXPECT=1` accepts new findings and verdicts
  prefix             measure the tokens of catalogs, by format, and the share of prompt tokens that a prompt cache
                     would keep, by policy
  loom               model-check every interleaving of threads in registry, session and audit
  soak --short       run a small part of `soak` with the programs of the tests
  first-run [--install]
                     run a new user's first ten minutes with the built program, or with an installed one
  changed [--seconds N] [--dry-run]
                     run the steps of `nightly` whose parts have changed within a day, as far as the time allows

The night
  nightly [--only NAME]...
                     run the steps of the night, or these, and print a table of the results
  nightly --list     list the steps; those without arguments are commands, too
  features PACKAGE…  check packages with each of their features alone, and without any
  plugins [DIR]      build the plugins into target/plugins and check each by the kit; with DIR, also compare the
                     catalog of the filesystem plugin with that of the linked source
  soak [RELOADS]     replace a plugin under readers, swap catalogs, write audit events by many threads, simulate
                     failing stores, send broken messages, and run bad scripts
  soak --messages [MESSAGES [REQUESTS]] | --scripts [COUNT] | --updates | --power-cuts
                     send only broken messages, run only bad scripts, kill an update at each of its system calls,
                     or cut the power at each moment of a writer
  load [CALLS]       call `prowess serve --http` by 256 concurrent clients; memory that grows is a failure
  coverage           print the share of lines that tests run in each library
  mutants [CRATE...] run cargo-mutants on the crates that guard something, or on these
  fuzz [SECONDS] [--target NAME]...
                     fuzz the readers of archives, skills and commands with libFuzzer
  asan, miri         run the tests of the plugin boundary with AddressSanitizer, or with Miri
  release --dry-run  package every crate as a release would, and build each from its package

Measurements
  bench [ROUNDS [DIR]]
                     run the benchmarks, also on the real skills below DIR; writes benches/README.md
  bench --start | --count
                     measure the start of a script in the sandbox, or count system calls and instructions of discovery
  compare [--chart]  compare discovery with other projects' packages; writes benches/COMPARE.md and the chart, or
                     only draws the chart again
  compare --install  compare the install of 200 skills with the npm package `skills`; writes benches/INSTALL.md
  tokens DIR         compare the estimate of tokens with two vocabularies, on the skills of DIR

Files that are written
  readmes            write the README of each crate from the documentation of its code
  codes              write the page of every code

  prose [TREE]       count habits of comments that the house style avoids; with TREE, list those below it

Example: cargo xtask corpus path/to/skills
";

fn main() -> ExitCode {
    if let Some(code) = api::as_rustdoc() {
        return code;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if matches!(words.as_slice(), [] | ["help" | "-h" | "--help"]) {
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

/// Runs the command, if there is one of that name.
fn command(words: &[&str]) -> Option<Result<(), Failure>> {
    let done = match words {
        ["test", rest @ ..] => test::run(rest),
        ["tidy"] => tidy::run(),
        ["lint"] => checks::lint(),
        ["api"] => api::run(),
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
        ["coverage"] => night::coverage::run(),
        ["dynamic"] => night::dynamic::run(),
        ["fuzz", rest @ ..] => night::fuzz::run(rest),
        ["mcp-conformance"] => night::mcp_conformance::run(),
        ["msrv"] => msrv::run_check(),
        ["mutants", crates @ ..] => night::mutants::run(crates),
        ["oauth"] => night::oauth::run(),
        ["remotes"] => night::remotes::run(),
        ["requests"] => night::requests::run(),
        ["uv"] => night::uv::run(),
        ["asan"] => night::sanitize::asan(),
        ["miri"] => night::sanitize::miri(),
        ["release", "--dry-run"] => release::dry_run(),
        ["bench", "--count"] => bench::count(),
        ["bench", "--start"] => bench::start::measure(),
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
        ["prose"] => prose::run(None),
        ["prose", tree] => prose::run(Some(tree)),
        _ => return None,
    };
    Some(done)
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

/// The directory of the workspace.
fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("xtask is a folder of the workspace").to_owned()
}
