//! Lines of a script while it runs.

use std::sync::Mutex;

use prowess_core::{Cancel, OutputStream, Progress, ProgressEvent};
use prowess_script::ScriptPolicy;

use crate::fixture::{Call, PATIENCE, Skill};

fn line_of(event: ProgressEvent<'_>) -> (OutputStream, String) {
    match event {
        ProgressEvent::Output { stream, line } => (stream, line.to_owned()),
        _ => unreachable!("scripts report lines alone"),
    }
}

#[test]
fn line_is_reported_before_the_script_ends() {
    let shared = tempfile::tempdir().unwrap();
    let directory = shared.path().to_owned();
    let policy = ScriptPolicy { write: vec![directory.clone()], ..ScriptPolicy::default() };
    let script = "echo first; until [ -e \"$1/seen\" ]; do :; done; echo second >&2";
    let skill = Skill::with(&[("scripts/a.sh", script)], policy);
    let lines = Mutex::new(Vec::new());
    let receive = |event: ProgressEvent<'_>| {
        // The script goes on once its first line was received.
        std::fs::write(directory.join("seen"), "").unwrap();
        lines.lock().unwrap().push(line_of(event));
    };
    let call = Call {
        arguments: &[directory.to_str().unwrap()],
        progress: Progress::new(&receive),
        ..Call::default()
    };
    let outcome = skill.call("scripts/a.sh", &call).unwrap();
    assert_eq!(outcome.exit_code, Some(0), "the script saw that its line was received");
    let expected = [
        (OutputStream::Stdout, "first\n".to_owned()),
        (OutputStream::Stderr, "second\n".to_owned()),
    ];
    assert_eq!(*lines.lock().unwrap(), expected, "each line is reported once");
}

#[test]
fn cancel_by_the_receiver_ends_the_script() {
    let policy = ScriptPolicy { concurrent: 1, ..ScriptPolicy::default() };
    let files = [("scripts/a.sh", "echo started; sleep 600"), ("scripts/b.sh", "echo next")];
    let skill = Skill::with(&files, policy);
    let cancel = Cancel::default();
    let receive = |_: ProgressEvent<'_>| cancel.cancel();
    let call = Call { progress: Progress::new(&receive), ..Call::default() };
    let outcome = skill.call_within("scripts/a.sh", &call, PATIENCE, &cancel).unwrap();
    assert_eq!((outcome.exit_code, outcome.timed_out), (None, false), "{outcome:?}");
    assert_eq!(outcome.stdout, "started\n", "what was printed is kept");
    assert_eq!(skill.run("scripts/b.sh").stdout, "next\n", "its place is free again");
}
