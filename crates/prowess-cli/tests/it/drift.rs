//! Changes around a skill, by the history of its repository and by programs.

use std::fs::{self, File, FileTimes};
use std::process::Command;
use std::time::{Duration, SystemTime};

use prowess_testkit::Tree;

use crate::program::{Program, Ran};

/// The codes of what has changed.
const CODES: [&str; 3] = ["skill-stale", "dependency-missing", "dependency-version"];

const SKILL: &str = ".agents/skills/notes";

/// Writes a skill with this metadata into a repository.
fn write(tree: &Tree, metadata: &str) {
    let text = format!(
        "---\nname: notes\ndescription: Use when asked.\nmetadata:\n  {metadata}\n---\n# Notes\n\n\
         ## When to use\n\nFor example `a`.\n"
    );
    tree.write(&format!("shop/{SKILL}/SKILL.md"), text);
}

/// Commits everything on a day.
fn commit(tree: &Tree, subject: &str, day: &str) {
    let time = format!("{day}T12:00:00Z");
    let user = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    for arguments in [&["add", "--all"][..], &["commit", "--quiet", "--message", subject]] {
        let mut command = Command::new("git");
        command.args(user).args(arguments).current_dir(tree.join("shop"));
        command.env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.env("GIT_AUTHOR_DATE", &time).env("GIT_COMMITTER_DATE", &time);
        let ran = command.output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    }
}

fn repository() -> Tree {
    let tree =
        Tree::new("//- /shop/src/api.rs\none\n//- /shop/src/deep/b.rs\none\n//- /home/.keep\n");
    let mut init = Command::new("git");
    let ran = init.args(["init", "--quiet"]).current_dir(tree.join("shop")).output().unwrap();
    assert!(ran.status.success());
    tree
}

fn run(tree: &Tree, args: &[&str]) -> Ran {
    let program = Program::new().at_home_in(&tree.join("home"));
    let path = format!("{}:/usr/bin:/bin", tree.join("bin").display());
    program.variable("PATH", &path).working_in(&tree.join("shop")).run(args)
}

/// Returns the messages about changes.
fn changes(tree: &Tree) -> Vec<String> {
    let checked = run(tree, &["validate", SKILL, "--format", "json"]).json();
    let found = checked["packages"][0]["diagnostics"].as_array().unwrap().clone();
    let found = found.iter().filter(|it| CODES.iter().any(|code| it["code"] == *code));
    found.map(|it| it["message"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn first_commit_after_the_instructions_makes_them_stale() {
    let stale = |since: &str, file: &str, subject: &str| {
        (format!("stale since {since}: `{file}` changed in "), format!(" ({subject})"))
    };
    let missing =
        |name: &str| (format!("the skill depends on `{name}`, which is not here"), String::new());
    let [api, deep] = ["src/api.rs", "src/deep/b.rs"];
    for (metadata, expected) in [
        ("depends-on-files: src/*.rs", vec![stale("2026-02-01", api, "Rename it")]),
        ("depends-on-files: src/**/*.rs", vec![stale("2026-02-01", api, "Rename it")]),
        ("depends-on-files: src/deep/*", vec![stale("2026-03-01", deep, "Deepen")]),
        ("depends-on-files: src/gone.rs", vec![stale("2026-03-01", "src/gone.rs", "Deepen")]),
        ("depends-on-files: README.md", vec![]),
        ("depends-on-files: none.yaml README.md", vec![missing("none.yaml")]),
        ("depends-on-files: ../shop/src/api.rs /etc/passwd", vec![]),
        (
            "depends-on-files: src/**/*.rs\n  last-verified: 2026-02-01",
            vec![stale("2026-03-01", deep, "Deepen")],
        ),
        ("depends-on-files: src/**/*.rs\n  last-verified: 2026-03-01", vec![]),
        // A directory that is checked starts no program.
        ("depends-on-commands: none@^1", vec![]),
    ] {
        let tree = repository();
        tree.write("shop/README.md", "it\n");
        tree.write("shop/src/gone.rs", "it\n");
        write(&tree, metadata);
        commit(&tree, "Begin", "2026-01-01");
        assert_eq!(changes(&tree).len(), usize::from(metadata.contains("none.yaml")), "{metadata}");
        tree.write("shop/src/api.rs", "two\n");
        commit(&tree, "Rename it", "2026-02-01");
        tree.write("shop/src/deep/b.rs", "two\n");
        fs::remove_file(tree.join("shop/src/gone.rs")).unwrap();
        commit(&tree, "Deepen", "2026-03-01");
        let found = changes(&tree);
        assert_eq!(found.len(), expected.len(), "{metadata}: {found:?}");
        for (found, (start, end)) in found.iter().zip(expected) {
            assert!(found.starts_with(&start) && found.ends_with(&end), "{metadata}: {found}");
        }
        let annotated = run(&tree, &["validate", SKILL, "--format", "github"]);
        assert_eq!(annotated.code, Some(0), "a hint is no error");
        assert_eq!(
            annotated.stdout.contains("stale since"),
            found.iter().any(|it| it.contains("stale"))
        );
    }
}

#[test]
fn times_of_files_decide_outside_of_a_repository() {
    let tree = Tree::new("//- /shop/api.yaml\nit\n//- /home/.keep\n");
    let at = |path: &str, days: u64| {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(days * 86_400);
        let file = File::options().write(true).open(tree.join(path)).unwrap();
        file.set_times(FileTimes::new().set_modified(time)).unwrap();
    };
    for (metadata, day, expected) in [
        ("depends-on-files: api.yaml", 9, vec![]),
        ("depends-on-files: api.yaml", 11, vec!["stale since 1970-01-12: `api.yaml` changed"]),
        ("depends-on-files: api.yaml\n  last-verified: 1970-01-12", 11, vec![]),
        ("depends-on-files: \"*.yaml\"", 11, vec![]),
        (
            "depends-on-files: gone.yaml",
            11,
            vec!["the skill depends on `gone.yaml`, which is not here"],
        ),
    ] {
        write(&tree, metadata);
        at(&format!("shop/{SKILL}/SKILL.md"), 10);
        at("shop/api.yaml", day);
        assert_eq!(changes(&tree), expected, "{metadata} {day}");
    }
}

#[test]
fn doctor_asks_programs_of_trusted_skills_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let tree = repository();
    for (name, body) in [
        (
            "tool",
            "echo started >>\"$HOME/started\"; echo \"tool version 1.4.2 ($1, ${SECRET-no})\"",
        ),
        ("stuck", "exec cat </dev/zero"),
        ("fails", "echo 9.9; exit 1"),
    ] {
        tree.write(&format!("bin/{name}"), format!("#!/bin/sh\n{body}\n"));
        fs::set_permissions(tree.join(&format!("bin/{name}")), fs::Permissions::from_mode(0o755))
            .unwrap();
    }
    write(
        &tree,
        "depends-on-commands: tool@^2 tool@^1.4 none stuck@^1 fails@^1 ../bin/tool -x\n  \
         depends-on-skills: absent prowess@^99",
    );
    let found = || {
        let report = run(&tree, &["doctor", "--format", "json"]).json();
        let roots = report["authoring"].as_array().unwrap().clone();
        let found = roots.iter().flat_map(|root| root["diagnostics"].as_array().unwrap().clone());
        let found = found.filter(|it| CODES.iter().any(|code| it["code"] == *code));
        found.map(|it| it["message"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(found().is_empty(), "the project is not trusted");
    assert!(!tree.join("home/started").exists(), "so nothing of it is started");
    run(&tree, &["trust"]).text();
    let missing = |name: &str| format!("the skill depends on `{name}`, which is not here");
    let expected = [
        "the skill is for `tool` ^2, and here is 1.4.2".to_owned(),
        missing("none"),
        missing("absent"),
        missing("prowess"),
    ];
    assert_eq!(found(), expected);
    let text = run(&tree, &["doctor"]);
    assert_eq!(text.code, Some(0), "a hint is no error: {}", text.stdout);
    assert!(text.stdout.contains("dependency-version"), "{}", text.stdout);
}
