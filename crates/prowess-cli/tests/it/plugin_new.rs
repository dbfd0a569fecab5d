//! `prowess plugin new`.

mod night;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::{Program, Ran};

/// The root of the repository.
fn repository() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the crate lies in the repository")
}

fn new(directory: &Path, args: &[&str]) -> Ran {
    let directory = directory.display().to_string();
    let args = [&["plugin", "new", "--directory", &directory, "--format", "json"], args].concat();
    Program::new().run(&args)
}

#[test]
fn new_plugin_depends_on_the_sdk_by_path() {
    let place = tempfile::tempdir().expect("a temporary directory");
    let sdk = repository().display().to_string();
    let ran = new(place.path(), &["by-path", "--kind", "source", "--sdk", &sdk]);
    let manifest = place.path().join("by-path/Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).expect("it is written");
    let by_path = format!("{{ path = \"{sdk}/crates/prowess-plugin-sdk\" }}");
    assert!(manifest.contains(&by_path), "the checkout's crate is named: {manifest}");
    let next = &ran.json()["next"];
    let has_check = next.as_array().is_some_and(|next| {
        next.iter().any(|step| step.as_str().is_some_and(|step| step.contains("plugin check")))
    });
    assert!(has_check, "the way to the check is named: {next:#}");

    let elsewhere = tempfile::tempdir().expect("a temporary directory");
    let ran = new(elsewhere.path(), &["without", "--kind", "tools"]);
    assert_eq!(ran.code, Some(2), "without a checkout it would not build: {ran:?}");
    assert_eq!(ran.error()["code"], "sdk-required", "and that is reported: {ran:?}");
    assert!(!elsewhere.path().join("without").exists(), "before anything is written");
}

#[test]
fn plugin_that_cannot_be_created_is_an_error() {
    let place = tempfile::tempdir().expect("a temporary directory");
    std::fs::create_dir(place.path().join("there")).expect("a directory can be made");
    let nowhere = place.path().display().to_string();
    let sdk = repository().display().to_string();
    let cases: [(&[&str], i32, &str); 5] = [
        (&["there", "--kind", "tools", "--sdk", &sdk], 1, "plugin-exists"),
        (&["Notes", "--kind", "tools"], 2, "name-invalid"),
        (&["7notes", "--kind", "tools"], 2, "name-invalid"),
        (&["../notes", "--kind", "tools"], 2, "name-invalid"),
        (&["notes", "--kind", "tools", "--sdk", &nowhere], 2, "sdk-not-found"),
    ];
    for (args, code, expected) in cases {
        let ran = new(place.path(), args);
        assert_eq!(ran.code, Some(code), "{args:?} is refused: {}", ran.stdout);
        let error: Value = ran.error();
        assert_eq!(error["code"], expected, "{args:?}: {error:#}");
    }
    let left = std::fs::read_dir(place.path()).expect("it is there").count();
    assert_eq!(left, 1, "nothing is written");
}
