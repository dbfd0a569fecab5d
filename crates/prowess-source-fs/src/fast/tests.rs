//! The fast walk finds what the plain walk finds, in random trees that change between scans.

mod scenario;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::SystemTime;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use prowess_core::{Coverage, Timestamp};
use prowess_testkit::{ManualClock, ScanRecorder, Tree, time_after_changes, without_override};

use crate::{FsConfig, FsSource, Nested};
use scenario::{Scenario, World, scenarios};

/// A time long after the files are written, so that their stamps are not racy.
const LATER: Timestamp = Timestamp(32_503_680_000_000);

fn fast(config: &FsConfig) -> FsSource {
    FsSource::new(config.clone(), Arc::new(ManualClock::at(LATER)))
}

fn plain(config: &FsConfig) -> FsSource {
    FsSource { fast: None, ..fast(config) }
}

/// The result of a scan that does not depend on the walk.
#[derive(Debug, PartialEq)]
struct View {
    /// The file of each package, and its first bytes.
    packages: BTreeMap<String, (String, Vec<u8>)>,
    problems: Vec<String>,
    unreadable: BTreeSet<String>,
}

/// Returns the result of a scan, with the files of unchanged packages from the scan before.
fn view(scan: &ScanRecorder, before: Option<&View>) -> View {
    let mut packages = BTreeMap::new();
    for found in &scan.found {
        let file = (found.file.clone(), found.head.clone());
        let twice = packages.insert(found.package.clone(), file);
        assert_eq!(twice, None, "`{}` is reported once", found.package);
    }
    for package in &scan.unchanged {
        let known = before.and_then(|before| before.packages.get(package));
        let twice = packages.insert(package.clone(), known.expect("it was known").clone());
        assert_eq!(twice, None, "`{package}` is reported once");
    }
    let mut problems: Vec<_> = scan.problems.iter().map(|problem| format!("{problem:?}")).collect();
    problems.sort_unstable();
    let unreadable = scan.unreadable.iter().cloned().collect();
    View { packages, problems, unreadable }
}

/// The numbers of shortcuts that a fast scan took, to check that a test covers them.
#[derive(Default)]
struct Shortcuts {
    unchanged: usize,
    listings: usize,
}

impl Scenario {
    /// Scans the tree, edits it and scans it again; compares each scan with a plain one. Files that
    /// changed before a time count as old.
    fn check(&self, world: &mut World, old_before: SystemTime, shortcuts: &mut Shortcuts) {
        let config = self.config(world.root());
        let source = fast(&config).with_old_changes(old_before);
        let first = ScanRecorder::scan(&source).expect("the root can be listed");
        let mut before = view(&first, None);
        let cold = ScanRecorder::scan(&plain(&config)).expect("the root can be listed");
        assert_eq!(before, view(&cold, None), "the first scan of {self:#?}");
        let mut next = first.next();
        for edits in &self.rounds {
            edits.iter().for_each(|edit| world.apply(edit));
            let listing = next.known_listing;
            let again = next.record(&source).expect("the root can be listed");
            let hot = view(&again, Some(&before));
            let cold = ScanRecorder::scan(&plain(&config)).expect("the root can be listed");
            assert_eq!(hot, view(&cold, None), "after {edits:#?} in {self:#?}");
            shortcuts.unchanged += again.unchanged.len();
            shortcuts.listings += usize::from(listing.is_some() && again.listing == listing);
            next = again.next();
            // The registry drops the record of a package that was not reported.
            next.known.retain(|package, _| hot.packages.contains_key(package));
            before = hot;
        }
    }

    /// Checks that a scan of single packages finds those of a whole scan.
    fn check_packages(&self, world: &World) {
        // A scan of single packages has no limits but that of the depth.
        let FsConfig { max_skills, max_directories, .. } = FsConfig::new("");
        let limits = FsConfig { max_skills, max_directories, ..self.config(world.root()) };
        let config = FsConfig { gitignore: None, ..limits };
        let requested = self.package_paths();
        let whole = ScanRecorder::scan(&plain(&config)).expect("the root can be listed");
        for package in &requested {
            let scan = ScanRecorder::default();
            let scanned = scan.record_packages(&fast(&config), std::slice::from_ref(package));
            let (scan, coverage) = scanned.expect("the root can be listed");
            if coverage == Coverage::Asked {
                let is_wanted = whole.packages().contains(&package.as_str());
                assert_eq!(!scan.found.is_empty(), is_wanted, "`{package}` of {self:#?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn fast_walk_finds_what_the_plain_walk_finds(scenario in scenarios()) {
        without_override(|| {
            let mut world = World::new(&scenario.nodes);
            scenario.check(&mut world, SystemTime::UNIX_EPOCH, &mut Shortcuts::default());
        });
    }

    #[test]
    fn single_packages_are_those_of_a_whole_scan(scenario in scenarios()) {
        without_override(|| {
            scenario.check_packages(&World::new(&scenario.nodes));
        });
    }
}

/// The kernel dates each change, so a change that it dates before the notes shows that the
/// directory was not listed again.
#[test]
fn directory_that_led_to_nothing_is_not_listed_again() {
    let tree = Tree::new("//- /pdf/SKILL.md\ntext\n//- /pdf/scripts/lib/fill.py\n1\n");
    let outside = Tree::new("//- /SKILL.md\ntext\n");
    std::os::unix::fs::symlink(outside.path(), tree.join("pdf/scripts/lib/link")).unwrap();
    let config = FsConfig { nested: Nested::Descend, ..FsConfig::new(tree.path()) };
    let old = || fast(&config).with_old_changes(time_after_changes(tree.path()));
    let first = ScanRecorder::scan(&old()).expect("the root can be listed");
    tree.write("pdf/scripts/lib/inner/SKILL.md", "text");
    let next = |source: FsSource| {
        let scan = first.next().record(&source).expect("the root can be listed");
        let found = scan.found.into_iter().map(|found| found.package);
        found.chain(scan.unchanged).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()
    };
    let whole = ["pdf", "pdf/scripts/lib/inner", "pdf/scripts/lib/link"];
    assert_eq!(next(fast(&config)), whole, "a new change is found");
    if prowess_dir::Dir::open(tree.path()).expect("it is there").epoch().is_some() {
        let noted = ["pdf", "pdf/scripts/lib/link"];
        assert_eq!(next(old()), noted, "one that counts as old is not looked for");
        let other = FsConfig { max_depth: config.max_depth - 1, ..config.clone() };
        let other = fast(&other).with_old_changes(time_after_changes(tree.path()));
        assert_eq!(next(other), whole, "notes of another configuration are not used");
    }
}

/// A listing that is known does not stand for a package's file, wherever the package lies now.
#[test]
fn packages_below_a_root_that_became_one_are_still_found() {
    let tree = Tree::new("//- /pdf/SKILL.md\ntext\n//- /forms/SKILL.md\ntext\n");
    let config = FsConfig { nested: Nested::Descend, ..FsConfig::new(tree.path()) };
    let source = fast(&config).with_old_changes(time_after_changes(tree.path()));
    let first = ScanRecorder::scan(&source).expect("the root can be listed");
    tree.write("SKILL.md/x", "the root has a `SKILL.md`, which is no file");
    let scan = first.next().record(&source).expect("the root can be listed");
    let unchanged = scan.unchanged.iter().map(String::as_str);
    let packages: BTreeSet<_> = scan.packages().into_iter().chain(unchanged).collect();
    assert_eq!(packages, BTreeSet::from(["forms", "pdf"]));
}

/// Notes may come from a file: whatever they say, no scan fails or leaves its root.
#[test]
fn damaged_notes_are_ignored() {
    let tree = Tree::new("//- /pdf/SKILL.md\ntext\n//- /pdf/scripts/fill.py\n1\n");
    let config = FsConfig { nested: Nested::Descend, ..FsConfig::new(tree.path()) };
    let source = fast(&config).with_old_changes(time_after_changes(tree.path()));
    let first = ScanRecorder::scan(&source).expect("the root can be listed");
    for at in 0..first.notes.len() {
        for damaged in [first.notes[..at].to_vec(), {
            let mut notes = first.notes.clone();
            notes[at] ^= 0x41;
            notes
        }] {
            let next = ScanRecorder { known_notes: damaged, ..first.next() };
            let scan = next.record(&source).expect("the root can be listed");
            assert_eq!(scan.unchanged, ["pdf"], "damage at {at}");
            assert!(scan.problems.is_empty() && scan.unreadable.is_empty(), "damage at {at}");
        }
    }
}

/// Unlike new files, old ones need not be read again, nor their directories listed again.
#[test]
fn fast_walk_of_old_files_finds_what_the_plain_walk_finds() {
    let mut runner = TestRunner::default();
    let mut generate = || scenarios().new_tree(&mut runner).expect("nothing is rejected").current();
    let scenarios: Vec<_> =
        (0..48).map(|at| if at % 3 == 0 { generate().of_packages() } else { generate() }).collect();
    let mut worlds: Vec<_> = scenarios.iter().map(|scenario| World::new(&scenario.nodes)).collect();
    let outside = tempfile::tempdir().expect("a temporary directory");
    let old_before = time_after_changes(outside.path());
    let mut shortcuts = Shortcuts::default();
    without_override(|| {
        for (scenario, world) in scenarios.iter().zip(&mut worlds) {
            scenario.check(world, old_before, &mut shortcuts);
        }
    });
    let root = prowess_dir::Dir::open(worlds[0].root()).expect("it is there");
    if root.epoch().is_some() {
        let Shortcuts { unchanged, listings } = shortcuts;
        assert!(unchanged >= 16 * 24, "{unchanged} packages were not read again");
        assert!(listings >= 16, "{listings} roots were not listed again");
    }
}
