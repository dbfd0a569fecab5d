//! A script has bounded time, output and space.

use std::time::Duration;

use prowess_core::{Cancel, ScriptLimit};
use prowess_sandbox::{DemandedLevel, GroupLimit, Limits};
use prowess_script::ScriptPolicy;
use rustix::process::Signal;

use crate::fixture::{Call, PATIENCE, Skill};

#[test]
fn the_time_limit_ends_a_script_with_its_processes() {
    let project = tempfile::tempdir().unwrap();
    let policy = ScriptPolicy { write: vec![project.path().into()], ..ScriptPolicy::default() };
    // The second process left the session and has the output open.
    let script = "echo begun; (setsid sleep 600 &) ; trap '' TERM; sleep 600";
    let skill = Skill::with(&[("scripts/a.sh", script)], policy);
    let limit = Duration::from_secs(2);
    let outcome =
        skill.call_within("scripts/a.sh", &Call::default(), limit, &Cancel::default()).unwrap();
    assert!(outcome.timed_out, "{outcome:?}");
    assert_eq!((outcome.exit_code, outcome.signal), (None, None));
    assert_eq!(outcome.limit, Some(ScriptLimit::Time));
    assert_eq!(outcome.stdout, "begun\n", "what it printed before is kept");
    assert!(outcome.duration < Duration::from_secs(300), "it did not wait for the sleepers");
}

#[test]
fn a_cancelled_call_ends_the_script() {
    let skill = Skill::new(&[("scripts/a.sh", "sleep 600")]);
    let cancel = Cancel::default();
    let outcome = std::thread::scope(|scope| {
        let run = || skill.call_within("scripts/a.sh", &Call::default(), PATIENCE, &cancel);
        let running = scope.spawn(run);
        // Whether the script has started yet makes no difference to the end.
        cancel.cancel();
        running.join().unwrap()
    });
    match outcome {
        Ok(outcome) => assert!(outcome.exit_code.is_none() && !outcome.timed_out, "{outcome:?}"),
        Err(error) => assert!(
            ["package-not-copied", "scripts-busy"].contains(&error.code.to_string().as_str()),
            "{error:?}"
        ),
    }
}

#[test]
fn a_flood_is_cut_in_the_middle() {
    let policy = ScriptPolicy { output_bytes: 20, ..ScriptPolicy::default() };
    let script = "printf first; head -c 8388608 /dev/zero | tr '\\0' x; printf last";
    let skill = Skill::with(&[("scripts/a.sh", script)], policy);
    let outcome = skill.run("scripts/a.sh");
    assert!(outcome.truncated);
    assert_eq!((outcome.stdout_dropped, outcome.stderr_dropped), (8_388_597, 0));
    let expected = "firstxxxxx\n[8388597 bytes left out]\nxxxxxxlast";
    assert_eq!(outcome.stdout, expected);
    assert_eq!(outcome.exit_code, Some(0));
}

/// Runs a script, and checks the limit and the signal that it ends by, at both levels.
#[track_caller]
fn check_limit(script: &str, limits: &Limits, limit: ScriptLimit, signal: Option<Signal>) {
    for level in [DemandedLevel::Floor, DemandedLevel::Namespaces] {
        let limits = limits.clone();
        let policy =
            ScriptPolicy { level, limits, scratch_files: 2_000, ..ScriptPolicy::default() };
        let outcome = Skill::with(&[("scripts/a.sh", script)], policy).run("scripts/a.sh");
        assert_eq!(outcome.limit, Some(limit), "{level:?}: {outcome:?}");
        let ended = (outcome.exit_code, outcome.signal, outcome.timed_out);
        assert_eq!(ended, (None, signal.map(Signal::as_raw), false), "{level:?}: {outcome:?}");
        assert_eq!(outcome.stdout, "begun\n", "{level:?}: what it printed before is kept");
    }
}

#[test]
fn million_files_meet_the_limit() {
    let script = include_str!("../data/bounds-script.txt");
    check_limit(script, &ScriptPolicy::default().limits, ScriptLimit::Files, None);
}

#[test]
fn large_file_and_busy_script_meet_their_limits() {
    let script = r#"echo begun; exec head -c 2097152 /dev/zero > "$TMPDIR/large""#;
    let limits = Limits { file_bytes: 1 << 20, ..ScriptPolicy::default().limits };
    check_limit(script, &limits, ScriptLimit::FileSize, Some(Signal::XFSZ));
    let limits = Limits { cpu_seconds: 1, processes: 100, ..ScriptPolicy::default().limits };
    let script = "echo begun; while :; do :; done";
    check_limit(script, &limits, ScriptLimit::ProcessorTime, Some(Signal::XCPU));
}

/// Where no control group counts the memory, the shell reports that there is none.
#[test]
fn endless_text_meets_the_limit() {
    let script = "echo begun; a=xxxxxxxx; while :; do a=$a$a; done";
    let demanded = vec![GroupLimit::Memory];
    let limits = Limits { memory_bytes: 64 << 20, demanded, ..ScriptPolicy::default().limits };
    let policy = ScriptPolicy { limits: limits.clone(), ..ScriptPolicy::default() };
    let skill = Skill::with(&[("scripts/a.sh", script)], policy);
    match skill.call("scripts/a.sh", &Call::default()) {
        Ok(_) => check_limit(script, &limits, ScriptLimit::Memory, Some(Signal::KILL)),
        Err(error) => assert_eq!(error.code.as_str(), "sandbox-unavailable", "{error}"),
    }
    let limits = Limits { address_space: 1 << 30, ..ScriptPolicy::default().limits };
    let policy = ScriptPolicy { limits, ..ScriptPolicy::default() };
    let outcome = Skill::with(&[("scripts/a.sh", script)], policy).run("scripts/a.sh");
    assert_eq!((outcome.exit_code, outcome.limit), (Some(2), None), "{outcome:?}");
    assert!(outcome.stderr.contains("cannot allocate"), "{outcome:?}");
}

#[test]
fn bad_scripts_leave_nothing() {
    crate::bad::run(56);
}

#[test]
fn package_that_is_large_or_has_no_place_is_not_copied() {
    let policy = ScriptPolicy { package_bytes: 100, ..ScriptPolicy::default() };
    let large = "x".repeat(200);
    let skill = Skill::with(&[("scripts/a.sh", "echo"), ("assets/large", &large)], policy);
    assert_eq!(skill.refused("scripts/a.sh", &Call::default()).0, "package-not-copied");
    let skill = Skill::new(&[("scripts/a.sh", "echo")]);
    std::fs::remove_dir_all(skill.directory.path()).unwrap();
    let (code, message) = skill.refused("scripts/a.sh", &Call::default());
    assert_eq!(code, "package-not-copied");
    let directory = skill.directory.path().display().to_string();
    assert!(message.contains("`TMPDIR`") && !message.contains(&directory), "{message}");
}

#[test]
fn scripts_at_the_same_time_are_limited() {
    let place = tempfile::tempdir().unwrap();
    let policy =
        ScriptPolicy { concurrent: 2, write: vec![place.path().into()], ..ScriptPolicy::default() };
    let script = "touch \"$1/$2\"; while [ ! -e \"$1/go\" ]; do sleep 0.02; done; echo \"$2\"";
    let skill = Skill::with(&[("scripts/a.sh", script)], policy);
    let directory = place.path().to_str().unwrap();
    let run = |name: &str, time_limit: Duration| {
        let call = Call { arguments: &[directory, name], ..Call::default() };
        skill.call_within("scripts/a.sh", &call, time_limit, &Cancel::default())
    };
    std::thread::scope(|scope| {
        let running = ["one", "two"].map(|name| scope.spawn(move || run(name, PATIENCE)));
        while ["one", "two"].iter().any(|name| !place.path().join(name).exists()) {
            std::thread::yield_now();
        }
        let third = run("three", Duration::from_millis(200)).unwrap_err();
        assert_eq!(third.code.as_str(), "scripts-busy", "{third}");
        assert!(!place.path().join("three").exists(), "it did not start");
        std::fs::write(place.path().join("go"), "").unwrap();
        for (running, name) in running.into_iter().zip(["one\n", "two\n"]) {
            assert_eq!(running.join().unwrap().unwrap().stdout, name);
        }
    });
    // Without the maximum of ten minutes, this limit has no end that a clock could show.
    assert_eq!(run("three", Duration::MAX).unwrap().stdout, "three\n", "there is a place again");
}
