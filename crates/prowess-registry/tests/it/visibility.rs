//! Audiences, requirements and visibility.

mod audiences;
mod callers;
mod requirements;
mod rules;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use prowess_core::{Audience, Caller, Catalog, Facts, Layer, Lookup, MemorySource, Trust};
use prowess_registry::{Registry, RegistryBuilder, Show, SkillRule, VisibilityPolicy};

use crate::fixture::files;

/// Facts that a test sets.
#[derive(Default)]
struct Machine {
    programs: Mutex<BTreeSet<&'static str>>,
}

impl Machine {
    fn with(programs: &[&'static str]) -> Arc<Self> {
        Arc::new(Self { programs: Mutex::new(programs.iter().copied().collect()) })
    }

    fn install(&self, program: &'static str) {
        self.programs.lock().expect("the lock is not poisoned").insert(program);
    }
}

impl Facts for Machine {
    fn system(&self) -> &str {
        "macos"
    }

    fn has_program(&self, name: &str) -> bool {
        self.programs.lock().expect("the lock is not poisoned").contains(name)
    }

    fn has_variable(&self, name: &str) -> bool {
        name == "HOME"
    }

    fn has_config(&self, key: &str) -> bool {
        key == "browser.enabled"
    }
}

/// Returns a layer of skills, each a name with the rest of its frontmatter.
fn layer(trust: Trust, skills: &[(&str, &str)]) -> (Layer, Arc<MemorySource>) {
    let name = trust.as_str();
    let skill = |(name, yaml): &(&str, &str)| {
        let text = format!("---\nname: {name}\ndescription: {name} of it.\n{yaml}---\nBody\n");
        (format!("{name}/SKILL.md"), text)
    };
    (Layer::new(name, trust), files(name, skills.iter().map(skill)))
}

fn builder(layers: &[(Layer, Arc<MemorySource>)]) -> RegistryBuilder {
    layers.iter().fold(Registry::builder(), |builder, (layer, source)| {
        builder.layer(layer.clone()).source(&layer.name, Arc::clone(source) as _)
    })
}

fn registry(skills: &[(&str, &str)]) -> RegistryBuilder {
    builder(&[layer(Trust::Trusted, skills)])
}

fn loaded(builder: RegistryBuilder) -> Registry {
    let registry = builder.build().expect("the layers are valid");
    registry.reload();
    registry
}

fn ids(catalog: &Catalog) -> Vec<&str> {
    catalog.skills().map(|skill| skill.id()).collect()
}

/// Returns the state of a skill, and its reason.
fn state(catalog: &Catalog, id: &str) -> String {
    let records = catalog.all_named(id);
    let record = records.first().expect("the skill exists");
    let state = record.availability().as_str();
    record.reason().map_or(state.to_owned(), |reason| format!("{state}: {reason}"))
}

/// Returns the result of looking up an id: `found`, `unknown` or the reason.
fn look_up(catalog: &Catalog, id: &str, caller: Caller) -> String {
    match catalog.find(id, caller) {
        Lookup::Found(_) => "found".to_owned(),
        Lookup::Unavailable(_, reason) => reason.to_owned(),
        Lookup::Ambiguous(..) => "ambiguous".to_owned(),
        Lookup::Unknown => "unknown".to_owned(),
    }
}

fn audience(agent: &str, tenant: &str, environment: &str) -> Audience {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Audience {
        agent: some(agent),
        tenant: some(tenant),
        environment: some(environment),
        ..Audience::default()
    }
}

fn rules(rules: &[(&str, Show)]) -> VisibilityPolicy {
    let rule =
        |(pattern, show): &(&str, Show)| SkillRule { pattern: (*pattern).into(), show: *show };
    VisibilityPolicy { skills: rules.iter().map(rule).collect(), ..VisibilityPolicy::default() }
}
