//! The plugin follows a real server on this machine, which goes away and comes back.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use prowess_archive::{Archive, File};
use prowess_core::{PackagePath, ReadLimit, ResourcePath, SkillSource, SourceErrorKind};
use prowess_plugin_sdk::testing::FakeHost;
use prowess_testkit::ScanRecorder;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::Remote;

const HOUR: u64 = 3_600_000;

/// The files of a site, by path.
type Files = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// A server of files, which ends when it is dropped.
struct Server {
    address: String,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    fn start(address: &str, files: &Files) -> Self {
        let listener = TcpListener::bind(address).expect("the port is free");
        let address = listener.local_addr().expect("it is bound").to_string();
        let files = Arc::clone(files);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if answer(&files, stream.expect("a client connects")).is_none() {
                    return;
                }
            }
        });
        Self { address, thread: Some(thread) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // An empty request ends the server.
        drop(TcpStream::connect(&self.address));
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// Answers one request; `None` for an empty one.
fn answer(files: &Files, mut stream: TcpStream) -> Option<()> {
    let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
    let first = lines.next()?;
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let path = first.split(' ').nth(1)?.trim_start_matches('/');
    let body = files.lock().ok()?.get(path).cloned();
    let status = if body.is_some() { "200 OK" } else { "404 Not Found" };
    let body = body.unwrap_or_default();
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n");
    let _ = stream.write_all(&[head.as_bytes(), &body].concat());
    Some(())
}

/// A site, and the plugin that follows it.
struct Following {
    files: Files,
    server: Option<Server>,
    address: String,
    directory: TempDir,
    host: FakeHost,
}

impl Following {
    fn new() -> Self {
        let files = Files::default();
        let server = Server::start("127.0.0.1:0", &files);
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (address, host) = (server.address.clone(), FakeHost::default());
        Self { files, server: Some(server), address, directory, host }
    }

    /// Publishes skills by their names and bodies.
    fn publish(&self, skills: &[(&str, &str)]) {
        let files = skills.iter().map(|(name, body)| {
            let text = format!("---\nname: {name}\ndescription: About {name}.\n---\n{body}\n");
            File::new(format!("{name}/SKILL.md"), text)
        });
        let archive = Archive::new(files.collect()).expect("the paths are safe");
        let site = prowess_store::publish(&archive.to_tar_gz()).expect("the skills are valid");
        let site = site.into_iter().map(|file| (file.path, file.content));
        *self.files.lock().expect("no test has failed") = site.collect();
    }

    fn source(&self) -> Arc<dyn SkillSource> {
        self.source_with(&json!({}))
    }

    /// Returns the source of a configuration with further keys.
    fn source_with(&self, keys: &Value) -> Arc<dyn SkillSource> {
        let mut config = json!({
            "sources": [format!("http://{}", self.address)],
            "directory": self.directory.path(),
            "hosts": [self.address],
            "interval_seconds": 1,
        });
        for (key, value) in keys.as_object().expect("it has keys") {
            config[key] = value.clone();
        }
        let instance = self.host.init::<Remote>(&config).expect("the configuration is valid");
        Arc::clone(&instance.sources()[0])
    }

    fn go_away(&mut self) {
        drop(self.server.take());
    }

    fn come_back(&mut self) {
        self.server = Some(Server::start(&self.address, &self.files));
    }
}

/// Returns the packages of a scan with the last lines of their texts, and its reports.
fn scan(source: &dyn SkillSource) -> (Vec<String>, Vec<String>) {
    let scanned = ScanRecorder::scan(source).expect("there are skills");
    let found = scanned.found.iter().map(|found| {
        let text = String::from_utf8_lossy(&found.head);
        format!("{} {}", found.package, text.lines().last().unwrap_or_default())
    });
    (found.collect(), scanned.problems.iter().map(|it| it.message.to_string()).collect())
}

#[test]
fn last_version_is_kept_without_server() {
    let mut following = Following::new();
    following.publish(&[("notes", "One"), ("pdf", "One")]);
    let source = following.source();
    assert_eq!(scan(&*source), (vec!["notes One".to_owned(), "pdf One".to_owned()], vec![]));

    following.go_away();
    following.publish(&[("pdf", "Two"), ("tables", "One")]);
    following.host.advance(3 * HOUR);
    // Another process, which starts without the network.
    for source in [Arc::clone(&source), following.source()] {
        let (found, reports) = scan(&*source);
        assert_eq!(found, ["notes One", "pdf One"], "the last good version is served");
        let expected = format!("`http://{}` was last read 3 hours ago", following.address);
        assert!(reports.len() == 1 && reports[0].contains(&expected), "{reports:?}");
        let pdf = PackagePath::new("pdf").expect("it is a path");
        let skill_md = ResourcePath::new("SKILL.md").expect("it is a path");
        assert!(source.read(&pdf, &skill_md, ReadLimit::default()).is_ok());
    }

    following.come_back();
    following.host.advance(HOUR);
    let expected = (vec!["pdf Two".to_owned(), "tables One".to_owned()], vec![]);
    assert_eq!(scan(&*source), expected, "the new version follows, and what is gone is gone");
}

#[test]
fn server_that_never_answered_is_an_error() {
    let mut following = Following::new();
    following.go_away();
    let Err(error) = ScanRecorder::scan(&*following.source()) else {
        panic!("no skills are not an empty source");
    };
    assert_eq!(error.kind, SourceErrorKind::Unavailable, "{error}");
}

#[test]
fn server_receives_one_request_per_interval() {
    let following = Following::new();
    following.publish(&[("pdf", "One")]);
    let source = following.source();
    scan(&*source);
    following.publish(&[("pdf", "Two")]);
    assert_eq!(scan(&*source).0, ["pdf One"], "the interval is not over");
    following.host.advance(1000);
    assert_eq!(scan(&*source).0, ["pdf Two"]);
}

#[test]
fn watch_reports_new_versions() {
    let following = Following::new();
    following.publish(&[("pdf", "One")]);
    let source = following.source();
    let (sender, receiver) = channel();
    let watch = source.watch(Arc::new(move |change| drop(sender.send(change))));
    let watch = watch.expect("a thread starts").expect("the source can be watched");
    receiver.recv().expect("the first versions are a change");
    assert_eq!(scan(&*source).0, ["pdf One"]);
    following.publish(&[("pdf", "Two")]);
    receiver.recv().expect("the new version is reported");
    assert_eq!(scan(&*source).0, ["pdf Two"]);
    drop(watch);
    assert!(receiver.recv().is_err(), "the listener is gone with the watch");
}

#[cfg(feature = "sigstore")]
#[test]
fn bundles_of_the_configured_identity_are_accepted() {
    const ISSUER: &str = "https://accounts.example.com";
    const ARCHIVE: &str = ".well-known/agent-skills/pdf.tar.gz";

    let following = Following::new();
    let sigstore = prowess_testkit::Sigstore::new();
    let publish = |line: &str, subject: &str| {
        following.publish(&[("pdf", line)]);
        let mut files = following.files.lock().expect("no test has failed");
        let bundle = sigstore.sign(&files[ARCHIVE], ISSUER, subject).to_string();
        files.insert(format!("{ARCHIVE}.sigstore.json"), bundle.into_bytes());
    };
    let root = following.directory.path().join("trusted_root.json");
    std::fs::write(&root, sigstore.trusted_root().to_string()).expect("the directory is there");
    let signer = format!("sigstore:{ISSUER} ada@example.com");
    let archive = format!("http://{}/{ARCHIVE}", following.address);
    let keys = json!({ "sources": [archive], "trusted_root": root, "signer": signer });
    let source = following.source_with(&keys);
    publish("One", "ada@example.com");
    assert_eq!(scan(&*source), (vec!["pdf One".to_owned()], vec![]));
    publish("Two", "eve@example.com");
    following.host.advance(HOUR);
    let (found, reports) = scan(&*source);
    assert_eq!(found, ["pdf One"], "a version of another signer replaces nothing");
    assert!(reports.iter().any(|report| report.contains("eve@example.com")), "{reports:?}");
}
