//! Signatures of cosign under the tag `.sig`, of an instance of sigstore that belongs to the test.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prowess_signature::{Identity, SignatureError, SigstoreRoot};
use prowess_testkit::Sigstore;
use serde_json::{Value, json};

const ISSUER: &str = "https://accounts.example.com";
const SUBJECT: &str = "ada@example.com";
const MANIFEST: &[u8] = b"a manifest";

const SIGNATURE: &str = "dev.cosignproject.cosign/signature";
const CERTIFICATE: &str = "dev.sigstore.cosign/certificate";
const LOGGED: &str = "dev.sigstore.cosign/bundle";

fn verify(root: &Value, manifest: &[u8], layer: &Value) -> Result<Identity, SignatureError> {
    SigstoreRoot::parse(&root.to_string())?.signer(manifest, &layer.to_string())
}

fn refused(root: &Value, layer: &Value) -> String {
    match verify(root, MANIFEST, layer) {
        Err(SignatureError::Bundle(reason)) => reason,
        found => panic!("it is not refused: {found:?}"),
    }
}

#[test]
fn identity_of_the_signer_is_returned() {
    let sigstore = Sigstore::new();
    for subject in [SUBJECT, "https://github.com/a/b/.github/workflows/c.yml@refs/heads/main"] {
        let layer = sigstore.sign_manifest(MANIFEST, ISSUER, subject);
        let identity = verify(&sigstore.trusted_root(), MANIFEST, &layer);
        assert_eq!(identity, Identity::new(ISSUER, subject));
    }
}

#[test]
fn signature_is_of_its_manifest_only() {
    let sigstore = Sigstore::new();
    let layer = sigstore.sign_manifest(b"another manifest", ISSUER, SUBJECT);
    assert_eq!(refused(&sigstore.trusted_root(), &layer), "it signs another manifest");
}

#[test]
fn unknown_authorities_and_logs_are_refused() {
    let (sigstore, other) = (Sigstore::new(), Sigstore::new());
    let layer = sigstore.sign_manifest(MANIFEST, ISSUER, SUBJECT);
    for part in ["certificateAuthorities", "ctlogs", "tlogs"] {
        for value in [other.trusted_root()[part].clone(), json!([])] {
            let mut root = sigstore.trusted_root();
            root[part] = value;
            refused(&root, &layer);
        }
    }
}

/// Each part of a signature is needed, and is the one that belongs to it.
#[test]
fn changed_signatures_are_refused() {
    let sigstore = Sigstore::new();
    let root = sigstore.trusted_root();
    let layer = sigstore.sign_manifest(MANIFEST, ISSUER, SUBJECT);
    let other = sigstore.sign_manifest(b"another manifest", ISSUER, "eve@example.com");
    for name in [SIGNATURE, CERTIFICATE, LOGGED] {
        let mut swapped = layer.clone();
        swapped["annotations"][name] = other["annotations"][name].clone();
        refused(&root, &swapped);
    }
    for name in [SIGNATURE, LOGGED] {
        let mut removed = layer.clone();
        removed["annotations"][name] = json!("");
        refused(&root, &removed);
    }
    let mut payload = layer.clone();
    payload["data"] = other["data"].clone();
    refused(&root, &payload);
}

#[test]
fn entry_of_the_log_is_needed() {
    let sigstore = Sigstore::new();
    let root = sigstore.trusted_root();
    let layer = sigstore.sign_manifest(MANIFEST, ISSUER, SUBJECT);
    let mut without = layer.clone();
    without["annotations"].as_object_mut().unwrap().remove(LOGGED);
    assert_eq!(refused(&root, &without), "it has no entry of a transparency log");
    let logged: Value =
        serde_json::from_str(layer["annotations"][LOGGED].as_str().unwrap()).unwrap();
    for (name, value) in [
        ("integratedTime", json!(1_704_067_199)),
        ("integratedTime", json!(0)),
        ("logIndex", json!(1)),
        ("logID", json!("0".repeat(64))),
        ("logID", json!("no number")),
        ("body", json!(STANDARD.encode("{}"))),
    ] {
        let mut logged = logged.clone();
        logged["Payload"][name] = value;
        let mut changed = layer.clone();
        changed["annotations"][LOGGED] = json!(logged.to_string());
        refused(&root, &changed);
    }
    let mut unsigned = logged;
    unsigned["SignedEntryTimestamp"] = json!("");
    let mut changed = layer.clone();
    changed["annotations"][LOGGED] = json!(unsigned.to_string());
    refused(&root, &changed);
}

#[test]
fn other_signed_documents_are_refused() {
    let sigstore = Sigstore::new();
    let root = sigstore.trusted_root();
    let sign = |payload| sigstore.sign_payload(&payload, ISSUER, SUBJECT);
    assert_eq!(refused(&root, &sign(json!({}))), "what it signs cannot be read");
    let layer = sigstore.sign_manifest(MANIFEST, ISSUER, SUBJECT);
    let payload = STANDARD.decode(layer["data"].as_str().unwrap()).unwrap();
    let mut payload: Value = serde_json::from_slice(&payload).unwrap();
    payload["critical"]["type"] = json!("atomic container signature");
    assert_eq!(refused(&root, &sign(payload)), "what it signs is of another type");
}

/// cosign also signs with keys, which have no certificate.
#[test]
fn signature_with_a_key_is_of_another_kind() {
    let sigstore = Sigstore::new();
    let mut layer = sigstore.sign_manifest(MANIFEST, ISSUER, SUBJECT);
    layer["annotations"].as_object_mut().unwrap().remove(CERTIFICATE);
    let found = verify(&sigstore.trusted_root(), MANIFEST, &layer);
    let expected = SignatureError::OtherKind("cosign container image signature".to_owned());
    assert_eq!(found, Err(expected));
}
