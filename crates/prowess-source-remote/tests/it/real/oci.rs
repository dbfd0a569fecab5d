//! A registry.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use prowess_archive::{Archive, File};
use prowess_core::{Cancel, Remote, RemoteErrorKind, RemoteRequest};
use prowess_source_remote::{Annotations, HttpOptions, OciRemote, basic};
use prowess_testkit::{Published, RemoteFixture, check_remote};

use super::variable;

fn host() -> String {
    variable("PROWESS_TEST_REGISTRY")
}

fn remote() -> OciRemote {
    let credentials = basic("prowess", "s3cr3t");
    OciRemote::new(HttpOptions {
        named_hosts: vec![host()],
        credentials: Some(Arc::new(move |_| Some(credentials.clone()))),
        ..HttpOptions::default()
    })
}

fn publish(remote: &OciRemote, target: &str, skill_md: &str) -> String {
    let archive = Archive::new(vec![File::new("SKILL.md", skill_md)]).unwrap().to_tar_gz();
    let annotations = Annotations { title: "kit-skill", description: "A skill." };
    let digest = remote.publish(target, &archive, annotations, &Cancel::default()).unwrap();
    digest.to_string()
}

/// A repository that no other test uses.
fn target() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("oci+http://{}/{}/kit-{number}", host(), std::process::id())
}

struct Fixture;

impl RemoteFixture for Fixture {
    fn publish(&self, skill_md: &str) -> Published {
        let target = target();
        publish(&remote(), &target, skill_md);
        Published {
            remote: Arc::new(remote()),
            source: target.clone(),
            missing: format!("{target}-missing"),
            secret: Some(basic("prowess", "s3cr3t")),
            replace: Box::new(move |text| drop(publish(&remote(), &target, text))),
        }
    }
}

#[test]
fn registry_follows_every_rule() {
    let report = check_remote(&Fixture);
    assert!(report.is_passed(), "{report}");
}

#[test]
fn tag_moves_and_digest_stays() {
    let (remote, target) = (remote(), target());
    let first = publish(&remote, &target, "---\nname: kit-skill\ndescription: One.\n---\n");
    let second = publish(&remote, &target, "---\nname: kit-skill\ndescription: Two.\n---\n");
    assert_ne!(first, second);
    let resolve = |source: &str| {
        let resolved = remote.resolve(&RemoteRequest::latest(source), &Cancel::default());
        Ok(resolved.map_err(|error| error.kind)?[0].revision.clone().unwrap())
    };
    assert_eq!(resolve(&target), Ok(second), "a tag is what was published last");
    assert_eq!(resolve(&format!("{target}@{first}")), Ok(first), "a digest is for ever");
    let gone = format!("{target}@sha256:{}", "0".repeat(64));
    assert_eq!(resolve(&gone), Err(RemoteErrorKind::NotFound));
}

#[test]
fn wrong_password_is_denied() {
    let credentials = basic("prowess", "wrong");
    let remote = OciRemote::new(HttpOptions {
        named_hosts: vec![host()],
        credentials: Some(Arc::new(move |_| Some(credentials.clone()))),
        ..HttpOptions::default()
    });
    let resolved = remote.resolve(&RemoteRequest::latest(target()), &Cancel::default());
    assert_eq!(resolved.map_err(|error| error.kind), Err(RemoteErrorKind::Denied));
}

#[test]
fn referrers_are_found_by_the_tag() {
    let (remote, target) = (remote(), target());
    publish(&remote, &target, "---\nname: kit-skill\ndescription: One.\n---\n");
    let request = RemoteRequest::latest(&target);
    let artifact = remote.resolve(&request, &Cancel::default()).unwrap().remove(0);
    assert_eq!(remote.referrers(&artifact, &Cancel::default()), Ok(Vec::new()), "there is none");
    // A signer publishes the signature, and names it in the index under the tag of the subject.
    let signature = publish(&remote, &format!("{target}:signature"), "signature");
    let subject = artifact.revision.clone().unwrap().replace(':', "-");
    let index = format!(
        r#"{{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [
        {{"mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": "{signature}",
        "size": 1, "artifactType": "application/vnd.example.signature"}}]}}"#
    );
    let (registry, name) =
        target.trim_start_matches("oci+").rsplit_once("://").map_or(("", ""), |it| it);
    let (host, name) = name.split_once('/').unwrap();
    let url = format!("{registry}://{host}/v2/{name}/manifests/{subject}");
    let put = ureq::put(&url)
        .header("authorization", basic("prowess", "s3cr3t"))
        .header("content-type", "application/vnd.oci.image.index.v1+json")
        .send(&index);
    assert_eq!(put.unwrap().status(), 201);
    let found = remote.referrers(&artifact, &Cancel::default()).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].artifact_type, "application/vnd.example.signature");
    assert!(remote.fetch(&found[0].artifact, 1024 * 1024, &Cancel::default()).is_ok());
}
