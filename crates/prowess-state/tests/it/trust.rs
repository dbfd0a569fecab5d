//! Tests of the trust file: which folders are trusted, for how long, and which files are rejected.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use prowess_core::{CheckedFolder, FolderAnswer, FolderTrust, Timestamp};
use prowess_state::{CurrentTrust, Origin, TrustError, TrustFile, TrustedState};
use prowess_testkit::{Tree, without_sync};

const NOW: Timestamp = Timestamp(1_767_225_600_000);

/// Creates a tree with these directories, and its trust file.
fn machine(directories: &[&str]) -> (Tree, TrustFile) {
    let tree = Tree::new("");
    for directory in directories {
        fs::create_dir_all(tree.join(directory)).unwrap();
    }
    let file = TrustFile::new(tree.join("state/prowess/trust.json"));
    (tree, file)
}

/// Trusts a folder of a tree.
fn trust(tree: &Tree, file: &TrustFile, folder: &str) {
    file.trust(&tree.join(folder), NOW).expect("the folder is there");
}

#[track_caller]
fn check(tree: &Tree, file: &TrustFile, answers: &[(&str, FolderAnswer)]) {
    for (folder, expected) in answers {
        assert_eq!(file.load().answer(&tree.join(folder)), *expected, "trust in `{folder}`");
    }
}

use FolderAnswer::{NotTrusted, Replaced, Trusted};

#[test]
fn trust_covers_the_content_of_the_folder_only() {
    let (tree, file) = machine(&["a/b/c", "ab"]);
    check(&tree, &file, &[("a", NotTrusted)]);
    trust(&tree, &file, "a/b");
    let answers = [("a/b", Trusted), ("a/b/c", Trusted), ("a", NotTrusted), ("ab", NotTrusted)];
    check(&tree, &file, &answers);
    check(&tree, &file, &[("a/b/../../ab", NotTrusted), ("gone", NotTrusted)]);
}

/// An earlier review offers nothing, and says that a person has seen these files.
#[test]
fn earlier_reviews_are_remembered_until_revoked() {
    let (_tree, file) = machine(&[]);
    let digest = |text: &str| prowess_core::Digest::of(text.as_bytes());
    let known = |text: &str| {
        let has = file.load().has_reviewed("notes", &digest(text));
        (has, file.was_reviewed("notes", &digest(text)))
    };
    for text in ["one", "two", "one", "three"] {
        let name = format!("notes@{}", digest(text));
        file.trust_origin(Origin::Skill(&name), NOW).unwrap();
        assert_eq!(known(text), (true, true), "{text}");
    }
    assert_eq!([known("one"), known("two"), known("four")].map(|(has, _)| has), [false; 3]);
    assert_eq!(["one", "two", "four"].map(|it| known(it).1), [true, true, false]);
    file.revoke_origin(Origin::Skill("notes")).unwrap();
    assert_eq!(["one", "two", "three"].map(|it| known(it).1), [false; 3]);
}

#[test]
fn running_program_sees_changes_of_another() {
    let (tree, file) = machine(&["a", "b"]);
    let current = CurrentTrust::new(file.clone());
    let answer = |folder: &str| current.answer(&tree.join(folder));
    let mut versions = vec![current.version()];
    trust(&tree, &file, "a");
    versions.push(current.version());
    assert_eq!((answer("a"), answer("b")), (Trusted, NotTrusted), "given");
    trust(&tree, &file, "b");
    versions.push(current.version());
    file.revoke(&tree.join("a")).expect("it was trusted");
    versions.push(current.version());
    assert_eq!((answer("a"), answer("b")), (NotTrusted, Trusted), "taken back");
    assert_eq!(current.version(), versions[3], "the file has not changed");
    fs::set_permissions(file.path(), Permissions::from_mode(0o666)).unwrap();
    versions.push(current.version());
    assert_eq!(answer("b"), NotTrusted, "a file that anybody may write to is not believed");
    assert!(current.finding().is_some(), "and it is said why");
    fs::remove_file(file.path()).unwrap();
    versions.push(current.version());
    assert!(current.finding().is_none() && answer("b") == NotTrusted, "without a file none is");
    assert_eq!((versions[0], versions.remove(5)), (0, 0), "there is no file");
    assert!(versions.windows(2).all(|pair| pair[0] != pair[1]), "each is another: {versions:?}");
}

#[test]
fn replaced_folder_changes_the_version() {
    let (tree, file) = machine(&["a", "b"]);
    trust(&tree, &file, "a");
    let current = CurrentTrust::new(file);
    let before = current.version();
    fs::rename(tree.join("a"), tree.join("old")).unwrap();
    fs::rename(tree.join("b"), tree.join("a")).unwrap();
    assert_ne!(current.version(), before, "the folder was replaced, the file is unchanged");
    assert_eq!(current.answer(&tree.join("a")), Replaced);
}

#[test]
fn check_returns_the_identity_of_the_folder() {
    let (tree, file) = machine(&["a/own", "b/own"]);
    trust(&tree, &file, "a");
    let check = |folder: &str| file.load().check(&tree.join(folder));
    let [whole, own] = ["a", "a/own"].map(check);
    assert_eq!((whole.answer, own.answer), (Trusted, Trusted));
    assert!(whole.identity.is_some() && own.identity.is_some(), "trust is in one folder");
    assert_ne!(whole.identity, own.identity, "each folder has its own identity");
    fs::rename(tree.join("a/own"), tree.join("old")).unwrap();
    fs::rename(tree.join("b/own"), tree.join("a/own")).unwrap();
    let moved = check("a/own");
    assert_eq!(moved.answer, Trusted, "what lies below a trusted folder is trusted");
    assert_ne!(moved.identity, own.identity, "and it is another folder");
    assert_eq!(check("b"), CheckedFolder { answer: NotTrusted, identity: None });
}

#[test]
fn inner_repositories_and_packages_are_not_covered() {
    let (tree, file) = machine(&["a/own", "a/module/deep", "a/clone/.git", "a/node_modules/x/y"]);
    tree.write("a/module/.git", "gitdir: elsewhere\n");
    trust(&tree, &file, "a");
    check(&tree, &file, &[("a", Trusted), ("a/own", Trusted)]);
    let others = ["a/module/deep", "a/module", "a/clone", "a/node_modules/x/y", "a/node_modules"];
    for folder in others {
        check(&tree, &file, &[(folder, NotTrusted)]);
        trust(&tree, &file, folder);
        check(&tree, &file, &[(folder, Trusted)]);
    }
}

#[test]
fn trust_in_a_removed_folder_can_be_revoked() {
    let (tree, file) = machine(&["a/b", "c"]);
    trust(&tree, &file, "a");
    trust(&tree, &file, "c");
    let part = file.revoke(&tree.join("a/b"));
    assert!(
        matches!(part, Err(TrustError::PartOf(..))),
        "a part has no trust of its own: {part:?}"
    );
    file.revoke(&tree.join("a")).unwrap();
    check(&tree, &file, &[("a", NotTrusted), ("a/b", NotTrusted), ("c", Trusted)]);
    fs::remove_dir(tree.join("c")).unwrap();
    assert_eq!(file.load().folders()[0].state(), TrustedState::Missing);
    file.revoke(&tree.join("c")).unwrap();
    assert!(file.load().folders().is_empty(), "nothing is left");
    let again = file.revoke(&tree.join("c"));
    assert!(matches!(again, Err(TrustError::NotTrusted(_))), "there is nothing to take: {again:?}");
}

/// File systems reuse the inode of a removed folder.
#[test]
fn replacement_of_a_trusted_folder_is_not_trusted() {
    let (tree, file) = machine(&["a", "other"]);
    trust(&tree, &file, "a");
    fs::remove_dir(tree.join("a")).unwrap();
    fs::create_dir(tree.join("a")).unwrap();
    check(&tree, &file, &[("a", Replaced)]);
    trust(&tree, &file, "a");
    check(&tree, &file, &[("a", Trusted)]);
    assert_eq!(file.load().folders().len(), 1, "a path stands in the file once");
    fs::rename(tree.join("a"), tree.join("moved")).unwrap();
    fs::rename(tree.join("other"), tree.join("a")).unwrap();
    check(&tree, &file, &[("a", Replaced), ("moved", NotTrusted)]);
    fs::rename(tree.join("a"), tree.join("other")).unwrap();
    fs::rename(tree.join("moved"), tree.join("a")).unwrap();
    check(&tree, &file, &[("a", Trusted)]);
}

#[test]
fn link_has_the_trust_of_its_target() {
    let (tree, file) = machine(&["a", "hostile", "work/real"]);
    trust(&tree, &file, "a");
    fs::rename(tree.join("a"), tree.join("old")).unwrap();
    symlink("hostile", tree.join("a")).unwrap();
    check(&tree, &file, &[("a", NotTrusted), ("hostile", NotTrusted)]);
    symlink("work/real", tree.join("link")).unwrap();
    trust(&tree, &file, "link");
    check(&tree, &file, &[("link", Trusted), ("work/real", Trusted)]);
    let trusted = file.load();
    assert!(trusted.folders()[1].path().ends_with("work/real"), "trust is in the real folder");
}

#[test]
fn trust_file_is_private_and_has_times() {
    let (tree, file) = machine(&["a"]);
    trust(&tree, &file, "a");
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(file.path()), 0o600, "other users cannot read which directories are trusted");
    assert_eq!(mode(&tree.join("state/prowess")), 0o700, "nor looks into the directory");
    let text = fs::read_to_string(file.path()).unwrap();
    assert!(text.contains("\"version\": 1") && text.contains("\"2026-01-01T00:00:00Z\""), "{text}");
    assert_eq!(file.load().folders()[0].since(), "2026-01-01T00:00:00Z");
}

#[test]
fn unusable_file_trusts_nothing_and_is_kept() {
    let newer = r#"{"version": 2, "folders": {}}"#;
    for text in ["", "{", "[]", newer, r#"{"version": 1, "folders": [], "more": 1}"#, "\u{0}"] {
        let (tree, file) = machine(&["a"]);
        tree.write("state/prowess/trust.json", text);
        let finding = file.load().finding().cloned().expect("it is reported");
        assert_eq!(finding.code.as_str(), "trust-file-invalid", "{text:?}");
        let refused = file.trust(&tree.join("a"), NOW);
        assert!(matches!(refused, Err(TrustError::Invalid(_))), "{text:?}: {refused:?}");
        let kept = fs::read_to_string(file.path()).unwrap();
        assert_eq!(kept, text, "what cannot be read is not written over");
    }
    let (tree, file) = machine(&[]);
    assert!(file.load().finding().is_none(), "no file is no complaint");
    assert!(!tree.join("state").exists(), "and reading makes none");
}

#[test]
fn file_writable_by_others_is_rejected() {
    type Tamper = fn(&Tree, &Path);
    let tampers: [(&str, Tamper); 4] = [
        ("everybody may write", |_, path| {
            fs::set_permissions(path, Permissions::from_mode(0o666)).unwrap();
        }),
        ("the group may write", |_, path| {
            fs::set_permissions(path, Permissions::from_mode(0o620)).unwrap();
        }),
        ("it is a link", |tree, path| {
            fs::rename(path, tree.join("elsewhere")).unwrap();
            symlink(tree.join("elsewhere"), path).unwrap();
        }),
        ("it is a FIFO", |_, path| {
            use rustix::fs::{CWD, FileType, Mode};
            fs::remove_file(path).unwrap();
            rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        }),
    ];
    for (what, tamper) in tampers {
        let (tree, file) = machine(&["a"]);
        trust(&tree, &file, "a");
        tamper(&tree, file.path());
        check(&tree, &file, &[("a", NotTrusted)]);
        assert!(file.load().finding().is_some(), "{what}, and it is reported");
    }
}

#[test]
fn file_of_another_user_is_rejected() {
    let (tree, file) = machine(&["a"]);
    trust(&tree, &file, "a");
    // Only root may change a file's owner, so other users skip this part.
    if std::os::unix::fs::chown(file.path(), Some(12_345), None).is_ok() {
        check(&tree, &file, &[("a", NotTrusted)]);
        let help = file.load().finding().unwrap().help.clone();
        assert!(help.contains("as that user") && !help.contains("move"), "{help}");
        std::os::unix::fs::chown(tree.path(), Some(12_345), None).unwrap();
        let database = prowess_state::ApprovalDatabase::open(tree.join("state.db"));
        assert_eq!(database.unwrap_err().help, help);
    }
}

#[test]
fn concurrent_changes_are_all_kept() {
    let folders: Vec<_> = (0..8).map(|number| format!("folder-{number}")).collect();
    let (tree, file) = machine(&folders.iter().map(String::as_str).collect::<Vec<_>>());
    std::thread::scope(|scope| {
        for folder in &folders {
            scope.spawn(|| trust(&tree, &file, folder));
        }
    });
    assert_eq!(file.load().folders().len(), folders.len(), "each is there");
}

#[test]
fn files_and_the_root_directory_cannot_be_trusted() {
    let (tree, file) = machine(&["a"]);
    tree.write("note", "text");
    for folder in ["gone", "note"] {
        let refused = file.trust(&tree.join(folder), NOW);
        assert!(matches!(refused, Err(TrustError::NoFolder(_))), "{folder}: {refused:?}");
    }
    let refused = file.trust(Path::new("/"), NOW);
    assert!(matches!(refused, Err(TrustError::TooWide)), "{refused:?}");
    assert!(!file.path().exists(), "nothing was written");
}

#[test]
fn next_change_removes_temporary_files() {
    let (tree, file) = machine(&["a", "b"]);
    trust(&tree, &file, "a");
    tree.write("state/prowess/.trust.json.abc.prowess-tmp", "{");
    tree.write("state/prowess/.plugins.json.abc.prowess-tmp", "{");
    trust(&tree, &file, "b");
    let left = |name: &str| tree.join("state/prowess").join(name).exists();
    assert!(!left(".trust.json.abc.prowess-tmp"), "no other process writes while the lock is held");
    assert!(left(".plugins.json.abc.prowess-tmp"), "another file's writer may be at work");
    check(&tree, &file, &[("a", Trusted), ("b", Trusted)]);
}

/// After a power failure, a file that was renamed before its content was on the disk may be empty.
#[test]
fn file_that_is_not_on_the_disk_replaces_no_other() {
    let (tree, file) = machine(&["a", "b"]);
    trust(&tree, &file, "a");
    without_sync(|| {
        let error = file.trust(&tree.join("b"), NOW).expect_err("the disk fails");
        assert!(matches!(error, TrustError::Unwritable { .. }), "{error}");
    });
    check(&tree, &file, &[("a", Trusted), ("b", NotTrusted)]);
    trust(&tree, &file, "b");
    check(&tree, &file, &[("a", Trusted), ("b", Trusted)]);
}

#[test]
fn sources_and_signers_are_trusted_as_written() {
    let (tree, file) = machine(&["a"]);
    trust(&tree, &file, "a");
    file.trust_origin(Origin::Source("https://a.example"), NOW).unwrap();
    file.trust_origin(Origin::Signer("minisign:RWQ"), NOW).unwrap();
    let origins = file.origins();
    assert!(origins.trusts("https://a.example", "unsigned"));
    assert!(origins.trusts("https://b.example", "minisign:RWQ"));
    for (source, signer) in [
        ("https://a.example/", "unsigned"),
        ("https://b.example", "unsigned"),
        ("minisign:RWQ", ""),
    ] {
        assert!(!origins.trusts(source, signer), "{source} {signer}");
    }
    assert!(file.revoke_origin(Origin::Source("https://a.example")).unwrap().is_some());
    assert!(file.revoke_origin(Origin::Source("https://a.example")).unwrap().is_none());
    assert!(!file.origins().trusts("https://a.example", "unsigned"));
    assert_eq!(file.load().folders().len(), 1, "folders stay trusted");
    fs::write(file.path(), "{").unwrap();
    assert!(!file.origins().trusts("https://b.example", "minisign:RWQ"), "it is unusable");
}

/// A linked worktree of git, as its program makes it: each end names the other.
fn link(tree: &Tree, main: &str, name: &str, root: &str) {
    let root = tree.path().canonicalize().unwrap().join(root);
    let entry = tree.path().canonicalize().unwrap().join(main).join(".git/worktrees").join(name);
    fs::create_dir_all(&entry).unwrap();
    fs::create_dir_all(&root).unwrap();
    fs::write(entry.join("commondir"), "../..\n").unwrap();
    fs::write(entry.join("gitdir"), format!("{}/.git\n", root.display())).unwrap();
    fs::write(root.join(".git"), format!("gitdir: {}\n", entry.display())).unwrap();
}

#[test]
fn worktree_has_the_trust_of_its_repository() {
    let directories = ["main/.git", "other/.git", "wt/skills/x", "wt/node_modules/y", "wt/in/.git"];
    let (tree, file) = machine(&directories);
    link(&tree, "main", "wt", "wt");
    link(&tree, "main", "inner", "main/.worktrees/inner");
    link(&tree, "other", "of-other", "wt-of-other");
    check(&tree, &file, &[("wt", NotTrusted)]);
    trust(&tree, &file, "main");
    check(&tree, &file, &[("wt", Trusted), ("wt/skills/x", Trusted)]);
    check(&tree, &file, &[("main/.worktrees/inner", Trusted), ("wt-of-other", NotTrusted)]);
    check(&tree, &file, &[("wt/node_modules/y", NotTrusted), ("wt/in", NotTrusted)]);
    let part = file.revoke(&tree.join("wt"));
    assert!(matches!(part, Err(TrustError::PartOf(..))), "the trust is the repository's: {part:?}");
    file.revoke(&tree.join("main")).unwrap();
    check(&tree, &file, &[("wt", NotTrusted)]);
}

/// A folder does not borrow the trust of a repository that it names.
#[test]
fn planted_git_file_borrows_no_trust() {
    let (tree, file) = machine(&["main/.git", "hostile/a", "hostile/b", "hostile/c"]);
    link(&tree, "main", "real", "real");
    trust(&tree, &file, "main");
    check(&tree, &file, &[("real", Trusted)]);
    let root = tree.path().canonicalize().unwrap();
    let entry = root.join("main/.git/worktrees/real");
    let planted = format!("gitdir: {}\n", entry.display());
    // The repository does not name it.
    tree.write("hostile/a/.git", &planted);
    // The entry is its own.
    tree.write(
        "hostile/b/main/.git/worktrees/x/commondir",
        format!("{}\n", root.join("main/.git").display()),
    );
    tree.write(
        "hostile/b/main/.git/worktrees/x/gitdir",
        format!("{}/hostile/b/.git\n", root.display()),
    );
    tree.write(
        "hostile/b/.git",
        format!("gitdir: {}/hostile/b/main/.git/worktrees/x\n", root.display()),
    );
    symlink(root.join("real/.git"), root.join("hostile/c/.git")).unwrap();
    for folder in ["hostile/a", "hostile/b", "hostile/c"] {
        check(&tree, &file, &[(folder, NotTrusted)]);
    }
    // The entry belongs to another repository.
    fs::remove_dir_all(root.join("real")).unwrap();
    tree.write("real/.git", planted);
    tree.write("main/.git/worktrees/real/commondir", "../../../elsewhere\n");
    check(&tree, &file, &[("real", NotTrusted)]);
}
