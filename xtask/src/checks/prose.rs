//! `cargo xtask prose`: counts the habits of language and of code that the house style asks to
//! avoid.
//!
//! Comments are counted per 10,000 words, code per 1,000 lines. Modules of tests at the end of a
//! source file are left out.

mod comments;
mod idioms;

use std::fs;
use std::ops::AddAssign;
use std::path::{Path, PathBuf};

use crate::process::Failure;

pub(crate) use idioms::is_of_tests;

/// One thing that is counted, at a line of a file.
struct Hit {
    habit: Habit,
    line: usize,
    excerpt: String,
}

/// A habit that is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Habit {
    /// A form of the first verb that the house style avoids, in a comment.
    Tell,
    /// A pronoun for persons in a comment about code.
    Who,
    /// A paragraph of a comment that opens with "What" and is no question.
    What,
    /// A line with a comment of more than 100 columns.
    Wide,
    /// A named closure that is used once.
    Closure,
    /// `let (a, b) = (x, y);`
    PackedLet,
    /// A `match` on `true` or `false`.
    MatchBool,
}

/// How a habit is shown: its heading, and whether it is counted per 10,000 words, or else per 1,000
/// lines of code.
const COLUMNS: [(Habit, &str, bool); 7] = [
    (Habit::Tell, "told/tell", true),
    (Habit::Who, "who", true),
    (Habit::What, "What …", true),
    (Habit::Wide, "wide", true),
    (Habit::Closure, "closure", false),
    (Habit::PackedLet, "let (,)", false),
    (Habit::MatchBool, "match bool", false),
];

/// A part of the repository with limits of its own.
struct Tree {
    name: &'static str,
    /// The folders of packages, and the folder of each package that is read.
    packages: &'static [&'static str],
    folder: &'static str,
    /// The number to stay at or below, in the order of the columns. It is only ever lowered.
    limits: [f64; COLUMNS.len()],
}

const TREES: [Tree; 6] = [
    Tree {
        name: "crates",
        packages: &["crates"],
        folder: "src",
        limits: [2.0, 3.0, 3.0, 0.0, 2.5, 0.5, 0.4],
    },
    Tree {
        name: "tests",
        packages: &["crates", "plugins", "examples", "."],
        folder: "tests",
        limits: [2.0, 9.0, 27.0, 17.0, 3.1, 2.0, 0.4],
    },
    Tree {
        name: "plugins",
        packages: &["plugins"],
        folder: "src",
        limits: [2.0, 3.0, 3.0, 9.0, 2.5, 2.6, 0.9],
    },
    Tree {
        name: "examples",
        packages: &["examples"],
        folder: "src",
        limits: [2.0, 3.0, 3.0, 0.0, 5.2, 0.8, 0.4],
    },
    Tree {
        name: "benches",
        packages: &["."],
        folder: "src",
        limits: [2.0, 3.0, 3.0, 0.0, 4.5, 3.8, 0.8],
    },
    Tree {
        name: "xtask",
        packages: &["."],
        folder: "src",
        limits: [2.0, 3.0, 3.0, 0.0, 7.8, 1.4, 0.6],
    },
];

/// The counts of one crate, or of all.
#[derive(Clone, Default)]
struct Counts {
    words: usize,
    code_lines: usize,
    hits: [usize; COLUMNS.len()],
}

impl AddAssign<&Self> for Counts {
    fn add_assign(&mut self, other: &Self) {
        self.words += other.words;
        self.code_lines += other.code_lines;
        for (hits, more) in self.hits.iter_mut().zip(other.hits) {
            *hits += more;
        }
    }
}

/// Prints the counts of each tree; more than its limits are a failure.
pub(crate) fn run() -> Result<(), Failure> {
    let mut problems = Vec::new();
    print_heading();
    for tree in &TREES {
        let mut total = Counts::default();
        for directory in tree.directories()? {
            total += &count(&directory, &mut |_, _| ())?;
        }
        print_row(tree.name, &total);
        let limits = tree.limits.map(|limit| format!("{limit:>10}"));
        println!("{:<24}{:>8}{:>8}{}", "  at most", "", "", limits.concat());
        problems.extend(tree.excesses(&total));
    }
    if problems.is_empty() {
        return Ok(());
    }
    Err(Failure(format!("too often: {}; `cargo xtask prose NAME` lists them", problems.join(", "))))
}

impl Tree {
    /// Returns the directories that are read.
    fn directories(&self) -> Result<Vec<PathBuf>, Failure> {
        let top = crate::root();
        let mut directories = Vec::new();
        for folder in self.packages {
            match *folder {
                "." if self.name == "tests" => directories.push(top.join("xtask/tests")),
                "." => directories.push(top.join(self.name).join(self.folder)),
                folder => {
                    let packages = packages(&top.join(folder))?;
                    directories.extend(packages.iter().map(|package| package.join(self.folder)));
                }
            }
        }
        directories.retain(|directory| directory.is_dir());
        Ok(directories)
    }

    /// Returns the habits of which there are too many.
    fn excesses(&self, counts: &Counts) -> Vec<String> {
        let rates = COLUMNS.iter().zip(rates(counts)).zip(self.limits);
        let over = rates.filter(|((_, rate), limit)| rate > limit);
        over.map(|(((_, heading, _), _), _)| format!("{heading} in {}", self.name)).collect()
    }
}

/// Prints each hit in a tree or in the sources of one crate.
pub(crate) fn list(name: &str) -> Result<(), Failure> {
    let directories = match TREES.iter().find(|tree| tree.name == name) {
        Some(tree) => tree.directories()?,
        None => vec![crate::root().join("crates").join(name).join("src")],
    };
    let mut total = Counts::default();
    for directory in directories {
        total += &count(&directory, &mut |file, hit| {
            let file = file.strip_prefix(crate::root()).unwrap_or(file).display();
            println!("{file}:{}: {}: {}", hit.line, heading(hit.habit), hit.excerpt);
        })?;
    }
    print_heading();
    print_row(name, &total);
    Ok(())
}

/// Counts the habits in the Rust files below a directory.
fn count(directory: &Path, on_hit: &mut dyn FnMut(&Path, &Hit)) -> Result<Counts, Failure> {
    let mut counts = Counts::default();
    for file in source_files(directory)? {
        let text = fs::read_to_string(&file)?;
        let mut hits = comments::hits(&text);
        hits.extend(idioms::hits(&text)?);
        counts.words += comments::words(&text);
        counts.code_lines += code_lines(&text);
        for hit in &hits {
            on_hit(&file, hit);
            for (column, sum) in COLUMNS.iter().zip(&mut counts.hits) {
                *sum += usize::from(column.0 == hit.habit);
            }
        }
    }
    Ok(counts)
}

/// The lines with code on them, as far as the first module of tests.
fn code_lines(text: &str) -> usize {
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    shipped(text).lines().filter(is_code).count()
}

/// The text as far as its module of tests, which stands last in a file.
pub(crate) fn shipped(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod ").next().unwrap_or(text)
}

fn print_heading() {
    let headings = COLUMNS.map(|(_, heading, _)| format!("{heading:>10}"));
    println!("{:<24}{:>8}{:>8}{}", "tree", "words", "lines", headings.concat());
}

/// How often each habit occurs, per 10,000 words or per 1,000 lines of code.
#[allow(clippy::cast_precision_loss)] // Counts of words are far below 2^52.
fn rates(counts: &Counts) -> [f64; COLUMNS.len()] {
    let mut rates = [0.0; COLUMNS.len()];
    for ((rate, hits), (_, _, is_of_words)) in rates.iter_mut().zip(counts.hits).zip(COLUMNS) {
        let (base, unit) =
            if is_of_words { (counts.words, 10_000.0) } else { (counts.code_lines, 1_000.0) };
        *rate = hits as f64 * unit / (base.max(1) as f64);
    }
    rates
}

fn print_row(name: &str, counts: &Counts) {
    let rates: String = rates(counts).map(|rate| format!("{rate:>10.1}")).concat();
    println!("{name:<24}{:>8}{:>8}{rates}", counts.words, counts.code_lines);
}

fn heading(habit: Habit) -> &'static str {
    COLUMNS.iter().find(|column| column.0 == habit).map_or("", |column| column.1)
}

/// The directories of the workspace's crates, by name.
pub(crate) fn crates() -> Result<Vec<PathBuf>, Failure> {
    packages(&crate::root().join("crates"))
}

/// The packages of a folder, by name.
fn packages(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut crates = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.join("Cargo.toml").is_file() {
            crates.push(path);
        }
    }
    crates.sort();
    Ok(crates)
}

/// The Rust files below a directory, by path.
pub(crate) fn source_files(directory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
