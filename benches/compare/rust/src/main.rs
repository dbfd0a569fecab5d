//! `compare-rust PEER ROOT [COMMAND]`: finds the skills of a directory once with another crate, or
//! does what a command of it does, `prompt` or `validate`.
//!
//! Prints `{"skills": COUNT, "cpu_us": TIME, "whole_us": TIME, "peak_kib": MEMORY}`: CPU time of
//! the process around the work alone and since its start, and the most memory that it has had.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [peer, root, command @ ..] = arguments.as_slice() else { return ExitCode::from(2) };
    let discover = match (peer.as_str(), command.first().map_or("", |command| command)) {
        ("brainwires-skills", "") => brainwires,
        ("skills-ref-rs", "") => skills_ref,
        ("skills-ref-rs", "prompt") => prompt,
        ("skills-ref-rs", "validate") => validate,
        ("agent-skills", "") => agent_skills,
        _ => return ExitCode::from(2),
    };
    let start = cpu_time();
    let skills = discover(Path::new(root));
    let whole = cpu_time();
    let [cpu_us, whole_us] = [whole - start, whole].map(|time| time.as_micros());
    let peak_kib = peak_kib();
    println!(
        r#"{{"skills": {skills}, "cpu_us": {cpu_us}, "whole_us": {whole_us}, "peak_kib": {peak_kib}}}"#
    );
    ExitCode::SUCCESS
}

/// Its own catalog call: metadata of each direct child.
fn brainwires(root: &Path) -> usize {
    let mut registry = brainwires_skills::SkillRegistry::new();
    let source = brainwires_skills::SkillSource::Project;
    registry.discover_from(&[(root.to_owned(), source)]).expect("the corpus can be listed");
    std::hint::black_box(&registry).len()
}

/// It has no catalog call, so the loop is ours.
fn skills_ref(root: &Path) -> usize {
    let read = |path: PathBuf| skills_ref::read_properties(&path).ok();
    std::hint::black_box(children(root).filter_map(read).collect::<Vec<_>>()).len()
}

fn prompt(root: &Path) -> usize {
    let paths: Vec<_> = children(root).collect();
    let paths: Vec<_> = paths.iter().map(PathBuf::as_path).collect();
    let prompt = skills_ref::to_prompt(&paths).expect("the corpus is valid");
    println!("{prompt}");
    paths.len()
}

fn validate(root: &Path) -> usize {
    children(root).filter(|path| skills_ref::validate(path).is_empty()).count()
}

/// It has no catalog call, so the loop is ours. A loaded skill keeps its body.
fn agent_skills(root: &Path) -> usize {
    let load = |path: PathBuf| agent_skills::SkillDirectory::load(path).ok();
    std::hint::black_box(children(root).filter_map(load).collect::<Vec<_>>()).len()
}

fn children(root: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(root).expect("the corpus can be listed");
    entries.filter_map(|entry| entry.ok().map(|entry| entry.path()))
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|peak| peak.trim().split(' ').next()?.parse().ok()).unwrap_or_default()
}
