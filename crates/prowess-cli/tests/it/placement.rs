//! Installed skills in the directories of other clients: links or copies that follow the lock.

use std::fs;
use std::path::PathBuf;

use crate::install::Machine;
use crate::{plain_skill, skill_md};

fn target(machine: &Machine, name: &str) -> PathBuf {
    machine.tree.join(&format!("home/.agents/skills/{name}"))
}

fn text(machine: &Machine, name: &str) -> String {
    fs::read_to_string(target(machine, name).join("SKILL.md")).unwrap()
}

/// A machine whose user trusts the source of the skills.
fn trusting() -> Machine {
    let machine = Machine::new();
    assert_eq!(machine.run(&["trust", "--source", &machine.path("skills")]).code, Some(0));
    machine
}

fn add(machine: &Machine, option: &str) {
    let added = machine.run(&["add", &machine.path("skills"), option]);
    assert_eq!(added.code, Some(0), "{}", added.stderr);
}

fn change(machine: &Machine, line: &str) {
    machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf") + line);
}

#[test]
fn links_and_copies_follow_the_lock() {
    for (option, is_link) in [("--link", true), ("--copy", false)] {
        let machine = trusting();
        add(&machine, option);
        assert_eq!(target(&machine, "pdf").is_symlink(), is_link, "{option}");
        assert_eq!(text(&machine, "pdf"), plain_skill("pdf"));
        change(&machine, "Two.\n");
        assert_eq!(machine.run(&["update"]).code, Some(0));
        assert!(text(&machine, "pdf").ends_with("Two.\n"), "{option}: an update is followed");
        assert_eq!(machine.run(&["update", "--rollback", "pdf"]).code, Some(0));
        assert_eq!(text(&machine, "pdf"), plain_skill("pdf"), "{option}: and a rollback");
        assert_eq!(machine.run(&["remove", "pdf"]).code, Some(0));
        assert!(target(&machine, "pdf").symlink_metadata().is_err(), "{option}: it is removed");
        assert!(target(&machine, "notes").exists(), "{option}: the other skill stays");
        let left = fs::read_dir(target(&machine, "").parent().unwrap()).unwrap().count();
        assert_eq!(left, 1, "{option}: nothing else is left");
    }
}

/// Each client has a copy, and none is one to remove.
#[test]
fn copies_for_several_clients_are_one_skill() {
    let machine = trusting();
    let source = machine.path("skills");
    let long = "name: pdf\ndescription: Fills in forms and reads all of their fields.";
    machine.tree.write("skills/pdf/SKILL.md", skill_md(long));
    let added =
        machine.run(&["add", &source, "--copy", "--agent", "cursor", "--agent", "claude-code"]);
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    let places = ["home/.cursor", "home/.claude", "skills"].map(|it| machine.path(it));
    let validate = [&["validate"][..], &places.each_ref().map(String::as_str)].concat();
    for command in [&["list"][..], &["doctor"], &["explain", "pdf"], &validate] {
        let ran = machine.run(command);
        let bad = ["remove one", "Shadowed", "description-duplicate"];
        assert!(!bad.iter().any(|it| ran.stdout.contains(it)), "{ran:?}");
    }
}

#[test]
fn path_for_a_name_costs_its_skill_alone() {
    let machine = trusting();
    machine.tree.write("skills/team/SKILL.md", plain_skill("team/deploy"));
    machine.tree.write("skills/own/SKILL.md", plain_skill("My_Tool"));
    let added = machine.run(&["add", &machine.path("skills"), "--copy"]);
    assert!(added.code == Some(3) && added.stdout.contains("its name is a path"), "{added:?}");
    assert!(target(&machine, "pdf").exists() && !target(&machine, "team").exists());
    let removed = machine.run(&["remove", "my-tool"]);
    assert_eq!(removed.code, Some(0), "a list has it under this id: {removed:?}");
    assert!(!target(&machine, "My_Tool").exists());
}

#[test]
fn untrusted_skills_are_not_placed() {
    let machine = Machine::new();
    let refused = machine.run(&["add", &machine.path("skills"), "--link", "--format", "json"]);
    assert_eq!(refused.error()["code"], "skill-not-trusted");
    assert!(!target(&machine, "").exists());
    assert_eq!(machine.listed(), ["notes", "pdf"], "they are installed, as untrusted ones");
}

#[test]
fn revoked_trust_removes_what_was_placed() {
    let machine = trusting();
    add(&machine, "--copy");
    machine.tree.write("home/.agents/skills/notes/mine.txt", "Mine.\n");
    assert!(target(&machine, "pdf").exists());
    machine.tree.write("a    b/x", "");
    let trusted = machine.run(&["trust", &machine.path("a    b")]);
    assert!(trusted.text().contains("a[4 × U+0020]b"), "{}", trusted.stdout);
    machine.run(&["trust", &machine.path("skills")]).text();
    let revoked = machine.run(&["trust", "--revoke", &machine.path("skills")]);
    assert!(revoked.text().contains("neither as a directory nor as a source"), "{revoked:?}");
    assert!(!target(&machine, "pdf").exists() && target(&machine, "notes").exists());
    assert!(revoked.stderr.contains("to remove it: rm -r "), "{revoked:?}");
    fs::remove_dir_all(target(&machine, "notes")).unwrap();
    assert_eq!(machine.listed(), ["notes", "pdf"]);
}

#[test]
fn files_of_others_are_never_replaced() {
    let machine = trusting();
    machine.tree.write("home/.agents/skills/pdf/SKILL.md", plain_skill("pdf") + "Mine.\n");
    for option in ["--link", "--copy"] {
        let source = machine.path("skills");
        let one = machine.run(&["add", &source, "pdf", option, "--format", "json"]);
        assert_eq!(one.error()["code"], "place-occupied", "{option}");
        // It costs no other skill.
        let added = machine.run(&["add", &source, option]);
        let (installed, said) = (machine.run(&["verify"]).stdout, &added.stdout);
        assert!(added.code == Some(3) && said.contains("left out     pdf"), "{added:?}");
        assert!(installed.contains("notes") && !installed.contains("pdf"), "{installed}");
        assert!(text(&machine, "pdf").ends_with("Mine.\n"));
    }
    fs::remove_dir_all(target(&machine, "pdf")).unwrap();
    add(&machine, "--copy");
    // The user changes the copy, so it is theirs.
    machine.tree.write("home/.agents/skills/pdf/notes.txt", "Mine.\n");
    machine.tree.write("home/.agents/skills/pdf/SKILL.md", plain_skill("pdf") + "Mine.\n");
    change(&machine, "Two.\n");
    for command in [&["update"][..], &["update", "--check"]] {
        let updated = machine.run(command);
        assert!(updated.code == Some(3) && updated.stdout.contains("edited "), "{updated:?}");
        assert!(updated.stderr.contains("run `prowess sync`"), "{updated:?}");
    }
    assert!(text(&machine, "pdf").ends_with("\nMine.\n"), "a changed copy is not updated");
    let rolled = machine.run(&["update", "--rollback", "pdf"]);
    assert!(rolled.code == Some(3) && rolled.stdout.contains("edited "), "{rolled:?}");
    let kept = target(&machine, "pdf");
    let removed = machine.run(&["remove", "pdf"]);
    assert_eq!(removed.code, Some(3), "a part is done: {removed:?}");
    assert!(removed.stdout.contains("is not what was installed, and stays"), "{removed:?}");
    let command = format!("rm -r {}", kept.display());
    assert!(removed.stderr.contains(&command), "{removed:?}");
    assert!(kept.join("notes.txt").exists(), "nor removed");
    assert_eq!(machine.run(&["add", &machine.path("skills"), "notes"]).code, Some(0));
}
