//! Lock files of other tools.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::install::{Machine, states};
use crate::plain_skill;
use crate::program::Program;

/// Writes a file, and returns its path.
fn written(machine: &Machine, name: &str, value: &Value) -> String {
    machine.tree.write(name, value.to_string());
    machine.path(name)
}

#[test]
fn skills_lock_is_exported_and_imported() {
    let machine = Machine::new();
    machine.tree.write("skills/pdf/references/Fields.md", "Fields\n");
    let source = machine.path("skills");
    assert_eq!(machine.run(&["add", &source]).code, Some(0));
    let exported = machine.run(&["sync", "--export"]);
    let text = exported.text();
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(value["version"], 1);
    assert_eq!(value["skills"]["pdf"]["source"], source.as_str());
    assert_eq!(value["skills"]["pdf"]["sourceType"], "local");

    let relative = text.replace(&source, "./skills");
    machine.tree.write("skills-lock.json", &relative);
    let file = machine.path("skills-lock.json");
    let import = || {
        let lock = machine.path("other.lock");
        machine.run(&["sync", "--import", &file, "--lock", &lock, "--format", "json"])
    };
    assert_eq!(states(&import().json()), ["notes added", "pdf added"]);
    machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf") + "More.\n");
    fs::remove_file(machine.tree.join("other.lock")).unwrap();
    assert_eq!(import().error()["code"], "artifact-changed", "these are not the locked files");
    assert!(!machine.tree.join("other.lock").exists(), "nothing is installed");
}

/// The other tool's digest of the folder of [`machine_with_many_files`].
pub(crate) const FOLDER_DIGEST: &str =
    "d51f28c8c389d2f73d03843cfafe8750a278a13bea0cf773c428a549e02ec2e2";

/// Creates a machine with a skill whose files every language orders differently.
pub(crate) fn machine_with_many_files() -> Machine {
    let machine = Machine::new();
    for name in ["a.md", "LICENSE.txt", "scripts/run.py", "scripts/run-2.py", "b/c.md"] {
        machine.tree.write(&format!("skills/pdf/{name}"), format!("{name}\n"));
    }
    machine
}

#[test]
fn exported_digest_is_that_of_the_other_tool() {
    let machine = machine_with_many_files();
    machine.tree.write("skills/pdf/A.md", "A.md\n");
    let added = machine.run(&["add", &machine.path("skills"), "pdf"]);
    assert_eq!(added.code, Some(1), "two names are one on some systems: {}", added.stdout);
    fs::remove_file(machine.tree.join("skills/pdf/A.md")).unwrap();
    assert_eq!(machine.run(&["add", &machine.path("skills"), "pdf"]).code, Some(0));
    let exported: Value = serde_json::from_str(machine.run(&["sync", "--export"]).text()).unwrap();
    assert_eq!(exported["skills"]["pdf"]["computedHash"], FOLDER_DIGEST);
}

#[test]
fn locks_of_other_tools_are_imported_from_git() {
    let machine = Machine::new();
    let git = |arguments: &[&str]| {
        let user = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
        let mut command = Command::new("git");
        command.args(user).args(arguments).current_dir(machine.tree.join("skills"));
        let ran = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
        assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message=one"]);
    let commit = git(&["rev-parse", "HEAD"]);
    machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf") + "More.\n");
    git(&["commit", "--quiet", "--all", "--message=two"]);

    let url = format!("file://{}", machine.path("skills"));
    let dependency = json!({"repo_url": url, "resolved_commit": commit, "virtual_path": "pdf"});
    let apm = json!({"lockfile_version": "1", "dependencies": [dependency]});
    let git = json!({"source": format!("git+{url}"), "sourceType": "git", "ref": commit});
    let vercel = json!({"version": 1, "skills": {"pdf": git}});
    let path = std::env::var("PATH").unwrap();
    for (name, value) in [("apm.lock.yaml", apm), ("skills-lock.json", vercel)] {
        let file = written(&machine, name, &value);
        let lock = machine.path(&format!("{name}.lock"));
        let program = Program::new().at_home_in(&machine.tree.join("home")).variable("PATH", &path);
        let import = ["sync", "--import", &file, "--lock", &lock, "--format", "json"];
        assert_eq!(states(&program.run(&import).json()), ["pdf added"], "{name}");
        let text = fs::read_to_string(&lock).unwrap();
        assert!(text.contains(&format!("revision = \"{commit}\"")), "{name}: {text}");
    }
}

#[test]
fn foreign_lock_of_another_form_installs_nothing() {
    let machine = Machine::new();
    let local = json!({"source": machine.path("skills"), "sourceType": "local"});
    let npm = json!({"source": "a", "sourceType": "node_modules", "computedHash": "0"});
    for (name, value, code) in [
        ("skills-lock.json", json!({"version": 2, "skills": {"pdf": local}}), "lock-version"),
        ("skills-lock.json", json!({"version": 1}), "lock-invalid"),
        ("skills-lock.json", json!({"version": 1, "skills": {"pdf": npm}}), "lock-invalid"),
        (".skill-lock.json", json!({"version": 1, "skills": {"pdf": local}}), "lock-version"),
        ("toolhive.lock.yaml", json!({"version": 1, "skills": [{"name": "pdf"}]}), "lock-invalid"),
        ("apm.lock.yaml", json!({"dependencies": []}), "lock-invalid"),
        ("package-lock.json", json!({}), "lock-invalid"),
    ] {
        let file = written(&machine, name, &value);
        let ran = machine.run(&["sync", "--import", &file, "--format", "json"]);
        assert_eq!(ran.error()["code"], code, "{name} {value}");
    }
    assert_eq!(machine.listed(), Vec::<String>::new());
}
