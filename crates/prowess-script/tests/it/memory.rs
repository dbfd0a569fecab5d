//! The memory of the host while a script runs.

use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use prowess_core::{Progress, ProgressEvent};

use crate::fixture::{Call, Skill};

/// The variable of the process that runs one test alone.
const ALONE: &str = "PROWESS_SCRIPT_TEST_ALONE";
/// What the output of a script may add to the memory of the host.
const MOST_GROWTH: u64 = 64 << 20;

/// Returns the greatest memory that this process has had.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

/// Both streams at once: lines, and one line without an end.
#[test]
fn flood_of_a_gibibyte_is_not_kept() {
    if std::env::var_os(ALONE).is_none() {
        // The memory of other tests would count.
        let mut alone = Command::new(std::env::current_exe().unwrap());
        alone.args(["memory::flood_of_a_gibibyte_is_not_kept", "--exact", "--nocapture"]);
        let ran = alone.env(ALONE, "1").output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        return;
    }
    let script = include_str!("../data/memory-script.txt");
    let skill = Skill::new(&[("scripts/a.sh", script)]);
    let reported = AtomicU64::new(0);
    let receive = |event: ProgressEvent<'_>| {
        if let ProgressEvent::Output { line, .. } = event {
            reported.fetch_add(line.len() as u64, Ordering::Relaxed);
        }
    };
    let run = |bytes: u64| {
        let bytes = bytes.to_string();
        let progress = Progress::new(&receive);
        let call = Call { arguments: &[&bytes], progress, ..Call::default() };
        let outcome = skill.call("scripts/a.sh", &call).unwrap();
        assert_eq!(outcome.exit_code, Some(0), "{outcome:?}");
        outcome.stdout_dropped + outcome.stderr_dropped
    };
    // What any run needs.
    run(1 << 20);
    let before = peak();
    let dropped = run(512 << 20);
    let growth = peak() - before;
    assert!(dropped > 1000 << 20, "{dropped} bytes were left out");
    assert!(reported.into_inner() > 512 << 20, "each line was reported");
    assert!(growth < MOST_GROWTH, "a gibibyte of output took {growth} bytes");
}
