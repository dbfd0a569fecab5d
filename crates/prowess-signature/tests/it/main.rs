//! Tests of signatures, with those of the signer's own tool.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod identities;
#[cfg(feature = "sigstore")]
mod sigstore;
#[cfg(feature = "sigstore")]
mod simple_signing;

use std::io::Cursor;

use minisign::KeyPair;
use prowess_signature::{PublicKey, Signature, SignatureError};

fn signed(key: &KeyPair, bytes: &[u8]) -> String {
    let signed = minisign::sign(None, &key.sk, Cursor::new(bytes), Some("comment"), None);
    signed.unwrap().into_string()
}

fn key() -> (KeyPair, PublicKey) {
    let key = KeyPair::generate_unencrypted_keypair().unwrap();
    let public = PublicKey::parse(&key.pk.to_box().unwrap().into_string()).unwrap();
    (key, public)
}

#[test]
fn only_the_signed_bytes_have_the_signature() {
    let (pair, public) = key();
    let signature = Signature::parse(&signed(&pair, b"package")).unwrap();
    assert_eq!(signature.key_id(), public.id());
    assert_eq!(signature.trusted_comment(), "comment");
    assert!(public.has_signed(b"package", &signature));
    assert!(!public.has_signed(b"packagf", &signature));
    let (_, other) = key();
    assert!(!other.has_signed(b"package", &signature), "a key signs for itself only");
}

#[test]
fn changed_comment_ends_the_signature() {
    let (pair, public) = key();
    let text = signed(&pair, b"package").replace("comment: comment", "comment: another");
    assert!(!public.has_signed(b"package", &Signature::parse(&text).unwrap()));
}

#[test]
fn key_is_read_as_it_is_written() {
    let (_, public) = key();
    assert_eq!(PublicKey::parse(&public.to_text()).as_ref(), Ok(&public));
    assert_eq!(PublicKey::parse(public.as_base64()).as_ref(), Ok(&public));
}

#[test]
fn other_texts_are_refused() {
    for text in ["", "RWQ", "untrusted comment: a key\nRWQ=", "ssh-ed25519 AAAAC3Nz"] {
        assert!(matches!(PublicKey::parse(text), Err(SignatureError::PublicKey(_))), "{text}");
        assert!(matches!(Signature::parse(text), Err(SignatureError::Signature(_))), "{text}");
    }
}

#[cfg(feature = "sign")]
#[test]
fn secret_key_signs_for_its_public_key() {
    let (pair, public) = key();
    let text = pair.sk.to_box(None).unwrap().into_string();
    let secret = prowess_signature::SecretKey::parse(&text).unwrap();
    assert_eq!(secret.public_key(), &public);
    let signature = secret.sign(b"package", "pdf.tar.gz").unwrap();
    let signature = Signature::parse(&signature).unwrap();
    assert!(public.has_signed(b"package", &signature));
    assert_eq!(signature.trusted_comment(), "pdf.tar.gz");
    assert!(!format!("{secret:?}").contains(&text[60..80]), "the key is not shown");
}
