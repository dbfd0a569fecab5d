//! Prints each work beside the floor of the same run, as a table.
//!
//! `ratios [ROUNDS]`: 15 rounds without it. A ratio says how much CPU time the work takes for each
//! unit that the kernel alone takes; an absolute time says more of the machine.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use benches::{corpus, floor, measure::medians, turn};
use prowess_core::CatalogProvider;

/// How many skills.
const SIZES: [usize; 2] = [1_000, 10_000];

fn main() {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(15);
    println!("| work | skills | CPU time | floor | ratio |\n|---|--:|--:|--:|--:|");
    for count in SIZES {
        let directory = corpus::on_disk(count);
        catalog(directory.path(), count, rounds);
        activation(directory.path(), count, rounds);
        prompt(directory.path(), count, rounds);
    }
    println!(
        "\n| skills | index, bytes a skill | of it text | process peak, KiB |\n|--:|--:|--:|--:|"
    );
    for count in SIZES {
        memory(corpus::on_disk(count).path(), count);
    }
}

fn catalog(root: &Path, count: usize, rounds: usize) {
    let loaded = corpus::registry(root);
    loaded.reload();
    assert_eq!(loaded.catalog().len(), count, "each skill of the corpus is found");
    let changing = corpus::registry(root);
    changing.reload();
    let mut version = 0;
    let [floor, stats, discovery, unchanged, one_changed] = medians(
        rounds,
        [
            &mut || floor::discover(root),
            &mut || floor::stat_sweep(root),
            &mut || corpus::registry(root).reload().catalog.len(),
            &mut || loaded.reload().changes.unchanged,
            &mut || {
                version += 1;
                corpus::touch(root, version);
                changing.reload().changes.changed
            },
        ],
    );
    row("discovery", count, discovery, floor);
    row("reload, nothing changed", count, unchanged, stats);
    row("reload, one changed", count, one_changed, stats);
}

fn activation(root: &Path, count: usize, rounds: usize) {
    let registry = corpus::registry(root);
    let turn = turn::Conversation::new(registry.reload().catalog);
    let ids: Vec<_> = turn.some_ids(100);
    let paths: Vec<PathBuf> = ids.iter().map(|id| root.join(id).join("SKILL.md")).collect();
    let [floor, activation] = medians(
        rounds,
        [&mut || paths.iter().map(|path| floor::read_whole(path)).sum(), &mut || {
            ids.iter().map(|id| turn.load(id)).sum()
        }],
    );
    let each = |time: Duration| time / 100;
    row("activation of one skill", count, each(activation), each(floor));
}

fn prompt(root: &Path, count: usize, rounds: usize) {
    let turn = turn::Conversation::new(corpus::registry(root).reload().catalog);
    let text = turn.prompt(None);
    let [copy, whole, cut] = medians(
        rounds,
        [&mut || text.clone().len(), &mut || turn.prompt(None).len(), &mut || {
            turn.prompt(Some(4_000)).len()
        }],
    );
    row("prompt, whole catalog (floor: a copy of the text)", count, whole, copy);
    row("prompt under 4,000 tokens (floor: the same)", count, cut, copy);
}

fn row(work: &str, count: usize, time: Duration, floor: Duration) {
    let ratio = time.as_secs_f64() / floor.as_secs_f64();
    println!("| {work} | {count} | {time:.1?} | {floor:.1?} | {ratio:.2} |");
}

/// Another process, so that its allocator and its peak are its own.
fn memory(root: &Path, count: usize) {
    let program = std::env::current_exe().expect("the program knows itself");
    let output = Command::new(program.with_file_name("memory"))
        .arg(root)
        .arg(count.to_string())
        .output()
        .expect("`cargo build --release -p benches` builds it");
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<_> = text.split_whitespace().collect();
    println!("| {count} | {} |", numbers.join(" | "));
}
