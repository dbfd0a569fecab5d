//! The cases of `sh` of another sandbox for agents, as data.

use crate::fixture::{Setup, empty};

const SCRIPT: &str = "/script.sh";

/// The name of a case, its script, the command that runs it, and the standard output without white
/// space at its end. A command that fails has none, but the standard error.
const CASES: &str = include_str!("../data/ported.txt");

fn write(setup: &Setup, path: &str, content: &str) {
    let write = format!("cat > {path} <<'END'\n{content}\nEND");
    assert_eq!(setup.run(&write).exit_code, 0, "{path} can be written");
}

#[test]
fn every_case_has_its_result() {
    for line in CASES.lines() {
        let line = line.replace('␤', "\n").replace('␍', "\r");
        let [name, script, command, expected] = line.split(" ⇒ ").collect::<Vec<_>>()[..] else {
            panic!("four columns: {line}")
        };
        let setup = empty();
        write(&setup, SCRIPT, script);
        let outcome = setup.run(command);
        let error = expected.strip_prefix("error: ");
        assert_eq!(outcome.exit_code == 0, error.is_none(), "{name}: {outcome:?}");
        let errors = error.map_or("", |_| &outcome.stderr);
        let output = outcome.stdout.clone() + errors;
        assert_eq!(output.trim_end(), error.unwrap_or(expected), "{name}: {outcome:?}");
    }
}

#[test]
fn script_runs_another() {
    let setup = empty();
    write(&setup, "/inner.sh", "echo Inner");
    write(&setup, SCRIPT, "echo Outer\nsh /inner.sh\necho Done");
    assert_eq!(setup.run("sh /script.sh").stdout, "Outer\nInner\nDone\n");
}
