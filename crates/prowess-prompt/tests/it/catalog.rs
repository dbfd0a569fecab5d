//! Tests of the catalog's text.

use expect_test::expect_file;
use prowess_core::{DeliveryPolicy, ShowLocation};
use prowess_prompt::{BlockPolicy, CatalogPlace, ChangeKind, Part, PromptPolicy};

use crate::fixture::{Skill, catalog, parse, prompt, prompt_of, prompt_with, skill};

fn two() -> Vec<Skill> {
    vec![
        skill("sql", "Queries; use it for \"tables\" & <views>."),
        skill("pdf", "Fills forms,\n  even long ones. "),
    ]
}

#[test]
fn the_default_is_the_rule_and_xml_elements_with_locations() {
    expect_file!["../data/catalog.txt"].assert_eq(&prompt_of(&two()).text);
}

#[test]
fn a_location_may_be_an_id_or_a_virtual_uri() {
    let locations = |show| -> Vec<_> {
        parse(&shown(show)).into_iter().map(|skill| skill.2.expect("a location")).collect()
    };
    assert!(!shown(ShowLocation::None).contains("<location>"));
    assert_eq!(locations(ShowLocation::Id), ["pdf", "sql"]);
    assert_eq!(locations(ShowLocation::Virtual), ["skill://pdf/SKILL.md", "skill://sql/SKILL.md"]);
}

/// Returns the prompt of two skills with their locations in this form.
fn shown(show_location: ShowLocation) -> String {
    let delivery = DeliveryPolicy { show_location, ..DeliveryPolicy::default() };
    prompt_with(&catalog(&two()), &[], &PromptPolicy::default(), delivery).text
}

#[test]
fn the_rule_spells_the_load_tool_for_the_model() {
    let policy = PromptPolicy { load_tool: "skills_load".to_owned(), ..PromptPolicy::default() };
    let text = prompt(&catalog(&two()), &[], &policy).text;
    assert!(text.contains("call `skills_load`"), "{text}");
    assert!(!text.contains("skills.load"), "no other spelling: {text}");
}

#[test]
fn the_catalog_can_be_turned_off() {
    let policy = PromptPolicy { catalog_place: CatalogPlace::ToolOnly, ..PromptPolicy::default() };
    let off = prompt(&catalog(&two()), &[], &policy);
    let parts: Vec<_> = off.ledger.entries.iter().map(|entry| &entry.part).collect();
    assert_eq!((parts, off.total), (vec![&Part::Rule], 2), "the rule alone");
    let blocks = BlockPolicy { any: Vec::new(), ..BlockPolicy::default() };
    let none = prompt(&catalog(&two()), &[], &PromptPolicy { blocks, ..policy });
    assert_eq!(none.text, "");
}

#[test]
fn every_shown_id_resolves() {
    let skills = [
        skill("pdf", "One."),
        skill("pdf 2", "Blanks inside are typed as they stand."),
        skill("p\u{200B}df", "Zero width."),
        skill(" padded", "A blank before."),
        skill("two  blanks", "Folding would change it."),
        skill("no\u{A0}break", "Looks like a blank."),
        skill("", "Nothing to type."),
    ];
    let catalog = catalog(&skills);
    let prompt = prompt(&catalog, &[], &PromptPolicy::default());
    assert_eq!(*prompt.shown, ["pdf", "pdf 2"]);
    for (name, ..) in parse(&prompt.text) {
        assert!(catalog.get(&name).is_some(), "`{name}` is shown and resolves");
    }
    let unnameable = |kind| kind == ChangeKind::Unnameable;
    let changes = prompt.ledger.changes.iter();
    assert_eq!(changes.filter(|change| unnameable(change.change)).count(), 5);
}
