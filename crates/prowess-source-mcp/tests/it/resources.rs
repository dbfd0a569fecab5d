//! Servers that publish the files of skills as resources, without the extension.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use prowess_core::{
    Cancel, Digest, FileMode, PackageDigest, PackagePath, SkillSource, SourceErrorKind,
};
use prowess_testkit::ScanRecorder;
use serde_json::{Value, json};

use crate::peer::{Answer, Peer, with_capabilities};
use crate::skills::{contents, read, skill_md};

/// Files by URI, of which some are listed.
#[derive(Clone, Default)]
pub(crate) struct Files(Arc<Mutex<BTreeMap<String, Served>>>);

struct Served {
    /// `None` for a file that cannot be read.
    bytes: Option<Vec<u8>>,
    is_listed: bool,
    has_size: bool,
}

impl Files {
    pub(crate) fn serve(&self, uri: &str, bytes: impl AsRef<[u8]>) {
        let bytes = Some(bytes.as_ref().to_vec());
        self.put(uri, Served { bytes, is_listed: true, has_size: true });
    }

    pub(crate) fn serve_without_size(&self, uri: &str, bytes: impl AsRef<[u8]>) {
        let bytes = Some(bytes.as_ref().to_vec());
        self.put(uri, Served { bytes, is_listed: true, has_size: false });
    }

    pub(crate) fn serve_unlisted(&self, uri: &str, bytes: impl AsRef<[u8]>) {
        let bytes = Some(bytes.as_ref().to_vec());
        self.put(uri, Served { bytes, is_listed: false, has_size: false });
    }

    pub(crate) fn list_unreadable(&self, uri: &str) {
        self.put(uri, Served { bytes: None, is_listed: true, has_size: false });
    }

    fn put(&self, uri: &str, served: Served) {
        self.0.lock().unwrap().insert(uri.to_owned(), served);
    }

    pub(crate) fn peer(&self) -> Peer {
        let files = self.clone();
        let capabilities = json!({ "resources": {} });
        Peer::new(with_capabilities(capabilities, move |request| files.answer(request)))
    }

    fn answer(&self, request: &Value) -> Answer {
        let files = self.0.lock().unwrap();
        match request["method"].as_str() {
            Some("resources/list") => {
                let listed = files.iter().filter(|(_, served)| served.is_listed);
                let resource = |(uri, served): (&String, &Served)| {
                    let size = served.bytes.as_ref().filter(|_| served.has_size).map(Vec::len);
                    json!({ "uri": uri, "name": uri, "size": size })
                };
                Answer::Result(json!({ "resources": listed.map(resource).collect::<Value>() }))
            }
            Some("resources/read") => {
                let uri = request["params"]["uri"].as_str().unwrap();
                let bytes = files.get(uri).and_then(|served| served.bytes.as_ref());
                match bytes {
                    Some(bytes) => Answer::Result(contents(uri, bytes)),
                    None => Answer::Error(-32602, "no such resource"),
                }
            }
            _ => Answer::Error(-32601, "no such method"),
        }
    }
}

/// Returns a manifest as FastMCP writes it.
fn manifest(files: &[(&str, &[u8])]) -> String {
    let file = |(path, bytes): &(&str, &[u8])| json!({ "path": path, "size": bytes.len(), "hash": Digest::of(bytes).to_string() });
    json!({ "skill": "pdf", "files": files.iter().map(file).collect::<Value>() }).to_string()
}

fn package() -> PackagePath {
    PackagePath::new("pdf").unwrap()
}

#[test]
fn manifest_lists_the_files() {
    let files = Files::default();
    let text = skill_md("pdf", "Fill.");
    let listed: [(&str, &[u8]); 2] =
        [("SKILL.md", text.as_bytes()), ("scripts/a b.py", b"print()")];
    files.serve("skill://pdf/SKILL.md", &text);
    files.serve("skill://pdf/_manifest", manifest(&listed));
    files.serve_unlisted("skill://pdf/scripts/a%20b.py", "print()");
    files.serve("https://example.com/SKILL.md", "another scheme");
    let peer = files.peer();
    let source = peer.source();
    let scan = ScanRecorder::scan(&source).unwrap();
    assert_eq!((scan.packages(), scan.problems.len()), (vec!["pdf"], 0));
    assert_eq!(scan.found[0].head, text.as_bytes());
    let listing = source.list(&package(), 10).unwrap();
    let paths: Vec<_> = listing.resources.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["scripts/a b.py"]);
    let read = || read(&source, "pdf", "scripts/a b.py");
    assert_eq!(read().unwrap(), b"print()");
    let mut digest = PackageDigest::default();
    for (path, bytes) in listed {
        digest.add(FileMode::Regular, path, Digest::of(bytes));
    }
    let found = source.package_digest(&package(), &Cancel::default()).unwrap();
    assert_eq!(found, digest.finish());
    files.serve_unlisted("skill://pdf/scripts/a%20b.py", "evil()!");
    assert_eq!(read().unwrap_err().kind, SourceErrorKind::Unavailable, "the digest differs");
}

#[test]
fn bad_manifests_are_reported() {
    let text = skill_md("pdf", "Fill.");
    let with = |path: &str| manifest(&[("SKILL.md", text.as_bytes()), (path, b"x")]);
    for (what, manifest) in [
        ("garbage", "garbage".to_owned()),
        ("no files", "{}".to_owned()),
        ("no instructions", manifest(&[("a.md", b"x")])),
        ("a way out", with("../a.md")),
        ("an absolute path", with("/etc/passwd")),
        ("a backslash", with("..\\a.md")),
        ("a second name", with("a/../SKILL.md")),
        ("a file twice", with("SKILL.md")),
        ("no size", r#"{"files":[{"path":"SKILL.md","hash":"sha256:00"}]}"#.to_owned()),
    ] {
        let files = Files::default();
        files.serve("skill://pdf/SKILL.md", &text);
        files.serve("skill://pdf/_manifest", manifest);
        files.serve("skill://good/SKILL.md", skill_md("good", "Help."));
        let peer = files.peer();
        let source = peer.source();
        let scan = ScanRecorder::scan(&source).unwrap();
        assert_eq!(scan.packages(), ["good"], "{what}");
        let expected = ["error mcp-skill-invalid /pdf/SKILL.md"];
        assert_eq!(scan.problem_lines(source.root()), expected, "{what}");
    }
}

#[test]
fn size_that_is_not_listed_is_that_of_the_file() {
    let files = Files::default();
    files.serve("skill://pdf/SKILL.md", skill_md("pdf", "Fill."));
    files.serve_without_size("skill://pdf/a.md", "12345");
    let peer = files.peer();
    let listing = peer.source().list(&package(), 10).unwrap();
    assert_eq!(listing.resources[0].bytes, 5);
}

#[test]
fn instructions_that_changed_since_the_scan_are_refused() {
    let files = Files::default();
    files.serve("skill://pdf/SKILL.md", skill_md("pdf", "Fill."));
    let peer = files.peer();
    let source = peer.source();
    ScanRecorder::scan(&source).unwrap();
    files.serve("skill://pdf/SKILL.md", skill_md("pdf", "Evil."));
    let read = || read(&source, "pdf", "SKILL.md");
    assert_eq!(read().unwrap_err().kind, SourceErrorKind::Changing);
    assert_eq!(read().unwrap(), skill_md("pdf", "Evil.").as_bytes(), "the next listing has it");
}
