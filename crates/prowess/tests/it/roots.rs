//! Roots that the host names and that cannot be used.

use std::fs;
use std::sync::Arc;

use prowess::source_fs::{FsConfig, FsSource};
use prowess::{Error, MemorySource, Runtime, RuntimeBuilder, SkillSource, SystemClock};
use prowess_testkit::Tree;

use crate::dynamic;

/// Checks that no runtime is built, and for which reason.
#[track_caller]
fn check_refused(builder: RuntimeBuilder, code: &str, named: &str) {
    match builder.build() {
        Err(Error::Root(finding)) => {
            assert_eq!(finding.code.as_str(), code);
            assert!(finding.message.contains(named), "the error names it: {}", finding.message);
            assert!(!finding.help.is_empty(), "the error names the next step");
        }
        Err(error) => panic!("the root is refused, not {error}"),
        Ok(_) => panic!("a runtime without its root was built"),
    }
}

#[test]
fn root_that_cannot_be_used_is_an_error() {
    let tree = Tree::new("//- /file\nno directory\n");
    let (file, missing) = (tree.join("file"), tree.join("missing"));
    let builder = dynamic::builder;
    check_refused(builder().skills_directory("user", &missing), "root-missing", "missing");
    check_refused(builder().tree("project", &missing), "root-missing", "missing");
    check_refused(builder().skill_directory("user", "q", &missing), "root-missing", "missing");
    check_refused(builder().skills_directory("user", file), "root-not-a-directory", "file");
}

#[test]
fn optional_root_may_be_missing() {
    let tree = Tree::new("");
    let builder = dynamic::builder().optional_skills_directory("user", tree.join("later"));
    let runtime = builder.build().expect("an optional directory need not exist");
    assert_eq!(runtime.catalog().diagnostics().count(), 0, "it is no finding either");
    tree.write("later/pdf/SKILL.md", "---\nname: pdf\ndescription: x\n---\n");
    assert!(runtime.reload().catalog.get("pdf").is_some(), "it is found once it exists");
}

#[test]
fn root_that_disappears_later_is_a_finding() {
    let tree = Tree::new("//- /skills/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\n");
    let builder = dynamic::builder().skills_directory("user", tree.join("skills"));
    let runtime = builder.build().expect("the directory exists");
    fs::remove_dir_all(tree.join("skills")).unwrap();
    let catalog = runtime.reload().catalog;
    let codes: Vec<_> = catalog.diagnostics().map(|found| found.code.as_str()).collect();
    assert_eq!(codes, ["root-missing"], "a runtime that runs goes on");
}

/// For hosts that mount skills one by one.
#[test]
fn single_skill_without_a_file_is_an_error() {
    let empty = MemorySource::builder("empty").file("README.md", "Nothing.").build().unwrap();
    let builder = Runtime::builder().single_skill_source("user", "forms", Arc::new(empty));
    check_refused(builder, "skill-md-missing", "Skill must contain a SKILL.md file");
    let tree = Tree::new("");
    let source = FsSource::new(FsConfig::new(tree.path()), Arc::new(SystemClock::default()));
    let source: Arc<dyn SkillSource> = Arc::new(source);
    let builder = Runtime::builder().single_skill_source("user", "forms", source);
    check_refused(builder, "skill-md-missing", "Skill must contain a SKILL.md file");
}
