//! Commands of hooks that can run without a shell.

use prowess_core::HookCommand;

/// Compares the path and the arguments of a command, or a part of the reason why it has none.
#[track_caller]
fn check(command: &str, expected: Result<&[&str], &str>) {
    match (HookCommand::parse(command), expected) {
        (Ok(call), Ok(words)) => {
            let mut found = vec![call.path.as_str()];
            found.extend(call.arguments.iter().map(String::as_str));
            assert_eq!(found, words, "{command:?}");
        }
        (Err(reason), Err(part)) => assert!(reason.contains(part), "{command:?}: {reason}"),
        (found, expected) => panic!("{command:?}: {found:?} instead of {expected:?}"),
    }
}

#[test]
fn paths_of_the_package_are_scripts() {
    check("scripts/check.sh", Ok(&["scripts/check.sh"]));
    check("./scripts/check.sh", Ok(&["scripts/check.sh"]));
    check("bash ./scripts/check.sh", Ok(&["scripts/check.sh"]));
    check("python3 scripts/a.py --strict", Ok(&["scripts/a.py", "--strict"]));
    check("${CLAUDE_SKILL_DIR}/scripts/a.sh", Ok(&["scripts/a.sh"]));
    check("\"$CLAUDE_SKILL_DIR/a.sh\"", Ok(&["a.sh"]));
    let text = "$CLAUDE_SKILL_DIR/a.sh";
    check(&format!("'{text}'"), Ok(&[text]));
    check(&format!("sh '{text}' '{text}'"), Ok(&[text, text]));
    check(
        "\"$CLAUDE_SKILL_DIR/scripts/a b.sh\" 'c d' \"e f\" ''",
        Ok(&["scripts/a b.sh", "c d", "e f", ""]),
    );
    check("scripts/a.sh 'it; rm -rf /' \"a;b\"", Ok(&["scripts/a.sh", "it; rm -rf /", "a;b"]));
    check("scripts/a.sh a'b'\"c\"", Ok(&["scripts/a.sh", "abc"]));
}

#[test]
fn whatever_needs_a_shell_is_refused() {
    for command in [
        "scripts/a.sh; rm -rf ~",
        "scripts/a.sh | tee log",
        "scripts/a.sh && true",
        "scripts/a.sh > out",
        "scripts/a.sh $HOME",
        "scripts/a.sh \"$HOME\"",
        "scripts/a.sh `id`",
        "scripts/a.sh *",
        "scripts/a.sh\nid",
        "$HOME/a.sh",
        "scripts/$CLAUDE_SKILL_DIR/a.sh",
    ] {
        check(command, Err("which only a shell could run"));
    }
    check("", Err("has no command"));
    check("bash", Err("has no command"));
    check("scripts/a.sh 'open", Err("without an end"));
    for path in ["/etc/passwd", "../other/a.sh", "${CLAUDE_SKILL_DIR}/../other/a.sh"] {
        check(path, Err("leaves the package"));
    }
}
