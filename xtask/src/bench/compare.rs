//! `cargo xtask compare`: finding skills, compared with other projects' packages that do it.
//!
//! Each peer is a fresh process that measures itself around the work alone. They take turns, so
//! that other load of the machine affects them alike, and a ratio is taken within a round.

pub(crate) mod installs;
mod page;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::generate;
use crate::install::node::Packages;
use crate::install::python::environment;
use crate::process::{Failure, built, cargo, cargo_command, run as run_program, succeed};
use crate::root;

pub(crate) use page::{CHART, PAGE, chart};

const SKILLS: usize = 1_000;
const ROUNDS: usize = 5;

/// A compared package: its name, its registry, its version, and how its catalog call differs.
type Peer = (&'static str, &'static str, &'static str, &'static str);

const OWN: &str = "this workspace";

/// The bare system calls and prowess, with which the others are compared, and the others. The
/// manifest of `benches/compare/rust` has the versions of crates, too.
const PEERS: [Peer; 8] = [
    (
        "floor",
        OWN,
        "–",
        "the bare system calls: lists the root, opens each `SKILL.md`, reads 4 KiB, closes it; parses nothing",
    ),
    (
        "prowess",
        OWN,
        "–",
        "walks trees of any depth without leaving the root, reads the frontmatter alone, checks it, resolves \
         names between layers, keeps diagnostics with their places and what a reload needs",
    ),
    (
        "brainwires-skills",
        "crate",
        "0.11.0",
        "looks at the direct children, reads each file whole, keeps its metadata; logs what it cannot read",
    ),
    (
        "skills-ref-rs",
        "crate",
        "0.1.1",
        "has no catalog call, so the loop over the directory is the driver's; reads each file whole, keeps its \
         frontmatter",
    ),
    (
        "agent-skills",
        "crate",
        "0.3.0",
        "has no catalog call, so the loop over the directory is the driver's; validates each skill and keeps \
         its body",
    ),
    (
        "deepagents",
        "Python",
        "0.7.32",
        "looks at the direct children, reads each file whole, parses and validates the frontmatter, keeps the \
         metadata",
    ),
    (
        "skills-ref",
        "Python",
        "0.1.1",
        "the reference tool; has no catalog call, so the loop over the directory is the driver's; reads each \
         file whole, keeps its frontmatter",
    ),
    (
        "@google/gemini-cli-core",
        "Node",
        "0.61.0",
        "looks for `SKILL.md` in the root and its direct children, reads each file whole and keeps its body; \
         skips what it cannot read",
    ),
];

/// The costs of one run of one peer: skills, CPU time in milliseconds, and peak memory in MiB.
type Sample = [f64; 3];

/// Installs the peers, runs them in turn and writes the page with the table, and the chart.
pub(crate) fn run() -> Result<(), Failure> {
    let programs = Programs::install()?;
    let generated = tempfile::tempdir()?;
    let corpus = generate(&programs.own, generated.path(), SKILLS)?;
    let mut samples: [Vec<Sample>; PEERS.len()] = Default::default();
    for round in 1..=ROUNDS {
        eprintln!("round {round} of {ROUNDS}");
        for (peer, samples) in PEERS.iter().zip(&mut samples) {
            samples.push(programs.measure(peer, &corpus)?);
        }
    }
    std::fs::write(root().join(PAGE), page::page(&samples, &today()?))?;
    draw()
}

/// Draws the chart of the last comparison.
pub(crate) fn draw() -> Result<(), Failure> {
    let drawn = chart(&std::fs::read_to_string(root().join(PAGE))?);
    let drawn = drawn.ok_or_else(|| Failure(format!("`{PAGE}` has no table")))?;
    Ok(std::fs::write(root().join(CHART), drawn)?)
}

/// The programs of all peers.
struct Programs {
    own: PathBuf,
    rust: PathBuf,
    python: PathBuf,
    node: Packages,
}

impl Programs {
    /// Installs every peer below `target`, by its registry's own client. One that cannot be
    /// installed is a failure, since a table without it would be incomplete.
    fn install() -> Result<Self, Failure> {
        cargo(["build", "--profile", "dist", "--package", "benches", "--bin", "once"])?;
        let place = root().join("target/compare");
        let [manifest, target] = [drivers().join("rust/Cargo.toml"), place.join("rust")];
        let mut build = cargo_command(["build", "--release", "--locked", "--manifest-path"]);
        run_program(build.arg(manifest).arg("--target-dir").arg(&target))?;
        let packages = |from: &str, between: &str| -> Vec<String> {
            let peers = PEERS.iter().filter(|peer| peer.1 == from);
            peers.map(|(name, _, version, _)| format!("{name}{between}{version}")).collect()
        };
        let python = packages("Python", "==");
        let python: Vec<_> = python.iter().map(String::as_str).collect();
        let node = packages("Node", "@");
        let node: Vec<_> = node.iter().map(String::as_str).collect();
        Ok(Self {
            own: built("dist", "once")?,
            rust: target.join("release/compare-rust"),
            python: environment(&place.join("python"), &python)?,
            node: Packages::install(&place.join("node"), &node)?,
        })
    }

    fn measure(&self, (name, from, ..): &Peer, corpus: &Path) -> Result<Sample, Failure> {
        let mut command = match *from {
            "crate" => Command::new(&self.rust),
            "Python" => Command::new(&self.python),
            "Node" => self.node.run(drivers().join("gemini.mjs")),
            _ => Command::new(&self.own),
        };
        match *from {
            "crate" => command.arg(name),
            "Python" => command.arg(drivers().join("python.py")).arg(name),
            "Node" => &mut command,
            _ => command.arg(format!("peer-{name}")),
        };
        let printed: Value = serde_json::from_slice(&succeed(command.arg(corpus))?)?;
        let number = |key: &str| {
            let missing = || Failure(format!("`{name}` does not print its `{key}`"));
            printed[key].as_f64().ok_or_else(missing)
        };
        Ok([number("skills")?, number("cpu_us")? / 1e3, number("peak_kib")? / 1024.0])
    }
}

fn drivers() -> PathBuf {
    root().join("benches/compare")
}

fn today() -> Result<String, Failure> {
    let printed = succeed(Command::new("date").args(["-u", "+%Y-%m-%d"]))?;
    Ok(String::from_utf8_lossy(&printed).trim().to_owned())
}

/// Returns the middle of the values; of two middle ones the upper.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifest_pins_each_crate() {
        let manifest = std::fs::read_to_string(drivers().join("rust/Cargo.toml"));
        let manifest = manifest.expect("the drivers are part of the repository");
        for (name, _, version, _) in PEERS.iter().filter(|peer| peer.1 == "crate") {
            let line = format!("\n{name} = \"={version}\"\n");
            assert!(manifest.contains(&line), "the manifest has `{name}` in version {version}");
        }
    }
}
