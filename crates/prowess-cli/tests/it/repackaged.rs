//! The approved files in another archive.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::install::{Machine, states};
use crate::plain_skill;

/// Packs skills into the archive of the site, with this time of their last change.
fn pack(machine: &Machine, names: &[&str], time: u32) {
    let archive = machine.tree.join("site/pack.tar.gz");
    let mut tar = Command::new("tar");
    tar.arg("-C").arg(machine.tree.join("skills")).arg("-czf").arg(archive);
    let packed = tar.arg(format!("--mtime=@{time}")).args(names).status().unwrap();
    assert!(packed.success(), "`tar` packs {names:?}");
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
    let lock = || fs::read_to_string(machine.state("prowess.lock")).unwrap();
    let first = lock();

    pack(&machine, &["notes", "pdf"], 2);
    let checked = machine.online(&["sync", "--check"]);
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    assert_eq!(states(&checked.json()), ["notes intact", "pdf intact"]);
    let detail = checked.json()["skills"][0]["detail"].to_string();
    assert_eq!(detail, r#""the source has another archive or revision of these files""#);
    assert_eq!(states(&machine.online(&["update", "--check"]).json()), [] as [String; 0]);
    assert!(no_update(&machine.online(&["update", "--preview"]).json()));
    assert!(no_update(&machine.online(&["update"]).json()), "there is nothing new to install");
    assert_eq!(lock(), first, "so that locks of two branches do not conflict");

    pack(&machine, &["notes", "pdf"], 3);
    fs::remove_dir_all(machine.state("store/packages")).unwrap();
    let synced = machine.online(&["sync"]);
    assert_eq!(synced.code, Some(0), "it has the locked files: {}", synced.stderr);
    assert_eq!(states(&synced.json()), ["notes installed", "pdf installed"]);
}

#[test]
fn each_difference_has_its_word() {
    let machine = Machine::new();
    pack(&machine, &["notes", "pdf"], 1);
    let source = format!("{}/pack.tar.gz", machine.address());
    assert_eq!(machine.online(&["add", &source]).code, Some(0));
    let check = |expected: [&str; 2]| {
        let checked = machine.online(&["sync", "--check"]);
        assert_eq!(
            (checked.code, states(&checked.json())),
            (Some(1), expected.map(String::from).into())
        );
    };
    machine.tree.write("skills/notes/SKILL.md", plain_skill("notes") + "More.\n");
    pack(&machine, &["notes"], 1);
    check(["notes changed", "pdf gone"]);
    machine.tree.write("site/pack.tar.gz", "no archive");
    check(["notes unreadable", "pdf unreadable"]);
}
