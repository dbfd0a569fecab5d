//! A registry.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use prowess_archive::{Archive, File};
use prowess_core::{Cancel, Digest, Remote, RemoteArtifact, RemoteErrorKind, RemoteRequest};
use prowess_source_remote::{Annotations, HttpOptions, OciRemote, basic};
use prowess_testkit::{Published, RemoteFixture, check_remote};

use super::variable;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// The type of bundles of sigstore.
const BUNDLE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";

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

/// The URL of a part of the repository of a target.
fn url(target: &str, path: &str) -> String {
    let (host, name) = target.trim_start_matches("oci+http://").split_once('/').unwrap();
    format!("http://{host}/v2/{name}/{path}")
}

/// Stores a manifest or an index.
fn put(target: &str, path: &str, kind: &str, text: &str) {
    let put = ureq::put(url(target, path))
        .header("authorization", basic("prowess", "s3cr3t"))
        .header("content-type", kind);
    assert_eq!(put.send(text).unwrap().status(), 201, "{path}");
}

/// Stores the index of what refers to a manifest, where clients look without an interface for it.
fn put_referrers(target: &str, subject: &str, listed: &[(String, &str)]) {
    let descriptor = |(digest, kind): &(String, &str)| {
        format!(
            r#"{{"mediaType": "{MANIFEST}", "digest": "{digest}", "size": 1, "artifactType": "{kind}"}}"#
        )
    };
    let listed: Vec<_> = listed.iter().map(descriptor).collect();
    let kind = "application/vnd.oci.image.index.v1+json";
    let index = format!(
        r#"{{"schemaVersion": 2, "mediaType": "{kind}", "manifests": [{}]}}"#,
        listed.join(",")
    );
    put(target, &format!("manifests/{}", subject.replace(':', "-")), kind, &index);
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
    let subject = artifact.revision.clone().unwrap();
    put_referrers(&target, &subject, &[(signature, "application/vnd.example.signature")]);
    let found = remote.referrers(&artifact, &Cancel::default()).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].artifact_type, "application/vnd.example.signature");
    assert!(remote.fetch(&found[0].artifact, 1024 * 1024, &Cancel::default()).is_ok());
}

#[test]
fn bundles_that_refer_to_a_manifest_are_fetched() {
    let (remote, target) = (remote(), target());
    publish(&remote, &target, "---\nname: kit-skill\ndescription: One.\n---\n");
    let request = RemoteRequest::latest(&target);
    let artifact = remote.resolve(&request, &Cancel::default()).unwrap().remove(0);
    let signature = artifact.signature.clone().unwrap();
    let fetch = |location: &str| {
        let fetched =
            remote.fetch(&RemoteArtifact::plain(location), 1024 * 1024, &Cancel::default());
        fetched.map_err(|error| error.kind)
    };
    let bundles = signature.bundle.unwrap();
    assert_eq!(fetch(&bundles), Err(RemoteErrorKind::NotFound), "it is not signed");

    let revision = artifact.revision.unwrap();
    let attach = |bundle: &str| {
        let annotations = Annotations { title: "bundle", description: "A bundle." };
        let layer = format!("{target}:layer");
        remote.publish(&layer, bundle.as_bytes(), annotations, &Cancel::default()).unwrap();
        let [config, layer] = ["{}", bundle].map(|text| Digest::of(text.as_bytes()));
        let text = format!(
            r#"{{"schemaVersion": 2, "mediaType": "{MANIFEST}", "artifactType": "{BUNDLE}",
            "config": {{"mediaType": "application/vnd.oci.empty.v1+json", "digest": "{config}", "size": 2}},
            "layers": [{{"mediaType": "{BUNDLE}", "digest": "{layer}", "size": {}}}],
            "subject": {{"mediaType": "{MANIFEST}", "digest": "{revision}", "size": 1}}}}"#,
            bundle.len()
        );
        let digest = Digest::of(text.as_bytes()).to_string();
        put(&target, &format!("manifests/{digest}"), MANIFEST, &text);
        (digest, BUNDLE)
    };
    let [one, two] = [r#"{"one": 1}"#, r#"{"two": 2}"#].map(attach);
    let other = publish(&remote, &format!("{target}:other"), "an inventory");
    let other = (other, "application/spdx+json");
    put_referrers(&target, &revision, &[other, one, two]);
    assert_eq!(fetch(&bundles).unwrap(), b"{\"one\": 1}\n{\"two\": 2}\n");
    let subject = fetch(&signature.subject.unwrap()).unwrap();
    assert_eq!(Digest::of(&subject).to_string(), revision, "the manifest is what is signed");
}
