//! Tests of the approvals in a database file: the rules of the store, and which files are refused.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use prowess_core::{ApprovalId, ApprovalStore};
use prowess_state::ApprovalDatabase;
use prowess_testkit::{Tree, check_approval_store};

use crate::rotating::Rotating;
use crate::steps::{Stores, approval_id, new_approval, snapshots, steps};

/// Opens a file that is refused, and returns the message.
fn refused(path: &Path) -> String {
    let finding = ApprovalDatabase::open(path).expect_err("the file is refused");
    assert_eq!(finding.code.as_str(), "state-database-invalid");
    assert!(!finding.help.is_empty(), "there is a next step");
    finding.message
}

/// Returns a closed database with one table of its own.
fn closed() -> (Tree, std::path::PathBuf) {
    let tree = Tree::new("");
    let path = tree.join("state/approvals.db");
    drop(ApprovalDatabase::open(&path).unwrap());
    (tree, path)
}

#[test]
fn database_keeps_every_rule() {
    let tree = Tree::new("");
    let report =
        check_approval_store(&ApprovalDatabase::open(tree.join("state/approvals.db")).unwrap());
    assert!(report.is_passed(), "{report}");
}

/// Each call goes to another connection, as if each came from another process.
#[test]
fn several_connections_keep_every_rule() {
    let tree = Tree::new("");
    let open = || ApprovalDatabase::open(tree.join("approvals.db")).unwrap();
    let report = check_approval_store(&Rotating::new(std::iter::repeat_with(open).take(3)));
    assert!(report.is_passed(), "{report}");
}

#[test]
fn files_are_private() {
    let (tree, path) = closed();
    let open = ApprovalDatabase::open(&path).unwrap();
    for entry in fs::read_dir(tree.join("state")).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        let is_lock = entry.file_name() == "approvals.db.lock";
        assert!(is_lock || mode & 0o077 == 0, "{:?} is private", entry.file_name());
    }
    assert!(open.list(None, std::num::NonZeroUsize::MIN).is_ok());
}

#[test]
fn file_that_others_can_change_is_refused() {
    let (tree, path) = closed();
    fs::set_permissions(&path, Permissions::from_mode(0o620)).unwrap();
    assert!(refused(&path).contains("others may write to it"));
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    let wal = tree.join("state/approvals.db-wal");
    fs::write(&wal, "").unwrap();
    fs::set_permissions(&wal, Permissions::from_mode(0o622)).unwrap();
    assert!(refused(&path).contains("others may write to it"), "the journal is a part of it");
    fs::remove_file(&wal).unwrap();
    fs::set_permissions(tree.join("state"), Permissions::from_mode(0o777)).unwrap();
    assert!(refused(&path).contains("others may write to it"), "others could replace the file");
}

#[test]
fn link_is_refused() {
    let (tree, path) = closed();
    symlink(&path, tree.join("state/link.db")).unwrap();
    assert!(refused(&tree.join("state/link.db")).contains("link"));
    fs::hard_link(&path, tree.join("state/hard.db")).unwrap();
    assert!(refused(&tree.join("state/hard.db")).contains("more than one name"));
    fs::remove_file(tree.join("state/hard.db")).unwrap();
    symlink(&path, tree.join("state/approvals.db-wal")).unwrap();
    assert!(refused(&path).contains("link"), "the journal is no link");
    fs::create_dir(tree.join("state/directory.db")).unwrap();
    assert!(refused(&tree.join("state/directory.db")).contains("regular"));
}

#[test]
fn linked_parent_directory_is_allowed() {
    let (tree, _) = closed();
    symlink(tree.join("state"), tree.join("linked")).unwrap();
    let linked = ApprovalDatabase::open(tree.join("linked/approvals.db"));
    assert!(linked.is_ok(), "a home directory may be below a link: {linked:?}");
}

#[test]
fn newer_version_is_refused() {
    let (_tree, path) = closed();
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let before = fs::read(&path).unwrap();
    assert!(refused(&path).contains("version 99"));
    assert_eq!(fs::read(&path).unwrap(), before, "it is left as it is");
}

#[test]
fn database_of_another_program_is_refused() {
    let tree = Tree::new("");
    let path = tree.join("other.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("CREATE TABLE other (x); INSERT INTO other VALUES (1)").unwrap();
    drop(connection);
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    assert!(refused(&path).contains("another program"));
}

#[test]
fn text_file_is_refused() {
    let tree = Tree::new("");
    let path = tree.join("text.db");
    for size in [1, 511, 512, 5_000] {
        let text = "x".repeat(size);
        fs::write(&path, &text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        assert!(refused(&path).contains("damaged"), "{size} bytes");
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "it is left as it is");
    }
}

/// Bytes of every page are damaged: each operation returns, and the damage is noticed.
#[test]
fn damage_is_an_error_and_no_panic() {
    let (tree, path) = closed();
    let steps = steps();
    let half = steps.len() / 2;
    let stores = Stores::open(&path).unwrap();
    steps[..half].iter().for_each(|step| step.run(&stores).unwrap());
    drop(stores);
    let whole = fs::read(&path).unwrap();
    let damaged = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let opened = Stores::open(&path);
        let is_noticed = opened.as_ref().map_or(true, |stores| stores.snapshot().is_err());
        let _ = opened.map(|stores| steps[half].run(&stores));
        let _ = fs::remove_file(tree.join("state/approvals.db-wal"));
        is_noticed
    };
    let mut noticed = 0;
    // Each byte of the header, and some of every page.
    for at in (0..100).chain((100..whole.len()).step_by(1_009)) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        noticed += usize::from(damaged(&bytes));
    }
    assert!(noticed > 20, "damage is noticed: {noticed}");
    assert!(damaged(&whole[..whole.len() / 2]), "a missing half is noticed");
    fs::write(&path, &whole).unwrap();
    let stores = Stores::open(&path).unwrap();
    assert!(stores.snapshot().unwrap() == snapshots()[half], "the undamaged file has everything");
}

#[cfg(target_os = "linux")]
#[test]
fn failing_disk_loses_nothing_acknowledged() {
    let steps = steps();
    let expected = snapshots();
    for (at, step) in steps.iter().enumerate() {
        let (_tree, path) = closed();
        let stores = Stores::open(&path).unwrap();
        steps[..at].iter().for_each(|step| step.run(&stores).unwrap());
        prowess_testkit::without_space(|| {
            let failed = step.run(&stores).expect_err("the disk is full");
            assert!(failed.contains("the disk is full"), "{failed}");
            assert!(stores.snapshot().unwrap() == expected[at], "nothing is lost: {step:?}");
        });
        prowess_testkit::without_sync(|| {
            step.run(&stores).expect_err("a change that may be lost is not acknowledged");
        });
        drop(stores);
        let stored = Stores::open(&path).unwrap().snapshot().unwrap();
        let is_whole = stored == expected[at] || stored == expected[at + 1];
        assert!(is_whole, "the change is stored completely or not at all: {step:?}");
    }
}

#[test]
fn lazy_store_creates_the_file_when_it_is_used() {
    let tree = Tree::new("");
    let path = tree.join("state/approvals.db");
    let store = ApprovalDatabase::lazy(&path);
    assert!(!path.exists(), "nothing was asked yet");
    let report = check_approval_store(&store);
    assert!(report.is_passed(), "{report}");
    assert!(path.exists(), "the entries are in the file");
}

#[test]
fn lazy_store_fails_until_the_file_can_be_opened() {
    let tree = Tree::new("//- /approvals.db\nnot a database\n");
    let path = tree.join("approvals.db");
    let store = ApprovalDatabase::lazy(&path);
    assert!(store.load(&ApprovalId::new("a")).is_err(), "the file is damaged");
    fs::remove_file(&path).unwrap();
    assert_eq!(store.load(&ApprovalId::new("a")), Ok(None));
}

#[test]
fn file_that_was_moved_away_is_left() {
    let (_tree, path) = closed();
    let [running, watching] = [(); 2].map(|()| ApprovalDatabase::open(&path).unwrap());
    running.ask(new_approval(0)).unwrap();
    let before = watching.changes().unwrap();
    fs::rename(&path, path.with_extension("old")).unwrap();
    let other = ApprovalDatabase::open(&path).unwrap();
    assert_eq!(other.load(&approval_id(0)), Ok(None), "nor is its journal read");
    running.ask(new_approval(1)).unwrap();
    assert_ne!(watching.changes().unwrap(), before);
    for database in [&other, &watching] {
        let found = database.load(&approval_id(1)).unwrap();
        assert!(found.is_some(), "all programs use the file at the path");
    }
}

/// Pages of entries end: each begins behind the last id of the one before.
#[test]
fn entry_with_the_id_of_another_is_damage() {
    let (_tree, path) = closed();
    let database = ApprovalDatabase::open(&path).unwrap();
    for number in 0..2 {
        database.ask(new_approval(number)).unwrap();
    }
    let connection = rusqlite::Connection::open(&path).unwrap();
    let swap = "UPDATE approval SET entry = (SELECT entry FROM approval ORDER BY id LIMIT 1)";
    assert_eq!(connection.execute(swap, []).unwrap(), 2);
    let most = std::num::NonZeroUsize::MIN.saturating_add(9);
    let listed = database.list(None, most).expect_err("it is damaged");
    assert!(listed.0.contains("the id of another"), "{listed}");
    assert!(database.load(&approval_id(1)).is_err());
}

/// Views and triggers run with the statements of this program.
#[test]
fn schema_of_others_is_damage_and_no_statement_is_endless() {
    let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) \
                   SELECT 'a' id, 1 version, 'x' entry, '' session, '' tool FROM c WHERE x < 0";
    let most = std::num::NonZeroUsize::MIN;
    for (sql, is_run) in [
        (format!("ALTER TABLE approval RENAME TO a2; CREATE VIEW approval AS {endless}"), true),
        (
            format!(
                "CREATE TRIGGER t BEFORE INSERT ON approval BEGIN SELECT * FROM ({endless}); END"
            ),
            false,
        ),
        ("CREATE TABLE other (x)".to_owned(), false),
    ] {
        let (_tree, path) = closed();
        let before = ApprovalDatabase::open(&path).unwrap();
        before.ask(new_approval(0)).unwrap();
        before.numbers(&[approval_id(0)]).unwrap();
        ApprovalDatabase::open(&path).unwrap();
        rusqlite::Connection::open(&path).unwrap().execute_batch(&sql).unwrap();
        assert!(refused(&path).contains("damaged; move it away"), "{sql}");
        if is_run {
            let listed = before.list(None, most).expect_err("it would never end");
            assert!(listed.0.contains("damaged"), "{listed}");
        }
    }
}
