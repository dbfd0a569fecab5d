//! Reading shell commands as literal words.

use expect_test::{Expect, expect};
use prowess_gate::{MAX_COMMAND_BYTES, MAX_SIMPLE_COMMANDS, UnreadableKind, shell_commands};

fn words(command: &str) -> String {
    match shell_commands(command) {
        Ok(commands) => commands.iter().map(|command| format!("{:?}\n", command.words)).collect(),
        Err(unreadable) => format!("{unreadable}\n"),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "`expect!` is written where it is used")]
fn check(commands: &[&str], expected: Expect) {
    expected.assert_eq(&commands.iter().map(|command| words(command)).collect::<String>());
}

#[test]
fn quotes_are_removed_as_shells_do() {
    check(
        &[
            r#"a 'b c' "d e" f\ g"#,
            r#"a 'b'"c"d\e"#,
            r#"a "\$x \` \" \\ \n '""#,
            r#"a '\' '"' "'""#,
            "a '' \"\"",
            "a b\\\nc \\\n d",
            "a \"b\\\nc\"",
            "a 'b\nc'",
            "a x=1 --b=c {} {d} HEAD~1 @{u} 100% ^x !y ]",
            "a b#c é 日本",
            r#"'if' x='y'~ ''~ \:~"#,
            r#"a \$'b\' \$"c\"" \$'d\n'"#,
        ],
        expect![[r#"
            ["a", "b c", "d e", "f g"]
            ["a", "bcde"]
            ["a", "$x ` \" \\ \\n '"]
            ["a", "\\", "\"", "'"]
            ["a", "", ""]
            ["a", "bc", "d"]
            ["a", "bc"]
            ["a", "b\nc"]
            ["a", "x=1", "--b=c", "{}", "{d}", "HEAD~1", "@{u}", "100%", "^x", "!y", "]"]
            ["a", "b#c", "é", "日本"]
            ["if", "x=y~", "~", ":~"]
            ["a", "$b\\", "$c\"", "$d\\n"]
        "#]],
    );
}

#[test]
fn simple_commands_are_listed_in_order() {
    check(
        &[
            "a | b && c || d; e\nf # g\n# h\ni",
            "a;",
            "a && b;",
            "\n\na\n\n",
            "a |\nb",
            "a &&\n\n b",
        ],
        expect![[r#"
            ["a"]
            ["b"]
            ["c"]
            ["d"]
            ["e"]
            ["f"]
            ["i"]
            ["a"]
            ["a"]
            ["b"]
            ["a"]
            ["a"]
            ["b"]
            ["a"]
            ["b"]
        "#]],
    );
}

#[test]
fn everything_else_is_named() {
    check(
        &[
            "",
            "  ",
            "# x",
            "a $b",
            "a `b`",
            "a \"$b\"",
            "a > b",
            "a <<x\nx",
            "a b#$(c)",
            "a *",
            "a ?",
            "a [b]",
            "a [''",
            "a ~",
            "a b=~",
            "a {b,c}",
            "a &",
            "a |& b",
            "a=b c",
            "(a)",
            "{ a; }",
            "if a; then b; fi",
            "a() { b; }",
            "! a",
            "time a",
            "a 'b",
            "a \"b",
            "a \\",
            "a ;; b",
            "a\rb",
            "a\u{a0}b",
            "a\u{202e}",
            "a\tb",
            "eval 'a'",
            "git log && eval a",
            "git log | source 'a b'",
            "command rm x",
            "%1",
            "test -v a",
            "printf -v a b",
            "printf '%n' PATH",
            "[ 'a[$(b)]' -eq 1 ]",
            "| a",
            "a | | b",
            "a && ; b",
            "-a",
            "+a",
        ],
        expect![[r#"
            the command is empty
            the command is empty
            the command is empty
            the command has an expansion or substitution (character 3)
            the command has an expansion or substitution (character 3)
            the command has an expansion or substitution (character 4)
            the command has a redirection (character 3)
            the command has a redirection (character 3)
            the command has an expansion or substitution (character 5)
            the command has a pattern of file names (character 3)
            the command has a pattern of file names (character 3)
            the command has a pattern of file names (character 5)
            the command has a pattern of file names (character 5)
            the command has a `~` that stands for a directory (character 3)
            the command has a `~` that stands for a directory (character 5)
            the command has braces (character 5)
            the command runs in the background (character 3)
            the command runs in the background (character 3)
            the command sets a variable (character 3)
            the command has a compound command (character 1)
            the command has braces (character 2)
            the command has a compound command (character 2)
            the command has a compound command (character 2)
            the command has a compound command (character 1)
            the command has a compound command (character 4)
            the command has an unclosed quote (character 4)
            the command has an unclosed quote (character 4)
            the command has an unclosed quote (character 3)
            the command is not a list of simple commands (character 3)
            the command has a control character (character 2)
            the command has an invisible character (character 2)
            the command has an invisible character (character 2)
            the command has a control character (character 2)
            the shell evaluates the arguments of `eval`
            the shell evaluates the arguments of `eval`
            the shell evaluates the arguments of `source`
            the shell evaluates the arguments of `command`
            the shell evaluates the arguments of `%1`
            the shell evaluates the arguments of `test`
            the shell evaluates the arguments of `printf`
            the shell evaluates the arguments of `printf`
            the shell evaluates the arguments of `[`
            the command is not a list of simple commands (character 1)
            the command is not a list of simple commands (character 5)
            the command is not a list of simple commands (character 6)
            the command is not a list of simple commands
            the command is not a list of simple commands
        "#]],
    );
}

#[test]
fn formats_without_variables_are_literal() {
    for command in
        ["printf '%s\\n' x", "printf '5%%n'", "printf -- '%5d' 1", "printf", "printf '%'"]
    {
        assert!(shell_commands(command).is_ok(), "{command}");
    }
}

#[test]
fn operands_that_no_shell_evaluates_are_literal() {
    for command in ["test -f x", "[ 1 -eq 2 ]", "test '(x)' = y", "test '[x' = y", "cd -v x"] {
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
    for part in [
        "$( ",
        "( ",
        "{ ",
        "${x:-",
        "\"$(",
        "if ",
        "if a; then ",
        "! ",
        "while ",
        "[[ ( ",
        "case x in (",
        "$((",
        "<(",
        "`",
        "a[",
        "{a,",
        "time ",
        "coproc ",
        "f() ",
        "\\\n",
        ";",
        "'\"",
        "a\n",
    ] {
        for size in [MAX_COMMAND_BYTES, 1 << 20] {
            let command = part.repeat(size / part.len());
            assert!(shell_commands(&command).is_err(), "{part:?} many times");
        }
    }
}

#[test]
fn long_words_and_lists_are_refused_by_their_size() {
    for command in ["x".repeat(1 << 20), ";".repeat(100_000), "a;".repeat(100_000)] {
        assert!(shell_commands(&command).is_err(), "{} bytes", command.len());
    }
}
