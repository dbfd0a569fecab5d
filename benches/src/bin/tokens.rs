//! Prints how far the estimate of tokens is from a vocabulary's own count, over the skills of a
//! tree.
//!
//! `tokens DIRECTORY`

#![expect(clippy::print_stdout, reason = "a table is what the program is for")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use prowess_core::{EstimatedTokens, TokenCounter};
use prowess_format::{Profile, parse};
use prowess_prompt::{ExactTokens, Vocabulary};

/// The texts of all skills that are counted alike.
#[derive(Default)]
struct Texts {
    files: Vec<String>,
    descriptions: Vec<String>,
    bodies: Vec<String>,
}

fn main() -> ExitCode {
    let Some(directory) = std::env::args().nth(1) else { return ExitCode::from(2) };
    let texts = read(Path::new(&directory));
    println!("`EstimatedTokens` beside a vocabulary, {} skills\n", texts.bodies.len());
    println!(
        "| vocabulary | text | tokens | lowest | p5 | median | p95 | highest | of all together |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|");
    for vocabulary in [Vocabulary::O200kBase, Vocabulary::Cl100kBase] {
        let counter = ExactTokens { vocabulary };
        let rows = [
            ("`SKILL.md`", &texts.files),
            ("description", &texts.descriptions),
            ("body", &texts.bodies),
        ];
        for (name, texts) in rows {
            println!("| {vocabulary:?} | {name} | {} |", Errors::of(texts, &counter).row());
        }
    }
    ExitCode::SUCCESS
}

fn read(directory: &Path) -> Texts {
    let mut texts = Texts::default();
    for path in find(directory) {
        let Ok(file) = fs::read(&path) else { continue };
        let Some(document) = parse(&file, Profile::Lenient).document else { continue };
        texts.descriptions.push(document.frontmatter.description.clone());
        texts.bodies.push(document.body.to_owned());
        texts.files.push(String::from_utf8_lossy(&file).into_owned());
    }
    texts
}

/// Every `SKILL.md` of a tree.
fn find(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => waiting.push(entry.path()),
                Ok(kind) if kind.is_file() && entry.file_name() == "SKILL.md" => {
                    found.push(entry.path());
                }
                _ => {}
            }
        }
    }
    found
}

/// The errors of the estimate as shares of the true counts, sorted, and both sums.
struct Errors {
    shares: Vec<f64>,
    estimated: usize,
    exact: usize,
}

impl Errors {
    /// Texts without a token are left out: no share says how wrong an estimate of them is.
    fn of(texts: &[String], counter: &ExactTokens) -> Self {
        let mut errors = Self { shares: Vec::new(), estimated: 0, exact: 0 };
        for text in texts {
            let (estimated, exact) = (EstimatedTokens.count(text), counter.count(text));
            if exact > 0 {
                errors.shares.push(share(estimated, exact));
            }
            errors.estimated += estimated;
            errors.exact += exact;
        }
        errors.shares.sort_unstable_by(f64::total_cmp);
        errors
    }

    fn row(&self) -> String {
        let whole = share(self.estimated, self.exact.max(1));
        let columns = [self.at(0), self.at(5), self.at(50), self.at(95), self.at(100), whole];
        let columns = columns.map(|error| format!("{:+.0} %", error * 100.0));
        format!("{} | {}", self.exact, columns.join(" | "))
    }

    fn at(&self, percent: usize) -> f64 {
        let at = (self.shares.len() * percent / 100).min(self.shares.len().saturating_sub(1));
        self.shares.get(at).copied().unwrap_or_default()
    }
}

fn share(estimated: usize, exact: usize) -> f64 {
    estimated as f64 / exact as f64 - 1.0
}
