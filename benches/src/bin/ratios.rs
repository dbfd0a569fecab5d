//! Prints each work beside the floor of the same run, as a table.
//!
//! `ratios [ROUNDS]`: 15 rounds without it. A ratio says how much CPU time the work takes for each
//! unit that the kernel alone takes; an absolute time says more of the machine.
#![expect(clippy::print_stdout, reason = "a table is what the program is for")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use benches::{DISCOVERED, SIZES, corpus, floor, measure::medians, parsing, turn};
use prowess_core::{CatalogProvider, ReadLimit, ResourcePath};

fn main() {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(15);
    println!("| work | skills | CPU time | floor | ratio |\n|---|--:|--:|--:|--:|");
    for count in DISCOVERED {
        let directory = corpus::on_disk(count);
        // A further size costs minutes, so the largest is measured less often.
        let rounds = (rounds * 1_000 / count).clamp(rounds.min(3), rounds);
        catalog(directory.path(), count, rounds);
        activation(directory.path(), count, rounds);
    }
    println!(
        "\n| work without the disk | skills | CPU time | of it, ns a skill |\n|---|--:|--:|--:|"
    );
    for count in SIZES {
        prompt(corpus::on_disk(count).path(), count, rounds);
    }
    frontmatter(rounds);
    println!(
        "\n| skills | index, bytes a skill | of it text | process peak, KiB |\n|--:|--:|--:|--:|"
    );
    for count in DISCOVERED {
        memory(corpus::on_disk(count).path(), count);
    }
}

fn catalog(root: &Path, count: usize, rounds: usize) {
    let loaded = corpus::registry(root);
    // The corpus was written this moment, so its stamps settle with the second scan.
    loaded.reload();
    loaded.reload();
    assert_eq!(loaded.catalog().len(), count, "each skill of the corpus is found");
    let changing = corpus::registry(root);
    changing.reload();
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
    let catalog = registry.catalog();
    let file = ResourcePath::new("SKILL.md").expect("it names a file");
    let body = |id: &String| {
        let skill = catalog.get(id).expect("its id came from the catalog");
        catalog.read(skill, &file, ReadLimit::default()).expect("it is there").len()
    };
    let [floor, bodies, activation] = medians(
        rounds.max(15),
        [
            &mut || paths.iter().map(|path| floor::read_whole(path)).sum(),
            &mut || ids.iter().map(body).sum(),
            &mut || ids.iter().map(|id| turn.load(id)).sum(),
        ],
    );
    let each = |time: Duration| time / 100;
    row("text of one skill, by its id", count, each(bodies), each(floor));
    row(
        "the same by a tool call, parsed, with digest and receipt",
        count,
        each(activation),
        each(floor),
    );
}

fn prompt(root: &Path, count: usize, rounds: usize) {
    let catalog = corpus::registry(root).reload().catalog;
    let ids: Vec<_> = catalog.skills().map(|skill| skill.id().to_owned()).collect();
    let turn = turn::Conversation::new(catalog.clone());
    let [whole, cut, lookup] = medians(
        rounds,
        [&mut || turn.prompt(None).len(), &mut || turn.prompt(Some(4_000)).len(), &mut || {
            ids.iter().filter(|id| catalog.get(id).is_some()).count()
        }],
    );
    each("prompt of the whole catalog", count, whole);
    each("prompt under 4,000 tokens", count, cut);
    each("look-up by id", count, lookup);
}

/// Ours gives place and verdict too; the others read two fields and forget the rest.
fn frontmatter(rounds: usize) {
    let files = parsing::files(SIZES[0]);
    let [ours, saphyr, serde_yaml] = medians(
        rounds,
        [&mut || parsing::by_us(&files), &mut || parsing::by_saphyr(&files), &mut || {
            parsing::by_serde_yaml(&files)
        }],
    );
    each("frontmatter, fences and checks", files.len(), ours);
    each("the same by serde-saphyr", files.len(), saphyr);
    each("the same by yaml_serde", files.len(), serde_yaml);
}

/// A row of work that has no floor but a machine's own.
fn each(work: &str, count: usize, time: Duration) {
    let skill = time.as_secs_f64() * 1e9 / count as f64;
    println!("| {work} | {count} | {time:.1?} | {skill:.0} |");
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
