//! Scripts by `sh` and by their path, beside the cases of `ported`.

use crate::fixture::empty;
use crate::results::rows;

/// Writes `script` to `/script.sh`, runs `command` and compares its exit code and output.
fn check(script: &str, command: &str, exit_code: i32, output: &str) {
    let setup = empty();
    let lines =
        format!("cat > /script.sh <<'END_OF_SCRIPT'\n{script}\nEND_OF_SCRIPT\nchmod +x /script.sh");
    assert_eq!(setup.run(&lines).exit_code, 0, "a script can be written");
    let outcome = setup.run(command);
    let found = (outcome.exit_code, outcome.stdout.trim_end());
    assert_eq!(found, (exit_code, output), "`{command}` with {script:?}: {outcome:?}");
}

#[test]
fn failing_command_ends_a_script() {
    for command in ["sh /script.sh", "/script.sh", "bash /script.sh"] {
        check("echo First\ncat /nonexistent\necho Second", command, 1, "First");
    }
    check("if ! cat /nonexistent; then echo Checked; fi", "sh /script.sh", 0, "Checked");
    check("exit 7\necho After", "sh /script.sh", 7, "");
}

#[test]
fn commands_run_as_in_a_shell() {
    for (command, output) in [
        // Only scripts stop at a failure.
        ("cat /nonexistent\necho after", "after\n"),
        ("echo 'echo from input' | sh", "from input\n"),
        ("sh -c 'false; echo $0 $1' name argument", "name argument\n"),
        (
            "if [ -d / ]; then echo yes; else echo no; fi; for i in 1 2; do echo $i; done",
            "yes\n1\n2\n",
        ),
    ] {
        assert_eq!(empty().run(command).stdout, output, "`{command}`");
    }
}

#[test]
fn variables_of_the_shell_itself_are_not_listed() {
    for command in ["env", "printenv", "export -p", "declare -p", "set"] {
        let outcome = empty().run(command);
        assert!(!outcome.stdout.contains("SHOPT_"), "`{command}`: {outcome:?}");
    }
}

#[test]
fn patterns_match_file_names() {
    let setup = empty();
    setup.run("mkdir -p /w/sub; cd /w; touch a.txt b.txt c.md .hidden 'sp ace.txt' sub/d.txt; echo x > a.txt");
    for (command, output) in rows(include_str!("../data/patterns.txt")) {
        assert_eq!(setup.run(&command).stdout.trim_end(), output, "`{command}`");
    }
}
