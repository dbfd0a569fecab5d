//! Aliases, qualified ids, and names that are not those of the directories.

use prowess_testkit::rows;
use std::sync::Arc;

use prowess_core::{Caller, Diagnostic, Layer, MemorySource, Record, Severity, Trust};
use prowess_format::Profile;
use prowess_registry::{IdFrom, NameMismatch, Registry, RegistryPolicy, SkillMdCase};

use super::{TRUSTED, catalog, ids, reported, stacked};
use crate::fixture::{files, memory, skill_md, user};

#[test]
fn alias_may_name_an_untrusted_skill() {
    let builder = stacked(&[("plugin", Trust::Untrusted)]).alias("deploy", "plugin:deploy");
    assert_eq!(ids(&catalog(builder)), ["deploy"], "the host's alias names this skill");
    let by_source = |meant: &str| {
        let disk = memory("disk", &[("deploy", "a"), ("ship", "b")]);
        let builder = Registry::builder().layer(Layer::new("plugin", Trust::Untrusted));
        catalog(builder.source("plugin", disk).alias("deploy", meant))
    };
    assert_eq!(ids(&by_source("disk:deploy")), ["deploy", "ship"], "by the name of its source");
    for other in ["plugin:ship", "disk:ship", "elsewhere:deploy"] {
        assert_eq!(ids(&by_source(other)), ["ship"], "`{other}` is another skill");
    }
}

#[test]
fn qualified_id_finds_shadowed_skills() {
    let catalog = catalog(
        stacked(&[("user", TRUSTED), ("project", TRUSTED)])
            .source("user", memory("more", &[("a/deploy", "a"), ("b/deploy", "b")])),
    );
    for row in rows(include_str!("../../data/tables.txt"), "qualified_id_finds_shadowed_skills") {
        let [id, description] = row.each_ref().map(String::as_str);
        let found = catalog.find(id, Caller::Model).found();
        assert_eq!(found.map(|skill| skill.description()), Some(description), "{id}");
        let named = catalog.all_named(id);
        assert!(named.iter().any(|record| record.description() == description), "{id}");
        assert!(!id.contains('#') || named.len() == 1, "a numbered id is unique: {id}");
    }
    for id in ["user:other", "other:deploy", "user:deploy#9", ":deploy", "user:", "deploy#2"] {
        assert!(catalog.find(id, Caller::Model).found().is_none(), "`{id}` is unknown");
    }
    for record in catalog.skills().chain(catalog.excluded()) {
        let id = record.qualified_id().expect("each skill has a qualified id");
        let found = catalog.find(&id, Caller::Model).found().expect("the qualified id is found");
        assert_eq!(found.index(), record.index(), "{id}");
    }
}

#[test]
fn alias_refers_to_an_id() {
    let catalog = catalog(
        stacked(&[("user", TRUSTED), ("project", TRUSTED)])
            .source("user", memory("more", &[("zip", "packs")]))
            .alias("ship", "deploy")
            .alias("own-ship", "user:deploy")
            .alias("zip", "deploy")
            .alias("lost", "nowhere"),
    );
    for (alias, description) in
        [("ship", "from project"), ("own-ship", "from user"), ("zip", "packs")]
    {
        let found = catalog.find(alias, Caller::Model).found();
        assert_eq!(found.map(|skill| skill.description()), Some(description), "{alias}");
        let named = catalog.all_named(alias);
        let is_found = |record: &Record<'_>| record.description() == description;
        assert!(named.iter().any(is_found), "`all_named` finds the same skill: {alias}");
        assert!(alias != "zip" || named.len() == 1, "an id takes precedence over an alias");
    }
    let codes: Vec<_> = catalog
        .diagnostics()
        .map(|found| found.code.as_str())
        .filter(|code| code.starts_with("alias"))
        .collect();
    assert_eq!(codes, ["alias-unknown", "alias-taken"], "invalid aliases have findings");
    assert!(catalog.get("ship").is_none(), "`get` does not resolve aliases");
}

#[test]
fn single_skill_source_has_the_hosts_name() {
    let root = |name| files(name, [("SKILL.md", skill_md("declared", name))]);
    let builder = Registry::builder()
        .layer(Layer::new("user", TRUSTED))
        .single_skill_source("user", "given", root("one"))
        .single_skill_source("user", "unused", memory("two", &[("a", "A."), ("b", "B.")]))
        .single_skill_source("user", "a", root("other"));
    let catalog = catalog(builder);
    assert_eq!(ids(&catalog), ["a", "b", "given"], "it shadows and is shadowed as any other");
    assert_eq!(reported(&catalog, "name-directory-mismatch"), [""; 0], "it may have any directory");
    assert_eq!(catalog.get("given").expect("the skill is offered").name(), "declared");
    assert_eq!(reported(&catalog, "name-unused"), ["memory://two"]);
}

#[test]
fn single_skill_source_needs_a_skill_md() {
    let source = |name: &str, file: &str, text: &str| files(name, [(file, text)]);
    let builder = Registry::builder()
        .layer(Layer::new("user", TRUSTED))
        .single_skill_source("user", "given", source("bare", "README.md", "Nothing."))
        .single_skill_source("user", "other", source("broken", "SKILL.md", "no frontmatter"));
    let catalog = catalog(builder);
    let missing: Vec<_> =
        catalog.diagnostics().filter(|found| found.code.as_str() == "skill-md-missing").collect();
    let [missing] = &*missing else { panic!("of one that is broken something else is reported") };
    assert_eq!(missing.message, "Skill must contain a SKILL.md file");
    assert_eq!(missing.path.as_deref(), Some("memory://bare"));
    assert!(missing.is_error(), "a missing file of a named skill is an error");
    assert_eq!(reported(&catalog, "name-unused"), [""; 0], "the name is not reported as unused");
}

/// Returns a skill `sheets` in the directory `tables`.
fn sheets() -> Arc<MemorySource> {
    files("user", [("tables/SKILL.md", skill_md("sheets", "Rows."))])
}

#[test]
fn id_from_directory_is_a_policy() {
    for (id_from, id) in [(IdFrom::Name, "sheets"), (IdFrom::Directory, "tables")] {
        let policy = RegistryPolicy { id_from, ..RegistryPolicy::default() };
        assert_eq!(ids(&catalog(user(sheets()).policy(policy))), [id]);
    }
}

#[test]
fn name_mismatch_follows_the_policy() {
    use NameMismatch::{Allow, Error, Profile as ByProfile, Warn};
    for (profile, name_mismatch, skills, severity) in [
        (Profile::Lenient, ByProfile, 1, Some(Severity::Warning)),
        (Profile::Spec, ByProfile, 0, Some(Severity::Error)),
        (Profile::Spec, Allow, 1, None),
        (Profile::Spec, Warn, 1, Some(Severity::Warning)),
        (Profile::Lenient, Error, 0, Some(Severity::Error)),
    ] {
        let policy = RegistryPolicy { profile, name_mismatch, ..RegistryPolicy::default() };
        let catalog = catalog(user(sheets()).policy(policy));
        assert_eq!(catalog.len(), skills, "{profile:?} {name_mismatch:?}");
        let is_it = |found: &&Diagnostic| found.code.as_str() == "name-directory-mismatch";
        let found = catalog.diagnostics().find(is_it).map(|found| found.severity);
        assert_eq!(found, severity, "{profile:?} {name_mismatch:?}");
    }
}

#[test]
fn lower_case_skill_md_follows_the_policy() {
    use SkillMdCase::{Any, Exact, Profile as ByProfile};
    for (profile, skill_md_case, skills, severity) in [
        (Profile::Lenient, ByProfile, 1, "hint"),
        (Profile::Strict, ByProfile, 0, "error"),
        (Profile::Strict, Any, 1, "hint"),
        (Profile::Lenient, Exact, 0, "error"),
    ] {
        let source = files("m", [("pdf/skill.md", skill_md("pdf", "Good."))]);
        let policy = RegistryPolicy { profile, skill_md_case, ..RegistryPolicy::default() };
        let catalog = catalog(user(source).policy(policy));
        assert_eq!(catalog.len(), skills, "{profile:?} {skill_md_case:?}");
        let found: Vec<_> = catalog
            .diagnostics()
            .map(|found| format!("{} {}", found.severity, found.code))
            .collect();
        let expected = [format!("{severity} instructions-file-case")];
        assert_eq!(found, expected, "{profile:?} {skill_md_case:?}");
    }
}
