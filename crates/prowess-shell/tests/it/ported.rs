//! The 16 cases of `sh` of another sandbox for agents, as data.

use std::collections::BTreeSet;

use crate::fixture::empty;

/// A script, the command that runs it, and the result of the command.
struct Case {
    name: &'static str,
    /// The files before the command: each with its path and its content.
    files: &'static [(&'static str, &'static str)],
    command: &'static str,
    succeeds: bool,
    /// The standard output, without white space at its end.
    output: &'static str,
    /// A part of the standard error.
    error: &'static str,
}

const CASE: Case =
    Case { name: "", files: &[], command: "sh /script.sh", succeeds: true, output: "", error: "" };

const CASES: [Case; 16] = [
    Case {
        name: "runs-each-line",
        files: &[("/script.sh", "echo Hello\necho World")],
        output: "Hello\nWorld",
        ..CASE
    },
    Case {
        name: "skips-comments",
        files: &[("/script.sh", "# c\necho Hello\n# d")],
        output: "Hello",
        ..CASE
    },
    Case {
        name: "skips-the-first-line-of-an-interpreter",
        files: &[("/script.sh", "#!/bin/bash\necho Hello")],
        output: "Hello",
        ..CASE
    },
    Case {
        name: "skips-blank-lines",
        files: &[("/script.sh", "\n\necho Hello\n\n   \necho World\n")],
        output: "Hello\nWorld",
        ..CASE
    },
    Case {
        name: "has-positional-parameters",
        files: &[("/script.sh", "echo $1 $2")],
        command: "sh /script.sh foo bar",
        output: "foo bar",
        ..CASE
    },
    Case {
        name: "has-all-parameters",
        files: &[("/script.sh", "echo $@")],
        command: "sh /script.sh one two three",
        output: "one two three",
        ..CASE
    },
    Case {
        name: "has-the-number-of-parameters",
        files: &[("/script.sh", "echo $#")],
        command: "sh /script.sh a b c",
        output: "3",
        ..CASE
    },
    Case {
        name: "stops-at-a-failure",
        files: &[("/script.sh", "echo First\ncat /nonexistent\necho Second")],
        succeeds: false,
        output: "First",
        error: "No such file",
        ..CASE
    },
    Case {
        name: "names-a-missing-file",
        command: "sh /nonexistent.sh",
        succeeds: false,
        error: "sh: /nonexistent.sh: No such file",
        ..CASE
    },
    Case {
        name: "needs-a-path",
        command: "sh",
        succeeds: false,
        error: "sh: missing script path",
        ..CASE
    },
    Case {
        name: "changes-files",
        files: &[("/script.sh", "mkdir /testdir\ntouch /testdir/file.txt\necho done")],
        command: "sh /script.sh && ls /testdir",
        output: "done\nfile.txt",
        ..CASE
    },
    Case {
        name: "runs-by-a-relative-path",
        files: &[("/script.sh", "echo Direct")],
        command: "cd / && ./script.sh",
        output: "Direct",
        ..CASE
    },
    Case {
        name: "runs-by-an-absolute-path",
        files: &[("/scripts/test.sh", "echo Absolute")],
        command: "/scripts/test.sh",
        output: "Absolute",
        ..CASE
    },
    Case {
        name: "passes-parameters-to-a-path",
        files: &[("/script.sh", "echo Arg: $1")],
        command: "cd / && ./script.sh myarg",
        output: "Arg: myarg",
        ..CASE
    },
    Case {
        name: "restores-parameters",
        files: &[("/script.sh", "echo $1")],
        command: "sh /script.sh value; echo \"[$1]\"",
        output: "value\n[]",
        ..CASE
    },
    Case {
        name: "runs-another-script",
        files: &[("/inner.sh", "echo Inner"), ("/outer.sh", "echo Outer\nsh /inner.sh\necho Done")],
        command: "sh /outer.sh",
        output: "Outer\nInner\nDone",
        ..CASE
    },
];

#[track_caller]
fn check(case: &Case) {
    let Case { name, files, command, .. } = case;
    let setup = empty();
    for (path, content) in *files {
        let write = format!(
            "mkdir -p \"$(dirname {path})\"\ncat > {path} <<'END'\n{content}\nEND\nchmod +x {path}"
        );
        assert_eq!(setup.run(&write).exit_code, 0, "{name}: {path} can be written");
    }
    let outcome = setup.run(command);
    assert_eq!(outcome.exit_code == 0, case.succeeds, "{name}: {outcome:?}");
    assert_eq!(outcome.stdout.trim_end(), case.output, "{name}: {outcome:?}");
    assert!(outcome.stderr.contains(case.error), "{name}: {outcome:?}");
}

#[test]
fn every_case_has_its_result() {
    let names: BTreeSet<_> = CASES.iter().map(|case| case.name).collect();
    assert_eq!(names.len(), 16, "the document counts 16 cases, each with its own name");
    CASES.iter().for_each(check);
}
