//! Newer versions of installed skills.

use std::fs;

use prowess_core::Cancel;
use prowess_store::{FileChange, Growth, InstallError, RemoteState, Updates};

use crate::install::{Fixture, PDF};

#[test]
fn step_back_is_named_and_accepted_first() {
    let versioned = |version: &str| {
        let field = match version.strip_prefix("top-") {
            Some(version) => format!("version: {version}"),
            None if version.starts_with("two-") => {
                let other = if version.ends_with("2.0.0") { 1 } else { 9 };
                format!("version: {}\nmetadata: {{ version: '{other}' }}", &version[4..])
            }
            None if version.is_empty() => "license: MIT".to_owned(),
            None => format!("metadata: {{ version: '{version}' }}"),
        };
        ("SKILL.md", PDF.replacen("---\nOne\n", &format!("{field}\n---\nOf {version}\n"), 1))
    };
    for row in include_str!("../data/updates.txt").lines() {
        let mut columns = row.split(';');
        let versions = columns.next().unwrap_or_default();
        let [answer, expected] =
            [(); 2].map(|()| columns.next().filter(|column| !column.is_empty()));
        let (before, after) = versions.split_once(' ').unwrap();
        let expected = expected.map(|it| {
            let [from, to] = [before, after].map(|it| it.trim_start_matches("top-"));
            let text = it.replace("down", &format!("its version goes from {from} down to {to}"));
            text.replace("two-2.0.0", "2.0.0, 1").replace("two-1.0.0", "1.0.0, 9")
        });
        let versions = [before, after];
        let fixture = Fixture::new();
        let [before, after] = versions.map(versioned);
        fixture.shelf.put("site", &[(before.0, &before.1)]);
        fixture.add("site", &[]).unwrap();
        let installed = fixture.tree("pdf");
        let text = |it: &str| (format!("site.{it}"), answer.unwrap_or_default().to_owned());
        let mut texts = fixture.shelf.texts.lock().unwrap();
        texts.extend(answer.map(|_| [text("back"), text("revision")]).into_iter().flatten());
        drop(texts);
        fixture.shelf.put("site", &[(after.0, &after.1)]);
        let installer = fixture.installer();
        let none = Cancel::default();
        // As in a fresh clone.
        fs::rename(fixture.place.store.root(), fixture.place.directory.path().join("away"))
            .unwrap();
        let found = installer.preview(&[], &none).unwrap().found;
        fs::rename(fixture.place.directory.path().join("away"), fixture.place.store.root())
            .unwrap();
        let reasons: Vec<_> = expected.iter().cloned().collect();
        assert_eq!(found[0].steps_back, reasons);
        let state = installer.check(&none).unwrap()["pdf"].remote.clone();
        let went_back = RemoteState::WentBack(reasons.clone());
        assert_eq!(state, if expected.is_some() { went_back } else { RemoteState::Changed });
        if expected.is_some() {
            for refused in [
                installer.update(&[], Growth::Refuse, &none).map(drop),
                fixture.add("site", &[]).map(drop),
            ] {
                let id = "pdf".to_owned();
                let reasons = reasons.clone();
                assert_eq!(refused, Err(InstallError::StepBack { id, reasons }));
            }
            // `add site` after `add site --ref main`: no other version was chosen.
            let lock = fixture.place.lock.path();
            let text = fs::read_to_string(lock).unwrap();
            fs::write(lock, text.replacen("\nrevision", "\nref = \"main\"\nrevision", 1)).unwrap();
            let refused = fixture.add("site", &[]).map(drop);
            assert!(matches!(refused, Err(InstallError::StepBack { .. })), "{refused:?}");
            assert_eq!(fixture.tree("pdf"), installed, "the newer version stays");
        }
        installer.update(&[], Growth::Accept, &none).unwrap();
        assert_ne!(fixture.tree("pdf"), installed);
    }
}

/// A version that was installed before is no newer one, and a lock of an earlier version of this
/// program has no version to compare with.
#[test]
fn replay_and_unknown_version_are_named() {
    let fixture = Fixture::new();
    let put = |text: &str| fixture.shelf.put("site", &[("SKILL.md", &PDF.replace("One", text))]);
    let back = || {
        let found = fixture.installer().preview(&[], &Cancel::default()).unwrap().found;
        found[0].steps_back.join("; ")
    };
    put("One");
    fixture.add("site", &[]).unwrap();
    let first = fixture.place.lock.load().unwrap().skills["pdf"].revision.clone();
    put("Two");
    assert_eq!(back(), "");
    fixture.installer().update(&[], Growth::Refuse, &Cancel::default()).unwrap();
    put("One");
    assert_eq!(back(), format!("it is {first} again"));
    let refused = fixture.installer().update(&[], Growth::Refuse, &Cancel::default());
    assert!(matches!(refused, Err(InstallError::StepBack { .. })), "{refused:?}");
    // No server is asked again whether it is one.
    fixture.shelf.texts.lock().unwrap().insert("site.tag".to_owned(), String::new());
    put("Three");
    assert_eq!(back(), "the tag `site` was moved");
    fixture.shelf.texts.lock().unwrap().clear();
    fixture.shelf.put("site", &[("SKILL.md", &PDF.replace("---\nOne", "version: 1\n---\nX"))]);
    fs::remove_dir_all(fixture.place.store.package_directory(&fixture.tree("pdf"))).unwrap();
    assert!(back().starts_with("it cannot be seen whether 1 follows"), "{}", back());
}

/// The preview shows each change, and what is accepted is what it has shown.
#[test]
fn only_what_was_shown_is_accepted() {
    let fixture = Fixture::new();
    let long: String = (0..200_000).map(|number| format!("{number}\n")).collect();
    let put = |line: &str, host: &str| {
        let names: Vec<_> = (0..70).map(|number| format!("a{number}.md")).collect();
        let mut files: Vec<_> = names.iter().map(|name| (&**name, line)).collect();
        let (long, curl) = (format!("{long}{line}"), format!("curl {host}/x"));
        files.extend([("SKILL.md", PDF), ("b.md", &long), ("run.ts", &curl), ("zz.md", line)]);
        fixture.shelf.put("site", &files);
    };
    put("one", "one.example");
    fixture.add("site", &[]).unwrap();
    put("two", "two.example");
    let installer = fixture.installer();
    let update = installer.preview(&[], &Cancel::default()).unwrap().found.remove(0);
    assert_eq!(update.gained, ["host:two.example"]);
    assert_eq!(update.texts["zz.md"], ["one", "two"], "the last of many files");
    let [before, after] = &update.texts["b.md"];
    assert!(after.contains("\n[not shown: ") && before != after, "{after:.9}");
    let ids = [format!("pdf@{}", update.to.tree)];
    put("three", "three.example");
    let refused = installer.update(&ids, Growth::Accept, &Cancel::default());
    assert!(matches!(refused, Err(InstallError::ArtifactChanged { .. })), "{refused:?}");
    put("two", "two.example");
    installer.update(&ids, Growth::Accept, &Cancel::default()).unwrap();
    assert_eq!(fixture.tree("pdf"), update.to.tree);
}

#[test]
fn update_shows_files_and_capabilities() {
    let fixture = Fixture::new();
    fixture.shelf.put("site", &[("SKILL.md", PDF), ("old.md", "old")]);
    fixture.add("site", &[]).unwrap();
    let before = fixture.tree("pdf");
    let script =
        "#!/usr/bin/env python3\nimport os\nos.environ[\"API_KEY\"]\n# https://evil.example/x\n";
    let skill_md = PDF.replace("---\nOne", "allowed-tools: Bash(git:*)\n---\nOn\u{200b}e");
    fixture.shelf.put("site", &[("SKILL.md", &skill_md), ("scripts/run.py", script)]);
    let installer = fixture.installer();
    let updates = installer.preview(&[], &Cancel::default()).unwrap().found;
    let files: Vec<_> = updates[0].files.iter().map(|(path, it)| (path.as_str(), *it)).collect();
    assert_eq!(
        files,
        [
            ("SKILL.md", FileChange::Changed),
            ("old.md", FileChange::Removed),
            ("scripts/run.py", FileChange::Added),
        ]
    );
    assert_eq!(
        updates[0].gained,
        [
            "env:API_KEY",
            "hidden-text:SKILL.md",
            "host:evil.example",
            "interpreter:python3",
            "script:scripts/run.py",
            "tool:Bash(git:*)",
        ]
    );
    assert_eq!(fixture.tree("pdf"), before, "a preview installs nothing");
    for refused in [
        installer.update(&[], Growth::Refuse, &Cancel::default()).map(drop),
        fixture.add("site", &[]).map(drop),
    ] {
        assert!(matches!(refused, Err(InstallError::SurfaceGrown { .. })), "{refused:?}");
    }
    assert_eq!(fixture.tree("pdf"), before);
    installer.update(&[], Growth::Accept, &Cancel::default()).unwrap();
    assert_ne!(fixture.tree("pdf"), before);
    assert_eq!(installer.preview(&[], &Cancel::default()), Ok(Updates::default()));
    let change = fixture.place.store.begin().unwrap();
    change.roll_back(&fixture.place.lock, "pdf", None).unwrap();
    assert_eq!(fixture.tree("pdf"), before);
}
