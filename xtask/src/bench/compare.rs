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

pub(crate) use page::{PAGE, charts};

const SKILLS: usize = 1_000;
const ROUNDS: usize = 5;

/// The compared packages, one on a line: name, registry, version, and how its catalog call differs.
/// The first two are the bare system calls and prowess.
const PEERS: &str = include_str!("../../../benches/compare/peers.tsv");

/// A compared package.
struct Peer {
    name: &'static str,
    from: &'static str,
    version: &'static str,
    does: &'static str,
}

fn peers() -> Vec<Peer> {
    let rows = PEERS.lines().filter(|line| !line.starts_with('#'));
    let peer = |row: &'static str| {
        let mut cells = row.split('\t');
        let mut next = || cells.next().expect("a row has four cells");
        Peer { name: next(), from: next(), version: next(), does: next() }
    };
    rows.map(peer).collect()
}

/// The costs of one run of one peer: skills, CPU time of the work and of the whole process in
/// milliseconds, and peak memory in MiB.
type Sample = [f64; 4];

/// Installs the peers, runs them in turn and writes the page with the table, and the chart.
pub(crate) fn run() -> Result<(), Failure> {
    let programs = Programs::install()?;
    let generated = tempfile::tempdir()?;
    let corpus = generate(&programs.own, "generate", generated.path(), SKILLS)?;
    let peers = peers();
    let mut samples = vec![Vec::new(); peers.len()];
    for round in 1..=ROUNDS {
        eprintln!("round {round} of {ROUNDS}");
        for (peer, samples) in peers.iter().zip(&mut samples) {
            samples.push(programs.measure(peer, &corpus)?);
        }
    }
    let page =
        page::page(&peers, &samples, &today()?) + "\n" + &programs.whole(generated.path())?;
    std::fs::write(root().join(PAGE), page)?;
    draw()
}

/// Draws the charts of the pages.
pub(crate) fn draw() -> Result<(), Failure> {
    let read = |path| std::fs::read_to_string(root().join(path)).unwrap_or_default();
    let pages = page::DRAWN.map(|path| (path, read(path)));
    let text = |path: &str| Some(&*pages.iter().find(|page| page.0 == path)?.1);
    for (path, drawn) in charts(text) {
        match drawn {
            Some(drawn) => std::fs::write(root().join(path), drawn)?,
            None => eprintln!("no page has a table for `{path}`"),
        }
    }
    Ok(())
}

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
            let peers = peers().into_iter().filter(|peer| peer.from == from);
            peers.map(|peer| format!("{}{between}{}", peer.name, peer.version)).collect()
        };
        let python = packages("Python", "==");
        let python: Vec<_> = python.iter().map(String::as_str).collect();
        let node = packages("Node", "@");
        let node: Vec<_> = node.iter().map(String::as_str).chain([installs::PEER]).collect();
        Ok(Self {
            own: built("dist", "once")?,
            rust: target.join("release/compare-rust"),
            python: environment(&place.join("python"), &python)?,
            node: Packages::install(&place.join("node"), &node)?,
        })
    }

    /// Measures whole commands, and returns their part of the page.
    fn whole(&self, directory: &Path) -> Result<String, Failure> {
        let Packages { directory: packages, node } = &self.node;
        let places = serde_json::json!({
            "directory": directory, "drivers": drivers(), "modules": packages.join("node_modules"),
            "prowess": super::own_program()?, "once": self.own, "rust": self.rust, "python": self.python,
            "node": node,
        });
        let mut command = Command::new(&self.python);
        let printed = succeed(command.arg(drivers().join("whole.py")).arg(places.to_string()))?;
        Ok(String::from_utf8_lossy(&printed).into_owned())
    }

    fn measure(&self, Peer { name, from, .. }: &Peer, corpus: &Path) -> Result<Sample, Failure> {
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
        let [work, whole] = [number("cpu_us")? / 1e3, number("whole_us")? / 1e3];
        Ok([number("skills")?, work, whole, number("peak_kib")? / 1024.0])
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
        for Peer { name, version, .. } in peers().iter().filter(|peer| peer.from == "crate") {
            let line = format!("\n{name} = \"={version}\"\n");
            assert!(manifest.contains(&line), "the manifest has `{name}` in version {version}");
        }
    }
}
