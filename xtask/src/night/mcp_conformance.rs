//! Runs the conformance suite of the Model Context Protocol against the server.
//!
//! The suite speaks HTTP alone, so it tests the server of `prowess serve --http`. The files next to
//! this one list the scenarios that fail, each with the reason; one that passes must be removed.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::install::node::Packages;
use crate::process::{Failure, Server, fail_for, first_line, output, write_files};
use crate::root;
use crate::selection::Selection;

const SUITE: &str = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
const SUITE_FILE: &str = "@modelcontextprotocol/conformance/dist/index.js";
const INSPECTOR: &str = "@modelcontextprotocol/inspector@2.12.0";
const INSPECTOR_FILE: &str = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";

/// The revisions of the protocol, each with the failures that are expected.
const REVISIONS: [(&str, &str); 3] = [
    ("2025-06-18", "xtask/src/night/mcp_conformance/2025-06-18.yaml"),
    ("2025-11-25", "xtask/src/night/mcp_conformance/2025-11-25.yaml"),
    ("2026-07-28", "xtask/src/night/mcp_conformance/2026-07-28.yaml"),
];

/// The scenarios of the skills extension, which no revision has.
const SKILLS: [&str; 3] =
    ["sep-2640-skills-enumeration", "sep-2640-skills-manifest", "sep-2640-skills-directory"];

/// Prints the result of each scenario. One that fails and is not expected to is a failure.
pub(crate) fn run() -> Result<(), Failure> {
    let packages = Packages::install(&root().join("target/mcp-conformance"), &[SUITE, INSPECTOR])?;
    let server = Example::start()?;
    let mut failed = Vec::new();
    for (revision, expected) in REVISIONS {
        let expected = root().join(expected);
        let mut suite = server.suite(&packages);
        suite.args(["--suite", "all", "--spec-version", revision, "--expected-failures"]);
        report(revision, suite.arg(expected), "=== SUMMARY ===", &mut failed)?;
    }
    for scenario in SKILLS {
        let suite = &mut server.suite(&packages);
        report(scenario, suite.args(["--scenario", scenario]), "Test Results:", &mut failed)?;
    }
    report("inspector", &mut server.inspector(&packages), "", &mut failed)?;
    fail_for("the suite found faults", &failed)
}

/// Runs a part and prints what is after a line of its output; if it fails, everything.
fn report(
    name: &str,
    command: &mut Command,
    after: &str,
    failed: &mut Vec<String>,
) -> Result<(), Failure> {
    let ran = output(command)?;
    let printed = String::from_utf8_lossy(&ran.stdout);
    let summary = printed.split_once(after).map_or(&*printed, |(_, summary)| summary);
    println!("{name}: {}", if ran.status.success() { "passed" } else { "FAILED" });
    println!("{}", summary.trim());
    if !ran.status.success() {
        eprintln!("{printed}{}", String::from_utf8_lossy(&ran.stderr));
        failed.push(name.to_owned());
    }
    Ok(())
}

/// The example server of the suite's tools.
struct Example {
    url: String,
    _process: Server,
}

impl Example {
    fn start() -> Result<Self, Failure> {
        let mut command = Command::new(Selection::Full.program("examples/conformance")?);
        // It ends with its input.
        command.arg(write_skills()?).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = Server(command.spawn()?);
        let url = first_line(process.0.stdout.take())?;
        Ok(Self { url, _process: process })
    }

    fn suite(&self, packages: &Packages) -> Command {
        let mut command = packages.run(SUITE_FILE);
        command.args(["server", "--url", &self.url]);
        command
    }

    /// Checks the digests, sizes and frontmatter of every skill.
    fn inspector(&self, packages: &Packages) -> Command {
        let mut command = packages.run(INSPECTOR_FILE);
        command.args(["--cli", &self.url, "--transport", "http"]);
        command.args(["--method", "skills/list", "--verify"]);
        command
    }
}

fn write_skills() -> Result<PathBuf, Failure> {
    // Tools of the suite write skills, too.
    let directory = root().join("target/mcp-conformance/skills");
    let reports = "---\nname: reports\ndescription: Writes reports.\nlicense: MIT\nmetadata:\n  version: \"1\"\n---\nBody\n";
    let files = [
        ("pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\nBody\n"),
        ("pdf/references/fields.md", "Fields\n"),
        ("reports/SKILL.md", reports),
    ];
    write_files(&directory, &files)?;
    Ok(directory)
}
