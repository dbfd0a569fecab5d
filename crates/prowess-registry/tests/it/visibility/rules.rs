//! The rules of the policy.

use prowess_core::{Caller, CatalogProvider, Layer, Record, Trust};
use prowess_registry::{Collision, Registry, RegistryPolicy, Show};

use super::{builder, ids, layer, loaded, look_up, registry, rules};
use crate::fixture::memory;

#[test]
fn rules_set_how_skills_are_offered() {
    let skills = [("draft-a", ""), ("draft-b", ""), ("pdf", ""), ("zip", "")];
    let visibility = rules(&[
        ("draft-*", Show::Disabled),
        ("draft-b", Show::Whole),
        ("trusted:z*", Show::NameOnly),
        ("other:*", Show::Disabled),
    ]);
    let catalog = loaded(registry(&skills).visibility(visibility)).catalog();
    assert_eq!(ids(&catalog), ["draft-b", "pdf", "zip"]);
    let names: Vec<_> =
        catalog.skills().filter(Record::is_name_only).map(|skill| skill.id()).collect();
    assert_eq!(names, ["zip"]);
    let zip = catalog.get("zip").expect("the skill is offered");
    assert_eq!(zip.tokens(), 1, "the description is not counted");
    for caller in [Caller::Model, Caller::User] {
        assert_eq!(look_up(&catalog, "draft-a", caller), "the policy disables `draft-*`");
    }
}

#[test]
fn a_rule_names_a_skill_by_its_layer_or_its_source() {
    for (pattern, expected) in
        [("user:a", &[][..]), ("disk:a", &[]), ("a", &[]), ("web:a", &["a"]), ("*:a", &[])]
    {
        let builder = Registry::builder()
            .layer(Layer::new("user", Trust::Trusted))
            .source("user", memory("disk", &[("a", "it")]))
            .visibility(rules(&[(pattern, Show::Disabled)]));
        assert_eq!(ids(&loaded(builder).catalog()), expected, "{pattern}");
    }
}

#[test]
fn a_rule_matches_the_declared_id_of_disambiguated_skills() {
    let layers =
        [layer(Trust::Trusted, &[("a", "license: MIT\n")]), layer(Trust::AskFirst, &[("a", "")])];
    let policy = RegistryPolicy { collision: Collision::Disambiguate, ..Default::default() };
    for (pattern, expected) in [("a", &["a", "trusted:a"][..]), ("trusted:a", &["trusted:a"])] {
        let visibility = rules(&[(pattern, Show::NameOnly)]);
        let catalog = loaded(builder(&layers).policy(policy).visibility(visibility)).catalog();
        assert_eq!(ids(&catalog), ["a", "trusted:a"]);
        let names: Vec<_> =
            catalog.skills().filter(Record::is_name_only).map(|skill| skill.id()).collect();
        assert_eq!(names, expected, "{pattern}");
    }
}

/// A user can select one of two skills by disabling the other.
#[test]
fn disabled_skill_does_not_shadow() {
    let layers = [layer(Trust::AskFirst, &[("a", "")]), layer(Trust::Trusted, &[("a", "")])];
    let visibility = rules(&[("trusted:a", Show::Disabled)]);
    let catalog = loaded(builder(&layers).visibility(visibility)).catalog();
    assert_eq!(catalog.get("a").expect("one skill is offered").trust(), Trust::AskFirst);
}
