//! Files that are written, renamed and removed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use prowess_core::{Cancel, Found, PreviousScan, ReadFurther, ScanSink, SkillSource};
use prowess_source_fs::{FsConfig, Nested};
use prowess_testkit::ScanRecorder;

use super::{SKILL, check, config, rename, tree, watched, write};

#[test]
fn each_change_of_a_file_is_reported() {
    let (md, group) = ("pdf/SKILL.md", "group/inner");
    check(|skills| write(skills.join(md)), "pdf");
    check(|skills| write(skills.join("group/inner/SKILL.md")), group);
    let replace = |skills: &Path| {
        write(skills.join("pdf/.SKILL.md.tmp"));
        rename(skills.join("pdf/.SKILL.md.tmp"), skills.join(md));
    };
    check(replace, "pdf");
    let write_again = |skills: &Path| {
        rename(skills.join(md), skills.join("pdf/SKILL.md~"));
        write(skills.join(md));
    };
    check(write_again, "pdf");
    check(|skills| fs::remove_file(skills.join(md)).expect("it goes"), "pdf");
    check(|skills| fs::remove_dir_all(skills.join("pdf")).expect("it goes"), "pdf");
    check(|skills| fs::remove_dir_all(skills.join("group")).expect("it goes"), group);
    check(|skills| rename(skills.join(md), skills.join("pdf/skill.md")), "pdf");
    let shut = |path: &Path| {
        fs::set_permissions(path, fs::Permissions::from_mode(0o500)).expect("the rights change");
    };
    check(|skills| shut(&skills.join("pdf")), "pdf");
    check(|skills| shut(&skills.join(md)), "pdf");
}

/// Where clients look for skills, such a file hides none, so that those are watched as before.
#[test]
fn a_skill_file_among_skills_is_reported_and_hides_none() {
    for nested in [Nested::Stop, Nested::Descend] {
        let tree = tree();
        let watched = watched(FsConfig { holds_skills: true, nested, ..config(&tree) });
        tree.write("skills/SKILL.md", SKILL);
        watched.wait_for_everything();
        watched.exactly("group/inner", || write(tree.join("skills/group/inner/SKILL.md")));
    }
}

#[test]
fn what_no_scan_would_see_is_not_reported() {
    let tree = tree();
    let watched = watched(config(&tree));
    watched
        .source
        .scan(&PreviousScan::none(), &mut Deaf, &Cancel::default())
        .expect("a scan reads every file");
    let reported = watched.exactly("tables", || {
        tree.write("skills/pdf/.SKILL.md.swp", "an editor's own");
        tree.write("skills/pdf/references/more.md", "More");
        tree.write("skills/README.md", "no skill");
        fs::create_dir_all(tree.join("skills/pdf/scripts")).expect("it can be made");
        tree.write("elsewhere/pdf/SKILL.md", SKILL);
        write(tree.join("skills/tables/SKILL.md"));
    });
    assert_eq!(reported, ["tables"], "only the last is reported");
}

struct Deaf;

impl ScanSink for Deaf {
    fn unchanged(&mut self, _: &str) {}

    fn found(&mut self, _: Found<'_>) -> ReadFurther {
        ReadFurther::No
    }

    fn problem(&mut self, _: prowess_core::Diagnostic) {}
}

/// A scan of single packages lists none of their files, so only a whole scan can drop a finding about
/// their names.
#[test]
fn names_that_may_look_alike_need_a_whole_scan() {
    let tree = tree();
    tree.write("skills/pdf/docs/caf\u{e9}.md", "one");
    tree.write("skills/pdf/docs/cafe\u{301}.md", "two");
    let watched = watched(FsConfig { nested: Nested::Descend, ..config(&tree) });
    let collisions = || ScanRecorder::scan(&watched.source).expect("it can be scanned").problems;
    assert_eq!(collisions().len(), 1, "the two look the same");
    fs::remove_file(tree.join("skills/pdf/docs/cafe\u{301}.md")).expect("it goes");
    watched.wait_for_everything();
    assert!(collisions().is_empty(), "the other is alone");
}
