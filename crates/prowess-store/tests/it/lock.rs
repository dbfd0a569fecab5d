//! The text of lock files.

use std::fs;

use expect_test::expect_file;
use prowess_core::Digest;
use prowess_store::{Lock, LockError, LockFile, StoreError};

use crate::{Place, locked};

fn lock() -> Lock {
    let mut lock = Lock::default();
    let mut pdf = locked("1.0.0", Digest::of(b"tree"));
    pdf.reference = Some("main".to_owned());
    pdf.path = Some("skills/pdf".to_owned());
    pdf.surface = ["script:run.sh", "host:example.com"].map(str::to_owned).into();
    lock.skills.insert("pdf".to_owned(), pdf);
    lock.skills.insert("a.b \"c\"".to_owned(), locked("2", Digest::of(b"other")));
    lock
}

/// Wherever the file was cut off, the message has the skill whose lines are missing.
#[test]
fn entry_that_is_cut_off_is_named() {
    let text = lock().to_text();
    let last = text.find("[skill.pdf]").expect("it is the last one");
    let signer = text.rfind("signer").expect("it is the last line that has to be there");
    for end in last + "[skill.pdf]".len()..signer {
        let error = Lock::parse(&text[..end]).expect_err("lines are missing").to_string();
        assert!(error.contains("in `[skill.pdf]`"), "{error}");
    }
    let error = Lock::parse(&text[..last + 6]).expect_err("its name is missing").to_string();
    assert!(error.contains("in `[skill`"), "{error}");
}

/// As after a merge that kept both sides.
#[test]
fn duplicate_key_is_named_with_both_places() {
    let table = "[skill.pdf]\na = 1\n";
    for (text, places) in [
        (
            "version = 1\n[x]\na = 1\n b = 2\nb = 3\n".to_owned(),
            ["line 5, column 1", "line 4, column 2"],
        ),
        (format!("version = 1\n{table}[y]\n{table}"), ["line 5, column 8", "line 2, column 8"]),
    ] {
        let Err(LockError::Invalid(reason)) = Lock::parse(&text) else { panic!("{text}") };
        for place in places {
            assert!(reason.contains(place), "{place}: {reason}");
        }
    }
}

#[test]
fn text_is_sorted_and_has_no_times() {
    expect_file!["../data/lock.txt"].assert_eq(&lock().to_text());
    assert_eq!(Lock::parse(&lock().to_text()).as_ref(), Ok(&lock()));
}

#[test]
fn unknown_keys_survive() {
    let known = lock().to_text();
    let later = known.replace("version = 1", "version = 1\nresolver = \"2\"");
    let later = later.replace("ref = \"main\"", "ref = \"main\"\nattested = true");
    let later = format!("{later}\n[skill.pdf.proof]\nlog = 7\n\n[policy]\nsigned = true\n");
    let text = Lock::parse(&later).unwrap().to_text();
    for kept in [
        "resolver = \"2\"",
        "attested = true",
        "[skill.pdf.proof]\nlog = 7",
        "[policy]\nsigned = true",
    ] {
        assert!(text.contains(kept), "{kept} is kept:\n{text}");
    }
    assert_eq!(Lock::parse(&text).unwrap().to_text(), text, "it is written as it was read");
    assert_eq!(Lock::parse(&text).unwrap().skills.len(), 2, "no key became a skill");
}

#[test]
fn keys_without_an_effect_are_found_and_places_of_a_shell_refused() {
    let place = Place::new();
    let known = lock().to_text();
    let later = known.replace("version = 1", "version = 1\nresolver = \"2\"");
    place.lock.write(&later.replace("ref = \"main\"", "placed = [\"copy:a\"]")).unwrap();
    let found = place.lock.findings();
    let found: Vec<_> = found.iter().map(|it| it.message.split('`').nth(1).unwrap()).collect();
    assert_eq!(found, ["resolver", "skill.pdf.placed"]);
    let of_project = LockFile::of_project(place.lock.path(), place.directory.path(), None);
    for (directory, project, user) in [
        (".claude/skills", true, false),
        ("/srv/skills", false, true),
        ("~/skills", false, false),
        ("~ann/skills", false, false),
    ] {
        let text = known.replace("ref =", &format!("places = [\"copy:{directory}\"]\nref ="));
        place.lock.write(&text).unwrap();
        assert_eq!(of_project.load().is_ok(), project, "{directory}");
        assert_eq!(place.lock.load().is_ok(), user, "{directory}");
    }
    place.lock.write(&format!("version = 1\n#{}", "x".repeat(2 << 20))).unwrap();
    assert!(of_project.load().is_err(), "others have written it");
    assert!(place.lock.load().is_ok());
}

#[test]
fn broken_text_is_never_an_empty_lock() {
    let known = lock().to_text();
    let without = |line: &str| {
        let lines = known.lines().filter(|it| !it.starts_with(line));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    let cases = [
        String::new(),
        "version = 1\n[skill".to_owned(),
        "skills = {}\n".to_owned(),
        "version = \"1\"\n".to_owned(),
        "version = 1\n[skill.\"../pdf\"]\n".to_owned() + known.split_once("]\n").unwrap().1,
        known.replace("sha256:", "md5:"),
        known[..known.len() - 40].to_owned(),
        without("tree = "),
        without("artifact = "),
        without("signer = "),
        without("source = "),
        format!("version = 1\na = {}", "[".repeat(100_000)),
        format!("version = 1\na = {}", "{a=".repeat(100_000)),
        format!("version = 1\n[{}a]\n", "a.".repeat(100_000)),
        format!("version = 1\n{}a = 1\n", "a.".repeat(300)),
        format!("version = 1\na = {{b = 1, {}a = 1}}\n", "a.".repeat(300)),
        format!("version = 1\n[skill]\npdf = \"{}\"\n", "x".repeat(100_000)),
    ];
    for text in cases {
        let start = &text[..text.len().min(200)];
        let Err(LockError::Invalid(reason)) = Lock::parse(&text) else { panic!("{start}") };
        assert!(reason.len() < 500, "the text is not repeated: {start}: {}", reason.len());
    }
    let version = Lock::parse("version = 2\n");
    assert_eq!(version, Err(LockError::UnknownVersion(2)));
    let conflicted = format!("{known}<<<<<<< ours\n=======\n>>>>>>> theirs\n");
    assert_eq!(Lock::parse(&conflicted), Err(LockError::Conflicted));
}

#[test]
fn unreadable_lock_changes_nothing() {
    let place = Place::new();
    place.install("pdf", "one");
    fs::write(place.lock.path(), "version = 1\n[skill").unwrap();
    let change = place.store.begin().unwrap();
    let saved = change.save(&place.lock, &Lock::default());
    assert!(matches!(saved, Err(StoreError::Lock(LockError::Invalid(_)))), "{saved:?}");
    let kept = fs::read_to_string(place.lock.path()).unwrap();
    assert_eq!(kept, "version = 1\n[skill", "the file is unchanged");
    // Its end is not read: the file has holes.
    fs::File::create(place.lock.path()).unwrap().set_len(100 << 30).unwrap();
    let huge = place.lock.load().unwrap_err().to_string();
    assert!(huge.contains("is larger than the limit"), "{huge}");
}
