//! The rules that every source keeps.

use std::sync::Arc;

use prowess_core::SkillSource;
use prowess_source_embedded::{EmbeddedFile, EmbeddedSource};
use prowess_testkit::{ScanRecorder, SourceFixture, check_source};

struct Fixture;

impl SourceFixture for Fixture {
    fn source(&self, files: &[(&str, &[u8])]) -> Arc<dyn SkillSource> {
        // A table lives as long as the program; so do these few files of a test.
        let file = |(path, bytes): &(&str, &[u8])| EmbeddedFile {
            path: String::leak((*path).to_owned()),
            bytes: Vec::leak(bytes.to_vec()),
        };
        let files = Vec::leak(files.iter().map(file).collect());
        Arc::new(EmbeddedSource::new("kit", files).expect("the kit's paths are paths"))
    }
}

#[test]
fn the_rules_are_kept() {
    check_source(&Fixture);
}

#[test]
fn it_is_named_by_its_root() {
    let source = EmbeddedSource::new("product", &[]).unwrap();
    assert_eq!(source.name(), "product", "the name that it was given");
    assert_eq!(source.root(), "embedded://product", "the root says what it is");
    assert!(ScanRecorder::scan(&source).unwrap().found.is_empty(), "no files, no packages");
}

#[test]
fn a_path_that_is_none_is_refused() {
    static FILES: &[EmbeddedFile] = &[EmbeddedFile { path: "../x/SKILL.md", bytes: b"" }];
    let error = EmbeddedSource::new("product", FILES).unwrap_err();
    assert!(error.to_string().contains("`../x/SKILL.md`"), "it is named: {error}");
}
