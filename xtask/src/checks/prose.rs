//! `cargo xtask prose`: counts the habits of language and of code that the house style asks to avoid.
//!
//! Comments are counted per 10,000 words, code per 1,000 lines. Only the sources that ship are read:
//! `crates/*/src`, without modules of tests.

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
    /// "told", "tells" and their like in a comment.
    Tell,
    /// "who", "whoever", "nobody" and their like in a comment.
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

/// How a habit is shown: its heading, whether it is counted per 10,000 words (or else per 1,000 lines
/// of code), and the number to stay at or below.
const COLUMNS: [(Habit, &str, bool, f64); 7] = [
    (Habit::Tell, "told/tell", true, 2.0),
    (Habit::Who, "who", true, 3.0),
    (Habit::What, "What …", true, 3.0),
    (Habit::Wide, "wide", true, 0.0),
    (Habit::Closure, "closure", false, 2.5),
    (Habit::PackedLet, "let (,)", false, 0.5),
    (Habit::MatchBool, "match bool", false, 0.4),
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

/// Prints the table of all crates.
pub(crate) fn run() -> Result<(), Failure> {
    let mut total = Counts::default();
    print_heading();
    for directory in crates()? {
        let counts = count(&directory, &mut |_, _| ())?;
        print_row(&name_of(&directory), &counts);
        total += &counts;
    }
    print_row("all", &total);
    let limits = COLUMNS.map(|(_, _, _, limit)| format!("{limit:>10}"));
    println!("{:<24}{:>8}{:>8}{}", "at most", "", "", limits.concat());
    let over = COLUMNS.iter().zip(rates(&total)).filter(|(column, rate)| *rate > column.3);
    let over: Vec<_> = over.map(|((_, heading, ..), _)| *heading).collect();
    if over.is_empty() {
        Ok(())
    } else {
        Err(Failure(format!("too often: {}; see `cargo xtask prose CRATE`", over.join(", "))))
    }
}

/// Prints each hit in one crate.
pub(crate) fn list(name: &str) -> Result<(), Failure> {
    let directory = crate::root().join("crates").join(name);
    let counts = count(&directory, &mut |file, hit| {
        let file = file.strip_prefix(crate::root()).unwrap_or(file).display();
        println!("{file}:{}: {}: {}", hit.line, heading(hit.habit), hit.excerpt);
    })?;
    print_heading();
    print_row(name, &counts);
    Ok(())
}

fn count(directory: &Path, on_hit: &mut dyn FnMut(&Path, &Hit)) -> Result<Counts, Failure> {
    let mut counts = Counts::default();
    for file in source_files(&directory.join("src"))? {
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
    let headings = COLUMNS.map(|(_, heading, _, _)| format!("{heading:>10}"));
    println!("{:<24}{:>8}{:>8}{}", "crate", "words", "lines", headings.concat());
}

/// How often each habit occurs, per 10,000 words or per 1,000 lines of code.
#[allow(clippy::cast_precision_loss)] // Counts of words are far below 2^52.
fn rates(counts: &Counts) -> [f64; COLUMNS.len()] {
    let mut rates = [0.0; COLUMNS.len()];
    for ((rate, hits), (_, _, is_of_words, _)) in rates.iter_mut().zip(counts.hits).zip(COLUMNS) {
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

fn name_of(directory: &Path) -> String {
    directory.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The directories of the workspace's crates, by name.
pub(crate) fn crates() -> Result<Vec<PathBuf>, Failure> {
    let mut crates = Vec::new();
    for entry in fs::read_dir(crate::root().join("crates"))? {
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
