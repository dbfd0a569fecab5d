//! Lock files of other tools.

use std::fs;

use serde_json::{Value, json};

use crate::install::{Machine, states};
use crate::plain_skill;

#[test]
fn skills_lock_is_exported_and_imported() {
    let machine = Machine::new();
    let source = machine.path("skills");
    assert_eq!(machine.run(&["add", &source]).code, Some(0));
    let exported = machine.run(&["sync", "--export"]);
    let value: Value = serde_json::from_str(exported.text()).unwrap();
    assert_eq!(value["skills"]["pdf"]["source"], source.as_str());

    // A path is relative to the lock file.
    machine.tree.write("skills-lock.json", exported.text().replace(&source, "./skills"));
    let file = machine.path("skills-lock.json");
    let import = || {
        let lock = machine.path("other.lock");
        machine.run(&["sync", "--import", &file, "--lock", &lock, "--format", "json"])
    };
    assert_eq!(states(&import().json()), ["notes added", "pdf added"]);
    machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf") + "More.\n");
    fs::remove_file(machine.tree.join("other.lock")).unwrap();
    let ran = import();
    assert_eq!(
        (ran.code, states(&ran.json())),
        (Some(3), vec!["notes added".into(), "pdf left out".into()])
    );
    let detail = ran.json()["skills"][1]["detail"].to_string();
    assert!(detail.contains("has the digest"), "these are not the locked files: {detail}");
    let only = json!({ "pdf": { "source": "ftp://a/b", "sourceType": "git" } });
    machine.tree.write("skills-lock.json", json!({ "version": 1, "skills": only }).to_string());
    let message = import().error()["message"].to_string();
    assert!(message.starts_with("\"`pdf`: "), "the line is named: {message}");
    machine.tree.write("package-lock.json", "{}");
    let unknown = machine.path("package-lock.json");
    let ran = machine.run(&["sync", "--import", &unknown, "--format", "json"]);
    assert_eq!((ran.code, &ran.error()["code"]), (Some(2), &"lock-invalid".into()));
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
    assert_eq!(machine.run(&["add", &machine.path("skills"), "pdf"]).code, Some(0));
    let exported: Value = serde_json::from_str(machine.run(&["sync", "--export"]).text()).unwrap();
    assert_eq!(exported["skills"]["pdf"]["computedHash"], FOLDER_DIGEST);
}
