//! Lost packages of a repository whose branch has moved on are restored in their locked commit.

use std::fs;

use crate::install::{Machine, states};
use crate::plain_skill;
use crate::program::{Program, Ran};

/// A user who has installed the skills of a repository, whose packages are lost.
struct Restored {
    machine: Machine,
    first: String,
}

impl Restored {
    fn new(reference: &[&str]) -> Self {
        let machine = Machine::new();
        machine.commit_all();
        let first = machine.git(&["rev-parse", "HEAD"]);
        let restored = Self { machine, first };
        let source = format!("git+file://{}", restored.machine.path("skills"));
        let added = restored.run(&[&["add", &source], reference].concat());
        assert_eq!(states(&added.json()), ["notes added", "pdf added"], "{}", added.stderr);
        restored
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let path = std::env::var("PATH").unwrap();
        let program = Program::new().at_home_in(&self.machine.tree.join("home"));
        program.variable("PATH", &path).run(&[arguments, &["--format", "json"]].concat())
    }

    /// Commits a change of `pdf`.
    fn change(&self) {
        self.machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf") + "More.\n");
        self.machine.git(&["commit", "--quiet", "--all", "--message=two"]);
    }

    /// Removes the first commit from the server.
    fn forget(&self) {
        self.machine.git(&["reflog", "expire", "--expire=now", "--all"]);
        self.machine.git(&["gc", "--quiet", "--prune=now"]);
        let kept = self.machine.git(&["cat-file", "--batch-all-objects", "--batch-check"]);
        assert!(!kept.contains(&self.first), "the first commit is gone: {kept}");
    }

    fn lose_packages(&self) {
        let state = "home/.local/state/prowess";
        fs::remove_dir_all(self.machine.tree.join(state).join("store/packages")).unwrap();
    }

    fn lock(&self) -> String {
        fs::read_to_string(self.machine.tree.join("home/.local/state/prowess/prowess.lock"))
            .unwrap()
    }
}

#[test]
fn locked_commit_is_restored() {
    for reference in [&[][..], &["--ref", "main"]] {
        let restored = Restored::new(reference);
        let lock = restored.lock();
        restored.change();
        for words in [&["sync"][..], &["sync", "--frozen"]] {
            restored.lose_packages();
            let synced = restored.run(words);
            assert_eq!(synced.code, Some(0), "{words:?}: {}", synced.stdout);
            assert_eq!(states(&synced.json()), ["notes installed", "pdf installed"]);
            assert_eq!(restored.run(&["verify"]).code, Some(0), "the files are the locked ones");
            assert_eq!(restored.lock(), lock, "the lock is unchanged");
        }
        let quarantined = restored.run(&["sync", "--quarantine"]).stdout;
        assert!(!quarantined.contains("pdf"), "{quarantined}");
    }
}

#[test]
fn skills_of_two_commits_are_restored() {
    let restored = Restored::new(&[]);
    restored.change();
    assert_eq!(restored.run(&["update"]).code, Some(0));
    assert!(restored.lock().contains(&restored.first), "`notes` has the first commit");
    restored.machine.tree.write("skills/notes/SKILL.md", plain_skill("notes") + "More.\n");
    restored.machine.git(&["commit", "--quiet", "--all", "--message=three"]);
    restored.lose_packages();
    let synced = restored.run(&["sync"]);
    assert_eq!(states(&synced.json()), ["notes installed", "pdf installed"]);
}

#[test]
fn rewritten_history_with_the_locked_files_restores_them() {
    let restored = Restored::new(&[]);
    restored.machine.git(&["commit", "--quiet", "--amend", "--message=another"]);
    restored.forget();
    restored.lose_packages();
    let synced = restored.run(&["sync"]);
    assert_eq!(states(&synced.json()), ["notes installed", "pdf installed"]);
    assert_eq!(restored.run(&["verify"]).code, Some(0));
}

#[test]
fn lost_commit_is_named() {
    let restored = Restored::new(&[]);
    restored.machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf") + "More.\n");
    restored.machine.git(&["commit", "--quiet", "--all", "--amend", "--message=another"]);
    restored.forget();
    restored.lose_packages();
    let synced = restored.run(&["sync"]);
    assert_eq!(synced.code, Some(1), "{}", synced.stdout);
    assert_eq!(states(&synced.json()), ["notes installed", "pdf failed"]);
    let detail = synced.json()["skills"][1]["detail"].as_str().unwrap().to_owned();
    let expected = format!("the source does not have the revision `{}` any more", restored.first);
    assert_eq!(detail, expected);
}
