//! Scripts that try to outlive their time, and to use up the machine.

use std::path::Path;
use std::time::{Duration, Instant};

use prowess_core::Cancel;
use prowess_sandbox::{DemandedLevel, Limits};
use prowess_script::ScriptPolicy;

use crate::fixture::{Call, Skill};

/// The scripts, for `bash`.
const SCRIPTS: [(&str, &str); 14] = [
    ("bomb.sh", "b() { b | b & }; b; sleep 600"),
    ("chain.sh", "c() { (sleep 0; c) & }; c; c; c; sleep 600"),
    ("close.sh", "exec >&- 2>&-; sleep 600"),
    ("daemon.sh", "(setsid bash -c '(setsid sleep 600 &) ; sleep 600' &) ; exit 0"),
    ("disk.sh", "while :; do head -c 10000000 /dev/zero > \"$TMPDIR/$RANDOM\"; done"),
    ("flood.sh", "yes & yes >&2 & yes"),
    ("hang.sh", "trap '' TERM INT HUP QUIT; while :; do :; done"),
    ("kill.sh", "trap '' TERM; kill -TERM 0; kill -KILL 0"),
    ("memory.sh", "a=xxxxxxxx; while :; do a=$a$a; done"),
    ("orphan.sh", "(trap '' TERM HUP; sleep 600 &) ; echo gone"),
    ("session.sh", "setsid bash -c \"trap '' TERM HUP; sleep 600\" & exit 0"),
    ("stdin.sh", "cat; read -r line; echo \"none: $line\"; sleep 600"),
    ("stop.sh", "kill -STOP 0; kill -STOP $$"),
    ("zombies.sh", "for i in $(seq 40); do (exit 0) & done; exec sleep 600"),
];

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
    let skills = [DemandedLevel::Floor, DemandedLevel::Namespaces].map(|level| {
        let policy = ScriptPolicy { level, limits: limits.clone(), ..ScriptPolicy::default() };
        let files = SCRIPTS.map(|(name, script)| (format!("scripts/{name}"), script));
        Skill::with(&files.each_ref().map(|(name, script)| (name.as_str(), *script)), policy)
    });
    let mut longest = Duration::ZERO;
    for number in 0..count {
        let skill = &skills[number % 2];
        let (name, _) = SCRIPTS[number / 2 % SCRIPTS.len()];
        let path = format!("scripts/{name}");
        let outcome = skill.call_within(&path, &Call::default(), LIMIT, &Cancel::default());
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
