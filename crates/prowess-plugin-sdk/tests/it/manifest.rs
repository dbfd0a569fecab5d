//! The manifest that the macro generates.

use prowess_plugin_abi::manifest::{Manifest, PanicStrategy};
use prowess_plugin_sdk::__private::{
    Part, ROOT_MODULE_LOADER_NAME, frame, framed_length, text, text_length,
};
use prowess_plugin_sdk::{Error, Host, Plugin, Registration, export_plugin};
use serde_json::json;

struct Nothing;

impl Plugin for Nothing {
    type Config = ();

    fn init(_: Host, (): ()) -> Result<Registration, Error> {
        Ok(Registration::new())
    }
}

export_plugin!(
    Nothing,
    kinds = ["source", "tools"],
    config_schema = r#"{"type":"null"}"#,
    features = ["watch"],
);

unsafe extern "C" {
    static PROWESS_PLUGIN_MANIFEST: [u8; 4096];
    #[link_name = "_1as_0lib_1header_0root_bmodule_bloader"]
    static HEADER: u8;
}

/// Returns the bytes at the symbol, with the declared length.
fn section() -> Vec<u8> {
    let start = (&raw const PROWESS_PLUGIN_MANIFEST).cast::<u8>();
    // SAFETY: the macro generates the magic, the length and that many bytes.
    unsafe {
        let length = std::slice::from_raw_parts(start.add(16), 4).try_into().expect("4 bytes");
        let length = u32::from_le_bytes(length) as usize;
        std::slice::from_raw_parts(start, 20 + length).to_vec()
    }
}

#[test]
fn manifest_describes_the_plugin() {
    let manifest = Manifest::parse(&section()).expect("the manifest is valid");
    assert_eq!(manifest.name, env!("CARGO_PKG_NAME"));
    assert_eq!(manifest.version, env!("CARGO_PKG_VERSION"));
    assert_eq!(manifest.license, "MIT OR Apache-2.0");
    assert_eq!(manifest.abi_version(), Some((1, 1)));
    assert_eq!(manifest.panic, PanicStrategy::Unwind);
    assert_eq!(manifest.kinds, ["source", "tools"]);
    assert_eq!(manifest.features, ["watch"]);
    assert_eq!(manifest.config_schema, Some(json!({"type": "null"})));
    assert!(manifest.rustc.starts_with("rustc 1."), "`{}` is a compiler", manifest.rustc);
    assert!(manifest.target.contains('-'), "`{}` is a target", manifest.target);
    assert_eq!(manifest.debug_assertions, cfg!(debug_assertions));
}

#[test]
fn header_has_the_name_of_abi_stable() {
    assert_eq!(ROOT_MODULE_LOADER_NAME, "_1as_0lib_1header_0root_bmodule_bloader");
    assert!(!(&raw const HEADER).is_null(), "the header is exported");
}

#[test]
fn strings_are_encoded_as_json() {
    const TEXT: &str = "a \"demo\" \\ \n \u{1} – ü";
    const PARTS: &[Part] = &[
        Part::Json("{\"text\":"),
        Part::Text(TEXT),
        Part::Json(",\"numbers\":["),
        Part::Number(0),
        Part::Json(","),
        Part::Number(4_294_967_295),
        Part::Json("],\"list\":"),
        Part::List(&[]),
        Part::Json("}"),
    ];
    const BYTES: [u8; text_length(PARTS)] = text(PARTS);
    let value: serde_json::Value = serde_json::from_slice(&BYTES).expect("the text is JSON");
    let expected = json!({"text": TEXT, "numbers": [0, u32::MAX], "list": []});
    assert_eq!(value, expected);
    const EMPTY: [u8; framed_length("")] = frame("");
    assert_eq!(EMPTY.len(), 20, "the magic and the length");
}
