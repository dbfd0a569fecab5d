//! Tests of digests.

#[path = "../../src/digest/sha256.rs"]
mod sha256;

use prowess_core::Digest;

#[test]
fn digest_without_the_crate_is_the_same() {
    let bytes: Vec<u8> = (0..=255).collect();
    for length in 0..=bytes.len() {
        let bytes = &bytes[..length];
        assert_eq!(&sha256::sha256(bytes), Digest::of(bytes).as_bytes(), "of {length} bytes");
    }
}

#[test]
fn digest_text_round_trips() {
    let digest = Digest::of(b"abc");
    let text = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(digest.to_string(), text);
    assert_eq!(text.parse(), Ok(digest));
    let json = serde_json::to_value(digest).expect("a digest is serializable");
    assert_eq!(serde_json::from_value::<Digest>(json).expect("the text is a digest"), digest);
}

#[test]
fn invalid_digest_text_is_rejected() {
    let too_long = format!("sha256:{}", "a".repeat(65));
    let not_ascii = format!("sha256:{}", "é".repeat(32));
    let signed = format!("sha256:{}", "+1".repeat(32));
    for text in ["", "sha256:", "sha256:abc", "md5:abc", &too_long, &not_ascii, &signed] {
        assert!(text.parse::<Digest>().is_err(), "{text:?} is not a digest");
    }
}
