//! Reading shell commands as literal words.

use prowess_gate::{MAX_COMMAND_BYTES, MAX_SIMPLE_COMMANDS, UnreadableKind, shell_commands};

use crate::corpora::decoded;

/// Checks the words of each command of a line.
#[track_caller]
fn check(line: &str, expected: &[&[&str]]) {
    let commands = shell_commands(line).expect(line);
    let words: Vec<_> = commands.into_iter().map(|command| command.words).collect();
    assert_eq!(words, expected, "{line:?}");
}

#[test]
fn quotes_are_removed_as_shells_do() {
    for (command, words) in [
        (r#"a 'b c' "d e" f\ g"#, &["a", "b c", "d e", "f g"][..]),
        (r#"a 'b'"c"d\e"#, &["a", "bcde"]),
        (r#"a "\$x \` \" \\ \n '""#, &["a", "$x ` \" \\ \\n '"]),
        (r#"a '\' '"' "'""#, &["a", "\\", "\"", "'"]),
        ("a '' \"\"", &["a", "", ""]),
        ("a b\\\nc \\\n d", &["a", "bc", "d"]),
        ("a \"b\\\nc\"", &["a", "bc"]),
        ("a 'b\nc'", &["a", "b\nc"]),
        ("a x=1 --b=c {} {d} HEAD~1", &["a", "x=1", "--b=c", "{}", "{d}", "HEAD~1"]),
        ("a @{u} 100% ^x !y ]", &["a", "@{u}", "100%", "^x", "!y", "]"]),
        ("a b#c é 日本", &["a", "b#c", "é", "日本"]),
        ("a '一；二' \"｜\" \\； （1） don’t", &["a", "一；二", "｜", "；", "（1）", "don’t"]),
        (r#"'if' x='y'~ ''~ \:~"#, &["if", "x=y~", "~", ":~"]),
        (r#"a \$'b\' \$"c\"" \$'d\n'"#, &["a", "$b\\", "$c\"", "$d\\n"]),
    ] {
        check(command, &[words]);
    }
}

#[test]
fn simple_commands_are_listed_in_order() {
    let [a, b]: [&[&str]; 2] = [&["a"], &["b"]];
    let all = ["a", "b", "c", "d", "e", "f", "i"];
    check("a | b && c || d; e\nf # g\n# h\ni", &all.each_ref().map(std::slice::from_ref));
    check("a;", &[a]);
    check("a && b;", &[a, b]);
    check("\n\na\n\n", &[a]);
    check("a |\nb", &[a, b]);
    check("a &&\n\n b", &[a, b]);
}

#[test]
fn redirections_that_lose_or_join_output_are_left_out() {
    let commands = "a b 2>/dev/null, a b > /dev/null 2>&1, a 2>&1 b, 2>/dev/null a b, a b \
        >>/dev/null, a b </dev/null, a b 0< /dev/null >&2, a b 1>&2;, a b >|/dev/null, a b \
        &>/dev/null, a b&>> /dev/null , a b >& /dev/null";
    for command in commands.split(", ") {
        check(command, &[&["a", "b"]]);
    }
    check("a 2>&1 | b 2>/dev/null && c", &[&["a"], &["b"], &["c"]]);
    check("a '2>&1' 2 x2", &[&["a", "2>&1", "2", "x2"]]);
    for command in [
        "a >b", "a >/dev/nullx", "a >/dev/null/x", "a >/dev/tcp/host/1", "a >&b", "a >&3",
        "a 3>/dev/null", "a 12>/dev/null", "a &>/dev/null b", "&>/dev/null a", "a 1>&/dev/null",
        "a &>x", "a <>/dev/null", "a </dev/null.d", "a <&1", "a >&1x", "a >$x", "a >'/dev/null'",
        ">/dev/null", ">/dev/null; a", "a && >/dev/null", "a 2>&1&", "a x>/dev/null",
    ] {
        assert!(shell_commands(command).is_err(), "{command} is not read");
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
fn operands_that_no_shell_evaluates_are_literal() {
    let commands = "printf '%s\\n' x, printf '5%%n', printf -- '%5d' 1, printf, printf '%', test -f x, \
        [ 1 -eq 2 ], test '(x)' = y, test '[x' = y, cd -v x";
    for command in commands.split(", ") {
        assert!(shell_commands(command).is_ok(), "{command}");
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
