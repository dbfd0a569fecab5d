//! An update whose write is cut leaves the old version, and installs that run at once lose nothing.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use prowess::{Cancel, Digest};
use prowess_source_remote::LocalRemote;
use prowess_store::{Growth, Installer, LockFile, SignerRules, Store};
use prowess_testkit::Tree;
use rustix::process::{Pid, Signal, test_kill_process};

use crate::install::files;
use crate::plain_skill;
use crate::program::{Program, signal};

/// A home with an installed skill whose source has a newer version with another skill.
pub(crate) struct Machine {
    pub(crate) tree: Tree,
    store: Store,
    lock: LockFile,
    old: Digest,
    new: Digest,
    /// The paths below the home after an update.
    updated: BTreeSet<PathBuf>,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let tree = Tree::new("");
        let state = tree.join("home/.local/state/prowess");
        let [store, lock] = ["store", "prowess.lock"].map(|name| state.join(name));
        let digest = Digest::of(b"");
        let (store, lock) = (Store::new(store), LockFile::new(lock));
        let updated = BTreeSet::new();
        let mut machine = Self { tree, store, lock, old: digest, new: digest, updated };
        machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf"));
        let skills = machine.tree.join("skills");
        let added = machine.program().run(&["add", &skills.to_string_lossy()]);
        assert_eq!(added.code, Some(0), "{}", added.stderr);
        machine.old = machine.locked();
        copy(&machine.tree.join("home"), &machine.tree.join("before"));
        machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf") + "More.\n");
        // Longer than a file may be for `write_that_is_cut_leaves_the_old_version`.
        machine.tree.write("skills/pdf/references/deep/fields.md", "Fields\n".repeat(500));
        machine.complete().unwrap();
        machine.new = machine.locked();
        machine.updated = paths(&machine.tree.join("home"));
        machine
    }

    fn program(&self) -> Program {
        Program::new().at_home_in(&self.tree.join("home"))
    }

    /// Restores the home with the old version.
    pub(crate) fn reset(&self) {
        fs::remove_dir_all(self.tree.join("home")).unwrap();
        copy(&self.tree.join("before"), &self.tree.join("home"));
    }

    fn locked(&self) -> Digest {
        self.lock.load().expect("the lock is whole").skills["pdf"].tree
    }

    /// Updates in this process, which first removes what a killed process left behind.
    fn complete(&self) -> Result<(), String> {
        drop(self.store.begin().map_err(|error| error.to_string())?);
        let (store, lock, signers) = (&self.store, &self.lock, &SignerRules::default());
        let installer = Installer { store, lock, remote: &LocalRemote::default(), signers };
        let updated = installer.update(&[], Growth::Accept, &Cancel::default());
        updated.map(drop).map_err(|error| error.to_string())
    }

    /// Checks what is there after an update that was stopped, or is done.
    pub(crate) fn check(&self, is_done: bool) -> Result<(), String> {
        let lock = self.lock.load().map_err(|error| format!("the lock is damaged: {error}"))?;
        let found = lock.skills.get("pdf").ok_or("no version is locked")?.tree;
        if ![self.old, self.new].contains(&found) {
            return Err("neither version is locked".to_owned());
        }
        let verified = self.store.verify(&found);
        verified.map_err(|error| format!("the locked version is not intact: {error}"))?;
        if is_done && found != self.new {
            return Err("it was reported and is not there".to_owned());
        }
        self.complete()?;
        if self.locked() != self.new {
            return Err("the next update does nothing".to_owned());
        }
        let left = paths(&self.tree.join("home"));
        let is_clean = left == self.updated;
        if is_clean { Ok(()) } else { Err(format!("something is left behind: {left:?}")) }
    }
}

fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-rpT").arg(from).arg(to).status();
    assert!(copied.unwrap().success(), "{} is copied", from.display());
}

/// Returns the paths of all files below a directory.
fn paths(directory: &Path) -> BTreeSet<PathBuf> {
    files(directory).into_iter().map(|(path, _)| path).collect()
}

/// No file may become larger than 1,024 bytes (two blocks for `ulimit`), so a write is cut there.
#[test]
fn write_that_is_cut_leaves_the_old_version() {
    let machine = Machine::new();
    machine.reset();
    let mut command = Command::new("sh");
    // Without the trap, the signal would end the program.
    command.args(["-c", r#"trap '' XFSZ; ulimit -f 2; exec "$0" "$@""#]);
    command.arg(env!("CARGO_BIN_EXE_prowess")).args(["update", "--accept"]);
    let output = command.env_clear().env("HOME", machine.tree.join("home")).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && errors.contains("File too large"), "{errors}");
    assert_eq!(machine.locked(), machine.old, "{errors}");
    assert_eq!(machine.check(false), Ok(()));
}

/// The program that a command waits for ends with it.
#[test]
fn signal_ends_git_too() {
    let tree = Tree::new("");
    let git = "#!/bin/sh\necho $$ > \"${0%/*}/pid\"\nkill -TERM $PPID\nexec sleep 600\n";
    tree.write("bin/git", git);
    fs::set_permissions(tree.join("bin/git"), fs::Permissions::from_mode(0o755)).unwrap();
    tree.write("r/.git/HEAD", "ref: refs/heads/main\n");
    let path = format!("{}:/usr/bin:/bin", tree.join("bin").display());
    let source = format!("git+file://{}", tree.join("r").display());
    let ran = Program::new().variable("PATH", &path).run(&["add", &source, "--user"]);
    assert_eq!(ran.code, Some(1), "it ends by itself: {ran:?}");
    let git = fs::read_to_string(tree.join("bin/pid")).unwrap().trim().parse().unwrap();
    test_kill_process(Pid::from_raw(git).unwrap()).unwrap_err();
}

/// A command that waits for another one ends while that holds the lock. A signal just between two
/// attempts is not heard, so there are two.
#[cfg(target_os = "linux")]
#[test]
fn signal_ends_the_wait_for_a_lock() {
    let machine = Machine::new();
    machine.reset();
    let held = machine.store.begin().unwrap();
    let ends = |_| {
        let (mut command, _home) = machine.program().into_command();
        let child = command.arg("update").spawn().unwrap();
        let of = |name: &str| PathBuf::from(format!("/proc/{}/{name}", child.id()));
        let is_waiting = || {
            let open = fs::read_dir(of("fd")).unwrap().filter_map(|it| Some(it.ok()?.path()));
            let mut open = open.filter_map(|it| fs::read_link(it).ok());
            let is_asleep = fs::read_to_string(of("stat")).unwrap().contains(") S ");
            is_asleep && open.any(|it| it.ends_with("store/lock"))
        };
        while !is_waiting() {
            std::thread::yield_now();
        }
        signal(child.id(), Signal::TERM).unwrap();
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(1), "it ends by itself: {ended:?}");
        String::from_utf8_lossy(&ended.stderr).contains("a signal ended the wait")
    };
    assert!((0..2).any(ends), "the signal is heard");
    drop(held);
    assert_eq!(machine.check(false), Ok(()));
}
