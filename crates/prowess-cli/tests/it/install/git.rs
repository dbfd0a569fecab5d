//! Repositories: skills of a branch and of a commit, and lost packages whose branch has moved on.

use std::fs;

use super::{Machine, states};
use crate::plain_skill;
use crate::program::{Program, Ran};

/// A user who has installed the skills of a repository.
struct Installed {
    machine: Machine,
    first: String,
}

impl Installed {
    fn new(options: &[&str]) -> Self {
        let machine = Machine::new();
        machine.commit_all();
        let first = machine.git(&["rev-parse", "HEAD"]);
        let installed = Self { machine, first };
        let source = format!("git+file://{}", installed.machine.path("skills"));
        let added = installed.run(&[&["add", &source], options].concat());
        assert_eq!(states(&added.json()), ["notes added", "pdf added"], "{}", added.stderr);
        installed
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let path = std::env::var("PATH").unwrap();
        let program = Program::new().at_home_in(&self.machine.tree.join("home"));
        program.variable("PATH", &path).run(&[arguments, &["--format", "json"]].concat())
    }

    /// Commits a change of a skill, with these further options of git.
    fn change(&self, name: &str, options: &[&str]) {
        self.machine.tree.write(&format!("skills/{name}/SKILL.md"), plain_skill(name) + "More.\n");
        let commit = ["commit", "--quiet", "--all", "--message=two"];
        self.machine.git(&[&commit, options].concat());
    }

    /// Removes the first commit from the server.
    fn forget(&self) {
        self.machine.git(&["reflog", "expire", "--expire=now", "--all"]);
        self.machine.git(&["gc", "--quiet", "--prune=now"]);
        let kept = self.machine.git(&["cat-file", "--batch-all-objects", "--batch-check"]);
        assert!(!kept.contains(&self.first), "the first commit is gone: {kept}");
    }

    fn lose_packages(&self) {
        fs::remove_dir_all(self.machine.state("store/packages")).unwrap();
    }

    fn lock(&self) -> String {
        fs::read_to_string(self.machine.state("prowess.lock")).unwrap()
    }
}

#[test]
fn branch_is_followed_by_updates() {
    let installed = Installed::new(&["--ref", "main"]);
    let text = installed.lock();
    assert!(text.contains(&format!("revision = \"{}\"", installed.first)), "{text}");
    assert!(text.contains("ref = \"main\"") && text.contains("path = \"pdf\""), "{text}");
    assert_eq!(installed.run(&["sync", "--check"]).code, Some(0));

    // The commit to one skill is no change of the other one.
    installed.change("pdf", &[]);
    let checked = installed.run(&["sync", "--check"]);
    assert_eq!(checked.code, Some(1));
    assert_eq!(states(&checked.json()), ["notes intact", "pdf changed"]);
    assert_eq!(states(&installed.run(&["update", "--check"]).json()), ["pdf changed"]);
    let updated = installed.run(&["update"]).json();
    assert_eq!(updated["updates"].as_array().unwrap().len(), 1, "{updated}");
    let (locked, second) = (installed.lock(), installed.machine.git(&["rev-parse", "HEAD"]));
    let is_of_each = locked.contains(&installed.first) && locked.contains(&second);
    assert!(is_of_each, "one skill is of each commit: {locked}");
    installed.lose_packages();
    let synced = installed.run(&["sync"]);
    assert_eq!(states(&synced.json()), ["notes installed", "pdf installed"], "of both commits");
    let restored = installed.run(&["update", "--rollback", "pdf"]);
    assert_eq!(states(&restored.json()), ["pdf restored"]);
    assert!(!installed.lock().contains(&second), "{restored:?}");
    assert!(installed.run(&["update", "--versions", "pdf"]).text().contains(&second));
    installed.run(&["update", "--rollback", "pdf", "--to", &second[..9]]).text();
    assert!(installed.lock().contains(&second), "one of several is named by its start");
}

#[test]
fn directory_with_a_sign_of_references_is_named_next_to_one() {
    let machine = Machine::new();
    for (directory, name) in [("a@b", "other"), ("a", "one")] {
        machine.tree.write(&format!("skills/{directory}/SKILL.md"), plain_skill(name));
    }
    machine.commit_all();
    let source = format!("git+file://{}", machine.path("skills"));
    let installed = Installed { first: String::new(), machine };
    let add =
        |end: &str| installed.run(&["add", "--list", &format!("{source}{end}"), "--ref", "main"]);
    assert_eq!(states(&add("//a@b").json()), ["other offered"]);
    assert_eq!(add("@v1").error()["code"], "usage", "these are two references");
}

#[test]
fn reference_of_another_kind_is_named() {
    for (before, after) in [("tag", "branch"), ("branch", "tag")] {
        let machine = Machine::new();
        machine.commit_all();
        machine.git(&[before, "v1"]);
        let source = format!("git+file://{}", machine.path("skills"));
        let installed = Installed { first: String::new(), machine };
        let added = installed.run(&["add", &source, "pdf", "--ref", "v1"]);
        assert_eq!(added.code, Some(0), "{}", added.stderr);
        installed.change("pdf", &[]);
        installed.machine.git(&[before, if before == "tag" { "-d" } else { "-D" }, "v1"]);
        installed.machine.git(&[after, "v1"]);
        let update = installed.run(&["update"]);
        let expected = format!("`v1` was a {before} and is a {after} now");
        assert_eq!(update.code, Some(1), "{}", update.stdout);
        assert!(update.error()["message"].to_string().contains(&expected), "{}", update.stderr);
        assert_eq!(installed.run(&["update", "--accept"]).code, Some(0));
        assert_eq!(states(&installed.run(&["sync", "--check"]).json()), ["pdf intact"]);
    }
}

#[test]
fn locked_commit_is_restored() {
    for reference in [&[][..], &["--ref", "main"]] {
        let installed = Installed::new(reference);
        let lock = installed.lock();
        installed.change("pdf", &[]);
        for words in [&["sync"][..], &["sync", "--frozen"]] {
            installed.lose_packages();
            let synced = installed.run(words);
            assert_eq!(synced.code, Some(0), "{words:?}: {}", synced.stdout);
            assert_eq!(states(&synced.json()), ["notes installed", "pdf installed"]);
            assert_eq!(installed.run(&["verify"]).code, Some(0), "the files are the locked ones");
            assert_eq!(installed.lock(), lock, "the lock is unchanged");
        }
    }
}

#[test]
fn rewritten_history_with_the_locked_files_restores_them() {
    let installed = Installed::new(&[]);
    installed.machine.git(&["commit", "--quiet", "--amend", "--message=another"]);
    installed.forget();
    installed.lose_packages();
    let synced = installed.run(&["sync"]);
    assert_eq!(states(&synced.json()), ["notes installed", "pdf installed"]);
}

#[test]
fn lost_commit_is_named() {
    let installed = Installed::new(&[]);
    installed.change("pdf", &["--amend"]);
    installed.forget();
    installed.lose_packages();
    let synced = installed.run(&["sync"]);
    assert_eq!(synced.code, Some(3), "{}", synced.stdout);
    assert_eq!(states(&synced.json()), ["notes installed", "pdf failed"]);
    let detail = synced.json()["skills"][1]["detail"].as_str().unwrap().to_owned();
    let expected = format!("the source does not have the revision `{}` any more", installed.first);
    assert_eq!(detail, expected);
}

#[test]
fn path_that_may_be_a_repository_is_ambiguous() {
    let machine = Machine::new();
    let program = Program::new().at_home_in(&machine.tree.join("home"));
    let added =
        program.working_in(&machine.tree.join("")).run(&["add", "skills/pdf", "--format", "json"]);
    assert_eq!(added.error()["code"], "remote-unsupported");
    let help = added.error()["help"].to_string();
    assert!(help.contains("./skills/pdf") && help.contains("github:skills/pdf"), "{help}");
}

/// A program that is killed removes nothing; the next one does.
#[test]
fn leftovers_of_killed_programs_are_removed() {
    let installed = Installed::new(&["--ref", "main"]);
    installed.change("pdf", &[]);
    let temporary = installed.machine.tree.join("tmp");
    let left = temporary.join(format!("prowess-git-{}", "0".repeat(16)));
    fs::create_dir_all(left.join("objects")).unwrap();
    let path = std::env::var("PATH").unwrap();
    let program = Program::new().at_home_in(&installed.machine.tree.join("home"));
    let program = program.variable("PATH", &path);
    let updated = program.variable("TMPDIR", &temporary.to_string_lossy()).run(&["update"]);
    assert_eq!(updated.code, Some(0), "{updated:?}");
    assert!(!left.exists() && temporary.exists(), "{updated:?}");
}
