//! Signatures of artifacts, made by the signer's own tool, and the signers that a lock pins.

use std::io::Cursor;
use std::sync::Arc;

use minisign::KeyPair;
use prowess_core::{Cancel, Digest, RemoteRequest};
use prowess_signature::{Identity, PublicKey, SignatureError};
use prowess_store::{
    Growth, InstallError, Installer, RemoteState, SignerRules, Synced, UNSIGNED, publish_signed,
};

use crate::install::{Fixture, PDF};

struct Signer {
    pair: KeyPair,
    public: PublicKey,
}

impl Signer {
    fn new() -> Self {
        let pair = KeyPair::generate_unencrypted_keypair().unwrap();
        let public = PublicKey::parse(&pair.pk.to_base64()).unwrap();
        Self { pair, public }
    }

    fn sign(&self, bytes: &[u8]) -> String {
        let signed = minisign::sign(None, &self.pair.sk, Cursor::new(bytes), Some("pdf"), None);
        signed.unwrap().into_string()
    }

    /// Publishes a version, signed by this signer, and its key.
    fn publish(&self, fixture: &Fixture, version: &str) {
        fixture.shelf.put("site", &[("SKILL.md", &PDF.replace("One", version))]);
        let signature = self.sign(&fixture.shelf.lock()["site"]);
        put(fixture, "site.minisig", Some(signature));
        put(fixture, "minisign.pub", Some(self.public.to_text()));
    }

    fn name(&self) -> String {
        prowess_store::Signer::Key(self.public.clone()).to_string()
    }
}

/// Replaces or removes a signature or a key.
fn put(fixture: &Fixture, location: &str, text: Option<String>) {
    let mut texts = fixture.shelf.texts.lock().unwrap();
    match text {
        Some(text) => drop(texts.insert(location.to_owned(), text)),
        None => drop(texts.remove(location)),
    }
}

fn locked_signer(fixture: &Fixture) -> String {
    fixture.place.lock.load().unwrap().skills["pdf"].signer.clone()
}

fn required(key: Option<&PublicKey>) -> SignerRules {
    let required = key.cloned().map(prowess_store::Signer::Key);
    SignerRules { required, ..SignerRules::default() }
}

fn update(fixture: &Fixture, signer: Option<&PublicKey>) -> Result<(), InstallError> {
    let signers = &required(signer);
    let installer = Installer { signers, ..fixture.installer() };
    installer.update(&[], Growth::Accept, &Cancel::default()).map(drop)
}

#[test]
fn first_signer_is_locked() {
    let (fixture, signer) = (Fixture::new(), Signer::new());
    signer.publish(&fixture, "One");
    fixture.add("site", &[]).unwrap();
    assert_eq!(locked_signer(&fixture), signer.name());
    signer.publish(&fixture, "Two");
    put(&fixture, "minisign.pub", None);
    update(&fixture, None).expect("the locked key is enough for the next version");
    assert_eq!(locked_signer(&fixture), signer.name());
}

#[test]
fn changed_signer_is_refused() {
    let (fixture, signer, other) = (Fixture::new(), Signer::new(), Signer::new());
    signer.publish(&fixture, "One");
    fixture.add("site", &[]).unwrap();
    let before = fixture.place.lock.read().unwrap();
    other.publish(&fixture, "Two");
    let refused = |result: Result<(), InstallError>, found: &str| {
        let error = result.unwrap_err();
        let expected = InstallError::OtherSigner {
            id: "pdf".to_owned(),
            expected: signer.name(),
            found: found.to_owned(),
        };
        assert_eq!(error, expected);
        assert_eq!(fixture.place.lock.read().unwrap(), before, "nothing is installed");
    };
    refused(update(&fixture, None), &other.name());
    refused(fixture.add("site", &[]).map(drop), &other.name());
    put(&fixture, "site.minisig", None);
    refused(update(&fixture, None), UNSIGNED);
    refused(fixture.add("site", &[]).map(drop), UNSIGNED);
    other.publish(&fixture, "Two");
    update(&fixture, Some(&other.public)).expect("the user has named the new key");
    assert_eq!(locked_signer(&fixture), other.name());
}

#[test]
fn named_signer_is_required() {
    let (fixture, signer, other) = (Fixture::new(), Signer::new(), Signer::new());
    let add = |key: &PublicKey| {
        let signers = &required(Some(key));
        let installer = Installer { signers, ..fixture.installer() };
        installer.add(&RemoteRequest::latest("site"), &["pdf".to_owned()], &Cancel::default())
    };
    let error = add(&signer.public).unwrap_err();
    assert_eq!(error.code().as_str(), "signer-changed", "it is not signed at all");
    other.publish(&fixture, "One");
    let error = add(&signer.public).unwrap_err();
    assert_eq!(error.code().as_str(), "signer-changed", "another one has signed it");
    signer.publish(&fixture, "One");
    put(&fixture, "minisign.pub", None);
    assert_eq!(add(&signer.public).unwrap().added[0].skill.signer, signer.name());
}

/// The lock and the store have no signature, whatever the lock says.
#[test]
fn named_signer_is_required_of_what_is_locked() {
    let (fixture, signer, other) = (Fixture::new(), Signer::new(), Signer::new());
    fixture.shelf.put("site", &[("SKILL.md", PDF)]);
    fixture.add("site", &[]).unwrap();
    let text = fixture.place.lock.read().unwrap().unwrap();
    fixture.place.lock.write(&text.replace(UNSIGNED, &signer.name())).unwrap();
    let outcomes = |key: Option<&PublicKey>| {
        let signers = &required(key);
        let installer = Installer { signers, ..fixture.installer() };
        let synced = installer.sync(&Cancel::default()).unwrap().remove("pdf").unwrap();
        let checked = installer.check(&Cancel::default()).unwrap().remove("pdf").unwrap();
        (synced, checked.remote)
    };
    let is_refused = |(synced, checked): &(Synced, RemoteState)| {
        matches!(synced, Synced::Failed(InstallError::OtherSigner { .. }))
            && matches!(checked, RemoteState::Unavailable(InstallError::OtherSigner { .. }))
    };
    assert_eq!(outcomes(None), (Synced::Intact, RemoteState::Same));
    assert!(is_refused(&outcomes(Some(&signer.public))), "it has no signature");
    signer.publish(&fixture, "One");
    let found = outcomes(Some(&signer.public));
    assert_eq!(found, (Synced::Intact, RemoteState::SameFiles));
    assert!(is_refused(&outcomes(Some(&other.public))), "another one has signed it");
}

#[test]
fn wrong_signature_is_refused() {
    let (fixture, signer, other) = (Fixture::new(), Signer::new(), Signer::new());
    signer.publish(&fixture, "One");
    let good = signer.sign(&fixture.shelf.lock()["site"]);
    let cases = [
        ("of other bytes", "site.minisig", Some(signer.sign(b"other bytes"))),
        ("damaged", "site.minisig", Some("untrusted comment: none\n".to_owned())),
        ("by a key that is not there", "minisign.pub", None),
        ("by another key than the published one", "minisign.pub", Some(other.public.to_text())),
        ("by a damaged key", "minisign.pub", Some("RWQ".to_owned())),
        ("with another comment", "site.minisig", Some(good.replace("comment: pdf", "comment: x"))),
    ];
    for (case, location, text) in cases {
        signer.publish(&fixture, "One");
        put(&fixture, location, text);
        let error = fixture.add("site", &[]).unwrap_err();
        assert_eq!(error.code().as_str(), "signature-invalid", "{case}: {error}");
    }
    assert_eq!(fixture.place.lock.read().unwrap(), None, "nothing is installed");
}

#[test]
fn signed_version_may_follow_an_unsigned_one() {
    let (fixture, signer) = (Fixture::new(), Signer::new());
    fixture.add("site", &["pdf"]).unwrap();
    assert_eq!(locked_signer(&fixture), UNSIGNED);
    signer.publish(&fixture, "Two");
    update(&fixture, None).unwrap();
    assert_eq!(locked_signer(&fixture), signer.name());
}

#[test]
fn published_site_has_signatures_and_the_key() {
    let (fixture, signer) = (Fixture::new(), Signer::new());
    let bytes = fixture.shelf.lock()["site"].clone();
    let (files, _) =
        publish_signed(&bytes, &signer.public, &|_, bytes| Ok(signer.sign(bytes))).unwrap();
    let names = files.iter().map(|file| file.path.rsplit('/').next().unwrap());
    assert_eq!(
        names.collect::<Vec<_>>(),
        [
            "minisign.pub",
            "notes.tar.gz",
            "notes.tar.gz.minisig",
            "pdf.tar.gz",
            "pdf.tar.gz.minisig",
            "index.json",
        ]
    );
    let index = prowess_format::index::SkillIndex::read(&files[5].content).unwrap().index;
    let signatures = index.skills.into_iter().map(|skill| skill.signature.unwrap());
    assert_eq!(
        signatures.collect::<Vec<_>>(),
        ["notes.tar.gz.minisig", "pdf.tar.gz.minisig"],
        "the index says that the packages are signed"
    );
}

#[test]
fn bundle_of_sigstore_is_refused_without_a_verifier() {
    for place in ["site.minisig", "site.sigstore.json"] {
        let fixture = Fixture::new();
        fixture.shelf.put("site", &[("SKILL.md", PDF)]);
        put(&fixture, place, Some("{\"mediaType\": \"application/vnd.dev.sigstore\"}".into()));
        let error = fixture.add("site", &[]).unwrap_err();
        let expected = InstallError::MissingFeature { what: place.into(), feature: "sigstore" };
        assert_eq!(error, expected, "it does not count as unsigned");
    }
}

#[test]
fn locked_or_named_identity_is_refused_without_a_verifier() {
    let mut fixture = Fixture::new();
    publish_document(&fixture, "One", &["ada"]);
    fixture.signers = believing();
    fixture.add("site", &[]).unwrap();
    let signer = locked_signer(&fixture);
    fixture.signers = SignerRules::default();
    fixture.shelf.put("site", &[("SKILL.md", &PDF.replace("One", "Two"))]);
    put(&fixture, "site.sigstore.json", None);
    let lacking = InstallError::MissingFeature { what: signer.clone(), feature: "sigstore" };
    assert_eq!(update(&fixture, None).unwrap_err(), lacking, "the next version has no bundle");
    let fixture = Fixture::new();
    fixture.shelf.put("site", &[("SKILL.md", PDF)]);
    let required = prowess_store::Signer::parse(&signer).ok();
    let fixture = Fixture { signers: SignerRules { required, bundles: None }, ..fixture };
    assert_eq!(fixture.add("site", &[]).unwrap_err(), lacking, "the user names the identity");
}

/// Returns a document that says who has signed these bytes.
fn bundle(by: &str, bytes: &[u8]) -> String {
    format!("{{\"by\": \"{by}\", \"of\": \"{}\"}}\n", Digest::of(bytes))
}

/// Rules that believe such documents about the bytes that they name.
fn believing() -> SignerRules {
    let verify = |bytes: &[u8], text: &str| {
        let invalid = || SignatureError::Bundle("it is of other bytes".to_owned());
        let bundle: serde_json::Value = serde_json::from_str(text).map_err(|_| invalid())?;
        if let Some(kind) = bundle["kind"].as_str() {
            return Err(SignatureError::OtherKind(kind.to_owned()));
        }
        if bundle["of"] != Digest::of(bytes).to_string() {
            return Err(invalid());
        }
        Identity::new("https://issuer.example", bundle["by"].as_str().unwrap_or_default())
    };
    SignerRules { required: None, bundles: Some(Arc::new(verify)) }
}

/// Publishes a version whose document, which names its digest, has these signers.
fn publish_document(fixture: &Fixture, version: &str, signers: &[&str]) {
    fixture.shelf.put("site", &[("SKILL.md", &PDF.replace("One", version))]);
    let document = format!("manifest of {}", Digest::of(&fixture.shelf.lock()["site"]));
    let revision = Digest::of(document.as_bytes()).to_string();
    let bundles = signers.iter().map(|by| bundle(by, document.as_bytes())).collect();
    put(fixture, "site.sigstore.json", Some(bundles));
    put(fixture, "site.subject", Some(document));
    put(fixture, "site.revision", Some(revision));
}

fn update_believing(fixture: &Fixture) -> Result<String, String> {
    let signers = &believing();
    let installer = Installer { signers, ..fixture.installer() };
    let updated = installer.update(&[], Growth::Accept, &Cancel::default());
    updated.map_err(|error| error.code().as_str().to_owned())?;
    Ok(locked_signer(fixture).rsplit(' ').next().unwrap_or_default().to_owned())
}

#[test]
fn known_signer_counts_among_several() {
    let fixture = Fixture { signers: believing(), ..Fixture::new() };
    publish_document(&fixture, "One", &["ada", "eve"]);
    fixture.add("site", &[]).unwrap();
    assert!(locked_signer(&fixture).ends_with(" ada"), "the first one is used first");
    publish_document(&fixture, "Two", &["eve", "ada"]);
    assert_eq!(update_believing(&fixture), Ok("ada".into()), "others may have signed, too");
    publish_document(&fixture, "Three", &["eve"]);
    assert_eq!(update_believing(&fixture), Err("signer-changed".into()));
    publish_document(&fixture, "Four", &[]);
    let other = bundle("ada", b"another document") + &bundle("ada", b"a third one");
    put(&fixture, "site.sigstore.json", Some(other));
    assert_eq!(update_believing(&fixture), Err("signature-invalid".into()));
}

/// A document that is no signature, such as a list of parts.
const STATEMENT: &str = "{\"kind\": \"https://spdx.dev/Document\"}\n";

#[test]
fn other_statements_leave_an_artifact_unsigned() {
    let fixture = Fixture { signers: believing(), ..Fixture::new() };
    publish_document(&fixture, "One", &[]);
    put(&fixture, "site.sigstore.json", Some(STATEMENT.repeat(2)));
    let request = RemoteRequest::latest("site");
    let installer = Installer { signers: &believing(), ..fixture.installer() };
    let added = installer.add(&request, &[], &Cancel::default()).unwrap().added;
    assert_eq!(locked_signer(&fixture), UNSIGNED);
    assert_eq!(added[0].unverified, ["https://spdx.dev/Document"], "it is reported once");
    publish_document(&fixture, "Two", &["ada"]);
    let signature = fixture.shelf.texts.lock().unwrap()["site.sigstore.json"].clone();
    put(&fixture, "site.sigstore.json", Some(STATEMENT.to_owned() + &signature));
    assert_eq!(update_believing(&fixture), Ok("ada".into()), "a signature next to it counts");
}

/// A statement of another kind weakens no rule: neither that of a lock nor that of a user.
#[test]
fn other_statements_replace_no_signature() {
    let fixture = Fixture { signers: believing(), ..Fixture::new() };
    publish_document(&fixture, "One", &[]);
    put(&fixture, "site.sigstore.json", Some(STATEMENT.to_owned()));
    let ada =
        prowess_store::Signer::Identity(Identity::new("https://issuer.example", "ada").unwrap());
    let signers = &SignerRules { required: Some(ada), ..believing() };
    let installer = Installer { signers, ..fixture.installer() };
    let request = RemoteRequest::latest("site");
    let required = installer.add(&request, &[], &Cancel::default()).unwrap_err();
    assert_eq!(required.code().as_str(), "signer-changed", "a user demands a signer: {required}");
    assert_eq!(fixture.place.lock.read().unwrap(), None, "nothing is installed");

    publish_document(&fixture, "One", &["ada"]);
    fixture.add("site", &[]).unwrap();
    publish_document(&fixture, "Two", &[]);
    put(&fixture, "site.sigstore.json", Some(STATEMENT.to_owned()));
    assert_eq!(update_believing(&fixture), Err("signer-changed".into()), "a lock has a signer");
}

#[test]
fn wrong_signature_next_to_a_statement_is_refused() {
    let fixture = Fixture { signers: believing(), ..Fixture::new() };
    publish_document(&fixture, "One", &[]);
    let wrong = bundle("ada", b"another document");
    for bundles in [STATEMENT.to_owned() + &wrong, wrong + STATEMENT] {
        put(&fixture, "site.sigstore.json", Some(bundles));
        let error = fixture.add("site", &[]).unwrap_err();
        assert_eq!(error.code().as_str(), "signature-invalid", "{error}");
    }
    assert_eq!(fixture.place.lock.read().unwrap(), None, "nothing is installed");
}

#[test]
fn signed_document_is_that_of_the_artifact() {
    let fixture = Fixture { signers: believing(), ..Fixture::new() };
    publish_document(&fixture, "One", &["ada"]);
    fixture.add("site", &[]).unwrap();
    publish_document(&fixture, "Two", &["ada"]);
    put(&fixture, "site.revision", Some(Digest::of(b"another document").to_string()));
    assert_eq!(update_believing(&fixture), Err("signature-invalid".into()));
    put(&fixture, "site.subject", None);
    assert_eq!(
        update_believing(&fixture),
        Err("signature-invalid".into()),
        "a bundle of something else is no signature of the artifact"
    );
}
