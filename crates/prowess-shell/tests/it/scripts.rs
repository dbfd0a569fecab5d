//! Scripts by `sh` and by their path.

use prowess_shell::{OnFailure, ShellPolicy};

use crate::fixture::{Setup, empty};

/// Writes `script` to `/script.sh`, runs `command` and compares its exit code and output.
fn check(script: &str, command: &str, exit_code: i32, output: &str) {
    let setup = empty();
    write(&setup, "/script.sh", script);
    let outcome = setup.run(command);
    let found = (outcome.exit_code, outcome.stdout.trim_end());
    assert_eq!(found, (exit_code, output), "`{command}` with {script:?}: {outcome:?}");
}

fn write(setup: &Setup, path: &str, script: &str) {
    let lines = format!("cat > {path} <<'END_OF_SCRIPT'\n{script}\nEND_OF_SCRIPT\nchmod +x {path}");
    assert_eq!(setup.run(&lines).exit_code, 0, "a script can be written");
}

#[test]
fn lines_run_in_order() {
    check("echo Hello\necho World", "sh /script.sh", 0, "Hello\nWorld");
}

#[test]
fn comments_blank_lines_and_first_lines_do_nothing() {
    for script in [
        "# c\necho Hello\n# d",
        "#!/bin/bash\necho Hello",
        "\n\necho Hello\n\n",
        "#!/bin/sh\necho Hello",
    ] {
        check(script, "sh /script.sh", 0, "Hello");
        check(script, "/script.sh", 0, "Hello");
    }
}

#[test]
fn arguments_are_positional_parameters() {
    check("echo $1 $2", "sh /script.sh foo bar", 0, "foo bar");
    check("echo $@", "sh /script.sh one two three", 0, "one two three");
    check("echo $*", "sh /script.sh one two three", 0, "one two three");
    check("echo $#", "sh /script.sh a b c", 0, "3");
    check("echo \"$1\"", "sh /script.sh 'a  b; rm'", 0, "a  b; rm");
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
fn failing_command_tells_its_error() {
    let setup = empty();
    write(&setup, "/script.sh", "echo First\ncat /nonexistent\necho Second");
    let outcome = setup.run("sh /script.sh");
    assert!(outcome.stderr.contains("/nonexistent: No such file"), "{outcome:?}");
}

#[test]
fn policy_lets_a_script_go_on() {
    let policy = ShellPolicy { on_failure: OnFailure::Continue, ..ShellPolicy::default() };
    let setup = Setup::new(&[], policy);
    write(&setup, "/script.sh", "echo First\ncat /nonexistent\necho Second");
    for command in ["sh /script.sh", "/script.sh"] {
        let outcome = setup.run(command);
        assert_eq!(outcome.stdout, "First\nSecond\n", "a script goes on by this policy");
        assert_eq!(outcome.exit_code, 0, "its last command succeeds");
    }
}

#[test]
fn failing_command_of_a_call_does_not_end_it() {
    let outcome = empty().run("cat /nonexistent\necho after");
    assert_eq!(outcome.stdout, "after\n", "only scripts stop at a failure");
}

#[test]
fn changes_of_a_script_stay() {
    check(
        "mkdir /testdir\ntouch /testdir/file.txt\necho done",
        "sh /script.sh && ls -d /testdir /testdir/file.txt",
        0,
        "done\n/testdir\n/testdir/file.txt",
    );
}

#[test]
fn path_is_a_command() {
    check("echo ran $1", "cd /; ./script.sh", 0, "ran");
    check("echo ran $1", "cd /; ./script.sh myarg", 0, "ran myarg");
    check("echo ran $1", "/script.sh myarg", 0, "ran myarg");
    let below = "mkdir /scripts; mv /script.sh /scripts/test.sh; /scripts/test.sh myarg";
    check("echo ran $1", below, 0, "ran myarg");
}

#[test]
fn parameters_end_with_their_script() {
    check("echo in $1", "sh /script.sh a; echo \"[$1]\"", 0, "in a\n[]");
    check("echo in $1", "/script.sh a; echo \"[$1]\"", 0, "in a\n[]");
}

#[test]
fn script_runs_another() {
    let setup = empty();
    write(&setup, "/inner.sh", "echo Inner");
    write(&setup, "/outer.sh", "echo Outer\nsh /inner.sh\necho Done");
    assert_eq!(setup.run("sh /outer.sh").stdout, "Outer\nInner\nDone\n");
}

#[test]
fn conditions_and_loops_run() {
    let script =
        "if [ -f /script.sh ]; then echo yes; else echo no; fi\nfor i in 1 2; do echo $i; done";
    check(script, "sh /script.sh", 0, "yes\n1\n2");
}

#[test]
fn missing_path_and_missing_file_are_errors() {
    let setup = empty();
    for (command, error) in [
        ("sh", "sh: missing script path"),
        ("sh /nonexistent.sh", "sh: /nonexistent.sh: No such file"),
        ("./nonexistent.sh", "No such file"),
    ] {
        let outcome = setup.run(command);
        assert_ne!(outcome.exit_code, 0, "`{command}` fails");
        assert!(outcome.stderr.contains(error), "`{command}`: {outcome:?}");
    }
}

#[test]
fn standard_input_is_a_script_for_sh() {
    let outcome = empty().run("echo 'echo from input' | sh");
    assert_eq!(outcome.stdout, "from input\n", "{outcome:?}");
}

#[test]
fn options_of_sh_are_its_own() {
    let outcome = empty().run("sh -c 'false; echo $0 $1' name argument");
    assert_eq!(outcome.stdout, "name argument\n", "{outcome:?}");
}

#[test]
fn patterns_match_file_names() {
    let setup = empty();
    setup.run("mkdir -p /w/sub; cd /w; touch a.txt b.txt c.md .hidden 'sp ace.txt' sub/d.txt; echo x > a.txt");
    for (command, output) in [
        ("echo *.txt", "a.txt b.txt sp ace.txt"),
        ("echo ?.txt", "a.txt b.txt"),
        ("echo [ab].txt", "a.txt b.txt"),
        ("echo [!a].txt", "b.txt"),
        ("echo *.none", "*.none"),
        ("echo '*.txt'", "*.txt"),
        ("echo \"*.txt\"", "*.txt"),
        ("echo \\*.txt", "*.txt"),
        ("echo sub/*.txt", "sub/d.txt"),
        ("echo *", "a.txt b.txt c.md sp ace.txt sub"),
        ("echo \"a\\\"b\"", "a\"b"),
        ("echo 'a\\b'", "a\\b"),
        ("echo a\\ b", "a b"),
        ("echo \"\\$HOME\"", "$HOME"),
        ("ls sub", "d.txt"),
        ("ls -R . | grep d.txt", "d.txt"),
        ("cp -r sub other; ls other", "d.txt"),
        ("grep -r x . | sort", "./a.txt:x"),
        ("grep -l x *.txt", "a.txt"),
    ] {
        assert_eq!(setup.run(command).stdout.trim_end(), output, "`{command}`");
    }
}
