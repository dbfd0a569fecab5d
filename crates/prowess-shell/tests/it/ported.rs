//! The cases of `sh` of another sandbox for agents, as data.

use crate::fixture::{Setup, empty};

const SCRIPT: &str = "/script.sh";

/// The name of a case, its script, the command that runs it, and the standard output without white
/// space at its end. A command that fails has none, but the standard error.
type Case = (&'static str, &'static str, &'static str, Result<&'static str, &'static str>);

const CASES: [Case; 18] = [
    ("each line runs", "echo Hello\necho World", "sh /script.sh", Ok("Hello\nWorld")),
    ("comments", "# c\necho Hello\n# d", "sh /script.sh", Ok("Hello")),
    ("line of an interpreter", "#!/bin/bash\necho Hello", "sh /script.sh", Ok("Hello")),
    ("blank lines", "\n\necho Hello\n\n   \necho World\n", "sh /script.sh", Ok("Hello\nWorld")),
    ("positional parameters", "echo $1 $2", "sh /script.sh foo bar", Ok("foo bar")),
    ("all parameters", "echo $@", "sh /script.sh one two three", Ok("one two three")),
    ("number of parameters", "echo $#", "sh /script.sh a b c", Ok("3")),
    ("missing file", "", "sh /nonexistent.sh", Err("sh: /nonexistent.sh: No such file")),
    ("no path", "", "sh", Err("sh: missing script path")),
    (
        "lines of Windows",
        "#!/bin/sh\r\n\r\necho \"a b\"\r\necho $1\r",
        "sh /script.sh x",
        Ok("a b\nx"),
    ),
    ("lines of Windows by path", "mkdir /x\r\nls -d /x\r", "/script.sh", Ok("/x")),
    (
        "files change",
        "mkdir /testdir\ntouch /testdir/file.txt\necho done",
        "sh /script.sh && ls /testdir",
        Ok("done\nfile.txt"),
    ),
    ("relative path", "echo Direct", "cd / && ./script.sh", Ok("Direct")),
    ("absolute path", "echo Absolute", "/script.sh", Ok("Absolute")),
    ("parameters of a path", "echo Arg: $1", "cd / && ./script.sh myarg", Ok("Arg: myarg")),
    ("quoted parameters", "echo \"$1\"", "sh /script.sh 'a  b; rm'", Ok("a  b; rm")),
    ("parameters of a path end", "echo in $1", "/script.sh a; echo \"[$1]\"", Ok("in a\n[]")),
    ("parameters end", "echo $1", "sh /script.sh value; echo \"[$1]\"", Ok("value\n[]")),
];

fn write(setup: &Setup, path: &str, content: &str) {
    let write = format!("cat > {path} <<'END'\n{content}\nEND");
    assert_eq!(setup.run(&write).exit_code, 0, "{path} can be written");
}

#[test]
fn every_case_has_its_result() {
    for (name, script, command, expected) in CASES {
        let setup = empty();
        write(&setup, SCRIPT, script);
        let outcome = setup.run(command);
        assert_eq!(outcome.exit_code == 0, expected.is_ok(), "{name}: {outcome:?}");
        assert_eq!(outcome.stdout.trim_end(), expected.unwrap_or_default(), "{name}");
        if let Err(error) = expected {
            assert_eq!(outcome.stderr.trim_end(), error, "{name}: {outcome:?}");
        }
    }
}

#[test]
fn script_runs_another() {
    let setup = empty();
    write(&setup, "/inner.sh", "echo Inner");
    write(&setup, SCRIPT, "echo Outer\nsh /inner.sh\necho Done");
    assert_eq!(setup.run("sh /script.sh").stdout, "Outer\nInner\nDone\n");
}
