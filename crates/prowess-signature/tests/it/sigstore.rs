//! Bundles of an instance of sigstore that belongs to the test.

use prowess_signature::{Identity, SignatureError, SigstoreRoot};
use prowess_testkit::Sigstore;
use serde_json::{Value, json};

const ISSUER: &str = "https://accounts.example.com";
const SUBJECT: &str = "ada@example.com";
const BYTES: &[u8] = b"an archive";

fn verify(root: &Value, bytes: &[u8], bundle: &Value) -> Result<Identity, SignatureError> {
    SigstoreRoot::parse(&root.to_string())?.signer(bytes, &bundle.to_string())
}

#[test]
fn identity_of_the_signer_is_returned() {
    let sigstore = Sigstore::new();
    for subject in [SUBJECT, "https://github.com/a/b/.github/workflows/c.yml@refs/heads/main"] {
        let bundle = sigstore.sign(BYTES, ISSUER, subject);
        let identity = verify(&sigstore.trusted_root(), BYTES, &bundle);
        assert_eq!(identity, Identity::new(ISSUER, subject));
    }
}

#[test]
fn bundle_is_of_its_bytes_only() {
    let sigstore = Sigstore::new();
    let bundle = sigstore.sign(BYTES, ISSUER, SUBJECT);
    let found = verify(&sigstore.trusted_root(), b"another archive", &bundle);
    assert!(matches!(found, Err(SignatureError::Bundle(_))), "{found:?}");
}

/// Each part of the trust is needed: the authority, its log, and the log of signatures.
#[test]
fn unknown_authorities_and_logs_are_refused() {
    let (sigstore, other) = (Sigstore::new(), Sigstore::new());
    let bundle = sigstore.sign(BYTES, ISSUER, SUBJECT);
    for part in ["certificateAuthorities", "ctlogs", "tlogs"] {
        for value in [other.trusted_root()[part].clone(), json!([])] {
            let mut root = sigstore.trusted_root();
            root[part] = value;
            let found = verify(&root, BYTES, &bundle);
            assert!(matches!(found, Err(SignatureError::Bundle(_))), "{part}: {found:?}");
        }
    }
    let public = SigstoreRoot::public().unwrap().signer(BYTES, &bundle.to_string());
    assert!(matches!(public, Err(SignatureError::Bundle(_))), "{public:?}");
}

/// Each part of a bundle is needed, and is the one that belongs to its signature.
#[test]
fn changed_bundles_are_refused() {
    let sigstore = Sigstore::new();
    let root = sigstore.trusted_root();
    let [bundle, other] = [SUBJECT, "eve@example.com"].map(|it| sigstore.sign(BYTES, ISSUER, it));
    let material = "/verificationMaterial";
    let entry = "/verificationMaterial/tlogEntries/0";
    for (place, name) in [
        ("", "messageSignature"),
        ("/messageSignature", "signature"),
        (material, "certificate"),
        (material, "tlogEntries"),
        (entry, "canonicalizedBody"),
        (entry, "inclusionPromise"),
        (entry, "inclusionProof"),
        (&format!("{entry}/inclusionProof"), "rootHash"),
        (&format!("{entry}/inclusionProof"), "checkpoint"),
    ] {
        let of = |bundle: &Value| bundle.pointer(place).unwrap()[name].clone();
        let mut swapped = bundle.clone();
        swapped.pointer_mut(place).unwrap()[name] = of(&other);
        let mut removed = bundle.clone();
        removed.pointer_mut(place).unwrap().as_object_mut().unwrap().remove(name);
        for changed in [swapped, removed] {
            let found = verify(&root, BYTES, &changed);
            assert!(matches!(found, Err(SignatureError::Bundle(_))), "{place} {name}: {found:?}");
        }
    }
    for time in ["1704067199", "1704067801", "0"] {
        let mut late = bundle.clone();
        late["verificationMaterial"]["tlogEntries"][0]["integratedTime"] = json!(time);
        assert!(verify(&root, BYTES, &late).is_err(), "the certificate was not valid at {time}");
    }
}

/// Statements about an origin are signatures; others, such as a list of parts, say nothing about it.
#[test]
fn statements_are_signatures_by_their_type() {
    let sigstore = Sigstore::new();
    let root = sigstore.trusted_root();
    for kind in ["https://slsa.dev/provenance/v1", "https://sigstore.dev/cosign/sign/v1"] {
        let bundle = sigstore.attest(BYTES, kind, ISSUER, SUBJECT);
        assert_eq!(verify(&root, BYTES, &bundle), Identity::new(ISSUER, SUBJECT), "{kind}");
        let other = verify(&root, b"another archive", &bundle);
        assert!(matches!(other, Err(SignatureError::Bundle(_))), "{kind}: {other:?}");
        let forged = verify(&Sigstore::new().trusted_root(), BYTES, &bundle);
        assert!(matches!(forged, Err(SignatureError::Bundle(_))), "{kind}: {forged:?}");
    }
    for kind in ["https://spdx.dev/Document", "https://slsa.dev/verification_summary/v1"] {
        let bundle = sigstore.attest(BYTES, kind, ISSUER, SUBJECT);
        let expected = Err(SignatureError::OtherKind(kind.to_owned()));
        assert_eq!(verify(&root, BYTES, &bundle), expected);
        assert_eq!(verify(&root, b"another archive", &bundle), expected, "it signs nothing");
    }
    let mut bundle = sigstore.attest(BYTES, "https://spdx.dev/Document", ISSUER, SUBJECT);
    bundle["dsseEnvelope"]["payload"] = json!("e30=");
    let found = verify(&root, BYTES, &bundle);
    assert!(matches!(found, Err(SignatureError::Bundle(_))), "no statement: {found:?}");
}

#[test]
fn other_texts_are_refused() {
    let sigstore = Sigstore::new();
    let root = SigstoreRoot::parse(&sigstore.trusted_root().to_string()).unwrap();
    for text in ["", "{}", "[]", "untrusted comment: signature"] {
        assert!(matches!(root.signer(BYTES, text), Err(SignatureError::Bundle(_))), "{text}");
    }
    for text in ["", "{}", "[]"] {
        let parsed = SigstoreRoot::parse(text);
        assert!(matches!(parsed, Err(SignatureError::TrustedRoot(_))), "{text}");
    }
}
