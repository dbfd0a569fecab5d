//! `cargo xtask coverage`: the lines of each library that the tests run.

mod lines;

use std::path::PathBuf;
use std::process::Command;

use crate::checks::tidy::repository::Repository;
use crate::process::{Failure, cargo_with, output, run as run_program, succeed};
use crate::root;
use crate::selection::{Selection, TEST_THREADS};
use lines::{FileLines, Sum};

/// The least share of lines, in percent, that tests must run in each library.
const LEAST: f64 = 85.0;

/// The program that passes the compiler's flags, and reads what instrumented programs write.
const TOOL: &str = "cargo-llvm-cov";

/// Its version.
const VERSION: &str = "0.9.0";

/// The directory of the instrumented build, from the top of the repository.
const TARGET: &str = "target/coverage";

/// Files, from `crates`, whose code runs in confined processes alone. These may write no file, so
/// what they run cannot be counted; other processes test that it ran.
const CONFINED: [&str; 6] = [
    "prowess-sandbox/src/stage",
    "prowess-sandbox/src/stage.rs",
    "prowess-plugin-host/src/check/probe.rs",
    "prowess-plugin-host/src/check/recorder.rs",
    "prowess-plugin-host/src/check/rules",
    "prowess-plugin-host/src/check/serve.rs",
];

/// Runs the tests with instrumentation, and prints the share of lines that they run in each
/// library. Fails if it is too low in one.
///
/// A failed test is no failure here: instrumentation adds variables and output to processes.
pub(crate) fn run() -> Result<(), Failure> {
    let tool = Tool::install()?;
    let variables = tool.variables()?;
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    // Tests start the programs, and open the examples that are plugins.
    let build = ["build", "--lib", "--bins", "--examples"];
    cargo_with(&variables, Selection::Full.cargo(&build))?;
    let test = ["test", "--tests", "--no-fail-fast"];
    if let Err(failure) = cargo_with(&variables, Selection::Full.cargo(&test)) {
        eprintln!("warning: {failure}; the lines that ran are counted all the same");
    }
    tool.report(&variables)?;
    judge(&sums(&read()?)?)
}

/// Prints the lines of a crate that no test ran in the last run of [`run`], by file.
pub(crate) fn list(name: &str) -> Result<(), Failure> {
    let folder = root().join("crates").join(name).join("src");
    for file in read()?.iter().filter(|file| file.path.starts_with(&folder)) {
        let path = file.path.strip_prefix(&folder).unwrap_or(&file.path).display();
        let Sum { run, all } = file.sum();
        println!("{:>4} of {all:>4}  {path}: {}", all - run, file.missed());
    }
    Ok(())
}

/// Returns the sum of each library, by its name.
fn sums(files: &[FileLines]) -> Result<Vec<(String, Sum)>, Failure> {
    let top = root();
    let repository = Repository::read(&top)?;
    let libraries = repository.crates().filter(|package| package.is_library());
    let sum = |folder: &str| {
        let folder = top.join(folder).join("src");
        files.iter().filter(|file| file.path.starts_with(&folder)).map(FileLines::sum).sum()
    };
    Ok(libraries.map(|package| (package.name.clone(), sum(&package.folder))).collect())
}

/// Prints the sums, the lowest share first, and fails if one is too low.
fn judge(sums: &[(String, Sum)]) -> Result<(), Failure> {
    let mut sorted: Vec<&(String, Sum)> = sums.iter().collect();
    sorted.sort_by(|(_, one), (_, other)| one.percent().total_cmp(&other.percent()));
    for (name, sum) in &sorted {
        println!("{:>6.1} %  {:>5} of {:>5}  {name}", sum.percent(), sum.run, sum.all);
    }
    let low: Vec<&str> = sorted
        .iter()
        .filter(|(_, sum)| sum.percent() < LEAST)
        .map(|(name, _)| name.as_str())
        .collect();
    if low.is_empty() {
        return Ok(());
    }
    Err(Failure(format!(
        "tests run less than {LEAST} % of the lines of {}; `cargo xtask coverage CRATE` lists the others",
        low.join(", ")
    )))
}

/// Reads the report of the last run, without the files that it cannot have.
fn read() -> Result<Vec<FileLines>, Failure> {
    let path = report_path();
    let text = std::fs::read_to_string(&path).map_err(|error| {
        Failure(format!("`{}`: {error}; `cargo xtask coverage` writes it", path.display()))
    })?;
    let crates = root().join("crates");
    let is_counted =
        |file: &FileLines| !CONFINED.iter().any(|path| file.path.starts_with(crates.join(path)));
    Ok(lines::parse(&text).into_iter().filter(is_counted).collect())
}

fn report_path() -> PathBuf {
    root().join(TARGET).join("report.lcov")
}

/// The installed tool.
struct Tool(PathBuf);

impl Tool {
    /// Installs the tool below `target`, once.
    fn install() -> Result<Self, Failure> {
        let place = root().join("target/tools");
        let package = format!("{TOOL}@{VERSION}");
        let mut install = Command::new("cargo");
        install.args(["install", "--quiet", "--locked", &package, "--root"]).arg(&place);
        run_program(&mut install)?;
        Ok(Self(place.join("bin").join(format!("{TOOL}{}", std::env::consts::EXE_SUFFIX))))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.0);
        command.arg("llvm-cov").args(arguments).current_dir(root());
        command
    }

    /// Returns the variables for cargo, with which the crates of the workspace are instrumented.
    fn variables(&self) -> Result<Vec<(String, String)>, Failure> {
        let target = root().join(TARGET);
        let built = target.join("debug").display().to_string();
        let mut variables = llvm_tools()?;
        variables.push(("CARGO_TARGET_DIR".into(), target.display().to_string()));
        let mut command = self.command(&["show-env", "--no-cfg-coverage"]);
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        // Thousands of runs of the program write into a few files, which they lock.
        command.env("LLVM_PROFILE_FILE_NAME", "prowess-%8m.profraw");
        let printed = succeed(&mut command)?;
        variables.extend(lines::assignments(&String::from_utf8_lossy(&printed)));
        variables.push(("PROWESS_TEST_PLUGINS".into(), built));
        variables.push(("RUST_TEST_THREADS".into(), TEST_THREADS.into()));
        Ok(variables)
    }

    /// Writes the report. A process that was killed while it wrote does not prevent it.
    fn report(&self, variables: &[(&str, &str)]) -> Result<(), Failure> {
        let path = report_path().display().to_string();
        let report = ["report", "--lcov", "--failure-mode", "all", "--output-path", &path];
        run_program(self.command(&report).envs(variables.iter().copied()))
    }
}

/// Returns variables with the paths of LLVM's tools, where the toolchain does not have them itself:
/// the system's tools of the same major version read the same files.
fn llvm_tools() -> Result<Vec<(String, String)>, Failure> {
    let bundled = succeed(Command::new("rustc").args(["--print", "target-libdir"]))?;
    let bundled = PathBuf::from(String::from_utf8_lossy(&bundled).trim());
    if bundled.with_file_name("bin").join("llvm-cov").exists()
        || std::env::var_os("LLVM_COV").is_some()
    {
        return Ok(Vec::new());
    }
    let version = succeed(Command::new("rustc").arg("-vV"))?;
    let version = String::from_utf8_lossy(&version).into_owned();
    let major = version.lines().find_map(|line| line.strip_prefix("LLVM version: "));
    let major = major.and_then(|version| version.split('.').next());
    let major = major.ok_or_else(|| Failure("`rustc -vV` names no version of LLVM".into()))?;
    let tool = |variable: &str, name: &str| {
        let path = format!("/usr/bin/{name}-{major}");
        let found = output(Command::new(&path).arg("--version"));
        found.map(|_| (variable.to_owned(), path)).map_err(|Failure(failure)| {
            let fix = format!("install the package `llvm-{major}` of the system");
            Failure(format!("{failure}; {fix}, or the component `llvm-tools` of the toolchain"))
        })
    };
    Ok(vec![tool("LLVM_COV", "llvm-cov")?, tool("LLVM_PROFDATA", "llvm-profdata")?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_below_the_limit_fails() {
        let sums =
            |run| vec![("one".to_owned(), Sum { run: 100, all: 100 }), ("two".to_owned(), run)];
        assert!(judge(&sums(Sum { run: 85, all: 100 })).is_ok(), "85 % are enough");
        let failure = judge(&sums(Sum { run: 84, all: 100 }));
        let Failure(failure) = failure.expect_err("84 % are too few");
        assert!(failure.contains("of two;"), "the library is named: {failure}");
    }

    #[test]
    fn confined_files_exist() {
        for path in CONFINED {
            assert!(root().join("crates").join(path).exists(), "`{path}` was moved");
        }
    }

    #[test]
    fn library_without_lines_fails() {
        let judged = judge(&[("one".to_owned(), Sum::default())]);
        assert!(judged.is_err(), "a library that the report does not have was not measured");
    }
}
