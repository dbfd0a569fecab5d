//! Descriptions against each other.

use prowess_core::{Cancel, SkillSource};
use prowess_format::Profile;
use prowess_lint::{Likeness, LintOptions, NoProgress, check_trees};

use crate::fixture::{BODY, checked, described, memory, skill_md};

/// Checks which skills of these descriptions, named `a`, `b` and so on, are alike.
fn check(descriptions: &[&str], expected: &[(&str, &str, Likeness)]) {
    let names = ["a", "b", "c", "d"];
    let files: Vec<(String, String)> = names
        .iter()
        .zip(descriptions)
        .map(|(name, description)| (format!("{name}/SKILL.md"), described(name, description, BODY)))
        .collect();
    let checked = checked(&memory(&files), Profile::Spec);
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let alike: Vec<_> = checked
        .alike
        .iter()
        .map(|pair| (name(&pair.one), name(&pair.other), pair.likeness))
        .collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|(one, other, likeness)| ((*one).to_owned(), (*other).to_owned(), *likeness))
        .collect();
    assert_eq!(alike, expected, "{descriptions:?}");
    for (_, other, likeness) in alike {
        let package = checked.packages.iter().find(|package| name(&package.path) == other);
        let codes: Vec<_> = package
            .expect("the pair names a package")
            .diagnostics
            .iter()
            .map(|found| (found.code.as_str(), found.line))
            .collect();
        let code = match likeness {
            Likeness::Duplicate => "description-duplicate",
            Likeness::NearDuplicate => "description-near-duplicate",
            Likeness::Confusable => "description-confusable",
        };
        assert_eq!(codes, [(code, Some(3))], "{descriptions:?}");
    }
}

const FORMS: &str = "Fills PDF forms and extracts their tables. Use when a PDF form arrives.";

#[test]
fn the_same_words_are_a_duplicate() {
    let other = "fills pdf forms, and extracts their tables! use when a pdf form arrives";
    check(&[FORMS, other], &[("a", "b", Likeness::Duplicate)]);
}

#[test]
fn most_words_are_a_near_duplicate() {
    let other = "Fills PDF forms and extracts their tables. Use when a PDF form comes.";
    check(&[FORMS, other], &[("a", "b", Likeness::NearDuplicate)]);
}

#[test]
fn the_telling_words_confuse_a_model() {
    let others = [
        "Deploys the service to Kubernetes with Helm charts. Use when a release is cut.",
        "Fills PDF forms and extracts tables. Use when somebody sends a PDF form.",
        "Writes haiku about autumn for birthday cards. Use when asked for poetry.",
    ];
    check(&[FORMS, others[0], others[1], others[2]], &[("a", "c", Likeness::Confusable)]);
}

#[test]
fn different_skills_are_not_alike() {
    check(&[FORMS, "Deploys a service to a cluster. Use when a release is cut and tested."], &[]);
}

#[test]
fn short_descriptions_are_not_compared() {
    check(&["Use it now.", "Use it now."], &[]);
}

#[test]
fn each_copy_meets_the_one_before_it() {
    let files: Vec<(String, String)> = (0..300)
        .map(|number| {
            let name = format!("skill-{number:03}");
            (format!("{name}/SKILL.md"), described(&name, FORMS, BODY))
        })
        .collect();
    let checked = checked(&memory(&files), Profile::Spec);
    assert_eq!(checked.alike.len(), 200, "pairs are bounded");
    assert!(checked.alike.iter().all(|pair| pair.likeness == Likeness::Duplicate));
}

/// The findings about names of skills that lie in directories of their names.
fn names(names: &[&str]) -> Vec<String> {
    let files: Vec<(String, String)> =
        names.iter().map(|name| (format!("{name}/SKILL.md"), skill_md(name, BODY))).collect();
    let checked = checked(&memory(&files), Profile::Spec);
    let found = checked.diagnostics().filter(|found| found.code.as_str() == "name-confusable");
    found.map(ToString::to_string).collect()
}

#[test]
fn names_that_look_alike_are_reported() {
    assert_eq!(
        names(&["pdf-tools", "pdf-too1s", "pdf"]),
        [
            "memory://user/pdf-tools/SKILL.md:2:7: warning[name-confusable]: the name `pdf-tools` looks like `pdf-too1s`, that of `pdf-too1s`"
        ]
    );
    assert_eq!(names(&["pdf-tool", "pdf-tools", "xlsx"]), [] as [&str; 0]);
}

#[test]
fn several_sources_are_one_tree() {
    let one = memory(&[("a/SKILL.md", &described("a", FORMS, BODY))]);
    let team = prowess_core::MemorySource::builder("team")
        .file("b/SKILL.md", described("b", FORMS, BODY))
        .file("c/SKILL.md", skill_md("c", BODY))
        .build()
        .expect("the fixture's paths are good");
    let sources: [&dyn SkillSource; 3] = [&one, &team, &one];
    let options = LintOptions::default();
    let checked = check_trees(&sources, &options, &NoProgress, &Cancel::default());
    let checked = checked.expect("they are in memory");
    let paths: Vec<_> = checked.packages.iter().map(|report| report.path.as_str()).collect();
    assert_eq!(
        paths,
        ["memory://user/a", "memory://team/b", "memory://team/c"],
        "a package that is named twice is checked once"
    );
    let found = &checked.packages[1].diagnostics[0];
    assert_eq!(found.message, "the description is the same as that of `memory://user/a`");
}
