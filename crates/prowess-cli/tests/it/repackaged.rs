//! The approved files in another archive, or in another revision of a repository.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::install::{Machine, states};
use crate::plain_skill;
use crate::program::{Program, Ran};

/// Packs skills into the archive of the site, with this time of their last change.
fn pack(machine: &Machine, names: &[&str], time: u32) {
    let archive = machine.tree.join("site/pack.tar.gz");
    let mut tar = Command::new("tar");
    tar.arg("-C").arg(machine.tree.join("skills")).arg("-czf").arg(archive);
    let packed = tar.arg(format!("--mtime=@{time}")).args(names).status().unwrap();
    assert!(packed.success(), "`tar` packs {names:?}");
}

fn lock(machine: &Machine) -> String {
    let path = machine.tree.join("home/.local/state/prowess/prowess.lock");
    fs::read_to_string(path).unwrap()
}

fn no_update(answer: &Value) -> bool {
    answer["updates"].as_array().unwrap().is_empty()
}

#[test]
fn remade_archive_is_no_change() {
    let machine = Machine::new();
    pack(&machine, &["notes", "pdf"], 1);
    let source = format!("{}/pack.tar.gz", machine.address());
    assert_eq!(states(&machine.online(&["add", &source]).json()), ["notes added", "pdf added"]);
    let first = lock(&machine);

    pack(&machine, &["notes", "pdf"], 2);
    let checked = machine.online(&["sync", "--check"]);
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    assert_eq!(states(&checked.json()), ["notes intact", "pdf intact"]);
    let detail = checked.json()["skills"][0]["detail"].to_string();
    assert_eq!(detail, r#""the source has another archive or revision of these files""#);
    assert_eq!(states(&machine.online(&["update", "--check"]).json()), [] as [String; 0]);
    assert!(no_update(&machine.online(&["update", "--preview"]).json()));
    assert_eq!(lock(&machine), first, "none of these changes the lock");

    assert!(no_update(&machine.online(&["update"]).json()), "there is nothing new to install");
    assert_eq!(lock(&machine), first, "so that locks of two branches do not conflict");

    pack(&machine, &["notes", "pdf"], 3);
    fs::remove_dir_all(machine.tree.join("home/.local/state/prowess/store/packages")).unwrap();
    let synced = machine.online(&["sync"]);
    assert_eq!(synced.code, Some(0), "it has the locked files: {}", synced.stderr);
    assert_eq!(states(&synced.json()), ["notes installed", "pdf installed"]);
}

#[test]
fn remade_archive_with_other_files_is_changed_or_gone() {
    let machine = Machine::new();
    pack(&machine, &["notes", "pdf"], 1);
    let source = format!("{}/pack.tar.gz", machine.address());
    assert_eq!(machine.online(&["add", &source]).code, Some(0));
    machine.tree.write("skills/notes/SKILL.md", plain_skill("notes") + "More.\n");
    pack(&machine, &["notes"], 1);
    let checked = machine.online(&["sync", "--check"]);
    assert_eq!(checked.code, Some(1));
    assert_eq!(states(&checked.json()), ["notes changed", "pdf gone"]);

    fs::write(machine.tree.join("site/pack.tar.gz"), "no archive").unwrap();
    let checked = machine.online(&["sync", "--check"]);
    assert_eq!(checked.code, Some(1));
    assert_eq!(states(&checked.json()), ["notes unavailable", "pdf unavailable"]);
}

#[test]
fn commit_to_another_skill_is_no_change() {
    let machine = Machine::new();
    machine.commit_all();
    let first = machine.git(&["rev-parse", "HEAD"]);
    let path = std::env::var("PATH").unwrap();
    let run = |arguments: &[&str]| -> Ran {
        let program = Program::new().at_home_in(&machine.tree.join("home"));
        program.variable("PATH", &path).run(&[arguments, &["--format", "json"]].concat())
    };
    let source = format!("git+file://{}", machine.path("skills"));
    assert_eq!(states(&run(&["add", &source]).json()), ["notes added", "pdf added"]);

    machine.tree.write("skills/notes/SKILL.md", plain_skill("notes") + "More.\n");
    machine.git(&["commit", "--quiet", "--all", "--message=two"]);
    let checked = run(&["sync", "--check"]);
    assert_eq!(checked.code, Some(1));
    assert_eq!(states(&checked.json()), ["notes changed", "pdf intact"]);
    assert_eq!(states(&run(&["update", "--check"]).json()), ["notes changed"]);
    let updated = run(&["update"]).json();
    assert_eq!(updated["updates"].as_array().unwrap().len(), 1, "{updated}");
    let locked = lock(&machine);
    let second = machine.git(&["rev-parse", "HEAD"]);
    assert!(locked.contains(&first) && locked.contains(&second), "one skill is of each: {locked}");
    assert_eq!(run(&["sync", "--check"]).code, Some(0));
}
