//! A store that speaks the protocol of S3, and checks each signature.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use prowess_archive::{Archive, File};
use prowess_core::{Cancel, Clock, Digest, Remote, RemoteErrorKind, RemoteRequest, Timestamp};
use prowess_source_remote::{HttpOptions, S3Keys, S3Options, S3Remote};
use prowess_testkit::{Published, RemoteFixture, check_remote};

use super::variable;

const SECRET: &str = "s3cr3t-key-of-the-test";

/// The clock of the system, which the store compares with its own.
struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        Timestamp(u64::try_from(now.as_millis()).unwrap())
    }

    fn elapsed(&self) -> std::time::Duration {
        std::time::Duration::ZERO
    }
}

fn remote(secret: &str) -> S3Remote {
    let host = variable("PROWESS_TEST_S3");
    let keys = S3Keys { id: "PROWESSTEST".to_owned(), secret: secret.to_owned(), token: None };
    let options = S3Options {
        endpoint: Some(format!("http://{host}")),
        keys: Some(keys),
        ..S3Options::new(Arc::new(SystemClock))
    };
    S3Remote::new(options, HttpOptions { named_hosts: vec![host], ..HttpOptions::default() })
}

/// A place in the bucket that no other test uses.
fn place() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("s3://skills/{}/kit {number}", std::process::id())
}

fn put(place: &str, skill_md: &str) {
    let remote = remote(SECRET);
    let bytes = Archive::new(vec![File::new("SKILL.md", skill_md)]).unwrap().to_tar_gz();
    let digest = Digest::of(&bytes);
    let index = format!(
        r#"{{"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": [
        {{"name": "kit-skill", "type": "archive", "description": "A.", "url": "kit-skill.tar.gz", "digest": "{digest}"}}]}}"#
    );
    let directory = format!("{place}/.well-known/agent-skills");
    for (name, content) in [("kit-skill.tar.gz", &bytes[..]), ("index.json", index.as_bytes())] {
        remote.put(&format!("{directory}/{name}"), content, &Cancel::default()).unwrap();
    }
}

struct Fixture;

impl RemoteFixture for Fixture {
    fn publish(&self, skill_md: &str) -> Published {
        let place = place();
        put(&place, skill_md);
        Published {
            remote: Arc::new(remote(SECRET)),
            source: place.clone(),
            missing: format!("{place} missing"),
            secret: Some(SECRET.to_owned()),
            replace: Box::new(move |text| put(&place, text)),
        }
    }
}

#[test]
fn bucket_follows_every_rule() {
    let report = check_remote(&Fixture);
    assert!(report.is_passed(), "{report}");
}

#[test]
fn single_artifact_is_found_by_its_key() {
    let key = format!("{}/pdf/SKILL.md", place());
    remote(SECRET).put(&key, b"text", &Cancel::default()).unwrap();
    let resolved = remote(SECRET).resolve(&RemoteRequest::latest(key), &Cancel::default());
    assert_eq!(resolved.unwrap()[0].digest, Some(Digest::of(b"text")));
}

#[test]
fn wrong_keys_are_denied() {
    let place = place();
    put(&place, "---\nname: kit-skill\ndescription: One.\n---\n");
    let error = remote("wrong").resolve(&RemoteRequest::latest(place), &Cancel::default());
    let error = error.unwrap_err();
    assert_eq!(error.kind, RemoteErrorKind::Denied, "{error}");
    assert!(!error.message.contains("Signature"), "a signed URL is not shown: {error}");
}
