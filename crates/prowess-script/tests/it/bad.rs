//! Scripts that try to outlive their time, and to use up the machine.

use std::path::Path;
use std::time::{Duration, Instant};

use prowess_core::Cancel;
use prowess_sandbox::{DemandedLevel, Limits};
use prowess_script::ScriptPolicy;

use crate::fixture::{Call, Skill};

/// The scripts, for `bash`.
const SCRIPTS: &str = include_str!("../data/bad.txt");

/// The time limit of each script.
const LIMIT: Duration = Duration::from_millis(150);
/// How long the kernel may take to remove processes that were killed.
const REMOVAL: Duration = Duration::from_secs(10);

/// Runs `count` scripts, half of them at each level, and returns the longest time of one. Fails if
/// a process of a script is left, or a file.
pub(crate) fn run(count: usize) -> Duration {
    let limits = Limits {
        processes: 40,
        file_bytes: 1 << 20,
        address_space: 512 << 20,
        ..ScriptPolicy::default().limits
    };
    let files: Vec<_> = SCRIPTS.lines().filter_map(|line| line.split_once(" ⇒ ")).collect();
    let skills = [DemandedLevel::Floor, DemandedLevel::Namespaces].map(|level| {
        let policy = ScriptPolicy { level, limits: limits.clone(), ..ScriptPolicy::default() };
        Skill::with(&files, policy)
    });
    let mut longest = Duration::ZERO;
    for number in 0..count {
        let skill = &skills[number % 2];
        let (path, _) = files[number / 2 % files.len()];
        let outcome = skill.call_within(path, &Call::default(), LIMIT, &Cancel::default());
        longest = longest.max(outcome.unwrap().duration);
    }
    for skill in &skills {
        leaves_nothing(skill.directory.path());
    }
    longest
}

/// Fails if a file is left in the directory of scripts, or a process that was started there.
fn leaves_nothing(directory: &Path) {
    assert_eq!(std::fs::read_dir(directory).unwrap().count(), 0, "a file is left");
    let begun = Instant::now();
    while let Some(survivor) = survivor(directory) {
        assert!(begun.elapsed() < REMOVAL, "a process is left: {survivor}");
        std::thread::yield_now();
    }
}

/// Returns a process whose environment names the directory, as that of each script does.
fn survivor(directory: &Path) -> Option<String> {
    let mark = directory.as_os_str().as_encoded_bytes();
    let has_mark = |bytes: Vec<u8>| bytes.windows(mark.len()).any(|window| window == mark);
    let mut processes = std::fs::read_dir("/proc").unwrap().flatten();
    let of_script = |path: &Path| std::fs::read(path.join("environ")).is_ok_and(has_mark);
    let found = processes.find(|process| of_script(&process.path()))?;
    std::fs::read_to_string(found.path().join("stat")).ok()
}
