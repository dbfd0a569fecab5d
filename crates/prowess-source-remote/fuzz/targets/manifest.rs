//! A manifest of a registry that is accepted is written and read again as it was, and has at most
//! one package.
#![no_main]

use libfuzzer_sys::fuzz_target;

// The reader is no part of the crate's interface.
#[allow(dead_code)]
#[path = "../../src/oci/manifest.rs"]
mod manifest;

use manifest::Manifest;

fuzz_target!(|bytes: &[u8]| {
    let Ok(manifest) = Manifest::read(bytes) else { return };
    let written = serde_json::to_vec(&manifest).expect("a manifest can be written");
    assert_eq!(Manifest::read(&written).as_ref(), Ok(&manifest));
    if let Ok((layer, _)) = manifest.content() {
        assert!(manifest.layers.contains(layer), "the package is a layer");
        if let Ok(digest) = layer.digest() {
            assert_eq!(digest.to_string(), layer.digest, "a digest has one spelling");
        }
    }
    for descriptor in &manifest.manifests {
        let _ = descriptor.digest();
    }
});
