//! Finding skills, beside other people's packages that do it.
//!
//! Every peer is a fresh process that measures itself around the work alone, and they take turns,
//! so that whatever else the machine is doing hits them alike. What counts is the ratio inside a
//! round.

pub(crate) mod chart;
mod install;
pub(crate) mod installs;
mod peers;
mod report;
mod site;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::process::{Failure, built, cargo, succeed};
use install::Installed;
use peers::{PEERS, Peer};
use report::{Report, Row, median};

/// The options of the command line.
#[derive(Debug, PartialEq)]
struct Options {
    skills: usize,
    rounds: usize,
    directory: Option<PathBuf>,
}

/// The costs of one run of one peer.
#[derive(Clone, Copy, Debug)]
struct Sample {
    skills: u64,
    cpu_us: f64,
    peak_kib: f64,
}

/// Reads the number of rounds of a comparison of installs.
pub(crate) fn rounds(arguments: &[&str]) -> Result<usize, Failure> {
    options(arguments).map(|options| options.rounds)
}

/// Installs the peers, runs them in turn and writes the table.
pub(crate) fn run(arguments: &[&str]) -> Result<(), Failure> {
    let options = options(arguments)?;
    let installed = Installed::all()?;
    let generated = tempfile::tempdir()?;
    let corpus = match &options.directory {
        Some(directory) => directory.canonicalize()?,
        None => generate(generated.path(), options.skills)?,
    };
    let mut samples = vec![Vec::new(); PEERS.len()];
    for round in 1..=options.rounds {
        eprintln!("round {round} of {}", options.rounds);
        for (peer, samples) in PEERS.iter().zip(&mut samples) {
            samples.push(measure(&installed, peer, &corpus)?);
        }
    }
    let rows = PEERS.iter().zip(&samples).map(|(peer, own)| {
        Row::new(peer, installed.version(peer), own, &samples[peers::FLOOR], &samples[peers::OURS])
    });
    let report = Report { rounds: options.rounds, rows: rows.collect() };
    println!("{}", report.table());
    if options.directory.is_none() {
        let page = report.page(options.skills, &today()?);
        std::fs::write(crate::root().join(chart::PAGE), page)?;
        draw()?;
    }
    Ok(())
}

/// Draws the chart of the last comparison.
pub(crate) fn draw() -> Result<(), Failure> {
    let page = std::fs::read_to_string(crate::root().join(chart::PAGE))?;
    let drawn = chart::chart(&page);
    let drawn = drawn.ok_or_else(|| Failure(format!("`{}` has no table", chart::PAGE)))?;
    std::fs::write(crate::root().join(chart::CHART), drawn)?;
    Ok(())
}

fn options(arguments: &[&str]) -> Result<Options, Failure> {
    let number = |text: &str| match text.parse() {
        Ok(0) | Err(_) => Err(Failure(format!("`{text}` is not a number of one or more"))),
        Ok(number) => Ok(number),
    };
    match arguments {
        [] => Ok(Options { skills: 1_000, rounds: 5, directory: None }),
        ["--skills", count, rest @ ..] => Ok(Options { skills: number(count)?, ..options(rest)? }),
        ["--rounds", count, rest @ ..] => Ok(Options { rounds: number(count)?, ..options(rest)? }),
        [directory] if !directory.starts_with('-') => {
            Ok(Options { directory: Some(directory.into()), ..options(&[])? })
        }
        _ => Err(Failure(format!(
            "cannot read `{}`; say `[--skills N] [--rounds N] [DIR]`",
            arguments.join(" ")
        ))),
    }
}

fn generate(place: &Path, skills: usize) -> Result<PathBuf, Failure> {
    cargo(["build", "--profile", "dist", "--package", "benches", "--bin", "once"])?;
    generate_with(&built("dist", "once")?, place, skills)
}

/// Generates skills in a directory of a place, by this program.
fn generate_with(once: &Path, place: &Path, skills: usize) -> Result<PathBuf, Failure> {
    let corpus = place.join("skills");
    std::fs::create_dir(&corpus)?;
    let mut once = std::process::Command::new(once);
    succeed(once.arg("generate").arg(&corpus).arg(skills.to_string()))?;
    Ok(corpus)
}

fn measure(installed: &Installed, peer: &Peer, corpus: &Path) -> Result<Sample, Failure> {
    let printed = succeed(installed.command(peer).arg(corpus))
        .map_err(|failure| Failure(format!("the peer `{}` failed: {failure}", peer.name)))?;
    let said: Value = serde_json::from_slice(&printed)
        .map_err(|error| Failure(format!("`{}` printed no JSON: {error}", peer.name)))?;
    let number = |key: &str| {
        let missing = || Failure(format!("`{}` does not say its `{key}`", peer.name));
        said[key].as_f64().ok_or_else(missing)
    };
    let skills = said["skills"].as_u64().unwrap_or_default();
    Ok(Sample { skills, cpu_us: number("cpu_us")?, peak_kib: number("peak_kib")? })
}

fn today() -> Result<String, Failure> {
    let printed = succeed(std::process::Command::new("date").args(["-u", "+%Y-%m-%d"]))?;
    Ok(String::from_utf8_lossy(&printed).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_in_any_order_and_the_directory_last() {
        let read = |words: &[&str]| options(words).map_err(|failure| failure.0);
        let all = Options { skills: 7, rounds: 2, directory: Some("place".into()) };
        assert_eq!(read(&["--rounds", "2", "--skills", "7", "place"]), Ok(all));
        let usual = Options { skills: 1_000, rounds: 5, directory: None };
        assert_eq!(read(&[]), Ok(usual));
        for wrong in [&["--skills", "0"][..], &["--skills"], &["one", "two"], &["--fast"]] {
            assert!(read(wrong).is_err(), "{wrong:?} is no question");
        }
    }
}
