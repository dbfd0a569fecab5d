//! Watches of real files, with the notifications of the operating system.

mod directories;
mod files;
mod limits;
mod links;
mod roots;

use std::fs;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use prowess_core::{PackagePath, SkillSource, SourceChange, Watch};
use prowess_source_fs::{FsConfig, FsSource, Nested};
use prowess_testkit::{ManualClock, Tree};

/// How long a test waits for what must come. It fails long before it is this late.
const LONG: Duration = Duration::from_secs(60);

const SKILL: &str = "---\nname: skill\ndescription: Does things.\n---\nBody\n";

/// A source that is watched, and the changes it reported.
struct Watched {
    source: FsSource,
    changes: mpsc::Receiver<SourceChange>,
    _watch: Watch,
}

fn source(config: FsConfig) -> FsSource {
    FsSource::new(config, Arc::new(ManualClock::default()))
}

fn watched(config: FsConfig) -> Watched {
    let source = source(config);
    let (sender, changes) = mpsc::channel();
    let watch = source.watch(Arc::new(move |change| drop(sender.send(change))));
    let _watch = watch.expect("there are watches").expect("directories can be watched");
    Watched { source, changes, _watch }
}

impl Watched {
    /// Waits for the report that a package may have changed; returns the others that were reported
    /// before.
    #[track_caller]
    fn wait_for(&self, package: &str) -> Vec<String> {
        let mut before = Vec::new();
        loop {
            match self.changes.recv_timeout(LONG) {
                Ok(SourceChange::Packages(packages)) => {
                    let is_it = |path: &PackagePath| path.as_str() == package;
                    let found = packages.iter().any(is_it);
                    before.extend(packages.iter().map(ToString::to_string));
                    if found {
                        return before;
                    }
                }
                Ok(SourceChange::Everything) => return before,
                other => panic!("`{package}` is reported, and not {other:?} after {before:?}"),
            }
        }
    }

    /// Makes a change until it is reported by its packages, and returns them: another test's
    /// change of the shared watches may mean anything.
    #[track_caller]
    fn exactly(&self, last: &str, change: impl Fn()) -> Vec<String> {
        loop {
            change();
            let reported = self.wait_for(last);
            if reported.last().is_some_and(|reported| reported == last) {
                return reported;
            }
        }
    }

    /// Waits for the report that anything may have changed.
    #[track_caller]
    fn wait_for_everything(&self) {
        loop {
            match self.changes.recv_timeout(LONG) {
                Ok(SourceChange::Everything) => return,
                Ok(SourceChange::Packages(_)) => {}
                other => panic!("everything may have changed, and not {other:?}"),
            }
        }
    }
}

fn tree() -> Tree {
    let tree = Tree::new("");
    for package in ["pdf", "tables", "group/inner"] {
        tree.write(&format!("skills/{package}/SKILL.md"), SKILL);
    }
    tree.write("skills/pdf/references/notes.md", "Notes");
    tree.write("outside/shared/SKILL.md", SKILL);
    tree
}

fn config(tree: &Tree) -> FsConfig {
    FsConfig::new(tree.join("skills"))
}

/// Makes an edit of the tree in the directory `skills` and waits until each of the packages was
/// reported.
#[track_caller]
fn check(edit: impl Fn(&Path), packages: &[&str]) {
    for nested in [Nested::Stop, Nested::Descend] {
        let tree = tree();
        let watched = watched(FsConfig { nested, ..config(&tree) });
        edit(&tree.join("skills"));
        // One after the other may come in any order, so each is waited for by an edit of its own.
        for package in packages {
            let reported = watched.wait_for(package);
            if packages.len() > 1 && packages.iter().all(|&one| reported.iter().any(|it| it == one))
            {
                break;
            }
        }
    }
}

fn write(path: impl AsRef<Path>) {
    fs::write(path, SKILL).expect("the file can be written");
}

fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) {
    fs::rename(from, to).expect("it can be renamed");
}
