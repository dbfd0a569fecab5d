//! Each script runs with the interpreter of its extension or of its first line.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use prowess_script::{InlineMetadata, Interpreters, ScriptPolicy};

use crate::fixture::{Call, Skill};

/// Creates a program for a search path, which is a script of the shell.
fn write_program(directory: &Path, name: &str, script: &str) {
    let program = directory.join(name);
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(program, PermissionsExt::from_mode(0o755)).unwrap();
}

/// Returns a policy that finds programs in this directory first.
fn finding(directory: &Path) -> ScriptPolicy {
    let mut policy = ScriptPolicy::default();
    policy.search_path.insert(0, directory.to_owned());
    policy
}

#[test]
fn extension_chooses_the_interpreter() {
    let programs = tempfile::tempdir().unwrap();
    let table = ["a.py python3", "a.sh bash", "a.js node", "a.mjs node", "a.PL perl", "a.rb ruby"];
    let table = table.map(|row| row.split_once(' ').unwrap());
    for (_, name) in table {
        write_program(programs.path(), name, &format!("echo {name} ${{1##*/}}"));
    }
    let files = table.map(|(file, _)| (format!("scripts/{file}"), ""));
    let files = files.each_ref().map(|(path, text)| (path.as_str(), *text));
    let skill = Skill::with(&files, finding(programs.path()));
    for (file, name) in table {
        let outcome = skill.run(&format!("scripts/{file}"));
        assert_eq!(outcome.stdout, format!("{name} {file}\n"), "{outcome:?}");
    }
}

#[test]
fn first_line_chooses_the_interpreter_of_other_files() {
    let skill = Skill::new(&[
        ("scripts/env", "#!/usr/bin/env bash\necho env"),
        ("scripts/split", "#!/usr/bin/env -S bash -e\necho $-"),
        ("scripts/path", "#!/opt/another/place/bash\necho path"),
        ("scripts/option", "#!/bin/sh -e\nfalse\necho unreachable"),
        ("scripts/crlf", "#!/bin/sh\r\necho started #\r\n"),
    ]);
    assert_eq!(skill.run("scripts/env").stdout, "env\n");
    let options = skill.run("scripts/split").stdout;
    assert!(options.contains('e'), "the option is passed on: {options}");
    assert_eq!(skill.run("scripts/path").stdout, "path\n", "the program, wherever it is here");
    assert_eq!(skill.run("scripts/option").exit_code, Some(1));
    assert_eq!(skill.run("scripts/crlf").stdout.trim_end(), "started");
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

/// A first line names a program of the operator's search path, and never a path.
#[test]
fn hostile_first_lines_run_nothing_else() {
    let evil = tempfile::tempdir().unwrap();
    write_program(evil.path(), "evil", "echo evil");
    let program = evil.path().join("evil");
    let up = format!("#!/bin/../..{}\necho", program.display());
    let whole = format!("#!{}\necho", program.display());
    let long = format!("#!/{}\necho", "a".repeat(300));
    let longest = format!("#!/bin/sh -{}\necho", "e".repeat(1 << 20));
    let skill = Skill::new(&[
        ("scripts/up", &up),
        ("scripts/whole", &whole),
        ("scripts/long", &long),
        ("scripts/longest", &longest),
        ("scripts/evil", "echo evil"),
        ("scripts/own", "#!scripts/evil\necho"),
        ("scripts/dots", "#!/bin/..\necho"),
        ("scripts/nul", "#!/bin/sh\0x\necho"),
        ("scripts/empty", "#!\necho"),
        ("scripts/blank", "#! \t\necho"),
    ]);
    let paths = ["up", "whole", "long", "longest", "own", "dots", "nul", "empty", "blank"];
    for path in paths.map(|name| format!("scripts/{name}")) {
        let (code, message) = skill.refused(&path, &Call::default());
        assert!(["interpreter-missing", "interpreter-unknown"].contains(&&*code), "{path}: {code}");
        assert!(message.len() < 1000, "{path}: the line is not repeated whole: {message}");
    }
}

#[test]
fn a_first_line_has_a_greatest_length() {
    // Spaces fill the line up to its end.
    let of_length = |spaces| format!("#!/bin/sh{}\necho started\n", " ".repeat(spaces));
    let (longest, longer) = (of_length(248), of_length(249));
    let skill = Skill::new(&[("scripts/longest", &longest), ("scripts/longer", &longer)]);
    assert_eq!(skill.run("scripts/longest").stdout, "started\n");
    assert_eq!(skill.refused("scripts/longer", &Call::default()).0, "interpreter-unknown");
}

#[test]
fn the_table_is_policy_and_a_missing_interpreter_is_named() {
    let mut interpreters = Interpreters::default();
    interpreters.0.insert("py".into(), vec!["python-that-is-not-there".into()]);
    interpreters.0.insert("txt".into(), vec!["bash".into(), "-c".into(), "cat \"$0\"".into()]);
    let policy = ScriptPolicy { interpreters, ..ScriptPolicy::default() };
    let skill = Skill::with(&[("scripts/a.py", ""), ("scripts/a.txt", "text")], policy);
    assert_eq!(skill.run("scripts/a.txt").stdout, "text");
    let (code, message) = skill.refused("scripts/a.py", &Call::default());
    assert_eq!(code, "interpreter-missing");
    assert!(message.contains("`python-that-is-not-there`"), "{message}");
}

const WITH_METADATA: &str = include_str!("../data/interpreters-with-metadata.txt");

/// Returns a policy with `uv`, which is a program in this directory or missing.
fn uv(directory: &Path) -> ScriptPolicy {
    ScriptPolicy { inline_metadata: InlineMetadata::Uv, ..finding(directory) }
}

#[test]
fn dependencies_of_a_script_are_for_uv_if_the_policy_says_so() {
    let programs = tempfile::tempdir().unwrap();
    write_program(programs.path(), "uv", "echo \"uv $1 $2 ${3##*/} $4\"");
    write_program(programs.path(), "python3", "echo \"python3 ${1##*/}\"");
    let open = "# /// script\n# dependencies = []\nprint('open')\n# ///\n";
    let files = [("scripts/a.py", WITH_METADATA), ("scripts/b.py", open)];
    let call = Call { arguments: &["x"], ..Call::default() };
    let skill = Skill::with(&files, uv(programs.path()));
    let run = |skill: &Skill, path: &str| skill.call(path, &call).unwrap().stdout;
    assert_eq!(run(&skill, "scripts/a.py"), "uv run --script a.py x\n");
    let plain = Skill::with(&files, finding(programs.path()));
    assert_eq!(run(&skill, "scripts/b.py"), "python3 b.py\n", "a block with no end is a comment");
    assert_eq!(run(&plain, "scripts/a.py"), "python3 a.py\n", "the default ignores it");
    let nowhere = tempfile::tempdir().unwrap();
    let policy = ScriptPolicy { search_path: vec![nowhere.path().into()], ..uv(nowhere.path()) };
    let (code, message) = Skill::with(&files, policy).refused("scripts/a.py", &call);
    assert_eq!((&*code, message.contains("`uv`")), ("interpreter-missing", true), "{message}");
}
