//! The task runner: `cargo xtask test` and what a check-in must pass.
//!
//! It is a program of the workspace, so it needs only Rust and a C compiler.
#![forbid(unsafe_code)]
// A task runner prints for a person; the libraries do not.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod api;
mod bench;
mod circles;
mod clients;
mod compare;
mod conformance;
mod corpus;
mod coverage;
mod dynamic;
mod features;
mod findings;
mod fuzz;
mod loom;
mod mcp_conformance;
mod model;
mod msrv;
mod mutants;
mod node;
mod oauth;
mod parity;
mod peers;
mod plugins;
mod process;
mod prose;
mod python;
mod readmes;
mod release;
mod remotes;
mod requests;
mod sanitize;
mod search;
mod tidy;
mod uv;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use process::{Failure, WORKSPACE, build_optimized, build_program, cargo, run};

const HELP: &str = "\
cargo xtask COMMAND

  test               build what the tests need, then run all of them and `tidy`
  tidy               check the floors, the manifests, the examples, the documents, the files and their wording
  readmes            write the README of each crate from the documentation of its code
  release --dry-run [--no-verify]
                     package every crate as a release would, and build each from its package
  api                build the documentation, in which a warning is a failure, and compare the public interface of
                     each library with its snapshots `public-api.txt` and `public-traits.txt`; a difference is a
                     failure, too, and `UPDATE_EXPECT=1 cargo xtask api` accepts it
  msrv               check the workspace with the oldest supported compiler
  codes              write DIAGNOSTICS.md, the page of every code
  circles            list circular dependencies between the files of a crate; too many are a failure
  features           check the facade with each of its features alone, and without any; more than 80 crates
                     without features, or a second reader of YAML, are a failure
  clients            run clients of the Model Context Protocol, installed from their registries, against
                     `prowess serve`; a model that does not see a loaded skill is a failure
  reach DIR          load each skill of DIR over the Model Context Protocol by a scripted model that has two calls;
                     a skill that is not reached is a failure
  load [CALLS]       call `prowess serve --http` by 256 concurrent clients, and print calls per second, times and
                     memory; memory that grows is a failure
  mcp-conformance    run the conformance suite of the Model Context Protocol and its Inspector, installed from npm,
                     against the server over HTTP; a scenario that fails and is not listed is a failure
  oauth              start an authorization server, installed from npm, and `prowess serve --http` with its
                     tokens; a token that is accepted or refused by mistake is a failure
  peers              compare `prowess serve` with other servers of skills, which uv installs: start, memory,
                     tokens that a client gets, and what a hostile skill reaches; two of them need Python 3.13
  remotes            start a registry and a store of S3, and test the remotes and publishing against them; needs
                     docker-registry and Python
  requests           check the request bodies of the vendor crate's tests with the types of the vendors' own
                     Python clients, installed from their registry
  uv                 run a script that lists a dependency by `uv` in the sandbox, which pip installs; a script that
                     imports it against the policy, or does not with it, is a failure
  prose [CRATE]      count habits of comments and code that the house style avoids, too many of which are a
                     failure; with CRATE, list them
  corpus DIR         list DIR and check that every SKILL.md in it is visible, shadowed or rejected for a reason; fewer than
                     97 % that load are a failure
  search DIR         measure how often the search finds the right skill of DIR for known queries: for the half
                     that weights are chosen on, and for the half that is held back; fewer than the limits are a
                     failure
  findings DIR       count what `prowess validate` finds in DIR, by code, and compare it with the records of the corpus in
                     xtask/needs: too many false ones among the judged findings of a code, a true one that is
                     gone, more than 5 % of new or lost findings, and a changed verdict of a profile are failures;
                     `UPDATE_EXPECT=1` accepts new findings and verdicts
  recall DIR         measure how many of 200 needs a scripted model meets with the skills of DIR in two calls, by
                     policy; fewer than 95 % by the default is a failure
  agents             measure the tokens of catalogs by format and size, and of three tasks of a scripted model in
                     the format of each vendor; a failed path, a script that is read or 20 % more tokens is a failure
  prefix             replay 200 turns and measure the share of prompt tokens that a prompt cache would keep, by
                     policy; less than 90 % by the default is a failure
  conformance FILE   compare the command line with the recorded reference tool
  parity DIR         compare the verdicts on DIR with the reference tool, installed from its registry
  plugins [DIR]      build the plugins into target/plugins, print their manifests and check each by the kit;
                     with DIR, also compare the catalog of the filesystem plugin with that of the linked
                     source
  dynamic            run the tests of the facade and of the command line again, with the plugins in
                     target/plugins as built-in sources
  soak [RELOADS]     replace a plugin RELOADS times, 1,000 by default, under readers; no read may fail. Then
                     swap a catalog ten thousand times under eight readers, which must see complete catalogs,
                     write 800,000 audit events by eight threads, and simulate a million calls of failing
                     session stores; no event and no update may be lost. Then send a hundred thousand broken messages
                     and ten thousand broken HTTP requests to a server, each of which it must answer, and
                     run 400 bad scripts in the sandbox, which must leave nothing
  soak --messages [MESSAGES [REQUESTS]]
                     send this many broken messages and HTTP requests alone; a million and a hundred thousand by
                     default
  soak --scripts [COUNT]
                     run COUNT bad scripts, 5,000 by default
  soak --power-cuts  cut the power at every moment of a writer of state, audit and installed skills, and check
                     every part of up to twelve changes that are not synced. Needs strace; takes an hour
  soak --updates     kill `prowess update` at every one of its system calls; one that leaves neither the old nor
                     the new version is a failure. Needs strace
  coverage           run the tests with instrumentation by cargo-llvm-cov, which it installs, and print the share
                     of lines that they run in each library; less than 85 % in one is a failure
  coverage CRATE     list the lines of a crate that the last such run did not run
  asan               run the tests of the plugin boundary with AddressSanitizer, on both sides
  miri               run those that open no library with Miri, on the nightly compiler
  loom               model-check every interleaving of threads in registry, session and audit
  fuzz [SECONDS] [--target NAME]...
                     fuzz the readers of archives, skills and commands with libFuzzer, for a minute by default
  mutants [CRATE...] run cargo-mutants on the crates that guard something, or on these; a mutant that no test
                     catches is a failure
  tokens DIR         compare the estimate of tokens with two vocabularies, on the skills of DIR
  bench [ROUNDS [DIR]]  run the benchmarks, also on the real skills below DIR; writes benches/README.md
  bench --cold       measure discovery with cold caches, on a disk that is mounted for it; as root
  bench --start      measure the start of a program in the sandbox, beside `bwrap` and `sandlock`, which uv
                     installs, and a run in the shell with files in memory
  bench --count      count system calls and instructions of discovery per skill; too many are a failure
  model              fetch word vectors into target/model from their registry, and compare semantic search
                     with word search; writes benches/SEMANTIC.md
  compare [--skills N] [--rounds N] [DIR]
                     compare discovery in a generated corpus, or in DIR, with other projects' packages,
                     installed from their registries; writes benches/COMPARE.md, or only prints for DIR
  compare --install [--rounds N]
                     compare the install of 200 skills with the npm package `skills`; writes benches/INSTALL.md; a
                     row over its limit is a failure

Example: cargo xtask corpus path/to/skills
";

fn main() -> ExitCode {
    if let Some(code) = api::as_rustdoc() {
        return code;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["test"] => test(),
        ["tidy"] => tidy::run(),
        ["codes"] => codes(),
        ["readmes"] => readmes::run(),
        ["release", "--dry-run"] => release::dry_run(true),
        ["release", "--dry-run", "--no-verify"] => release::dry_run(false),
        ["api"] => api::run(),
        ["msrv"] => msrv::run_check(),
        ["features"] => features::run(),
        ["circles"] => circles::run(),
        ["clients"] => clients::run(),
        ["load"] => load("100000"),
        ["load", calls] => load(calls),
        ["reach", directory] => reach(Path::new(directory)),
        ["mcp-conformance"] => mcp_conformance::run(),
        ["oauth"] => oauth::run(),
        ["peers"] => peers::run(),
        ["remotes"] => remotes::run(),
        ["requests"] => requests::run(),
        ["uv"] => uv::run(),
        ["dynamic"] => dynamic::run(),
        ["coverage"] => coverage::run(),
        ["coverage", name] => coverage::list(name),
        ["prose"] => prose::run(),
        ["prose", name] => prose::list(name),
        ["corpus", directory] => corpus::run(Path::new(directory)),
        ["conformance", file] => conformance::run(Path::new(file)),
        ["parity", directory] => parity::run(Path::new(directory)),
        ["tokens", directory] => tokens(Path::new(directory)),
        ["search", directory] => search::run(Path::new(directory)),
        ["findings", directory] => findings::run(Path::new(directory)),
        ["recall", directory] => recall(Path::new(directory)),
        ["agents"] => build_program("agents").and_then(|program| run(&mut Command::new(program))),
        ["prefix"] => build_program("prefix").and_then(|program| run(&mut Command::new(program))),
        ["plugins"] => plugins::check(),
        ["plugins", directory] => {
            plugins::check().and_then(|()| plugins::compare(Path::new(directory)))
        }
        ["soak", "--scripts"] => bad_scripts("5000"),
        ["soak", "--scripts", count] => bad_scripts(count),
        ["soak", "--messages"] => broken_messages(&[]),
        ["soak", "--messages", counts @ ..] => broken_messages(counts),
        ["soak", "--updates"] => killed_updates(),
        ["soak", "--power-cuts"] => power_cuts(),
        ["soak", rest @ ..] => soak(rest).and_then(|()| bad_scripts("400")),
        ["asan"] => sanitize::asan(),
        ["miri"] => sanitize::miri(),
        ["loom"] => loom::check(),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        ["mutants", crates @ ..] => mutants::run(crates),
        ["bench", "--count"] => bench::count(),
        ["bench", "--cold"] => bench::cold::run(),
        ["bench", "--start"] => bench::start::measure(),
        ["bench", rest @ ..] => bench::run(rest),
        ["model"] => model::run(),
        ["compare", "--install", rest @ ..] => {
            compare::rounds(rest).and_then(compare::installs::run)
        }
        ["compare", rest @ ..] => compare::run(rest),
        [] | ["help" | "-h" | "--help"] => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("error: unknown command `{}`\n\n{HELP}", words.join(" "));
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Runs everything, the cheap checks first.
fn test() -> Result<(), Failure> {
    tidy::run()?;
    // Tests start the programs and open the plugins, so these are built before any test runs.
    let built = build_program("")?.display().to_string();
    let variables =
        [("PROWESS_TEST_PLUGINS", built.as_str()), ("RUST_TEST_THREADS", process::TEST_THREADS)];
    // Programs and examples without tests are built already, and would be built again as tests.
    process::cargo_with(&variables, ["test", "--tests", "--benches"].iter().chain(&WORKSPACE))?;
    features::run()?;
    // The examples in the documentation.
    cargo(["test", "--doc"].iter().chain(&WORKSPACE))
}

/// Prints token counts, by a program that is not optimized: counts do not depend on it.
fn tokens(directory: &Path) -> Result<(), Failure> {
    let directory = directory.canonicalize()?;
    let run =
        ["run", "--package", "benches", "--features", "exact-tokens", "--bin", "tokens", "--"];
    cargo(run.iter().map(OsStr::new).chain([directory.as_os_str()]))
}

/// Measures how many needs a scripted model meets with the skills of a directory.
fn recall(directory: &Path) -> Result<(), Failure> {
    let needs = root().join("xtask/needs/corpus.tsv");
    run(Command::new(build_program("recall")?).arg(directory.canonicalize()?).arg(needs))
}

/// Reaches each skill of a directory over the protocol.
fn reach(directory: &Path) -> Result<(), Failure> {
    let directory = directory.canonicalize()?;
    let prowess = process::build_prowess()?;
    let server = serde_json::json!([prowess, "--root", directory, "serve", "--quiet"]);
    let example = process::built("debug", "examples/reach")?;
    run(Command::new(example).arg(server.to_string()))
}

/// Measures a release: without optimization, most of the time would go into parsing.
fn load(calls: &str) -> Result<(), Failure> {
    cargo(["build", "--release", "--package", "prowess-cli"])?;
    let example = ["--package", "prowess-mcp", "--features", "http", "--example", "load"];
    let prowess = process::built("release", "prowess")?.display().to_string();
    cargo(["run", "--release"].iter().chain(&example).chain(&["--", &prowess, "256", calls]))
}

/// Sends broken messages to servers.
fn broken_messages(counts: &[&str]) -> Result<(), Failure> {
    let built = build_optimized(&[
        "--package",
        "benches",
        "--features",
        "benches/mcp",
        "--bin",
        "messages",
    ])?;
    run(Command::new(built.join("messages")).args(counts))
}

/// Runs scripts that try to outlive their time and to use up the machine.
fn bad_scripts(count: &str) -> Result<(), Failure> {
    run(Command::new(build_program("examples/bad_scripts")?).arg(count))
}

/// Kills an update at every system call. The tests kill it at those that change files.
fn killed_updates() -> Result<(), Failure> {
    let test = ["test", "--package", "prowess-cli", "--test", "it", "--", "--nocapture"];
    let name = ["install_crashes::killed_update_leaves_one_of_the_versions"];
    process::cargo_with(&[("PROWESS_TEST_EVERY_CALL", "1")], test.iter().chain(&name))
}

/// Cuts the power in the tests of what is written, with every part of what is not synced.
fn power_cuts() -> Result<(), Failure> {
    for package in ["prowess-state", "prowess-audit", "prowess-cli"] {
        let test = ["test", "--package", package, "--test", "it", "--", "--nocapture", "power_cut"];
        process::cargo_with(&[("PROWESS_TEST_EVERY_PART", "1")], test)?;
    }
    Ok(())
}

/// Runs programs for as long as rare faults need. The ones that count on speed are optimized: without it most
/// of the time would go into hashing and encoding.
fn soak(arguments: &[&str]) -> Result<(), Failure> {
    let programs = ["soak", "swaps", "writers", "messages"];
    let mut targets = vec!["--package", "benches", "--package", "prowess-plugin-host"];
    targets.extend(["--features", "benches/mcp"]);
    targets.extend(["--bin", "prowess-plugin-runner"]);
    targets.extend(programs.iter().flat_map(|program| ["--bin", program]));
    let built = build_optimized(&targets)?;
    run(Command::new(built.join("soak")).args(arguments))?;
    run(&mut Command::new(built.join("swaps")))?;
    run(&mut Command::new(built.join("writers")))?;
    // Ten times as many are sent at night.
    run(Command::new(built.join("messages")).args(["100000", "10000"]))?;
    // The simulation runs in less time than an optimized build of it takes.
    run(&mut Command::new(build_program("examples/simulate")?))
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
