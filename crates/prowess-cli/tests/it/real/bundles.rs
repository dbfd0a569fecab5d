//! Bundles of sigstore in a registry.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prowess::Digest;
use prowess_source_remote::basic;
use prowess_testkit::Sigstore;
use serde_json::{Value, json};

use super::{Place, path};
use crate::program::Ran;

const ISSUER: &str = "https://accounts.example.com";
const BUNDLE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// The type of a statement that is no signature: a list of parts.
const PARTS: &str = "https://spdx.dev/Document";

/// Attaches bundles to a manifest as signers do: each is an artifact that names the manifest, listed
/// in the index under the tag of the manifest's digest.
struct Signed<'p> {
    place: &'p Place,
    name: String,
    sigstore: Sigstore,
}

impl Signed<'_> {
    fn put(&self, path: &str, kind: &str, content: &[u8]) {
        let url = if path.contains("://") { path.to_owned() } else { self.url(path) };
        let put = ureq::put(&url).header("authorization", self.user()).header("content-type", kind);
        assert_eq!(put.send(content).unwrap().status(), 201, "{path}");
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}/v2/{}/{path}", self.place.host, self.name)
    }

    fn user(&self) -> String {
        basic("prowess", "s3cr3t")
    }

    fn put_blob(&self, content: &[u8]) -> String {
        let digest = Digest::of(content).to_string();
        let started = ureq::post(self.url("blobs/uploads/")).header("authorization", self.user());
        let started = started.send_empty().unwrap();
        let location = started.headers()["location"].to_str().unwrap();
        self.put(&format!("{location}&digest={digest}"), "application/octet-stream", content);
        digest
    }

    fn manifest(&self, digest: &str) -> Vec<u8> {
        let manifest = ureq::get(self.url(&format!("manifests/{digest}")))
            .header("authorization", self.user())
            .header("accept", MANIFEST);
        manifest.call().unwrap().into_body().read_to_vec().unwrap()
    }

    /// Signs a manifest for these subjects.
    fn sign(&self, digest: &str, subjects: &[&str]) {
        let manifest = self.manifest(digest);
        let bundle = |subject: &&str| self.sigstore.sign(&manifest, ISSUER, subject);
        self.attach(digest, &subjects.iter().map(bundle).collect::<Vec<_>>());
    }

    fn attach(&self, digest: &str, bundles: &[Value]) {
        let manifest = self.manifest(digest);
        let config = self.put_blob(b"{}");
        let mut listed = Vec::new();
        for bundle in bundles {
            let bundle = bundle.to_string();
            let layer = self.put_blob(bundle.as_bytes());
            let referrer = json!({
                "schemaVersion": 2, "mediaType": MANIFEST, "artifactType": BUNDLE,
                "config": {
                    "mediaType": "application/vnd.oci.empty.v1+json", "digest": config, "size": 2,
                },
                "layers": [{"mediaType": BUNDLE, "digest": layer, "size": bundle.len()}],
                "subject": {
                    "mediaType": MANIFEST, "digest": digest, "size": manifest.len(),
                },
            });
            let referrer = referrer.to_string();
            let own = Digest::of(referrer.as_bytes()).to_string();
            self.put(&format!("manifests/{own}"), MANIFEST, referrer.as_bytes());
            listed.push(json!({
                "mediaType": MANIFEST, "digest": own, "size": referrer.len(),
                "artifactType": BUNDLE,
            }));
        }
        let kind = "application/vnd.oci.image.index.v1+json";
        let index = json!({"schemaVersion": 2, "mediaType": kind, "manifests": listed});
        let path = format!("manifests/{}", digest.replace(':', "-"));
        self.put(&path, kind, index.to_string().as_bytes());
    }

    /// Stores signatures as cosign does under the tag `.sig`: each is a layer, whose content was
    /// signed.
    fn put_tag(&self, digest: &str, signatures: &[Value]) {
        let mut layers = signatures.to_vec();
        for layer in &mut layers {
            let data = layer.as_object_mut().unwrap().remove("data").unwrap();
            let payload = STANDARD.decode(data.as_str().unwrap()).unwrap();
            layer["digest"] = json!(self.put_blob(&payload));
            layer["size"] = json!(payload.len());
        }
        let manifest = json!({
            "schemaVersion": 2, "mediaType": MANIFEST,
            "config": {
                "mediaType": "application/vnd.oci.image.config.v1+json",
                "digest": self.put_blob(b"{}"), "size": 2,
            },
            "layers": layers,
        });
        let path = format!("manifests/{}.sig", digest.replace(':', "-"));
        self.put(&path, MANIFEST, manifest.to_string().as_bytes());
    }

    /// Returns the signature of a manifest as cosign makes it for the tag `.sig`.
    fn simple(&self, digest: &str, subject: &str) -> Value {
        self.sigstore.sign_manifest(&self.manifest(digest), ISSUER, subject)
    }
}

/// Publishes the skills, and returns the digest of the manifest of `pdf`.
fn publish(place: &Place, repository: &str) -> String {
    let published = place.publish(&format!("oci+http://{}/{repository}:1", place.host)).json();
    let detail = published["skills"][1]["detail"].as_str().unwrap();
    detail.rsplit(' ').next().unwrap().to_owned()
}

#[test]
fn bundle_that_refers_to_the_manifest_is_its_signature() {
    let place = Place::registry("PROWESS_TEST_REGISTRY");
    let repository = path("signed");
    let publish = || publish(&place, &repository);
    let sigstore = Sigstore::new();
    place.machine.tree.write("trusted_root.json", sigstore.trusted_root().to_string());
    let root = place.machine.path("trusted_root.json");
    let signed = Signed { place: &place, name: format!("{repository}/pdf"), sigstore };
    let run = |words: &[&str]| place.run(&[words, &["--trusted-root", &root]].concat());

    signed.sign(&publish(), &["ada@example.com"]);
    let source = format!("oci+http://{}/{repository}/pdf:1", place.host);
    let added = run(&["add", &source]).json();
    let detail = added["skills"][0]["detail"].as_str().unwrap();
    let signer = format!("sigstore:{ISSUER} ada@example.com");
    assert!(detail.starts_with(&signer), "the first use is shown: {detail}");

    place.change();
    let second = publish();
    assert_eq!(run(&["update"]).error()["code"], "signer-changed", "it is not signed any more");
    signed.sign(&second, &["eve@example.com"]);
    assert_eq!(run(&["update"]).error()["code"], "signer-changed");
    signed.sign(&second, &["eve@example.com", "ada@example.com"]);
    assert_eq!(run(&["update"]).code, Some(0), "another signature takes nothing away");
}

#[test]
fn other_statements_are_no_signatures() {
    let place = Place::registry("PROWESS_TEST_REGISTRY");
    let repository = path("stated");
    let sigstore = Sigstore::new();
    place.machine.tree.write("trusted_root.json", sigstore.trusted_root().to_string());
    let root = place.machine.path("trusted_root.json");
    let signed = Signed { place: &place, name: format!("{repository}/pdf"), sigstore };
    let source = format!("oci+http://{}/{repository}/pdf:1", place.host);
    let run = |words: &[&str]| place.run(&[words, &["--trusted-root", &root]].concat());
    let signer = format!("sigstore:{ISSUER} ada@example.com");
    let detail = |ran: Ran| ran.json()["skills"][0]["detail"].as_str().unwrap().to_owned();

    let first = publish(&place, &repository);
    let manifest = signed.manifest(&first);
    let statement = |kind| signed.sigstore.attest(&manifest, kind, ISSUER, "ada@example.com");
    signed.attach(&first, &[statement(PARTS)]);
    let refused = run(&["add", &source, "--signer", &signer]);
    assert_eq!(refused.error()["code"], "signer-changed", "a signer is demanded");
    let added = detail(run(&["add", &source]));
    assert!(added.starts_with(&format!("unsigned (not verified: `{PARTS}`)")), "{added}");
    signed.attach(&first, &[statement(PARTS), statement("https://slsa.dev/provenance/v1")]);
    let added = detail(run(&["add", &source, "--signer", &signer]));
    assert!(added.starts_with(&signer), "a statement about the origin is a signature: {added}");

    place.change();
    let second = publish(&place, &repository);
    let wrong = signed.sigstore.sign(b"another manifest", ISSUER, "ada@example.com");
    signed.attach(&second, &[statement(PARTS), wrong]);
    assert_eq!(run(&["update"]).error()["code"], "signature-invalid");
    signed.attach(&second, &[statement(PARTS)]);
    assert_eq!(run(&["update"]).error()["code"], "signer-changed", "a signer is locked");
}

/// Publishes a package, and returns what attaches signatures to it and the digest of its manifest.
fn published<'p>(place: &'p Place, repository: &str) -> (Signed<'p>, String) {
    let sigstore = Sigstore::new();
    place.machine.tree.write("trusted_root.json", sigstore.trusted_root().to_string());
    let signed = Signed { place, name: format!("{repository}/pdf"), sigstore };
    (signed, publish(place, repository))
}

/// Adds the published package.
fn add(place: &Place, repository: &str, options: &[&str]) -> Ran {
    let source = format!("oci+http://{}/{repository}/pdf:1", place.host);
    let root = place.machine.path("trusted_root.json");
    place.run(&[&["add", &source, "--trusted-root", &root], options].concat())
}

fn detail(ran: &Ran) -> String {
    ran.json()["skills"][0]["detail"].as_str().unwrap().to_owned()
}

#[test]
fn signature_tag_of_cosign_is_a_signature() {
    let place = Place::registry("PROWESS_TEST_REGISTRY");
    let repository = path("tagged");
    let (signed, first) = published(&place, &repository);
    signed.put_tag(&first, &[signed.simple(&first, "ada@example.com")]);
    let signer = format!("sigstore:{ISSUER} ada@example.com");
    let other = format!("sigstore:{ISSUER} eve@example.com");
    let refused = add(&place, &repository, &["--signer", &other]);
    assert_eq!(refused.error()["code"], "signer-changed", "another identity has signed");
    let added = add(&place, &repository, &["--signer", &signer]);
    assert!(detail(&added).starts_with(&signer), "{}", added.stderr);

    place.change();
    let second = publish(&place, &repository);
    let root = place.machine.path("trusted_root.json");
    let update = || place.run(&["update", "--trusted-root", &root]);
    signed.put_tag(&second, &[signed.simple(&second, "eve@example.com")]);
    assert_eq!(update().error()["code"], "signer-changed", "the identity is pinned");
    let both = ["eve@example.com", "ada@example.com"].map(|it| signed.simple(&second, it));
    signed.put_tag(&second, &both);
    assert_eq!(update().code, Some(0), "another signature takes nothing away");
}

#[test]
fn wrong_signature_tag_is_refused() {
    let place = Place::registry("PROWESS_TEST_REGISTRY");
    let repository = path("mistagged");
    let (signed, digest) = published(&place, &repository);
    let good = signed.simple(&digest, "ada@example.com");
    let another = signed.sigstore.sign_manifest(b"another", ISSUER, "ada@example.com");
    let mut tampered = good.clone();
    tampered["data"] = another["data"].clone();
    let mut unlogged = good.clone();
    unlogged["annotations"].as_object_mut().unwrap().remove("dev.sigstore.cosign/bundle");
    for (wrong, reason) in [
        (another, "it signs another manifest"),
        (tampered, "signature verification failed"),
        (unlogged, "it has no entry of a transparency log"),
    ] {
        signed.put_tag(&digest, std::slice::from_ref(&wrong));
        let refused = add(&place, &repository, &[]);
        assert_eq!(refused.error()["code"], "signature-invalid", "{reason}");
        let message = refused.error()["message"].to_string();
        assert!(message.contains(reason), "{reason}: {message}");
        signed.put_tag(&digest, &[wrong, good.clone()]);
        assert_eq!(add(&place, &repository, &[]).code, Some(0), "the good one counts: {reason}");
        assert_eq!(place.run(&["remove", "pdf"]).code, Some(0));
    }
}

#[test]
fn signature_tag_of_a_key_is_not_verified() {
    let place = Place::registry("PROWESS_TEST_REGISTRY");
    let repository = path("keyed");
    let (signed, digest) = published(&place, &repository);
    let mut keyed = signed.simple(&digest, "ada@example.com");
    keyed["annotations"].as_object_mut().unwrap().remove("dev.sigstore.cosign/certificate");
    signed.put_tag(&digest, &[keyed]);
    let added = detail(&add(&place, &repository, &[]));
    let expected = "unsigned (not verified: `cosign container image signature`)";
    assert!(added.starts_with(expected), "{added}");
}
