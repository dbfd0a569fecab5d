//! Tests of the catalog's text.

use expect_test::{Expect, expect};
use prowess_core::{DeliveryPolicy, ShowLocation};
use prowess_prompt::{
    BlockPolicy, CatalogFormat, CatalogPlace, ChangeKind, Part, PromptPolicy, SkillEntry,
    available_skills,
};

use crate::fixture::{
    Skill, active, block, catalog, hidden_catalog, parse, prompt, prompt_of, prompt_with, skill,
};

fn two() -> Vec<Skill> {
    vec![
        skill("sql", "Queries; use it for \"tables\" & <views>."),
        skill("pdf", "Fills forms,\n  even long ones. "),
    ]
}

fn check(policy: &PromptPolicy, expected: &Expect) {
    expected.assert_eq(&prompt(&catalog(&two()), &[], policy).text);
}

#[test]
fn the_default_is_the_rule_and_xml_elements_with_locations() {
    check(
        &PromptPolicy::default(),
        &expect![[r#"
        Skills hold instructions for specific tasks. When a task matches a skill's description, call `skills.load` with the skill's name: loading is required before you use a skill's instructions, resources or scripts.

        <available_skills>
        <skill>
        <name>pdf</name>
        <description>Fills forms, even long ones.</description>
        <location>memory://test/pdf/SKILL.md</location>
        </skill>
        <skill>
        <name>sql</name>
        <description>Queries; use it for &quot;tables&quot; &amp; &lt;views&gt;.</description>
        <location>memory://test/sql/SKILL.md</location>
        </skill>
        </available_skills>
    "#]],
    );
}

#[test]
fn a_catalog_may_go_without_locations() {
    let text = shown(ShowLocation::None);
    assert_eq!(block(&text).matches("<location>").count(), 0);
    expect![[r#"
        Skills hold instructions for specific tasks. When a task matches a skill's description, call `skills.load` with the skill's name: loading is required before you use a skill's instructions, resources or scripts.

        <available_skills>
        <skill>
        <name>pdf</name>
        <description>Fills forms, even long ones.</description>
        </skill>
        <skill>
        <name>sql</name>
        <description>Queries; use it for &quot;tables&quot; &amp; &lt;views&gt;.</description>
        </skill>
        </available_skills>
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_location_may_be_an_id_or_a_virtual_uri() {
    let locations = |show| -> Vec<_> {
        parse(&shown(show)).into_iter().map(|skill| skill.2.expect("a location")).collect()
    };
    assert_eq!(locations(ShowLocation::Id), ["pdf", "sql"]);
    assert_eq!(locations(ShowLocation::Virtual), ["skill://pdf/SKILL.md", "skill://sql/SKILL.md"]);
}

/// Returns the prompt of two skills with their locations in this form.
fn shown(show_location: ShowLocation) -> String {
    let delivery = DeliveryPolicy { show_location, ..DeliveryPolicy::default() };
    prompt_with(&catalog(&two()), &[], &PromptPolicy::default(), delivery).text
}

#[test]
fn a_catalog_may_be_json_lines() {
    let policy = PromptPolicy { catalog_format: CatalogFormat::Json, ..PromptPolicy::default() };
    check(
        &policy,
        &expect![[r#"
        Skills hold instructions for specific tasks. When a task matches a skill's description, call `skills.load` with the skill's name: loading is required before you use a skill's instructions, resources or scripts.

        <available_skills>
        {"name":"pdf","description":"Fills forms, even long ones.","location":"memory://test/pdf/SKILL.md"}
        {"name":"sql","description":"Queries; use it for \"tables\" & \u003cviews\u003e.","location":"memory://test/sql/SKILL.md"}
        </available_skills>
    "#]],
    );
}

#[test]
fn a_catalog_may_be_a_markdown_list() {
    let policy =
        PromptPolicy { catalog_format: CatalogFormat::Markdown, ..PromptPolicy::default() };
    check(
        &policy,
        &expect![[r#"
        Skills hold instructions for specific tasks. When a task matches a skill's description, call `skills.load` with the skill's name: loading is required before you use a skill's instructions, resources or scripts.

        <available_skills>
        - pdf: Fills forms, even long ones. (memory://test/pdf/SKILL.md)
        - sql: Queries; use it for &quot;tables&quot; &amp; &lt;views&gt;. (memory://test/sql/SKILL.md)
        </available_skills>
    "#]],
    );
}

#[test]
fn the_rule_spells_the_load_tool_for_the_model() {
    let policy = PromptPolicy { load_tool: "skills_load".to_owned(), ..PromptPolicy::default() };
    let text = prompt(&catalog(&two()), &[], &policy).text;
    assert!(text.contains("call `skills_load`"), "{text}");
    assert!(!text.contains("skills.load"), "no other spelling: {text}");
}

#[test]
fn the_rule_stays_small() {
    let ledger = prompt_of(&two()).ledger;
    let rule = &ledger.entries[0];
    assert_eq!(rule.part, Part::Rule);
    assert!(rule.characters <= 300, "the rule has {} characters", rule.characters);
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
fn without_a_visible_skill_there_is_no_text() {
    for (what, catalog) in
        [("an empty catalog", catalog(&[])), ("a catalog that hides all", hidden_catalog(&two()))]
    {
        let prompt = prompt(&catalog, &[], &PromptPolicy::default());
        assert_eq!(prompt.text, "", "{what}");
        assert!(prompt.ledger.entries.is_empty(), "{what} costs nothing");
    }
}

#[test]
fn each_turn_repeats_the_catalog_unchanged_whatever_is_loaded() {
    let catalog = catalog(&two());
    let policy = PromptPolicy::default();
    let before = prompt(&catalog, &[], &policy).text;
    let after = prompt(&catalog, &[active("pdf", "Body")], &policy).text;
    assert!(after.starts_with(&before), "the text grows at its end only");
}

#[test]
fn equal_input_gives_equal_bytes() {
    let reversed: Vec<_> = two().into_iter().rev().collect();
    assert_eq!(prompt_of(&two()), prompt_of(&two()));
    assert_eq!(
        prompt_of(&two()).text,
        prompt_of(&reversed).text,
        "the order in which a scan met the skills does not show"
    );
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

#[test]
fn catalog_block_is_available_alone() {
    let entry =
        SkillEntry { name: "pdf".into(), description: "Fills forms.".into(), location: None };
    let text = available_skills([entry], CatalogFormat::XmlElements);
    expect![[r#"
        <available_skills>
        <skill>
        <name>pdf</name>
        <description>Fills forms.</description>
        </skill>
        </available_skills>"#]]
    .assert_eq(&text);
}

#[test]
fn no_body_is_in_the_text_before_it_is_loaded() {
    let policy = PromptPolicy::default();
    let body = "The body of pdf";
    let before = prompt(&catalog(&two()), &[], &policy);
    let after = prompt(&catalog(&two()), &[active("pdf", body)], &policy);
    assert!(!before.text.contains(body));
    assert!(after.text.contains(body));
}
