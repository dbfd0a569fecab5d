//! The real `bash` as the judge: what runs is what was read.
//!
//! Each program of a command is replaced by a stub that logs its arguments, and the builtins that
//! are read as plain programs are disabled. A command runs twice, with stubs that succeed and with
//! stubs that fail, so that both sides of `&&` and `||` run.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::test_runner::Config;
use prowess_gate::shell_commands;

use crate::corpora::{harmless, hostile};

/// Logs the words of the call in one write, and ends with the exit code of the run.
const STUB: &str =
    "#!/bin/sh\nprintf '%s\\0' \"${0##*/}\" \"$@\" END >> \"$LOG\"\nexit \"$CODE\"\n";

/// Programs without a stub are logged as well.
const START: &str = "command_not_found_handle() { printf '%s\\0' \"$@\" END >> \"$LOG\"; return $CODE; }\n\
    enable -n : [ cd echo exit false kill popd printf pushd pwd test true umask\n";

type Words = Vec<String>;

/// Runs a command with stubs for these programs, and returns the calls that happened.
fn run(command: &str, programs: &BTreeSet<&str>) -> BTreeSet<Words> {
    let directory = tempfile::tempdir().expect("a directory");
    let bin = directory.path().join("bin");
    let work = directory.path().join("work");
    fs::create_dir(&bin).expect("a directory");
    fs::create_dir(&work).expect("a directory");
    let start = directory.path().join("start");
    // A builtin cannot be called any more once it is disabled, so the handler keeps its own.
    fs::write(&start, START.replace("printf", "builtin printf")).expect("a file");
    for program in programs.iter().filter(|program| !program.contains('/') && !program.is_empty()) {
        let stub = bin.join(program);
        if fs::write(&stub, STUB).is_ok() {
            fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).expect("a mode");
        }
    }
    let log = directory.path().join("log");
    for code in ["0", "1"] {
        let mut bash = Command::new("/bin/bash");
        bash.args(["-c", command]).env_clear().current_dir(&work).stdin(Stdio::null());
        bash.env("PATH", &bin).env("BASH_ENV", &start).env("LOG", &log).env("CODE", code);
        bash.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("bash runs");
    }
    assert!(is_empty(&work), "{command:?} left nothing behind");
    calls(&fs::read_to_string(&log).unwrap_or_default())
}

fn is_empty(directory: &Path) -> bool {
    fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none())
}

fn calls(log: &str) -> BTreeSet<Words> {
    let mut calls = BTreeSet::new();
    let mut words = Vec::new();
    for word in log.split_terminator('\0') {
        if word == "END" {
            calls.insert(std::mem::take(&mut words));
        } else {
            words.push(word.to_owned());
        }
    }
    assert!(words.is_empty(), "each call is logged whole: {words:?}");
    calls
}

/// Compares what was read of a command, if it can be read, with what `bash` runs.
fn check(command: &str) -> bool {
    let Ok(commands) = shell_commands(command) else { return false };
    let read: BTreeSet<Words> = commands.into_iter().map(|command| command.words).collect();
    let programs: BTreeSet<&str> = read.iter().map(|words| words[0].as_str()).collect();
    let is_runnable = |program: &&str| !program.contains('/') && !program.is_empty();
    if !programs.iter().all(is_runnable) {
        return true;
    }
    assert_eq!(run(command, &programs), read, "what bash runs of {command:?} is what was read");
    true
}

#[test]
fn bash_runs_what_was_read_of_the_corpora() {
    let commands: BTreeSet<_> =
        harmless().into_iter().chain(hostile()).map(|case| case.command).collect();
    let read = commands.iter().filter(|command| check(command)).count();
    assert!(read > 250, "{read} commands could be read");
}

/// Pieces that a shell might read in more ways than one.
fn piece() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "a",
        "b",
        "git",
        "x=y",
        "a+=b",
        "=",
        "-",
        "--",
        "1",
        "10",
        "{}",
        "{a}",
        "{a,b}",
        "{1..2}",
        "~",
        "a~",
        ":~",
        "#",
        "a#b",
        "# c",
        "!",
        "!!",
        "^",
        "%",
        "@",
        "+",
        ",",
        ".",
        "/",
        ":",
        "]",
        "[",
        "'",
        "\"",
        "'a b'",
        "\"a b\"",
        "'a\"b'",
        "\"a'b\"",
        "\"a\\\"b\"",
        "\"a\\\\\"",
        "\"a\\b\"",
        "\\",
        "\\\\",
        "\\'",
        "\\\"",
        "\\ ",
        "\\\n",
        "\\a",
        "\\#",
        "\\;",
        "\\|",
        "\\&",
        "''",
        "\"\"",
        "\n",
        " \n ",
        "|",
        "||",
        "&&",
        "&",
        ";",
        ";;",
        "(",
        ")",
        "{",
        "}",
        "<",
        ">",
        "*",
        "?",
        "$",
        "$x",
        "`",
        "\t",
        "\r",
        "if",
        "then",
        "fi",
        "do",
        "done",
        "for",
        "in",
        "case",
        "esac",
        "time",
        "function",
        "coproc",
        "select",
        "[[",
        "]]",
        "while",
        "until",
        "else",
        "elif",
        "é",
        "価",
        "\u{a0}",
        "\u{200b}",
        "é=1",
        "1a=b",
        "a[0]=b",
    ]);
    prop_oneof![
        6 => fixed.prop_map(str::to_owned),
        2 => Just(" ".to_owned()),
        1 => "[ -~]{1,3}",
    ]
}

proptest! {
    #![proptest_config(Config { cases: 192, ..Config::default() })]

    #[test]
    fn bash_runs_what_was_read(pieces in prop::collection::vec(piece(), 1..10)) {
        check(&format!("git {}", pieces.concat()));
        check(&pieces.join(" "));
    }

    #[test]
    fn words_survive_quoting(words in prop::collection::vec("[ -~\\n]{0,12}", 1..5)) {
        let quoted: Vec<_> =
            words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
        let commands = shell_commands(&format!("git {}", quoted.join(" "))).expect("plain words");
        prop_assert_eq!(&commands[0].words[1..], words.as_slice());
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let _ = shell_commands(&text);
    }
}
