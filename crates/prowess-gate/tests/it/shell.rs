//! Reading shell commands as literal words.

use prowess_gate::{MAX_COMMAND_BYTES, MAX_SIMPLE_COMMANDS, UnreadableKind, shell_commands};

use crate::corpora::decoded;

#[test]
fn words_are_those_of_shells() {
    for line in include_str!("../data/words.jsonl").lines() {
        let (line, expected): (String, Vec<Vec<String>>) =
            serde_json::from_str(line).expect("JSON");
        let commands = shell_commands(&line).expect(&line);
        let words: Vec<_> = commands.into_iter().map(|command| command.words).collect();
        assert_eq!(words, expected, "{line:?}");
    }
}

#[test]
fn everything_else_is_named() {
    assert_eq!(shell_commands("").expect_err("").to_string(), "the command is empty");
    assert_eq!(shell_commands("  ").expect_err("").to_string(), "the command is empty");
    for line in include_str!("../data/unreadable.txt").lines().skip(1) {
        let (reason, command) = line.split_once('\t').expect("a tab is between them");
        let unreadable = shell_commands(&decoded(command)).expect_err(command);
        assert_eq!(unreadable.to_string(), reason, "{command:?}");
    }
}

#[test]
fn sizes_are_bounded() {
    assert_eq!((MAX_COMMAND_BYTES, MAX_SIMPLE_COMMANDS), (16_384, 128), "the documented limits");
    let kind = |command: &str| shell_commands(command).expect_err("it is beyond a limit").kind;
    assert_eq!(kind(&"x".repeat(MAX_COMMAND_BYTES + 1)), UnreadableKind::TooLong);
    for word in ["x".repeat(MAX_COMMAND_BYTES), format!("'{}'", "x".repeat(MAX_COMMAND_BYTES - 2))]
    {
        assert!(shell_commands(&word).is_ok(), "the largest command, plain and quoted");
    }
    let list = |count: usize| vec!["x"; count].join(";");
    assert!(shell_commands(&list(MAX_SIMPLE_COMMANDS)).is_ok(), "the most commands");
    assert!(shell_commands(&(list(MAX_SIMPLE_COMMANDS) + ";\n\n")).is_ok(), "blank lines are none");
    assert_eq!(kind(&list(MAX_SIMPLE_COMMANDS + 1)), UnreadableKind::TooManyCommands);
}

/// Each would overflow the stack of a parser that recurses, or keep it busy for a second.
#[test]
fn nesting_is_refused_before_it_is_parsed() {
    let compound =
        ["if ", "if a; then ", "! ", "while ", "case x in (", "time ", "coproc ", "f() "];
    let expansions = ["$( ", "( ", "{ ", "${x:-", "\"$(", "[[ ( ", "$((", "<(", "`", "a[", "{a,"];
    let separators = ["\\\n", ";", "'\"", "a\n"];
    for part in compound.iter().chain(&expansions).chain(&separators) {
        for size in [MAX_COMMAND_BYTES, 1 << 20] {
            let command = part.repeat(size / part.len());
            assert!(shell_commands(&command).is_err(), "{part:?} many times");
        }
    }
}
