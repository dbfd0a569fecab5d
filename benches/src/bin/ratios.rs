//! Prints what discovery, reloads, reads and prompts cost, compared with the lower limit of the
//! same run.
//!
//! `ratios [ROUNDS] [DIRECTORY]`: 15 rounds by default; with DIRECTORY, also measures discovery of
//! the real skills below it. A ratio is the CPU time per unit of what the kernel alone takes; an
//! absolute time depends on the machine.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use benches::table::{milliseconds, nanoseconds, print_alone, print_beside};
use benches::{
    DISCOVERED, SIZES, corpus, floor,
    measure::{least, least_after, rounds_at},
    parsing, turn,
};
use prowess_core::{CatalogProvider, ReadLimit, ResourcePath};

/// The number of skills that most models see at most.
const HUNDRED: usize = 100;

/// The maximum memory of a process at each size, in MB, above that of the same process without
/// skills: what the loader and the libraries of the system take is not that of this project.
const MOST_MEMORY: [f64; 3] = [1.0, 5.0, 22.0];

/// The maximum ratio of what discovery takes above the system calls to what another reader of YAML
/// takes for the frontmatters alone. Kernels differ by more than a factor of two in the time of the
/// calls: a ratio to them was 1.26 on one machine and is 1.66 on another with the same code, whose
/// own time is 1.1 µs a skill on both. It would judge the kernel.
const MOST_OF_DISCOVERY: f64 = 0.25;

/// The same for real skills, whose descriptions are longer: they are searched for characters that a
/// reader cannot see, and counted, which the other reader does not do.
const MOST_OF_REAL: f64 = 0.4;

fn main() {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(15);
    let parsed = frontmatter(rounds);
    let added = DISCOVERED.map(|count| {
        let directory = corpus::on_disk(count);
        let rounds = rounds_at(count, rounds);
        let added = catalog(directory.path(), count, rounds, parsed);
        activation(directory.path(), count, rounds);
        added
    });
    let ([least, .., most], [few, ..]) = (DISCOVERED, added);
    let what = format!("discovery per skill, above the system calls, compared with {least} skills");
    print_beside(&what, most, added[2], few, Some(1.5));
    if let Some(real) = std::env::args().nth(2) {
        let (directory, count) = corpus::copied(Path::new(&real));
        real_files(directory.path(), count, rounds_at(count, rounds));
    }
    for count in [HUNDRED].into_iter().chain(SIZES) {
        prompt(corpus::on_disk(count).path(), count, rounds);
    }
    let [.., without] = memory(corpus::on_disk(0).path(), 1);
    print_alone("peak memory of the process without skills", 0, without, "MB", None);
    for (count, most) in DISCOVERED.into_iter().zip(MOST_MEMORY) {
        let [index, of_text, peak] = memory(corpus::on_disk(count).path(), count);
        let alone = |what, value, unit, most| print_alone(what, count, value, unit, most);
        alone("memory of the index, per skill", index, "B", Some(400.0));
        alone("names and descriptions in the index, per skill", of_text, "B", None);
        alone("peak memory of the process", peak, "MB", None);
        let above = "peak memory of the process, above one without skills";
        alone(above, peak - without, "MB", Some(most));
    }
}

/// Measures discovery and reloads. Returns what discovery of a skill takes above the system calls.
fn catalog(root: &Path, count: usize, rounds: usize, parsed: Duration) -> Duration {
    let [floor, discovery] = least(
        rounds,
        [&mut || floor::discover(root), &mut || corpus::registry(root).reload().catalog.len()],
    );
    // Most reloads meet files that have been there for a while. Those of this moment are read
    // again.
    std::thread::sleep(Duration::from_secs(4));
    let loaded = corpus::registry(root);
    loaded.reload();
    assert_eq!(loaded.catalog().len(), count, "each skill of the corpus is found");
    let mut reload = || {
        let changes = loaded.reload().changes;
        changes.unchanged + changes.changed
    };
    let [stats, unchanged] = least(rounds, [&mut || floor::stat_sweep(root), &mut reload]);
    let mut version = 0;
    let touch = || {
        version += 1;
        corpus::touch(root, version);
    };
    let [stats_again, one_changed] =
        least_after(rounds, touch, [&mut || floor::stat_sweep(root), &mut reload]);
    let parsed = (parsed * as_factor(count), MOST_OF_DISCOVERY);
    print_discovery("discovery", count, discovery, floor, parsed);
    print_beside("reload, no file changed", count, unchanged, stats, Some(1.2));
    print_beside("reload, one file changed", count, one_changed, stats_again, Some(1.2));
    if count == SIZES[0] {
        let time = milliseconds(discovery);
        print_alone("discovery, total", count, time, "ms", Some(100.0));
    }
    discovery.saturating_sub(floor) / as_factor(count)
}

/// Prints discovery beside the system calls, and what it takes above them beside `yaml`, the time
/// of another reader, with the maximum ratio to it.
fn print_discovery(
    what: &str,
    count: usize,
    time: Duration,
    calls: Duration,
    (yaml, most): (Duration, f64),
) {
    print_beside(what, count, time, calls, None);
    let what = format!("{what} above the system calls, compared with yaml_serde");
    print_beside(&what, count, time.saturating_sub(calls), yaml, Some(most));
}

fn as_factor(count: usize) -> u32 {
    u32::try_from(count).expect("a corpus can be counted")
}

fn activation(root: &Path, count: usize, rounds: usize) {
    let registry = corpus::registry(root);
    let turn = turn::Conversation::new(registry.reload().catalog);
    let ids: Vec<_> = turn.some_ids(100);
    let paths: Vec<PathBuf> = ids.iter().map(|id| root.join(id).join("SKILL.md")).collect();
    let catalog = registry.catalog();
    let file = ResourcePath::new("SKILL.md").expect("it names a file");
    let read = |id: &String| {
        let skill = catalog.get(id).expect("its id came from the catalog");
        catalog.read(skill, &file, ReadLimit::default()).expect("it is there")
    };
    let parsed = |id: &String| parsing::one(&read(id));
    let [floor, bodies, parsed, activation] = least(
        rounds.max(15),
        [
            &mut || paths.iter().map(|path| floor::read_still(path)).sum(),
            &mut || ids.iter().map(|id| read(id).len()).sum(),
            &mut || ids.iter().map(parsed).sum(),
            &mut || ids.iter().map(|id| turn.load(id)).sum(),
        ],
    );
    let each = |time: Duration| time / 100;
    let row = |what: &str, time, most| print_beside(what, count, each(time), each(floor), most);
    row("read one skill by its id", bodies, Some(1.3));
    row("read and parse one skill", parsed, Some(1.3));
    row("load one skill by a tool call", activation, None);
    if count == SIZES[0] {
        let time = milliseconds(each(activation));
        print_alone("load one skill by a tool call, total", count, time, "ms", Some(50.0));
    }
}

fn prompt(root: &Path, count: usize, rounds: usize) {
    let catalog = corpus::registry(root).reload().catalog;
    let ids: Vec<_> = catalog.skills().map(|skill| skill.id().to_owned()).collect();
    let turn = turn::Conversation::new(catalog.clone());
    let [whole, cut, lookup] = least(
        rounds,
        [&mut || turn.prompt(None).len(), &mut || turn.prompt(Some(4_000)).len(), &mut || {
            ids.iter().filter(|id| catalog.get(id).is_some()).count()
        }],
    );
    each("compose the whole catalog, per skill", count, whole, None);
    each("compose a catalog under 4,000 tokens, per skill", count, cut, None);
    each("look up a skill by its id", count, lookup, Some(200.0));
}

/// Measures the readers of frontmatter, and returns the time of the second one. The first is that
/// of prowess and returns positions and diagnostics too; the other one reads two fields.
fn frontmatter(rounds: usize) -> Duration {
    let files = parsing::files(SIZES[0]);
    let [ours, serde_yaml] =
        least(rounds, [&mut || parsing::by_us(&files), &mut || parsing::by_serde_yaml(&files)]);
    each("parse and check a frontmatter", files.len(), ours, None);
    each("parse a frontmatter with yaml_serde", files.len(), serde_yaml, None);
    serde_yaml / as_factor(files.len())
}

fn real_files(root: &Path, count: usize, rounds: usize) {
    let found = corpus::registry(root).reload().catalog;
    let files = found.skills().map(|skill| root.join(skill.package().as_str()).join(skill.file()));
    let files: Vec<_> = files.flat_map(std::fs::read_to_string).collect();
    let [floor, parsed, discovery] = least(
        rounds,
        [&mut || floor::discover(root), &mut || parsing::by_serde_yaml(&files), &mut || {
            corpus::registry(root).reload().catalog.len()
        }],
    );
    print_discovery("discovery of real skills", count, discovery, floor, (parsed, MOST_OF_REAL));
}

/// Prints the time per skill of work that has no lower limit to compare with.
fn each(what: &str, count: usize, time: Duration, most: Option<f64>) {
    print_alone(what, count, nanoseconds(time) / count as f64, "ns", most);
}

/// Measures in other processes, so that their allocator and their peak are their own: the bytes of
/// the index and of its texts for each skill, and the lowest peak in MB. How much of a program the
/// kernel reads ahead differs by a tenth of a megabyte between runs.
fn memory(root: &Path, count: usize) -> [f64; 3] {
    let runs = [(); 5].map(|()| memory_once(root, count));
    let [index, of_text, _] = runs[0];
    let peak_kib = runs.map(|[.., peak_kib]| peak_kib).into_iter().fold(f64::INFINITY, f64::min);
    [index, of_text, peak_kib * 1_024.0 / 1e6]
}

fn memory_once(root: &Path, count: usize) -> [f64; 3] {
    let program = std::env::current_exe().expect("the program knows itself");
    let output = Command::new(program.with_file_name("memory"))
        .arg(root)
        .arg(count.to_string())
        .output()
        .expect("`cargo build --profile dist -p benches` builds it");
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    numbers[..].try_into().unwrap_or_else(|_| panic!("it printed {text}"))
}
