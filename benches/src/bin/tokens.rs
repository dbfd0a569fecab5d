//! Prints how far the estimate of tokens is from a vocabulary's own count, over the skills of a
//! tree.
//!
//! `tokens DIRECTORY`
#![expect(clippy::print_stdout, reason = "a table is what the program is for")]

use std::path::Path;
use std::process::ExitCode;

use benches::corpus::files;
use prowess_core::{EstimatedTokens, TokenCounter};
use prowess_format::{Profile, parse};
use prowess_prompt::{ExactTokens, Vocabulary};

fn main() -> ExitCode {
    let Some(directory) = std::env::args().nth(1) else { return ExitCode::from(2) };
    let [mut whole, mut descriptions, mut bodies] = [(); 3].map(|()| Vec::new());
    for path in files(Path::new(&directory)) {
        let Ok(file) = std::fs::read(&path) else { continue };
        let Some(document) = parse(&file, Profile::Lenient).document else { continue };
        descriptions.push(document.frontmatter.description.clone());
        bodies.push(document.body.to_owned());
        whole.push(String::from_utf8_lossy(&file).into_owned());
    }
    println!("`EstimatedTokens` beside a vocabulary, {} skills\n", bodies.len());
    println!(
        "| vocabulary | text | tokens | lowest | p5 | median | p95 | highest | of all together |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|");
    for vocabulary in [Vocabulary::O200kBase, Vocabulary::Cl100kBase] {
        for (name, texts) in
            [("`SKILL.md`", &whole), ("description", &descriptions), ("body", &bodies)]
        {
            println!("| {vocabulary:?} | {name} | {} |", row(texts, ExactTokens { vocabulary }));
        }
    }
    ExitCode::SUCCESS
}

/// Returns the number of tokens, and the errors of the estimate as shares of the true counts. Texts
/// without a token have no share.
fn row(texts: &[String], counter: ExactTokens) -> String {
    let counts = texts.iter().map(|text| [EstimatedTokens.count(text), counter.count(text)]);
    let counts: Vec<_> = counts.filter(|[_, exact]| *exact > 0).collect();
    let share = |[estimated, exact]: [usize; 2]| estimated as f64 / exact.max(1) as f64 - 1.0;
    let mut shares: Vec<_> = counts.iter().copied().map(share).collect();
    shares.sort_unstable_by(f64::total_cmp);
    let sum = [0, 1].map(|at| counts.iter().map(|count| count[at]).sum());
    let last = shares.len().saturating_sub(1);
    let at = |percent: usize| shares.get((shares.len() * percent / 100).min(last)).copied();
    let columns = [0, 5, 50, 95, 100].map(|percent| at(percent).unwrap_or_default());
    let columns = columns.into_iter().chain([share(sum)]);
    let columns: Vec<_> = columns.map(|error| format!("{:+.0} %", error * 100.0)).collect();
    format!("{} | {}", sum[1], columns.join(" | "))
}
