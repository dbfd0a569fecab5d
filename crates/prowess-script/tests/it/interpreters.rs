//! Each script runs with the interpreter of its extension or of its first line.

use prowess_script::{Interpreters, ScriptPolicy};

use crate::fixture::{Call, Skill};

#[test]
fn extension_chooses_the_interpreter() {
    let skill = Skill::new(&[
        ("scripts/a.py", "import sys; print('python', sys.version_info[0])"),
        ("scripts/a.sh", "echo shell ${BASH_VERSION:+bash}"),
        ("scripts/a.js", "console.log('node', typeof require)"),
        ("scripts/a.mjs", "console.log('module', typeof require)"),
        ("scripts/a.PL", "print 'perl ', $] > 5 ? 5 : 0, \"\\n\";"),
    ]);
    for (path, expected) in [
        ("scripts/a.py", "python 3\n"),
        ("scripts/a.sh", "shell bash\n"),
        ("scripts/a.js", "node function\n"),
        ("scripts/a.mjs", "module undefined\n"),
        ("scripts/a.PL", "perl 5\n"),
    ] {
        let outcome = skill.run(path);
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (expected, ""), "{path}");
        assert_eq!(outcome.exit_code, Some(0), "{path}");
    }
}

#[test]
fn first_line_chooses_the_interpreter_of_other_files() {
    let skill = Skill::new(&[
        ("scripts/env", "#!/usr/bin/env python3\nprint('env')"),
        ("scripts/split", "#!/usr/bin/env -S python3 -I\nimport sys; print(sys.flags.isolated)"),
        ("scripts/path", "#!/opt/another/place/bash\necho path"),
        ("scripts/option", "#!/bin/sh -e\nfalse\necho unreachable"),
    ]);
    assert_eq!(skill.run("scripts/env").stdout, "env\n");
    assert_eq!(skill.run("scripts/split").stdout, "1\n");
    assert_eq!(skill.run("scripts/path").stdout, "path\n", "the program, wherever it is here");
    assert_eq!(skill.run("scripts/option").exit_code, Some(1));
}

#[test]
fn a_file_that_nothing_runs_is_refused() {
    let skill = Skill::new(&[
        ("scripts/notes.txt", "text"),
        ("scripts/env", "#!/usr/bin/env\n"),
        ("scripts/assignment", "#!/usr/bin/env A=1 bash\necho"),
    ]);
    for path in ["scripts/notes.txt", "scripts/env", "scripts/assignment"] {
        let (code, message) = skill.refused(path, &Call::default());
        assert_eq!(code, "interpreter-unknown", "{path}");
        assert!(message.contains(path), "{message}");
    }
}

#[test]
fn a_missing_interpreter_is_named() {
    let mut interpreters = Interpreters::default();
    interpreters.0.insert("py".into(), vec!["python-that-is-not-there".into()]);
    let policy = ScriptPolicy { interpreters, ..ScriptPolicy::default() };
    let skill = Skill::with(&[("scripts/a.py", "")], policy);
    let (code, message) = skill.refused("scripts/a.py", &Call::default());
    assert_eq!(code, "interpreter-missing");
    assert!(message.contains("`python-that-is-not-there`"), "{message}");
}

#[test]
fn the_table_is_policy() {
    let mut interpreters = Interpreters::default();
    interpreters.0.insert("txt".into(), vec!["bash".into(), "-c".into(), "cat \"$0\"".into()]);
    let policy = ScriptPolicy { interpreters, ..ScriptPolicy::default() };
    let skill = Skill::with(&[("scripts/a.txt", "text")], policy);
    assert_eq!(skill.run("scripts/a.txt").stdout, "text");
}
