//! Keys and signatures are read or refused, and no signature is that of other bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess_signature::{PublicKey, Signature};

const KEY: &str = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";

fuzz_target!(|text: &str| {
    if let Ok(key) = PublicKey::parse(text) {
        assert_eq!(PublicKey::parse(&key.to_text()), Ok(key));
    }
    if let Ok(signature) = Signature::parse(text) {
        let key = PublicKey::parse(KEY).expect("it is a key");
        assert!(!key.has_signed(b"bytes that were never signed", &signature));
    }
});
