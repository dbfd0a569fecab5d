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

/// The example of the specification of Standard Webhooks.
#[cfg(feature = "webhook")]
#[test]
fn messages_are_signed_with_their_id_and_time() {
    use prowess_signature::WebhookSecret;
    let secret = WebhookSecret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n").unwrap();
    let body = br#"{"test": 2432232314}"#;
    let headers = secret.headers("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body);
    let [id, time, signature] = headers.map(|(name, value)| format!("{name}: {value}"));
    assert_eq!(id, "webhook-id: msg_p5jXN8AQM9LWM0D4loKWxJek");
    assert_eq!(time, "webhook-timestamp: 1614265330");
    let expected = "webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    assert_eq!(signature, expected);
    assert!(!format!("{secret:?}").contains("31"), "the secret is not shown");
    for wrong in ["", "  short  ", "whsec_MfKQ9r8GKYqr", "whsec_!"] {
        let error = WebhookSecret::parse(wrong).unwrap_err();
        assert!(matches!(error, SignatureError::WebhookSecret(_)), "{wrong}: {error}");
    }
}
