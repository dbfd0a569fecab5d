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

use prowess_core::{SkillSource, SourceChange, SourceErrorKind, Watch};
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
    /// Waits for the report that a package may have changed; returns what was reported until then.
    /// `None` stands for a report that anything may have changed, perhaps of an earlier change or
    /// of another test's.
    #[track_caller]
    fn wait_for(&self, package: &str) -> Option<Vec<String>> {
        let mut reported = Vec::new();
        while !reported.iter().any(|it| it == package) {
            match self.changes.recv_timeout(LONG) {
                Ok(SourceChange::Packages(packages)) => {
                    reported.extend(packages.iter().map(ToString::to_string));
                }
                Ok(SourceChange::Everything) => return None,
                other => panic!("`{package}` is reported, and not {other:?} after {reported:?}"),
            }
        }
        Some(reported)
    }

    /// Makes a change until it is reported by its packages, and returns them.
    #[track_caller]
    fn exactly(&self, last: &str, change: impl Fn()) -> Vec<String> {
        let report = |_| {
            change();
            self.wait_for(last)
        };
        (0..100).find_map(report).expect("it is reported by its name")
    }

    /// Waits for the report that anything may have changed.
    #[track_caller]
    fn wait_for_everything(&self) {
        let is_reported = self.received().any(|it| matches!(it, SourceChange::Everything));
        assert!(is_reported, "everything may have changed");
    }

    /// Waits for the end of the watch; returns the reason.
    #[track_caller]
    fn wait_for_loss(&self) -> SourceErrorKind {
        let error = self.received().find_map(|change| match change {
            SourceChange::WatchLost(error) => Some(error),
            _ => None,
        });
        error.expect("the watch is lost").kind
    }

    fn received(&self) -> impl Iterator<Item = SourceChange> {
        std::iter::from_fn(|| self.changes.recv_timeout(LONG).ok())
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

/// Makes an edit of the tree in the directory `skills` and waits until the package was reported.
#[track_caller]
fn check(edit: impl Fn(&Path), package: &str) {
    check_in_each(|tree, watched| {
        edit(&tree.join("skills"));
        watched.wait_for(package).is_some()
    });
}

/// Repeats what is not reported exactly, in a new tree.
#[track_caller]
fn check_in_each(is_exact: impl Fn(&Tree, &Watched) -> bool) {
    for nested in [Nested::Stop, Nested::Descend] {
        let is_exact = |_| {
            let tree = tree();
            is_exact(&tree, &watched(FsConfig { nested, ..config(&tree) }))
        };
        assert!((0..100).any(is_exact), "it is reported by its name");
    }
}

fn write(path: impl AsRef<Path>) {
    fs::write(path, SKILL).expect("the file can be written");
}

fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) {
    fs::rename(from, to).expect("it can be renamed");
}
