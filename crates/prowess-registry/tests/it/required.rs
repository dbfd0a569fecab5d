//! Skills that require others: the order of loading, and what is missing.

use std::sync::Arc;

use prowess_core::{Caller, Catalog, CatalogProvider, Record, Trust};
use prowess_registry::{Show, SkillRule, VisibilityPolicy, codes};

use crate::fixture::{Changing, files, memory, registry, user};

/// Returns a catalog of skills, each a name with the rest of its frontmatter.
fn catalog(skills: &[(&str, &str)]) -> Arc<Catalog> {
    let skills = skills.iter().map(|(name, yaml)| {
        let text = format!("---\nname: {name}\ndescription: Does {name}.\n{yaml}---\nBody\n");
        (format!("{name}/SKILL.md"), text)
    });
    registry(vec![("user", Trust::Trusted, files("memory", skills))]).reload().catalog
}

/// Returns the order in which a skill and its requirements are loaded, or what is missing.
fn order(catalog: &Catalog, id: &str) -> String {
    let record = catalog.get(id).expect("the skill exists");
    match catalog.load_order(record, Caller::Model) {
        Ok(order) => order.iter().map(Record::id).collect::<Vec<_>>().join(" "),
        Err(unmet) => unmet.to_string(),
    }
}

fn findings(catalog: &Catalog) -> Vec<String> {
    let findings =
        catalog.diagnostics().map(|finding| format!("{}: {}", finding.code, finding.message));
    findings.collect()
}

#[test]
fn required_skills_come_first() {
    let catalog = catalog(&[
        ("a", "requires: [b, c]\n"),
        ("b", "requires: d\n"),
        ("c", "requires:\n  - d\n"),
        ("d", ""),
    ]);
    assert_eq!(order(&catalog, "a"), "d b c a");
    assert_eq!(order(&catalog, "c"), "d c");
    assert_eq!(order(&catalog, "d"), "d");
    assert!(findings(&catalog).is_empty(), "all requirements are met");
}

#[test]
fn missing_skills_are_named() {
    let catalog = catalog(&[("a", "requires: b\n"), ("b", "requires: gone\n")]);
    let message = "skill `b` requires skill `gone`, which cannot be loaded here";
    assert_eq!(order(&catalog, "a"), message);
    assert_eq!(findings(&catalog), [format!("{}: {message}", codes::REQUIREMENT_UNMET)]);
    assert!(catalog.get("a").is_some(), "the skill stays offered");
}

#[test]
fn skill_that_is_not_offered_misses_nothing() {
    let source = memory("disk", &[("b", "it")]);
    let disabled = SkillRule { pattern: "a".to_owned(), show: Show::Disabled };
    let visibility = VisibilityPolicy { skills: vec![disabled], ..VisibilityPolicy::default() };
    let needy = Changing::default();
    needy.set("a", "---\nname: a\ndescription: x\nrequires: gone\n---\n", 1);
    let builder = user(source).source("user", Arc::new(needy));
    let registry = builder.visibility(visibility).build().expect("the layers are good");
    registry.reload();
    assert!(findings(&registry.catalog()).is_empty(), "{:?}", findings(&registry.catalog()));
}

#[test]
fn cycles_are_named_once() {
    let catalog = catalog(&[
        ("a", "requires: b\n"),
        ("b", "requires: c\n"),
        ("c", "requires: b\n"),
        ("self", "requires: self\n"),
    ]);
    assert_eq!(order(&catalog, "a"), "these skills require each other: b → c → b");
    let code = codes::REQUIREMENT_CYCLE;
    let expected = [
        format!("{code}: these skills require each other: b → c → b"),
        format!("{code}: these skills require each other: self → self"),
    ];
    assert_eq!(findings(&catalog), expected);
}

#[test]
fn versions_are_compared() {
    let skills = |range: &str, version: &str| {
        let requires = format!("requires: ['forms@{range}']\n");
        let version = format!("metadata:\n  version: {version:?}\n");
        order(&catalog(&[("a", &requires), ("forms", &version)]), "a")
    };
    for (range, version) in [("^1.2", "1.10.0"), (">=1, <3", "2"), ("1", "1.4"), ("*", "0.1")] {
        assert_eq!(skills(range, version), "forms a", "{version} is in {range}");
    }
    for (range, version) in [("^1.2", "1.1.9"), ("2", "1.0"), ("1", "one"), ("some", "1.0.0")] {
        let message =
            format!("skill `a` requires skill `forms@{range}`, and its version is `{version}`");
        assert_eq!(skills(range, version), message);
    }
    let unversioned = catalog(&[("a", "requires: ['forms@1']\n"), ("forms", "")]);
    let message = "skill `a` requires skill `forms@1`, and its version is unknown";
    assert_eq!(order(&unversioned, "a"), message);
}

#[test]
fn changed_versions_change_the_findings() {
    let forms = |version: &str| {
        format!("---\nname: forms\ndescription: x\nmetadata:\n  version: '{version}'\n---\n")
    };
    let source = Arc::new(Changing::default());
    source.set("a", "---\nname: a\ndescription: x\nrequires: forms@2\n---\n", 1);
    source.set("forms", forms("1.0"), 1);
    let registry = registry(vec![("user", Trust::Trusted, Arc::clone(&source) as _)]);
    registry.reload();
    assert_eq!(findings(&registry.catalog()).len(), 1, "the version is too low");
    source.set("forms", forms("2.0"), 2);
    registry.reload();
    assert!(findings(&registry.catalog()).is_empty(), "the version is in the range now");
}

#[test]
fn long_chains_do_not_exhaust_the_stack() {
    let names: Vec<String> = (0..5_000).map(|number| format!("s{number}")).collect();
    let requires: Vec<String> =
        (1..=5_000).map(|number| format!("requires: s{number}\n")).collect();
    let mut skills: Vec<(&str, &str)> =
        names.iter().map(String::as_str).zip(requires.iter().map(String::as_str)).collect();
    skills.last_mut().expect("the list is not empty").1 = "";
    let catalog = catalog(&skills);
    let first = catalog.get("s0").expect("the skill exists");
    let order = catalog.load_order(first, Caller::Model).expect("all requirements are met");
    assert_eq!(order.len(), 5_000);
}

#[test]
fn required_tools_are_those_of_the_skill() {
    let catalog = catalog(&[("a", "requires: ['tool:Bash', b]\nallowed-tools: Read\n"), ("b", "")]);
    let conditions = catalog.get("a").and_then(|record| record.conditions());
    let tools = conditions.map(|conditions| conditions.tools.iter().map(|tool| &**tool).collect());
    assert_eq!(tools, Some(vec!["Read", "Bash"]));
    assert_eq!(order(&catalog, "a"), "b a", "a tool is not a skill");
}
