//! Fixtures: catalogs and loaded skills.

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, Availability, Boundary, Catalog, CatalogBuilder, CatalogSource, DeliveryPolicy,
    EstimatedTokens, Layer, MemorySource, RecordIndex, RecordSetBuilder, Trust,
};
use prowess_prompt::{ComposerInput, Prompt, PromptInput, PromptPolicy, compose};

/// One skill of a catalog.
#[derive(Clone, Debug)]
pub(crate) struct Skill {
    pub(crate) package: String,
    pub(crate) id: String,
    pub(crate) description: String,
}

pub(crate) fn skill(id: &str, description: &str) -> Skill {
    Skill { package: id.to_owned(), id: id.to_owned(), description: description.to_owned() }
}

/// Returns `count` skills whose descriptions have `characters` characters.
pub(crate) fn many(count: usize, characters: usize) -> Vec<Skill> {
    let one = |at| skill(&format!("skill-{at:05}"), &"word ".repeat(characters / 5));
    (0..count).map(one).collect()
}

/// Returns a catalog that offers these skills.
pub(crate) fn catalog(skills: &[Skill]) -> Catalog {
    catalog_of(&[(skills, 0, true)])
}

/// Returns a catalog that contains these skills and offers none.
pub(crate) fn hidden_catalog(skills: &[Skill]) -> Catalog {
    catalog_of(&[(skills, 0, false)])
}

/// Returns a catalog with one layer for each list, the highest first.
pub(crate) fn in_layers(lists: &[Vec<Skill>]) -> Catalog {
    let lists = lists.iter().enumerate().map(|(layer, skills)| (&skills[..], layer, true));
    catalog_of(&lists.collect::<Vec<_>>())
}

/// Returns a catalog that offers the first skills and hides the others, which lie in another
/// source.
pub(crate) fn hidden_beside(offered: &[Skill], hidden: &[Skill]) -> Catalog {
    catalog_of(&[(offered, 0, true), (hidden, 0, false)])
}

/// Returns a catalog of a source for each list, with its layer and whether it is offered.
fn catalog_of(lists: &[(&[Skill], usize, bool)]) -> Catalog {
    let highest = lists.iter().map(|(_, layer, _)| *layer).max().unwrap_or_default();
    let layers = (0..=highest).map(|at| Layer::new(format!("layer-{at}"), Trust::Trusted));
    let sources = lists.iter().enumerate().map(|(at, (skills, layer, _))| {
        let name = if at == 0 { "test".to_owned() } else { format!("test-{at}") };
        source(&name, *layer, skills)
    });
    let mut builder = CatalogBuilder::new(layers.collect(), sources.collect());
    for (source, (skills, _, is_offered)) in lists.iter().enumerate() {
        for at in (0..skills.len()).map(|at| RecordIndex::new(source, at)) {
            if *is_offered {
                // Of two skills with one id, the first is offered.
                let _ = builder.show(at);
            } else {
                builder.exclude(at, Availability::Hidden, "by a rule");
            }
        }
    }
    builder.finish(1)
}

fn source(name: &str, layer: usize, skills: &[Skill]) -> CatalogSource {
    let mut records = RecordSetBuilder::new();
    for skill in skills {
        records.push(&prowess_testkit::record(&skill.package, &skill.id, &skill.description));
    }
    let source = MemorySource::builder(name).build();
    CatalogSource {
        layer,
        source: Arc::new(source.expect("a source without files")),
        records: Arc::new(records.finish()),
    }
}

/// Returns a loaded skill.
pub(crate) fn active(id: &str, body: &str) -> Arc<ActiveSkill> {
    let properties = serde_json::Value::Null;
    Arc::new(ActiveSkill { properties, ..prowess_testkit::active_skill("/skills", id, body) })
}

/// The secret of the fixture's conversation.
pub(crate) const SECRET: &str = "5f3a9c1e77b04d28";

/// Composes with the estimate.
pub(crate) fn prompt(
    catalog: &Catalog,
    active: &[Arc<ActiveSkill>],
    policy: &PromptPolicy,
) -> Prompt {
    prompt_with(catalog, active, policy, DeliveryPolicy::default())
}

pub(crate) fn prompt_with(
    catalog: &Catalog,
    active: &[Arc<ActiveSkill>],
    policy: &PromptPolicy,
    delivery: DeliveryPolicy,
) -> Prompt {
    compose(&PromptInput {
        catalog,
        active,
        changed: &[],
        preferred: &[],
        baseline: None,
        policy,
        delivery: &delivery,
        boundary: &Boundary::new(SECRET),
        counter: &EstimatedTokens,
    })
}

/// Returns the input of a composer for a turn without loaded skills.
pub(crate) fn composer_input<'a>(
    catalog: &'a Arc<Catalog>,
    boundary: &'a Boundary,
) -> ComposerInput<'a> {
    let baseline = None;
    ComposerInput { catalog, active: &[], changed: &[], preferred: &[], baseline, boundary }
}

/// Composes the prompt of these skills under the default policy.
pub(crate) fn prompt_of(skills: &[Skill]) -> Prompt {
    prompt(&catalog(skills), &[], &PromptPolicy::default())
}

/// Returns the catalog block of a text.
pub(crate) fn block(text: &str) -> &str {
    let (start, end) = ("<available_skills>", "</available_skills>");
    assert_eq!(text.matches(start).count(), 1, "one catalog begins: {text}");
    assert_eq!(text.matches(end).count(), 1, "one catalog ends: {text}");
    let from = text.find(start).expect("counted above");
    let to = text.find(end).expect("counted above") + end.len();
    &text[from..to]
}

/// Returns name, description and location of each skill, as an XML parser reads them.
pub(crate) fn parse(text: &str) -> Vec<(String, String, Option<String>)> {
    let document = roxmltree::Document::parse(block(text)).expect("the catalog is XML");
    let skills = document.root_element().children();
    let skills = skills.filter(roxmltree::Node::is_element);
    skills.map(|node| read_skill(&node)).collect()
}

fn read_skill(node: &roxmltree::Node<'_, '_>) -> (String, String, Option<String>) {
    assert_eq!(node.tag_name().name(), "skill", "a catalog holds skills only");
    let field = |name: &str| {
        let mut fields = node.children().filter(|child| child.has_tag_name(name));
        let text = fields.next()?.text().unwrap_or_default().to_owned();
        assert!(fields.next().is_none(), "a skill has one <{name}>");
        Some(text)
    };
    let name = field("name").expect("a skill has a name");
    // A skill that is shown by its name alone has none.
    let description = field("description").unwrap_or_default();
    (name, description, field("location"))
}
