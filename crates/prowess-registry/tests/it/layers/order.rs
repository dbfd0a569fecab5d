//! The order of layers, by their places, weights and priorities.

use std::sync::Arc;

use prowess_core::{Catalog, Layer, Trust};
use prowess_registry::{PriorityBounds, Registry, RegistryPolicy, UnknownLayer};

use super::{TRUSTED, catalog, ids, reported, stacked};
use crate::fixture::{files, memory};

#[test]
fn order_of_layers_is_configuration() {
    let omniforge = [("plugin", TRUSTED), ("project", TRUSTED), ("personal", TRUSTED)];
    let openclaw = [("bundled", TRUSTED), ("managed", TRUSTED), ("workspace", TRUSTED)];
    for (layers, highest) in [
        (&[&omniforge[..], &[("enterprise", TRUSTED)]].concat(), "enterprise"),
        (&openclaw.to_vec(), "workspace"),
    ] {
        let catalog = catalog(stacked(layers));
        let deploy = catalog.get("deploy").expect("the skill is offered");
        assert_eq!(deploy.description(), format!("from {highest}"));
        let order: Vec<_> = catalog.layers().iter().map(|layer| &*layer.name).collect();
        assert!(order.iter().rev().eq(layers.iter().map(|(name, _)| name)), "{order:?}");
        let weights: Vec<_> = catalog.layers().iter().map(|layer| layer.weight).collect();
        let count = u16::try_from(layers.len()).expect("a handful");
        let positions: Vec<_> = (1..=count).rev().map(Some).collect();
        assert_eq!(weights, positions, "the default weight is the position");
        assert_eq!(catalog.excluded().len(), layers.len() - 1, "the others are shadowed");
    }
}

#[test]
fn effective_priority_is_weight_and_priority() {
    use PriorityBounds::{Clamped, Unclamped};
    for (bounds, weight, priority, expected) in [
        (Clamped, 4, 0, 4000),
        (Clamped, 3, 5, 3005),
        (Clamped, 2, 1001, 2999),
        (Unclamped, 2, 1001, 3001),
        (Clamped, 1, -5000, 1),
        (Unclamped, 0, -7, -7),
    ] {
        assert_eq!(bounds.effective(weight, priority), expected, "{bounds:?} {weight} {priority}");
    }
}

/// The model of precedence found it: a thousand between two layers is less than the priorities of
/// two skills can be apart.
#[test]
fn clamped_priority_crosses_no_layer() {
    let with = |layer: &str, priority: i16| {
        let text = format!("---\nname: deploy\ndescription: {layer}\npriority: {priority}\n---\n");
        files(layer, [("deploy/SKILL.md", text)])
    };
    let builder = Registry::builder()
        .layer(Layer::new("low", TRUSTED))
        .layer(Layer::new("high", TRUSTED))
        .source("low", with("low", 999))
        .source("high", with("high", -999));
    let catalog = catalog(builder);
    assert_eq!(catalog.get("deploy").map(|skill| skill.description()), Some("high"));
}

/// Returns a catalog with a personal `deploy` of priority 0 and one of another layer of priority
/// 1,001.
fn reaching(bounds: PriorityBounds, trust: Trust) -> Arc<Catalog> {
    let reaching = "---\nname: deploy\ndescription: reaching\npriority: 1001\n---\n";
    let policy = RegistryPolicy { priority: bounds, ..RegistryPolicy::default() };
    let builder = Registry::builder()
        .layer(Layer::new("project", trust).weighing(2))
        .layer(Layer::new("personal", TRUSTED).weighing(3))
        .source("project", files("project", [("deploy/SKILL.md", reaching)]))
        .source("personal", memory("personal", &[("deploy", "personal")]));
    catalog(builder.policy(policy))
}

#[test]
fn priority_across_layers_needs_the_policy() {
    for (bounds, trust, winner) in [
        (PriorityBounds::Clamped, TRUSTED, "personal"),
        (PriorityBounds::Unclamped, TRUSTED, "reaching"),
        (PriorityBounds::Unclamped, Trust::Untrusted, "personal"),
    ] {
        let catalog = reaching(bounds, trust);
        let deploy = catalog.get("deploy").expect("the skill is offered");
        assert_eq!(deploy.description(), winner, "{bounds:?} {trust:?}");
    }
}

#[test]
fn weight_precedes_order_but_not_trust() {
    for (trust, winner) in [(TRUSTED, "from heavy"), (Trust::Untrusted, "from light")] {
        let heavy = Layer::new("heavy", trust).weighing(9);
        let light = Layer::new("light", TRUSTED).weighing(1);
        let builder = Registry::builder()
            .layer(heavy)
            .layer(light)
            .source("heavy", memory("heavy", &[("deploy", "from heavy")]))
            .source("light", memory("light", &[("deploy", "from light")]));
        let catalog = catalog(builder);
        assert_eq!(catalog.get("deploy").expect("the skill is offered").description(), winner);
        assert_eq!(&*catalog.layers()[0].name, "heavy", "layers are sorted by weight");
    }
}

#[test]
fn equal_weights_keep_the_order() {
    let builder = Registry::builder()
        .layer(Layer::new("lower", TRUSTED).weighing(5))
        .layer(Layer::new("upper", TRUSTED).weighing(5))
        .source("lower", memory("lower", &[("deploy", "from lower")]))
        .source("upper", memory("upper", &[("deploy", "from upper")]));
    let catalog = catalog(builder);
    assert_eq!(catalog.get("deploy").expect("the skill is offered").description(), "from upper");
}

#[test]
fn unknown_layer_has_weight_zero() {
    let policy = RegistryPolicy { unknown_layer: UnknownLayer::Lowest, ..Default::default() };
    let builder = stacked(&[("user", TRUSTED)])
        .source("somewhere", memory("elsewhere", &[("deploy", "unknown"), ("other", "unknown")]));
    let catalog = catalog(builder.policy(policy));
    assert_eq!(catalog.get("deploy").expect("the skill is offered").description(), "from user");
    let layer = catalog.get("other").expect("the skill is offered").layer();
    assert_eq!((&*layer.name, layer.trust, layer.weight), ("somewhere", Trust::Untrusted, Some(0)));
    assert_eq!(reported(&catalog, "layer-unknown"), ["memory://elsewhere"]);
}

#[test]
fn sources_are_sorted_by_layer() {
    let builder = Registry::builder()
        .layer(Layer::new("plugin", TRUSTED))
        .layer(Layer::new("enterprise", TRUSTED))
        .source("plugin", memory("first-plugin", &[("b", "B.")]))
        .source("enterprise", memory("enterprise", &[("c", "C.")]))
        .source("plugin", memory("second-plugin", &[("a", "A.")]));
    let catalog = catalog(builder);
    let sources: Vec<_> = catalog.sources().iter().map(|of| of.source.name()).collect();
    assert_eq!(sources, ["enterprise", "first-plugin", "second-plugin"]);
    assert_eq!(ids(&catalog), ["a", "b", "c"], "skills are sorted by id");
}
