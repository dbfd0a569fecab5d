//! Bundles of sigstore in a registry.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prowess::Digest;
use prowess_source_remote::basic;
use prowess_testkit::Sigstore;
use serde_json::json;

use super::{Place, path};

const ISSUER: &str = "https://accounts.example.com";
const BUNDLE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

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

    /// Signs a manifest for these subjects by bundles, as artifacts that name it.
    fn attach(&self, digest: &str, subjects: &[&str]) {
        let manifest = self.manifest(digest);
        let config = self.put_blob(b"{}");
        let mut listed = Vec::new();
        for subject in subjects {
            let bundle = self.sigstore.sign(&manifest, ISSUER, subject).to_string();
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

    /// Signs a manifest for these subjects as cosign does, under the tag `.sig`: each signature is
    /// a layer, whose content was signed.
    fn put_tag(&self, digest: &str, subjects: &[&str]) {
        let manifest = self.manifest(digest);
        let sign = |subject: &&str| self.sigstore.sign_manifest(&manifest, ISSUER, subject);
        let mut layers: Vec<_> = subjects.iter().map(sign).collect();
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
}

/// Publishes the skills, and returns the digest of the manifest of `pdf`.
fn publish(place: &Place, repository: &str) -> String {
    let published = place.publish(&format!("oci+http://{}/{repository}:1", place.host)).json();
    let detail = published["skills"][1]["detail"].as_str().unwrap();
    detail.rsplit(' ').next().unwrap().to_owned()
}

/// Installs a package whose manifests are signed in this way, and updates it to versions of other
/// signers.
fn check_signed(repository: &str, sign: impl Fn(&Signed<'_>, &str, &[&str])) {
    let place = Place::registry("PROWESS_TEST_REGISTRY");
    let repository = path(repository);
    let sigstore = Sigstore::new();
    place.machine.tree.write("trusted_root.json", sigstore.trusted_root().to_string());
    let root = place.machine.path("trusted_root.json");
    let signed = Signed { place: &place, name: format!("{repository}/pdf"), sigstore };
    let run = |words: &[&str]| place.run(&[words, &["--trusted-root", &root]].concat());

    sign(&signed, &publish(&place, &repository), &["ada@example.com"]);
    let source = format!("oci+http://{}/{repository}/pdf:1", place.host);
    let other = format!("sigstore:{ISSUER} eve@example.com");
    let refused = run(&["add", &source, "--signer", &other]);
    assert_eq!(refused.error()["code"], "signer-changed", "another identity has signed");
    let added = run(&["add", &source]).json();
    let detail = added["skills"][0]["detail"].as_str().unwrap();
    let signer = format!("sigstore:{ISSUER} ada@example.com");
    assert!(detail.starts_with(&signer), "the first use is shown: {detail}");

    place.change();
    let second = publish(&place, &repository);
    assert_eq!(run(&["update"]).error()["code"], "signer-changed", "it is not signed any more");
    sign(&signed, &second, &["eve@example.com"]);
    assert_eq!(run(&["update"]).error()["code"], "signer-changed");
    sign(&signed, &second, &["eve@example.com", "ada@example.com"]);
    assert_eq!(run(&["update"]).code, Some(0), "another signature takes nothing away");
}

#[test]
fn bundle_that_refers_to_the_manifest_is_its_signature() {
    check_signed("signed", |signed, digest, subjects| signed.attach(digest, subjects));
}

#[test]
fn signature_tag_of_cosign_is_a_signature() {
    check_signed("tagged", |signed, digest, subjects| signed.put_tag(digest, subjects));
}
