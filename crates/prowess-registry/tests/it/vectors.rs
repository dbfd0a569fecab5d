//! The code beside its model.

use std::sync::Arc;

use prowess_core::{Facts, Layer, Trust};
use prowess_registry::{Collision, PriorityBounds, Registry, RegistryPolicy};
use prowess_testkit::replay_model;

use crate::fixture::Changing;

const LAYERS: [(&str, Trust, u16); 4] = [
    ("downloads", Trust::Untrusted, 9),
    ("user", Trust::Trusted, 2),
    ("project", Trust::AskFirst, 1),
    ("plugins", Trust::Untrusted, 5),
];

const PRIORITIES: [i16; 4] = [0, 5, 1001, -1500];

/// A machine without programs.
struct Bare;

impl Facts for Bare {
    fn system(&self) -> &str {
        "linux"
    }

    fn has_program(&self, _: &str) -> bool {
        false
    }

    fn has_variable(&self, _: &str) -> bool {
        false
    }

    fn has_config(&self, _: &str) -> bool {
        false
    }
}

/// Returns a skill with the id `deploy`: as it is, with a name that is made into the id, or with a
/// program that is missing.
fn skill(number: usize, kind: usize, priority: i16) -> String {
    let name = if kind == 1 { "Deploy" } else { "deploy" };
    let needs = if kind == 2 { "metadata: {openclaw: {requires: {bins: [jq]}}}\n" } else { "" };
    format!(
        "---\nname: {name}\ndescription: \"{number}\"\npriority: {priority}\n{needs}---\nBody\n"
    )
}

/// Returns the number of the offered skill.
fn offered(policy: RegistryPolicy, skills: &[usize], is_reversed: bool) -> Vec<i64> {
    let sources = LAYERS.map(|_| Arc::new(Changing::default()));
    let set = |at: usize| {
        let (layer, kind, priority) =
            (skills[at] % 4, skills[at] / 4 % 3, PRIORITIES[skills[at] / 12]);
        sources[layer].set(&format!("p{at}/deploy"), skill(at, kind, priority), 1);
    };
    match is_reversed {
        true => (0..skills.len()).rev().for_each(set),
        false => (0..skills.len()).for_each(set),
    }
    let builder = Registry::builder().policy(policy).facts(Arc::new(Bare));
    let layered = |builder: prowess_registry::RegistryBuilder, (at, source)| {
        let (name, trust, weight) = LAYERS[at];
        builder.layer(Layer::new(name, trust).weighing(weight)).source(name, source)
    };
    let sources = sources.iter().map(|source| Arc::clone(source) as _).enumerate();
    let registry = sources.fold(builder, layered).build().expect("the layers are valid");
    let catalog = registry.reload().catalog;
    let number = |skill: prowess_core::Record<'_>| {
        skill.description().parse().expect("each description is a number")
    };
    catalog.get("deploy").map(number).into_iter().collect()
}

#[test]
fn precedence_is_as_in_the_model() {
    replay_model(include_str!("../../model/vectors/precedence.jsonl"), |question, _| {
        let rules = question.numbers(0);
        let collision = if rules[0] == 1 { Collision::Error } else { Collision::Shadow };
        let bounds = [PriorityBounds::Unclamped, PriorityBounds::Clamped];
        let priority = bounds[usize::from(rules[1] == 1)];
        let policy = RegistryPolicy { collision, priority, ..RegistryPolicy::default() };
        let skills = question.counts(1);
        let found = offered(policy, &skills, false);
        assert_eq!(found, offered(policy, &skills, true), "the order of a scan matters");
        found
    });
}
