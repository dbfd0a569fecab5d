//! Whole packages against a profile.

use prowess_core::{Cancel, MemorySource};
use prowess_format::Profile;
use prowess_registry::check_packages;

use crate::fixture::skill_md;

#[test]
fn each_package_gets_a_verdict_by_the_whole_file() {
    let long = format!("{}{}", skill_md("long", "fine"), "line\n".repeat(600));
    let source = MemorySource::builder("user")
        .file("good/SKILL.md", skill_md("good", "fine"))
        .file("other/SKILL.md", skill_md("name", "not the directory's"))
        .file("long/SKILL.md", long)
        .file("broken/SKILL.md", "nonsense")
        .build()
        .expect("the fixture's paths are good");
    let checked =
        check_packages(&source, Profile::Spec, &Cancel::default()).expect("it is in memory");
    let verdicts: Vec<_> = checked
        .packages
        .iter()
        .map(|report| {
            let codes: Vec<_> =
                report.diagnostics.iter().map(|found| found.code.as_str()).collect();
            (report.path.as_str(), report.valid, codes)
        })
        .collect();
    assert_eq!(
        verdicts,
        [
            ("memory://user/broken", false, vec!["frontmatter-missing"]),
            ("memory://user/good", true, vec![]),
            ("memory://user/long", true, vec!["body-too-long"]),
            ("memory://user/other", false, vec!["name-directory-mismatch"]),
        ]
    );
    let mismatch = &checked.packages[3].diagnostics[0];
    let place = (mismatch.line, mismatch.column);
    assert_eq!(place, (Some(2), Some(7)), "the finding is where the name stands");
}
