//! Sources that fail in the middle of a check.

use prowess_core::{
    Cancel, Found, Listing, PackagePath, PreviousScan, ReadLimit, ResourcePath, ScanSink,
    ScanSummary, SkillSource, SourceError, SourceErrorKind,
};
use prowess_lint::{LintOptions, NoProgress, check_tree};

use crate::fixture::{BODY, skill_md};

/// A source that has one package at this path, and lists no files.
struct Failing(&'static str);

impl SkillSource for Failing {
    fn name(&self) -> &str {
        "team"
    }

    fn root(&self) -> &str {
        "test://team"
    }

    fn scan(
        &self,
        _: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        _: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        let (package, file, head) = (self.0, "SKILL.md", &b""[..]);
        let (stamp, size, is_whole_file) = (None, None, false);
        sink.found(Found { package, file, stamp, size, head, is_whole_file });
        Ok(ScanSummary::default())
    }

    fn list(&self, _: &PackagePath, _: usize) -> Result<Listing, SourceError> {
        Err(SourceError::new(SourceErrorKind::Denied, "it cannot be read"))
    }

    fn read(
        &self,
        _: &PackagePath,
        _: &ResourcePath,
        _: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        Ok(skill_md("notes", BODY).into_bytes())
    }
}

fn check(source: &Failing, expected: &[&str]) {
    let options = LintOptions::default();
    let checked = check_tree(source, &options, &NoProgress, &Cancel::default());
    let checked = checked.expect("it can be scanned");
    let codes: Vec<_> = checked.diagnostics().map(|found| found.code.as_str()).collect();
    assert_eq!(codes, expected);
}

#[test]
fn files_that_cannot_be_listed_are_reported() {
    check(&Failing("notes"), &["listing-failed"]);
}

#[test]
fn a_package_outside_of_its_source_is_reported() {
    check(&Failing("../notes"), &["package-path-invalid"]);
}
