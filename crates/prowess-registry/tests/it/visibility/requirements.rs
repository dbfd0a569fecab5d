//! Skills whose requirements are not met.

use std::collections::BTreeSet;

use prowess_core::{Audience, Caller, CatalogProvider, Record, Trust};
use prowess_registry::{MissingTools, Show, VisibilityPolicy};

use prowess_testkit::rows;

use super::{Machine, builder, ids, layer, loaded, look_up, registry, rules, state};

#[test]
fn missing_requirement_is_reported_of_a_skill_that_is_excluded_for_another_reason() {
    let needs = [("a", "metadata:\n  openclaw:\n    os: [win32]\n"), ("b", "")];
    let disabled = registry(&needs).visibility(rules(&[("a", Show::Disabled)]));
    let catalog = loaded(disabled.facts(Machine::with(&[]))).catalog();
    let missing = |id: &str| catalog.all_named(id).first().and_then(Record::missing_requirement);
    assert_eq!(missing("a"), Some("it is for `win32`, and this is `macos`"));
    assert_eq!(missing("b"), None);
}

#[test]
fn missing_requirement_hides_the_skill() {
    let openclaw = |yaml: &str| format!("metadata:\n  openclaw:\n    {yaml}\n");
    for [yaml, reason] in rows(include_str!("../../data/requirements.txt"), "") {
        let yaml = openclaw(&yaml);
        let catalog = loaded(registry(&[("a", &yaml)]).facts(Machine::with(&["jq"]))).catalog();
        let expected = if reason.is_empty() { "visible" } else { &format!("not-ready: {reason}") };
        assert_eq!(state(&catalog, "a"), expected, "{yaml}");
        if !reason.is_empty() {
            assert_eq!(look_up(&catalog, "a", Caller::Model), reason, "a load returns the reason");
            assert_eq!(look_up(&catalog, "a", Caller::User), reason);
        }
    }
    let catalog = loaded(registry(&[("a", &openclaw("os: [win32]"))])).catalog();
    assert_eq!(ids(&catalog), ["a"], "without facts all is ready");
}

#[test]
fn unready_skill_shadows_none() {
    let needs = "metadata:\n  openclaw:\n    os: [win32]\n";
    for (lower, state_of_lower) in [
        (Trust::AskFirst, "visible"),
        (
            Trust::Untrusted,
            "shadowed: `memory://trusted/a/SKILL.md` of layer `trusted` has its id and is trusted, \
             though it is not offered",
        ),
    ] {
        let layers = [layer(lower, &[("a", "")]), layer(Trust::Trusted, &[("a", needs)])];
        let catalog = loaded(builder(&layers).facts(Machine::with(&[]))).catalog();
        let records = catalog.all_named("a");
        let of_lower =
            records.iter().find(|record| record.trust() == lower).expect("the skill exists");
        let reported =
            of_lower.reason().map_or("visible".to_owned(), |why| format!("shadowed: {why}"));
        assert_eq!(reported, state_of_lower);
        let warnings =
            catalog.diagnostics().filter(|reported| reported.code.as_str() == "skill-shadowed");
        let shadowed = usize::from(lower == Trust::Untrusted);
        assert_eq!(warnings.count(), shadowed, "a shadowed skill has a warning");
    }
}

#[test]
fn a_shadowed_skill_keeps_its_gates() {
    for (yaml, model, user) in [
        ("user-invocable: false\n", true, false),
        ("disable-model-invocation: true\n", false, true),
        ("paths: src/**\n", true, true),
    ] {
        let layers = [layer(Trust::AskFirst, &[("a", yaml)]), layer(Trust::Trusted, &[("a", "")])];
        let catalog = loaded(builder(&layers)).catalog();
        let found = |caller| catalog.find("ask_first:a", caller).found().is_some();
        assert_eq!((found(Caller::Model), found(Caller::User)), (model, user), "{yaml}");
    }
}

#[test]
fn missing_tools_follow_the_policy() {
    let skills =
        [("reader", "allowed-tools: Read\n"), ("runner", "allowed-tools: Bash(git:*) Read\n")];
    let reason = "it needs the tool `Bash`, which the host does not offer";
    for (missing_tools, expected, findings) in [
        (MissingTools::Ignore, "visible", 0),
        (MissingTools::Flag, "visible", 1),
        (MissingTools::Hide, &*format!("not-ready: {reason}"), 0),
    ] {
        let visibility = VisibilityPolicy { missing_tools, ..VisibilityPolicy::default() };
        let registry = loaded(registry(&skills).visibility(visibility));
        let tools = Some(BTreeSet::from(["read".to_owned()]));
        let catalog = registry.view(&Audience { tools, ..Audience::default() });
        assert_eq!(state(&catalog, "runner"), expected, "{missing_tools:?}");
        assert_eq!(state(&catalog, "reader"), "visible");
        let reported = catalog.diagnostics().filter(|found| found.code.as_str() == "tool-missing");
        assert_eq!(reported.count(), findings, "{missing_tools:?}");
        let all = registry.catalog();
        assert_eq!(ids(&all), ["reader", "runner"], "a host that does not say has all");
    }
}
