//! Roots that the host names and that cannot be used.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use prowess::source_fs::{FsConfig, FsSource};
use prowess::{Error, MemorySource, Runtime, RuntimeBuilder, SkillSource, SystemClock};
use prowess_testkit::{Tree, without_override};

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
fn missing_root_is_an_error() {
    let tree = Tree::new("");
    let missing = tree.join("missing");
    for builder in [
        dynamic::builder().skills_directory("user", &missing),
        dynamic::builder().tree("project", &missing),
    ] {
        check_refused(builder, "root-missing", "missing");
    }
}

#[test]
fn root_that_is_a_file_is_an_error() {
    let tree = Tree::new("//- /file\nno directory\n");
    let builder = dynamic::builder().skills_directory("user", tree.join("file"));
    check_refused(builder, "root-not-a-directory", "file");
}

#[test]
fn unreadable_root_is_an_error() {
    let tree = Tree::new("//- /skills/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\n");
    let root = tree.join("skills");
    fs::set_permissions(&root, Permissions::from_mode(0o000)).unwrap();
    without_override(|| {
        let builder = Runtime::builder().skills_directory("user", &root);
        check_refused(builder, "directory-unreadable", "skills");
    });
    fs::set_permissions(&root, Permissions::from_mode(0o700)).unwrap();
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

/// The words of SRC-07, for hosts that mount skills one by one.
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
