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
    ForeignLock, Growth, InstallError, Installer, RemoteState, SignerRules, Synced, publish,
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
                is_tag: named(location, ".tag").map(|_| true),
                first: Vec::new(),
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

    pub(crate) fn tree(&self, id: &str) -> Digest {
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
    let secret = "password = kT9vQ2mZx7pWbL4n";
    let files = [("SKILL.md", PDF), (".env", "A=1"), ("c.ini", secret), (".env.example", "A=")];
    fixture.shelf.put("archive", &files);
    let archive = RemoteRequest::latest("archive");
    let added = fixture.installer().add(&archive, &[], &Cancel::default()).unwrap().added;
    assert_eq!(added[0].secrets, [".env", "c.ini"], "the digest is that of the source");
    fixture.shelf.put("folder", &[("un/SKILL.md", &PDF.replace("name: pdf", "name: My_Tool"))]);
    fixture.add("folder", &[]).unwrap();
    let lock = fixture.place.lock.load().unwrap();
    assert_eq!(["un", "my-tool", "gone"].map(|it| lock.meant(it)), ["My_Tool", "My_Tool", "gone"]);
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
            ("skills/SKILL.md", "# An index"),
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
        (
            &[][..],
            &["a-b", "shared", "Ünïcode 小"][..],
            &["skills skill-invalid", invalid, climbs, twice, elsewhere][..],
        ),
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
    fixture.shelf.put("near", &[("a/b/notes/SKILL.md", &*other), ("notes/SKILL.md", NOTES)]);
    let all = fixture.installer().add(&RemoteRequest::latest("near"), &[], &Cancel::default());
    assert!(all.unwrap_err().to_string().contains("several"), "nothing says which is meant");
    assert_eq!(parts(&fixture, "near", &["notes"]), (owned(&["notes"]), Vec::new()));
    let path = fixture.place.lock.load().unwrap().skills["notes"].path.clone();
    assert_eq!(path.as_deref(), Some("notes"), "the nearest is");
    fixture.shelf.put("empty", &[("SKILL.md", "---\nname: My Desc\ndescription: \"\"\n---\n")]);
    let error = fixture.add("empty", &[]).unwrap_err().to_string();
    assert!(error.contains("`description`"), "the reason is an error, not advice: {error}");
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
fn a_skill_that_is_not_valid_is_left_out_of_a_site_alone() {
    let fixture = Fixture::new();
    let long = NOTES.replace("name: notes", &format!("name: long\nlicense: {}", "x".repeat(9)));
    let long = long.replace("description: ", &format!("description: {}", "x".repeat(1100)));
    let files = [
        ("a/pdf/SKILL.md", PDF),
        ("b/notes/SKILL.md", NOTES),
        ("c/notes/SKILL.md", &*NOTES.replace("One", "Two")),
        ("d/SKILL.md", "no frontmatter"),
        ("e/long/SKILL.md", &long),
    ];
    fixture.shelf.put("several", &files);
    let bytes = fixture.shelf.lock()["several"].clone();
    let (files, left_out) = publish(&bytes).unwrap();
    let paths: Vec<_> = files.iter().filter_map(|it| it.path.rsplit('/').next()).collect();
    assert_eq!(paths, ["pdf.tar.gz", "index.json"]);
    let names: Vec<_> = left_out.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["d", "notes", "e/long"], "{left_out:?}");
    assert!(left_out[2].error.to_string().contains("1024"), "{left_out:?}");
}

#[test]
fn published_site_can_be_added() {
    let fixture = Fixture::new();
    let bytes = fixture.shelf.lock()["site"].clone();
    let (files, left_out) = publish(&bytes).unwrap();
    assert_eq!(left_out, []);
    let paths: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            ".well-known/agent-skills/notes.tar.gz",
            ".well-known/agent-skills/pdf.tar.gz",
            ".well-known/agent-skills/index.json",
        ]
    );
    assert_eq!(publish(&bytes).unwrap().0, files, "equal packages give equal files");
    let index = prowess_format::index::SkillIndex::read(&files[2].content).unwrap();
    assert!(index.left_out.is_empty(), "{:?}", index.left_out);
    let digests = RefCell::new(files[..2].iter().map(|file| Digest::of(&file.content).to_string()));
    for entry in index.index.skills {
        assert_eq!(Some(entry.digest), digests.borrow_mut().next());
    }
}
