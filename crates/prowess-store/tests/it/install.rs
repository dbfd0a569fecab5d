//! Installs from a remote in memory.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use prowess_archive::{Archive, File};
use prowess_core::{
    ArtifactKind, ArtifactSignature, Cancel, Digest, Remote, RemoteArtifact, RemoteError,
    RemoteErrorKind, RemoteRequest,
};
use prowess_store::{
    FileChange, ForeignLock, Growth, InstallError, Installer, RemoteState, SignerRules, Synced,
    Updates, publish,
};

use crate::Place;

/// A remote in memory: archives by their source. A skill's name may follow a `#`, as in an index.
#[derive(Default)]
pub(crate) struct Shelf {
    archives: Mutex<BTreeMap<String, Vec<u8>>>,
    /// Signatures and keys, by location.
    pub(crate) texts: Mutex<BTreeMap<String, String>>,
    /// The digest that is stated, if it is not that of the bytes.
    stated: Mutex<Option<Digest>>,
    fetched: AtomicUsize,
}

impl Shelf {
    pub(crate) fn put(&self, source: &str, files: &[(&str, &str)]) {
        let files = files.iter().map(|(path, text)| File::new(*path, *text)).collect();
        self.put_bytes(source, Archive::new(files).unwrap().to_tar_gz());
    }

    pub(crate) fn put_bytes(&self, source: &str, bytes: Vec<u8>) {
        self.lock().insert(source.to_owned(), bytes);
    }

    /// Returns how often something was fetched.
    pub(crate) fn fetched(&self) -> usize {
        self.fetched.load(Ordering::Relaxed)
    }

    pub(crate) fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        self.archives.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Remote for Shelf {
    fn name(&self) -> &str {
        "shelf"
    }

    fn resolve(
        &self,
        request: &RemoteRequest,
        _cancel: &Cancel,
    ) -> Result<Vec<RemoteArtifact>, RemoteError> {
        let archives = self.lock();
        let of_source = archives
            .iter()
            .filter(|(location, _)| location.split('#').next() == Some(request.source.as_str()));
        let texts = self.texts.lock().unwrap();
        let named = |location: &str, end: &str| {
            let location = format!("{location}{end}");
            texts.contains_key(&location).then_some(location)
        };
        let found: Vec<_> = of_source
            .map(|(location, bytes)| RemoteArtifact {
                location: location.clone(),
                name: location.split('#').nth(1).map(str::to_owned),
                kind: ArtifactKind::Archive,
                signature: Some(ArtifactSignature {
                    location: Some(format!("{location}.minisig")),
                    key: Some("minisign.pub".to_owned()),
                    bundle: Some(format!("{location}.sigstore.json")),
                    subject: named(location, ".subject"),
                }),
                revision: named(location, ".revision").map(|location| texts[&location].clone()),
                digest: Some(self.stated.lock().unwrap().unwrap_or_else(|| Digest::of(bytes))),
                is_tag: None,
            })
            .collect();
        if found.is_empty() {
            return Err(RemoteError::new(RemoteErrorKind::NotFound, "nothing is there"));
        }
        Ok(found)
    }

    fn step_back(
        &self,
        request: &RemoteRequest,
        _from: &str,
        _to: &str,
        _cancel: &Cancel,
    ) -> Result<Option<String>, RemoteError> {
        Ok(self.texts.lock().unwrap().get(&format!("{}.back", request.source)).cloned())
    }

    fn fetch(
        &self,
        artifact: &RemoteArtifact,
        _limit: usize,
        _cancel: &Cancel,
    ) -> Result<Vec<u8>, RemoteError> {
        self.fetched.fetch_add(1, Ordering::Relaxed);
        if let Some(bytes) = self.lock().get(&artifact.location) {
            return Ok(bytes.clone());
        }
        let texts = self.texts.lock().unwrap();
        let text = texts.get(&artifact.location).map(|text| text.clone().into_bytes());
        text.ok_or_else(|| RemoteError::new(RemoteErrorKind::NotFound, "nothing is there"))
    }
}

pub(crate) const PDF: &str = "---\nname: pdf\ndescription: Fills forms.\n---\nOne\n";
const NOTES: &str = "---\nname: notes\ndescription: Takes notes.\n---\nOne\n";

pub(crate) struct Fixture {
    pub(crate) place: Place,
    pub(crate) shelf: Shelf,
    pub(crate) signers: SignerRules,
}

impl Fixture {
    /// A source `site` with two skills in one archive.
    pub(crate) fn new() -> Self {
        let signers = SignerRules::default();
        let fixture = Self { place: Place::new(), shelf: Shelf::default(), signers };
        fixture.shelf.put("site", &[("pdf/SKILL.md", PDF), ("notes/SKILL.md", NOTES)]);
        fixture
    }

    pub(crate) fn installer(&self) -> Installer<'_> {
        Installer {
            store: &self.place.store,
            lock: &self.place.lock,
            remote: &self.shelf,
            signers: &self.signers,
        }
    }

    pub(crate) fn add(&self, source: &str, names: &[&str]) -> Result<Vec<String>, InstallError> {
        let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
        let request = RemoteRequest::latest(source);
        let added = self.installer().add(&request, &names, &Cancel::default())?.added;
        Ok(added.into_iter().map(|added| added.id).collect())
    }

    fn sync(&self) -> BTreeMap<String, Synced> {
        self.installer().sync(&Cancel::default()).unwrap()
    }

    fn tree(&self, id: &str) -> Digest {
        self.place.lock.load().unwrap().skills[id].tree
    }

    fn ids(&self) -> Vec<String> {
        self.place.lock.load().unwrap().skills.into_keys().collect()
    }
}

#[test]
fn skills_of_a_source_are_added_and_removed() {
    let fixture = Fixture::new();
    assert_eq!(fixture.add("site", &["pdf"]).unwrap(), ["pdf"]);
    assert_eq!(fixture.add("site", &[]).unwrap(), ["notes", "pdf"]);
    let lock = fixture.place.lock.load().unwrap();
    assert_eq!(lock.skills["pdf"].path.as_deref(), Some("pdf"));
    assert_eq!(lock.skills["pdf"].signer, "unsigned");
    for skill in lock.skills.values() {
        fixture.place.store.verify(&skill.tree).unwrap();
    }
    let remove = |ids: &[&str]| {
        let ids: Vec<_> = ids.iter().map(|&id| id.to_owned()).collect();
        fixture.installer().remove(&ids)
    };
    assert_eq!(remove(&["pdf", "gone"]), Err(InstallError::NotInstalled("gone".to_owned())));
    assert_eq!(fixture.ids(), ["notes", "pdf"], "none is removed");
    remove(&["pdf"]).unwrap();
    assert_eq!(fixture.ids(), ["notes"]);
}

#[test]
fn what_cannot_be_added_changes_nothing() {
    let fixture = Fixture::new();
    fixture.add("site", &["pdf"]).unwrap();
    fixture.shelf.put("other", &[("SKILL.md", &PDF.replace("One", "Two"))]);
    fixture.shelf.put("empty", &[("README.md", "text")]);
    fixture.shelf.put("invalid", &[("b/SKILL.md", "no frontmatter")]);
    let other = NOTES.replace("One", "Two");
    fixture.shelf.put("twice", &[("a/SKILL.md", NOTES), ("b/SKILL.md", &*other)]);
    fixture.shelf.put("index#notes", &[("SKILL.md", PDF)]);
    fixture.shelf.put_bytes("hostile", b"PK\x03\x04".to_vec());
    let before = fs::read(fixture.place.lock.path()).unwrap();
    for (source, name, code) in [
        ("other", None, "skill-from-another-source"),
        ("empty", None, "no-skill"),
        ("site", Some("gone"), "no-skill"),
        ("invalid", None, "skill-invalid"),
        ("twice", None, "skill-invalid"),
        ("index", None, "skill-invalid"),
        ("hostile", None, "archive-damaged"),
        ("missing", None, "remote-not-found"),
    ] {
        let names: Vec<_> = name.into_iter().collect();
        let error = fixture.add(source, &names).unwrap_err();
        assert_eq!(error.code().as_str(), code, "{source}: {error}");
    }
    *fixture.shelf.stated.lock().unwrap() = Some(Digest::of(b"other bytes"));
    let error = fixture.add("site", &["notes"]).unwrap_err();
    assert_eq!(error.code().as_str(), "artifact-changed", "{error}");
    assert_eq!(fs::read(fixture.place.lock.path()).unwrap(), before);
}

/// Adds from a source, and returns what was added and, with its code, what was left out.
fn parts(fixture: &Fixture, source: &str, names: &[&str]) -> (Vec<String>, Vec<String>) {
    let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
    let request = RemoteRequest::latest(source);
    let all = fixture.installer().add(&request, &names, &Cancel::default()).unwrap();
    let left_out = all.left_out.iter().map(|it| format!("{} {}", it.name, it.error.code()));
    (all.added.into_iter().map(|added| added.id).collect(), left_out.collect())
}

#[test]
fn skill_costs_itself_alone() {
    let fixture = Fixture::new();
    let other = NOTES.replace("One", "Two");
    let named = |name: &str| NOTES.replace("notes", name);
    let (shared, unicode) = (named("shared"), named("Ünïcode 小"));
    fixture.add("site", &["pdf"]).unwrap();
    fixture.shelf.put(
        "many",
        &[
            ("a/notes/SKILL.md", NOTES),
            ("b/notes/SKILL.md", &other),
            (".claude/skills/shared/SKILL.md", &shared),
            ("skills/shared/SKILL.md", &shared),
            ("skills/broken/SKILL.md", "no frontmatter"),
            ("skills/pdf/SKILL.md", &PDF.replace("One", "Two")),
            ("skills/unicode/SKILL.md", &unicode),
            ("skills/colon/SKILL.md", &named("a:b")),
            ("skills/climbs/SKILL.md", &named("../../../evil")),
        ],
    );
    let [invalid, climbs] = ["skills/broken skill-invalid", "skills/climbs skill-invalid"];
    let (twice, elsewhere) = ("notes skill-invalid", "pdf skill-from-another-source");
    for (names, added, left_out) in [
        (&[][..], &["a-b", "shared", "Ünïcode 小"][..], &[invalid, climbs, twice, elsewhere][..]),
        (&["shared", "notes"], &["shared"], &[twice]),
        (&["a:b", "gone"], &["a-b"], &["gone no-skill"]),
        (&["broken", "pdf"], &[], &[invalid, elsewhere]),
    ] {
        let (found, lost) = parts(&fixture, "many", names);
        assert_eq!((found.as_slice(), lost.as_slice()), (&*owned(added), &*owned(left_out)));
    }
    fixture.shelf.put("same", &[("SKILL.md", PDF)]);
    let same = fixture.installer().add(&RemoteRequest::latest("same"), &[], &Cancel::default());
    let [same] = &same.unwrap().added[..] else { panic!("the same files are there") };
    assert_eq!((same.was_installed, &*same.skill.source), (true, "site"), "the source stays");
    assert_eq!(fixture.place.lock.load().unwrap().skills["pdf"], same.skill);
    let lock = fixture.place.lock.load().expect("a name of any script can be locked");
    assert_eq!(lock.skills["shared"].path.as_deref(), Some("skills/shared"), "no hidden copy");
    let error = fixture.add("many", &["notes"]).unwrap_err().to_string();
    assert!(error.contains("`a/notes` and `b/notes`"), "the places are named: {error}");
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

#[test]
fn skill_that_is_doubled_later_stays_where_it_is() {
    let fixture = Fixture::new();
    fixture.shelf.put("site", &[("b/SKILL.md", NOTES), ("pdf/SKILL.md", PDF)]);
    fixture.add("site", &[]).unwrap();
    let (one, two) = (NOTES.replace("One", "Two"), NOTES.replace("One", "Three"));
    let files = [("a/SKILL.md", &*one), ("b/SKILL.md", &two), ("pdf/SKILL.md", PDF)];
    fixture.shelf.put("site", &files);
    let updated = fixture.installer().update(&[], Growth::Refuse, &Cancel::default()).unwrap();
    assert_eq!(updated.found[0].to.path.as_deref(), Some("b"));
    let before = fixture.tree("notes");
    fs::remove_dir_all(fixture.place.store.package_directory(&before)).unwrap();
    let synced = fixture.sync();
    assert_eq!([&synced["notes"], &synced["pdf"]], [&Synced::Installed, &Synced::Intact]);
    fixture.place.store.verify(&before).unwrap();
}

#[test]
fn refused_archive_leaves_nothing() {
    let fixture = Fixture::new();
    fixture.add("site", &["pdf"]).unwrap();
    let root = fixture.place.store.root();
    let before = paths_below(root);
    let whole = fixture.shelf.lock()["site"].clone();
    let scripts: Vec<_> = (0..500).map(|number| format!("pdf/{number}.md")).collect();
    let mut files: Vec<_> = scripts.iter().map(|path| (path.as_str(), "text")).collect();
    files.push(("pdf/SKILL.md", "no frontmatter"));
    fixture.shelf.put("broken", &files);
    fixture.shelf.put_bytes("cut", whole[..whole.len() / 2].to_vec());
    fixture.shelf.put_bytes("text", b"text".to_vec());
    for source in ["broken", "cut", "text"] {
        assert!(fixture.add(source, &[]).is_err(), "{source}");
        assert_eq!(paths_below(root), before, "{source}");
    }
    assert!(fixture.installer().check(&Cancel::default()).unwrap()["pdf"].stored.is_ok());
}

/// Returns the paths of everything below a directory, as text.
fn paths_below(directory: &Path) -> String {
    let found = Command::new("sh").args(["-c", "find . | sort"]).current_dir(directory).output();
    String::from_utf8(found.unwrap().stdout).unwrap()
}

#[test]
fn other_bytes_are_quarantined() {
    let fixture = Fixture::new();
    fixture.add("site", &["pdf"]).unwrap();
    let pdf = fixture.tree("pdf");
    fixture.shelf.put("site", &[("pdf/SKILL.md", &PDF.replace("One", "Two"))]);
    assert_eq!(fixture.sync()["pdf"], Synced::Intact, "the old version keeps working");
    fs::remove_dir_all(fixture.place.store.package_directory(&pdf)).unwrap();
    let Synced::Quarantined(artifact) = fixture.sync()["pdf"].clone() else {
        panic!("other bytes are not installed");
    };
    assert_eq!(fixture.place.store.quarantined().unwrap()[0].artifact, artifact);
    assert_eq!(fixture.tree("pdf"), pdf, "the lock is unchanged");
    fixture.shelf.lock().clear();
    assert!(matches!(fixture.sync()["pdf"], Synced::Failed(_)), "the source is away");
}

/// The source chooses how it spells the name that a line has.
#[test]
fn line_of_another_tool_installs_what_it_demands() {
    let fixture = Fixture::new();
    let import = |more: &str| {
        let line = format!(r#"{{"source": "site", "sourceType": "github"{more}}}"#);
        let text = format!(r#"{{"version": 1, "skills": {{"pdf-tools": {line}}}}}"#);
        let lines = ForeignLock::SkillsLock.read(&text).unwrap();
        fixture.installer().import(&lines, &Cancel::default()).map(drop)
    };
    let put = |name: &str, text: &str| {
        let text = PDF.replace("name: pdf", &format!("name: {name}")).replace("One", text);
        fixture.shelf.put("site", &[("SKILL.md", &text)]);
    };
    let hash = format!(r#", "computedHash": "{}""#, "0".repeat(64));
    for name in ["PDF-Tools", "pdf_tools", "pdf-tools"] {
        put(name, "One");
        for (demand, code) in [
            (
                r#", "provenance": {"certIssuer": "https://i", "signerIdentity": "a@b"}"#,
                "signer-changed",
            ),
            (r#", "signer": "x""#, "signer-changed"),
            (&hash, "artifact-changed"),
        ] {
            let refused = import(demand).expect_err(name);
            assert_eq!(refused.code().as_str(), code, "{name} {demand}: {refused}");
        }
    }
    assert!(fixture.place.lock.load().unwrap().skills.is_empty());
    assert_eq!(import(""), Ok(()));
    put("pdf-tools", "Two");
    for (end, text) in [("revision", "two"), ("back", "the tag `v1` was moved")] {
        let location = format!("site.{end}");
        fixture.shelf.texts.lock().unwrap().insert(location, text.to_owned());
    }
    let refused = import("");
    assert!(matches!(refused, Err(InstallError::StepBack { .. })), "{refused:?}");
}

#[test]
fn check_compares_with_the_source() {
    let fixture = Fixture::new();
    fixture.add("site", &["pdf"]).unwrap();
    fixture.shelf.put("index#notes", &[("SKILL.md", NOTES)]);
    fixture.add("index", &[]).unwrap();
    let check = || fixture.installer().check(&Cancel::default()).unwrap();
    assert!(check().values().all(|it| it.remote == RemoteState::Same && it.stored.is_ok()));
    fixture.shelf.put("site", &[("pdf/SKILL.md", PDF), ("notes.md", "Elsewhere")]);
    assert_eq!(check()["pdf"].remote, RemoteState::SameFiles);
    fixture.shelf.put("site", &[("pdf/SKILL.md", &PDF.replace("One", "Two"))]);
    assert_eq!(check()["pdf"].remote, RemoteState::Changed);
    fixture.shelf.lock().remove("index#notes");
    assert!(matches!(check()["notes"].remote, RemoteState::Unavailable(_)));
    fixture.shelf.put("index#more", &[("SKILL.md", NOTES)]);
    assert_eq!(check()["notes"].remote, RemoteState::Gone);
    fs::remove_dir_all(fixture.place.store.package_directory(&fixture.tree("pdf"))).unwrap();
    assert!(check()["pdf"].stored.is_err());
}

#[test]
fn step_back_is_named_and_accepted_first() {
    let versioned = |version: &str| {
        let field = match version.strip_prefix("top-") {
            Some(version) => format!("version: {version}"),
            None if version.is_empty() => "license: MIT".to_owned(),
            None => format!("metadata: {{ version: '{version}' }}"),
        };
        ("SKILL.md", PDF.replacen("---\nOne\n", &format!("{field}\n---\nOf {version}\n"), 1))
    };
    let moved = "the tag `v1` was moved";
    let unseen = "it cannot be seen whether its version";
    for (versions, answer, expected) in [
        ("1.9 1.10", None, None),
        ("1.0-rc.2 v1.0.0", None, None),
        ("r11 r12", None, None),
        ("2024-06-30 2024-07-01", None, None),
        ("r12 r11", None, Some("down".to_owned())),
        ("1.99999999999999999999 1.9", None, Some("down".to_owned())),
        ("2.0 2.0rc1", None, Some(format!("{unseen} 2.0rc1 follows 2.0"))),
        ("1.2 1.x", None, Some(format!("{unseen} 1.x follows 1.2"))),
        ("2.1 ", None, Some("it has no version any more, and the installed one is 2.1".to_owned())),
        ("1.0.0-rc.1 1.0-beta.11", None, Some("down".to_owned())),
        ("1.0-beta.11 1.0-beta.2", None, Some("down".to_owned())),
        ("top-2.1 top-2.0", None, Some("down".to_owned())),
        ("2 2.0-rc", None, Some("down".to_owned())),
        ("1.10 1.9", None, Some("down".to_owned())),
        ("1.0 1.0+a", Some(moved), Some(moved.to_owned())),
    ] {
        let (before, after) = versions.split_once(' ').unwrap();
        let expected = expected.map(|it| {
            let [from, to] = [before, after].map(|it| it.trim_start_matches("top-"));
            it.replace("down", &format!("its version goes from {from} down to {to}"))
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

#[test]
fn published_site_can_be_added() {
    let fixture = Fixture::new();
    let bytes = fixture.shelf.lock()["site"].clone();
    let files = publish(&bytes).unwrap();
    let paths: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            ".well-known/agent-skills/notes.tar.gz",
            ".well-known/agent-skills/pdf.tar.gz",
            ".well-known/agent-skills/index.json",
        ]
    );
    assert_eq!(publish(&bytes).unwrap(), files, "equal packages give equal files");
    let index = prowess_format::index::SkillIndex::read(&files[2].content).unwrap();
    assert!(index.left_out.is_empty(), "{:?}", index.left_out);
    let digests = RefCell::new(files[..2].iter().map(|file| Digest::of(&file.content).to_string()));
    for entry in index.index.skills {
        assert_eq!(Some(entry.digest), digests.borrow_mut().next());
    }
}
