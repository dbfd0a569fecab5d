//! Changes around a skill, by the history of its repository and by programs.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::time::{Duration, SystemTime};

use prowess_testkit::Tree;
use serde_json::Value;

use crate::program::{Program, Ran};

/// The codes of what has changed.
const CODES: [&str; 3] = ["skill-stale", "dependency-missing", "dependency-version"];

const SKILL: &str = ".agents/skills/notes";

/// Writes a skill with this metadata into a repository.
fn write(tree: &Tree, metadata: &str) {
    write_with(tree, metadata, "For example `a`.");
}

fn write_with(tree: &Tree, metadata: &str, body: &str) {
    let text = format!(
        "---\nname: notes\ndescription: Use when asked.\nmetadata:\n  {metadata}\n---\n# Notes\n\n\
         ## When to use\n\n{body}\n"
    );
    tree.write(&format!("shop/{SKILL}/SKILL.md"), text);
}

/// Commits everything on a day.
fn commit(tree: &Tree, subject: &str, day: &str) {
    git(tree, day, &["add", "--all"]);
    git(tree, day, &["commit", "--quiet", "--message", subject]);
}

fn git(tree: &Tree, day: &str, arguments: &[&str]) {
    let time = format!("{day}T12:00:00Z");
    let mut command = Command::new("git");
    command.args(["-c", "user.name=A", "-c", "user.email=a@example.com"]).args(arguments);
    command.current_dir(tree.join("shop")).env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.env("GIT_AUTHOR_DATE", &time).env("GIT_COMMITTER_DATE", &time);
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
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
    run_in(tree, "shop", args)
}

fn run_in(tree: &Tree, directory: &str, args: &[&str]) -> Ran {
    let program = Program::new().at_home_in(&tree.join("home"));
    let path = format!("{}:/usr/bin:/bin", tree.join("bin").display());
    program.variable("PATH", &path).working_in(&tree.join(directory)).run(args)
}

/// Returns the messages about changes.
fn changes(tree: &Tree) -> Vec<String> {
    let checked = run(tree, &["validate", SKILL, "--format", "json"]).json();
    messages(&checked["packages"][0]["diagnostics"], &CODES)
}

/// Returns the messages about what was not compared.
fn unchecked(tree: &Tree, directory: &str) -> Vec<String> {
    let checked = run_in(tree, directory, &["validate", SKILL, "--format", "json"]).json();
    messages(&checked["diagnostics"], &["dependency-unchecked"])
}

fn messages(found: &Value, codes: &[&str]) -> Vec<String> {
    let found = found.as_array().unwrap().iter();
    let found = found.filter(|it| codes.iter().any(|code| it["code"] == *code));
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
        let is_stale = found.iter().any(|it| it.contains("stale"));
        assert_eq!(annotated.stdout.contains("stale since"), is_stale);
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
    let missing = ["*.json", "gone.yaml"];
    let missing = missing.map(|it| format!("the skill depends on `{it}`, which is not here"));
    for (metadata, day, expected) in [
        ("depends-on-files: api.yaml", 9, vec![]),
        ("depends-on-files: api.yaml", 11, vec!["stale since 1970-01-12: `api.yaml` changed"]),
        ("depends-on-files: api.yaml\n  last-verified: 1970-01-12", 11, vec![]),
        ("depends-on-files: \"*.yaml\"", 9, vec![]),
        ("depends-on-files: \"*.yaml\"", 11, vec!["stale since 1970-01-12: `api.yaml` changed"]),
        ("depends-on-files: \"**/*.y?ml\"", 11, vec!["stale since 1970-01-12: `api.yaml` changed"]),
        ("depends-on-files: \"*.json\"", 11, vec![&*missing[0]]),
        ("depends-on-files: gone.yaml", 11, vec![&*missing[1]]),
    ] {
        write(&tree, metadata);
        at(&format!("shop/{SKILL}/SKILL.md"), 10);
        at("shop/api.yaml", day);
        assert_eq!(changes(&tree), expected, "{metadata} {day}");
        let path = tree.join(&format!("shop/{SKILL}")).display().to_string();
        let elsewhere = run_in(&tree, "home", &["validate", &path, "--format", "json"]).json();
        let found = messages(&elsewhere["packages"][0]["diagnostics"], &CODES);
        assert_eq!(found, expected, "the working directory does not matter");
    }
}

#[test]
fn uncommitted_and_merged_changes_count() {
    let tree = repository();
    write(&tree, "depends-on-files: src/**/*.rs");
    // Nothing is committed: times decide.
    assert!(changes(&tree).is_empty());
    commit(&tree, "Begin", "2026-01-01");
    assert!(changes(&tree).is_empty());
    // A filter of the repository would run to compare the content.
    let mark = tree.join("home/filtered");
    let filter = format!("touch {}; cat", mark.display());
    git(&tree, "2026-01-01", &["config", "filter.x.clean", &filter]);
    git(&tree, "2026-01-01", &["config", "filter.x.required", "true"]);
    tree.write("shop/.git/info/attributes", "*.rs filter=x\n");
    let changed = |file: &str| {
        let [only] = &changes(&tree)[..] else { panic!("one change of {file}") };
        let is_named =
            only.starts_with("stale since ") && only.ends_with(&format!("`{file}` changed"));
        assert!(is_named, "{only}");
    };
    tree.write("shop/src/api.rs", "two\n");
    let output = format!("shop/{SKILL}/output.txt");
    tree.write(&output, "no change of the instructions\n");
    changed("src/api.rs");
    fs::remove_file(tree.join(&output)).unwrap();
    assert!(!mark.exists(), "nothing of the repository is executed");
    fs::remove_file(tree.join("shop/.git/info/attributes")).unwrap();
    tree.write("shop/src/api.rs", "one\n");
    tree.write("shop/src/new.rs", "one\n");
    changed("src/new.rs");
    // An edit of the instructions is newer than what was there, also if nothing is committed.
    write(&tree, "depends-on-files: src/**/*.rs\n  version: \"2\"");
    assert!(changes(&tree).is_empty());
    let later = SystemTime::now() + Duration::from_secs(100);
    let file = File::options().write(true).open(tree.join("shop/src/new.rs")).unwrap();
    file.set_times(FileTimes::new().set_modified(later)).unwrap();
    changed("src/new.rs");
    fs::remove_file(tree.join("shop/src/new.rs")).unwrap();
    commit(&tree, "Edit", "2026-02-01");
    // Only the merge itself changes the file.
    git(&tree, "2026-02-02", &["checkout", "--quiet", "-b", "side"]);
    tree.write("shop/README.md", "it\n");
    commit(&tree, "Side", "2026-02-03");
    git(&tree, "2026-02-04", &["checkout", "--quiet", "-"]);
    tree.write("shop/LICENSE", "it\n");
    commit(&tree, "License", "2026-02-05");
    git(&tree, "2026-02-06", &["merge", "--quiet", "--no-commit", "side"]);
    assert!(changes(&tree).is_empty());
    tree.write("shop/src/api.rs", "three\n");
    commit(&tree, "Merge", "2026-02-07");
    let [found] = &changes(&tree)[..] else { panic!("one change by the merge") };
    assert!(found.starts_with("stale since 2026-02-07: `src/api.rs`"), "{found}");
    // A clone without the history says that it does not know.
    git(&tree, "2026-02-07", &["checkout", "--quiet", "HEAD~1"]);
    assert!(changes(&tree).is_empty());
    let source = format!("file://{}", tree.join("shop").display());
    let clone = tree.join("clone").display().to_string();
    git(&tree, "2026-02-07", &["clone", "--quiet", "--depth", "1", &source, &clone]);
    let history = "1 skill not compared: the history of its repository is not here";
    assert!(unchecked(&tree, "clone")[0].starts_with(history));
    assert!(unchecked(&tree, "shop").is_empty());
}

#[test]
fn removed_files_of_the_repository_are_named() {
    let tree = repository();
    let body = "See `src/api.rs`, `src/deep/b.rs`, `deep/b.rs` and `src/never.rs`.";
    write_with(&tree, "version: \"1\"", body);
    commit(&tree, "Begin", "2026-01-01");
    assert!(changes(&tree).is_empty());
    fs::remove_file(tree.join("shop/src/api.rs")).unwrap();
    assert_eq!(changes(&tree), ["the body names `src/api.rs`, which was removed"]);
    fs::rename(tree.join("shop/src/deep"), tree.join("shop/src/flat")).unwrap();
    commit(&tree, "Flatten", "2026-03-01");
    let found = changes(&tree);
    assert_eq!(found.len(), 2, "{found:?}");
    for (found, file) in found.iter().zip(["src/api.rs", "src/deep/b.rs"]) {
        let start = format!("the body names `{file}`, removed 2026-03-01 in ");
        assert!(found.starts_with(&start), "{found}");
        assert!(found.ends_with(" (Flatten)"), "{found}");
    }
}

/// Writes a program of the search path.
fn program(tree: &Tree, name: &str, body: &str) {
    let path = format!("bin/{name}");
    tree.write(&path, format!("#!/bin/sh\n{body}\n"));
    fs::set_permissions(tree.join(&path), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn doctor_asks_programs_of_trusted_skills_alone() {
    let tree = repository();
    let tool = "echo started >>\"$HOME/started\"; echo \"tool version 1.4.2 ($1, ${SECRET-no})\"";
    program(&tree, "tool", tool);
    program(&tree, "stuck", "exec cat </dev/zero");
    program(&tree, "fails", "echo 9.9; exit 1");
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
    let missing = |name: &str| format!("the skill depends on `{name}`, which is not here");
    assert_eq!(found(), [missing("absent"), missing("prowess")], "the project is not trusted");
    let programs = "4 programs not compared: programs are asked only for skills that you trust";
    assert_eq!(unchecked(&tree, "shop"), [programs]);
    assert!(run(&tree, &["doctor"]).stdout.contains("dependency-unchecked"));
    assert!(!tree.join("home/started").exists(), "so nothing of it is started");
    run(&tree, &["trust"]).text();
    let unread = |name| format!("the skill is for `{name}` ^1, whose version here cannot be read");
    let expected = [
        "the skill is for `tool` ^2, and here is 1.4.2".to_owned(),
        missing("none"),
        unread("stuck"),
        unread("fails"),
        missing("absent"),
        missing("prowess"),
    ];
    assert_eq!(found(), expected);
    assert_eq!(changes(&tree), expected, "`validate` asks the same");
    assert!(unchecked(&tree, "shop").is_empty());
    tree.write("shop/.agents/skills/absent/SKILL.md", crate::plain_skill("absent"));
    let checked = run(&tree, &["validate", ".agents/skills", "--format", "json"]).json();
    let said = checked["packages"].to_string();
    assert!(!said.contains("`absent`"), "a skill next to it is here: {said}");
    let text = run(&tree, &["doctor"]);
    assert_eq!(text.code, Some(0), "a hint is no error: {}", text.stdout);
    assert!(text.stdout.contains("dependency-version"), "{}", text.stdout);
    write(&tree, "depends-on-urls: [https://example.com/a, https://example.com/b]");
    let [urls] = &unchecked(&tree, "shop")[..] else { panic!("one line about all URLs") };
    assert!(urls.starts_with("2 URLs not compared: "), "{urls}");
    let annotated = run(&tree, &["validate", SKILL, "--format", "github"]);
    assert!(annotated.stdout.contains("dependency-unchecked"), "{}", annotated.stdout);
}

#[test]
fn repository_of_skills_is_compared_once_it_is_trusted() {
    let tree = repository();
    program(&tree, "tool", "echo 1.4.2");
    tree.write("shop/skills/good/SKILL.md", crate::plain_skill("good"));
    tree.write("shop/node_modules/x/notes/SKILL.md", "");
    let metadata = "metadata:\n  depends-on-skills: good absent\n  depends-on-commands: tool@^2\n";
    for directory in ["skills", "node_modules/x"] {
        let skill = crate::plain_skill("notes").replacen("---\n", &format!("---\n{metadata}"), 1);
        tree.write(&format!("shop/{directory}/notes/SKILL.md"), skill);
    }
    let found = |path: &str| {
        let checked = run(&tree, &["validate", path, "--format", "json"]).json();
        let of_package = messages(&checked["packages"][0]["diagnostics"], &CODES);
        (of_package, messages(&checked["diagnostics"], &["dependency-unchecked"]).len())
    };
    let absent = "the skill depends on `absent`, which is not here".to_owned();
    let version = "the skill is for `tool` ^2, and here is 1.4.2".to_owned();
    assert_eq!(found("skills/notes"), (vec![absent.clone()], 1), "the skill next to it is here");
    run(&tree, &["trust"]).text();
    assert_eq!(found("skills/notes"), (vec![absent, version], 0));
    assert_eq!(found("skills/notes/SKILL.md").1, 0, "a file is its skill");
    let (others, left) = found("node_modules/x/notes");
    assert_eq!((others.len(), left), (2, 1), "packages of others are not the project's");
}

#[test]
fn changes_within_one_second_are_in_their_order() {
    let tree = repository();
    write(&tree, "depends-on-files: src/*.rs");
    commit(&tree, "One", "2026-01-01");
    tree.write("shop/src/api.rs", "two\n");
    commit(&tree, "Two", "2026-01-01");
    let at = |path: &str, milliseconds: u64| {
        let noon = SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_268_800);
        let file = File::options().write(true).open(tree.join("shop").join(path)).unwrap();
        let time = noon + Duration::from_millis(milliseconds);
        file.set_times(FileTimes::new().set_modified(time)).unwrap();
    };
    assert!(changes(&tree)[0].ends_with(" (Two)"), "{:?}", changes(&tree));
    write(&tree, "depends-on-files: src/*.rs\n  version: \"2\"");
    at(&format!("{SKILL}/SKILL.md"), 500);
    at("src/api.rs", 300);
    assert!(changes(&tree).is_empty(), "the edit is later: {:?}", changes(&tree));
    at("src/api.rs", 700);
    assert!(changes(&tree)[0].ends_with(" (Two)"), "the commit is later: {:?}", changes(&tree));
}
