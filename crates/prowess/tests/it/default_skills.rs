//! The skills that prowess brings along are good ones.

use prowess::format::Profile;
use prowess::lint::{LintOptions, NoProgress, check_tree};
use prowess::{Cancel, SkillSource, default_skills};

#[test]
fn they_are_valid_without_a_remark_to_the_strictest() {
    let options = LintOptions { profile: Profile::Strict, ..LintOptions::default() };
    let checked = check_tree(&default_skills(), &options, &NoProgress, &Cancel::default())
        .expect("they are in the program");
    assert_eq!(checked.packages.len(), 3);
    for package in &checked.packages {
        assert!(package.valid && package.diagnostics.is_empty(), "{package:?}");
    }
    assert_eq!(checked.problems, []);
}

#[test]
fn their_links_lead_to_files() {
    let source = default_skills();
    for package in ["skill-writing", "prowess-usage"] {
        let package = prowess::PackagePath::new(package).expect("it is a path");
        let listing = source.list(&package, 10).expect("they are in the program");
        let skill_md = prowess::ResourcePath::new("SKILL.md").expect("it is a path");
        let body = source.read(&package, &skill_md, prowess::ReadLimit::default());
        let body = String::from_utf8(body.expect("it is there")).expect("it is text");
        assert!(!listing.resources.is_empty(), "{package} has references");
        for resource in listing.resources {
            let link = format!("]({})", resource.path);
            assert!(body.contains(&link), "{package} never mentions {}", resource.path);
        }
    }
}
