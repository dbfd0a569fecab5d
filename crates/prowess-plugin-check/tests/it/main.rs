//! The kit as its user sees it. What each rule finds in an opened plugin is tested with the command line,
//! which has the program of a check's own process.

use std::path::Path;
use std::time::Duration;

use prowess_plugin_check::{CheckOutcome, CheckReport, CheckSetup, check, check_names};
use prowess_plugin_host::{Origin, PluginPolicy, TrustStore};
use prowess_testkit::PluginFile;

fn report(bytes: &[u8], trust: TrustStore) -> CheckReport {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("plugin.so");
    std::fs::write(&file, bytes).expect("a file can be written");
    let setup = CheckSetup {
        policy: PluginPolicy::default(),
        trust,
        config: None,
        staging: directory.path().to_owned(),
        program: Path::new("/nonexistent/program").to_owned(),
        arguments: Vec::new(),
        deadline: Duration::from_secs(20),
        only: Vec::new(),
    };
    check(&file, Origin::Named, &setup, &|_, _| {}).expect("the file can be read")
}

fn outcome<'r>(report: &'r CheckReport, name: &str) -> &'r CheckOutcome {
    let named = report.checks.iter().find(|check| check.name == name);
    &named.expect("the kit has this check").outcome
}

#[test]
fn a_file_that_is_no_library_is_reported_and_nothing_runs() {
    let report = report(b"text", TrustStore::default());
    assert!(outcome(&report, "manifest").is_failed(), "it has no manifest");
    let opened = check_names().map(|name| outcome(&report, name));
    let skipped = CheckOutcome::Skipped { reason: "nothing was executed".into() };
    assert!(opened.into_iter().all(|outcome| *outcome == skipped), "nothing is opened");
}

#[test]
fn an_untrusted_plugin_fails_trust_and_nothing_runs() {
    let report = report(&PluginFile::new(&PluginFile::manifest()).build(), TrustStore::default());
    assert!(!outcome(&report, "manifest").is_failed(), "its manifest is good");
    assert!(outcome(&report, "trust").is_failed(), "it is not trusted");
    assert!(matches!(outcome(&report, "begin"), CheckOutcome::Skipped { .. }), "nothing is opened");
}

#[test]
fn the_junit_report_has_one_case_for_each_check() {
    let report = report(b"<&\"", TrustStore::default());
    let xml = report.to_junit();
    assert_eq!(xml.matches("<testcase ").count(), report.checks.len(), "{xml}");
    assert!(xml.contains("<failure "), "a broken rule is a failure: {xml}");
}
