//! Skills for some audiences only.

use std::sync::Arc;

use prowess_core::{Audience, Caller, CatalogProvider, Layer, Trust};
use prowess_registry::{Registry, Show, VisibilityPolicy};

use super::{Machine, audience, builder, ids, layer, loaded, look_up, registry, rules, state};
use crate::fixture::memory;

const SCOPED: [(&str, &str); 5] = [
    ("all", ""),
    ("any-agent", "scope:\n  agents: ['*']\n"),
    ("builders", "scope:\n  agents: [builder]\n"),
    ("of-a", "scope:\n  tenants: [a]\n"),
    ("of-a-live", "scope:\n  tenants: [a]\n  environments: [live, test]\n"),
];

#[test]
fn scope_applies_to_catalog_and_load() {
    let registry = loaded(registry(&SCOPED));
    for (audience, expected) in [
        (Audience::default(), &["all", "any-agent"][..]),
        (audience("builder", "", ""), &["all", "any-agent", "builders"]),
        (audience("other", "", ""), &["all", "any-agent"]),
        (audience("", "a", ""), &["all", "any-agent", "of-a"]),
        (audience("", "b", "live"), &["all", "any-agent"]),
        (audience("", "a", "test"), &["all", "any-agent", "of-a", "of-a-live"]),
        (audience("builder", "a", "live"), &["all", "any-agent", "builders", "of-a", "of-a-live"]),
    ] {
        let catalog = registry.view(&audience);
        assert_eq!(ids(&catalog), expected, "{audience:?}");
        for (id, _) in SCOPED {
            let answer = if expected.contains(&id) { "found" } else { "unknown" };
            for caller in [Caller::Model, Caller::User] {
                assert_eq!(look_up(&catalog, id, caller), answer, "{audience:?} {id}");
                let qualified = format!("trusted:{id}");
                assert_eq!(look_up(&catalog, &qualified, caller), answer, "{audience:?} {id}");
            }
        }
        assert_eq!(catalog.len() + catalog.excluded().len(), SCOPED.len(), "each skill is listed");
    }
    let reason = "hidden: it is for the tenants `a` alone";
    assert_eq!(state(&registry.catalog(), "of-a"), reason);
}

/// A cached view must not be used for another tenant.
#[test]
fn view_is_not_shared_between_tenants() {
    let skills = [("mine", "scope:\n  tenants: [a]\n"), ("yours", "scope:\n  tenants: [b]\n")];
    let registry = loaded(registry(&skills));
    let (a, b) = (audience("", "a", ""), audience("", "b", ""));
    for _ in 0..3 {
        assert_eq!(ids(&registry.view(&a)), ["mine"]);
        assert_eq!(ids(&registry.view(&b)), ["yours"]);
        assert_eq!(ids(&registry.catalog()), [""; 0]);
    }
    assert!(Arc::ptr_eq(&registry.view(&a), &registry.view(&a)), "a view is cached");
    assert!(Arc::ptr_eq(&registry.view(&b), &registry.view(&b)), "so is the next one");
    let views: Vec<_> =
        (0..100).map(|other| registry.view(&audience("", &other.to_string(), ""))).collect();
    assert!(views.iter().all(|view| view.skills().next().is_none()), "nothing is theirs");
    for (other, is_kept) in [(36, true), (99, true), (35, false)] {
        let again = registry.view(&audience("", &other.to_string(), ""));
        assert_eq!(Arc::ptr_eq(&views[other], &again), is_kept, "64 views are kept: {other}");
    }
    assert_eq!(ids(&registry.view(&a)), ["mine"], "an evicted view is built again");
    let others = audience("builder", "a", "");
    let is_shared = Arc::ptr_eq(&registry.view(&a), &registry.view(&others));
    assert!(!is_shared, "the key is the whole audience");
}

#[test]
fn concurrent_tenants_get_their_views() {
    let skills = [("mine", "scope:\n  tenants: [a]\n"), ("yours", "scope:\n  tenants: [b]\n")];
    let registry = loaded(registry(&skills));
    std::thread::scope(|scope| {
        for (tenant, expected) in [("a", "mine"), ("b", "yours"), ("a", "mine"), ("b", "yours")] {
            let registry = &registry;
            scope.spawn(move || {
                for round in 0..200 {
                    let environment = (round % 70).to_string();
                    let view = registry.view(&audience("", tenant, &environment));
                    assert_eq!(ids(&view), [expected], "tenant {tenant}");
                }
            });
        }
    });
}

/// Skills of two tenants with the same name do not collide.
#[test]
fn scopes_come_before_precedence() {
    let registry = loaded(builder(&[
        layer(Trust::AskFirst, &[("deploy", "scope:\n  tenants: [b]\n")]),
        layer(Trust::Trusted, &[("deploy", "scope:\n  tenants: [a]\n")]),
    ]));
    for (tenant, layer) in [("a", "trusted"), ("b", "ask_first")] {
        let view = registry.view(&audience("", tenant, ""));
        assert_eq!(&*view.get("deploy").expect("the skill is offered").layer().name, layer);
        assert_eq!(view.diagnostics().count(), 0, "nothing is shadowed");
    }
}

/// Otherwise an untrusted skill would show that a skill exists that is not for this audience, or
/// keep another one from its id.
#[test]
fn only_a_trusted_skill_in_scope_reserves_its_id() {
    let layers = [
        layer(Trust::Untrusted, &[("a", "")]),
        layer(Trust::Trusted, &[("a", "scope:\n  tenants: [a]\n")]),
    ];
    let catalog = loaded(builder(&layers)).catalog();
    assert_eq!(catalog.get("a").map(|skill| skill.trust()), Some(Trust::Untrusted));
    let source = |name: &str| memory(name, &[("a", name)]);
    let disabled = Registry::builder()
        .layer(Layer::new("downloads", Trust::Untrusted))
        .source("downloads", source("one"))
        .source("downloads", source("two"))
        .visibility(rules(&[("one:a", Show::Disabled)]));
    let catalog = loaded(disabled).catalog();
    assert_eq!(catalog.get("a").map(|skill| skill.description()), Some("two"));
}

#[test]
fn reload_rebuilds_views() {
    let machine = Machine::with(&[]);
    let needs = [("needs", "metadata:\n  openclaw:\n    requires:\n      bins: [jq]\n")];
    let registry = loaded(registry(&needs).facts(Arc::clone(&machine) as _));
    let a = audience("", "a", "");
    let before = registry.view(&a);
    assert_eq!(ids(&before), [""; 0]);
    registry.reload();
    assert!(Arc::ptr_eq(&before, &registry.view(&a)), "nothing has changed");
    machine.install("jq");
    let generation = registry.reload().catalog.generation();
    assert_eq!(generation, 2, "a change of the facts is a change of the catalog");
    assert_eq!(ids(&registry.view(&a)), ["needs"]);
    assert_eq!(ids(&before), [""; 0], "an earlier view is unchanged");
}

#[test]
fn agent_has_its_declared_skills() {
    let agents = [("writer".to_owned(), vec!["pdf".to_owned(), "team-*".to_owned()])];
    let visibility = VisibilityPolicy { agents: agents.into(), ..VisibilityPolicy::default() };
    let skills = [("pdf", ""), ("team-style", ""), ("zip", "")];
    let registry = loaded(registry(&skills).visibility(visibility));
    let orchestrator = registry.view(&audience("orchestrator", "", ""));
    assert_eq!(ids(&orchestrator), ["pdf", "team-style", "zip"]);
    let writer = registry.view(&audience("writer", "", ""));
    assert_eq!(ids(&writer), ["pdf", "team-style"]);
    assert_eq!(look_up(&writer, "zip", Caller::Model), "unknown");
}
