//! Trees that are bound to one folder: another folder at the same path is not read.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use prowess_core::{PackagePath, ReadLimit, ResourcePath, SkillSource, SourceErrorKind, Trust};
use prowess_source_fs::{
    Discovery, FsConfig, FsSource, FurtherPlace, Links, PinnedFolder, Surroundings,
};
use prowess_testkit::{ScanRecorder, Tree};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::source;

const EVIL: &[u8] = b"evil";

/// A folder `a` and its twin `evil` in which each file has other bytes.
fn twins() -> Tree {
    let tree = Tree::new("");
    for (folder, text) in [("a", "good"), ("evil", "evil")] {
        for file in ["SKILL.md", "notes.md", "deep/more.md"] {
            tree.write(&format!("{folder}/skills/pdf/{file}"), text);
        }
    }
    tree
}

fn bound(tree: &Tree, links: Links) -> FsConfig {
    FsConfig {
        within: Some(tree.join("a")),
        pinned: vec![PinnedFolder::at(tree.join("a"))],
        links,
        ..FsConfig::new(tree.join("a/skills"))
    }
}

fn exchange(tree: &Tree) {
    let (one, other) = (tree.join("a"), tree.join("evil"));
    renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).expect("names can be exchanged");
}

fn read(source: &FsSource, file: &str) -> Result<Vec<u8>, SourceErrorKind> {
    let resource = ResourcePath::new(file).unwrap();
    let read = source.read(&PackagePath::new("pdf").unwrap(), &resource, ReadLimit::default());
    read.map_err(|error| error.kind)
}

#[test]
fn replaced_folder_is_neither_scanned_listed_nor_read() {
    for links in [Links::Never, Links::WithinRoot, Links::Follow] {
        let tree = twins();
        let source = source(bound(&tree, links));
        let package = PackagePath::new("pdf").unwrap();
        for is_replaced in [false, true, false] {
            let replaced = is_replaced.then_some(SourceErrorKind::Replaced);
            for file in ["SKILL.md", "notes.md", "deep/more.md"] {
                let expected = replaced.map_or_else(|| Ok(b"good".to_vec()), Err);
                assert_eq!(read(&source, file), expected, "{links:?}: {file}");
            }
            let listed = source.list(&package, 9).map(|listing| listing.resources.len());
            assert_eq!(listed.map_err(|error| error.kind), replaced.map_or(Ok(2), Err));
            let scanned = ScanRecorder::scan(&source).map(|scan| scan.found.len());
            assert_eq!(scanned.map_err(|error| error.kind), replaced.map_or(Ok(1), Err));
            assert_eq!(source.identity(&package).is_none(), is_replaced);
            exchange(&tree);
        }
    }
}

#[test]
fn replaced_folder_below_a_project_is_not_read() {
    let tree =
        Tree::new("//- /p/a/skills/pdf/SKILL.md\ngood\n//- /p/evil/skills/pdf/SKILL.md\nevil\n");
    let pinned = ["p", "p/a"].map(|folder| PinnedFolder::at(tree.join(folder)));
    let within = Some(tree.join("p"));
    let root = FsConfig::new(tree.join("p/a/skills"));
    let source = source(FsConfig { within, pinned: pinned.into(), ..root });
    assert_eq!(read(&source, "SKILL.md"), Ok(b"good\n".to_vec()));
    fs::rename(tree.join("p/a"), tree.join("p/old")).unwrap();
    fs::rename(tree.join("p/evil"), tree.join("p/a")).unwrap();
    assert_eq!(read(&source, "SKILL.md"), Err(SourceErrorKind::Replaced));
}

#[test]
fn link_to_another_part_of_the_project_is_followed_while_the_project_is_the_same() {
    let tree = Tree::new("//- /p/shared/pdf/SKILL.md\ngood\n//- /evil/shared/pdf/SKILL.md\nevil\n");
    for project in ["p", "evil"] {
        fs::create_dir(tree.join(project).join("a")).unwrap();
        std::os::unix::fs::symlink("../shared", tree.join(project).join("a/skills")).unwrap();
    }
    let pinned = ["p", "p/a"].map(|folder| PinnedFolder::at(tree.join(folder)));
    let within = Some(tree.join("p"));
    let root = FsConfig::new(tree.join("p/a/skills"));
    let source = source(FsConfig { within, pinned: pinned.into(), ..root });
    assert_eq!(read(&source, "SKILL.md"), Ok(b"good\n".to_vec()));
    fs::rename(tree.join("p"), tree.join("old")).unwrap();
    fs::rename(tree.join("evil"), tree.join("p")).unwrap();
    assert_eq!(read(&source, "SKILL.md"), Err(SourceErrorKind::Replaced));
}

/// As by `git init`, a clone or a submodule in a project that is trusted.
#[test]
fn root_that_has_come_to_be_in_another_repository_is_not_read() {
    let cases = "a/skills a, a/skills a/skills, linked a, b/linked a/skills, \
                 a/dep/skills a/dep/skills, to_dep a/dep/skills";
    for (root, repository) in cases.split(", ").filter_map(|it| it.split_once(' ')) {
        let tree = Tree::new("//- /p/.git/HEAD\n//- /p/a/dep/.git/HEAD\n//- /p/b/x\nx\n");
        tree.write("p/a/skills/pdf/SKILL.md", "good");
        tree.write("p/a/dep/skills/pdf/SKILL.md", "good");
        let links =
            [("linked", "a/skills"), ("b/linked", "../a/skills"), ("to_dep", "a/dep/skills")];
        for (link, target) in links {
            std::os::unix::fs::symlink(target, tree.join("p").join(link)).unwrap();
        }
        let project = tree.join("p");
        let also = vec![FurtherPlace::try_from(format!("./{root}")).unwrap()];
        let policy = Discovery { also, organization: None, ..Discovery::default() };
        let found = policy.find(&Surroundings::new(None, Some(project.clone())));
        let found = found.roots.iter().find(|it| it.directory == project.join(root)).unwrap();
        let source = source(policy.found_config(found, Some(Trust::AskFirst)));
        let packages = || ScanRecorder::scan(&source).unwrap().packages().len();
        assert_eq!((packages(), read(&source, "SKILL.md")), (1, Ok(b"good".to_vec())), "{root}");
        tree.write(&format!("p/{repository}/.git"), "gitdir: x");
        let refused = (0, Err(SourceErrorKind::Escape));
        assert_eq!((packages(), read(&source, "SKILL.md")), refused, "{root} in {repository}");
        fs::remove_file(project.join(repository).join(".git")).unwrap();
        assert_eq!(packages(), 1, "{root} is in its project again");
    }
}

#[test]
fn folder_that_was_not_there_is_never_read() {
    let tree = twins();
    let gone = PinnedFolder::at(tree.join("gone"));
    let within = Some(tree.join("gone"));
    let config = FsConfig { within, pinned: vec![gone], ..FsConfig::new(tree.join("gone/skills")) };
    fs::rename(tree.join("evil"), tree.join("gone")).unwrap();
    assert_eq!(read(&source(config), "SKILL.md"), Err(SourceErrorKind::Replaced));
}

/// Exchanges the folder and its twin until enough was read.
#[test]
fn raced_exchange_never_shows_a_byte_of_the_other_folder() {
    const EXCHANGES: usize = 60_000;
    let tree = twins();
    let source = source(bound(&tree, Links::WithinRoot));
    let (exchanges, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (mut good, mut refused) = (0, 0);
    thread::scope(|scope| {
        scope.spawn(|| {
            while exchanges.fetch_add(1, Ordering::Relaxed) < EXCHANGES {
                exchange(&tree);
            }
            is_over.store(true, Ordering::Relaxed);
        });
        while !is_over.load(Ordering::Relaxed) {
            for file in ["SKILL.md", "deep/more.md"] {
                match read(&source, file) {
                    Ok(bytes) => {
                        assert_ne!(bytes, EVIL, "no byte of the other folder is read");
                        good += 1;
                    }
                    Err(_) => refused += 1,
                }
            }
            if let Ok(scan) = ScanRecorder::scan(&source) {
                let mut heads = scan.found.iter().map(|found| found.head.as_slice());
                assert!(heads.all(|head| head != EVIL), "nor by a scan");
            }
        }
    });
    assert!(good > 0 && refused > 0, "both folders were met: {good} and {refused}");
}
