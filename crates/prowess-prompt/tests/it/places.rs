//! Tests of the places of a catalog, and of the blocks of context.

use expect_test::expect_file;
use prowess_prompt::{
    BlockPolicy, CatalogFormat, CatalogPlace, ContextBlock, Part, Prompt, PromptPolicy,
    compose_context, tool_description,
};

use crate::fixture::{Skill, active, catalog, hidden_catalog, prompt, skill};

fn two() -> Vec<Skill> {
    vec![skill("sql", "Queries; use it for tables."), skill("pdf", "Fills forms.")]
}

fn placed(catalog_place: CatalogPlace, catalog_format: CatalogFormat) -> Prompt {
    let load_tool = "read_skill".to_owned();
    let policy =
        PromptPolicy { catalog_place, catalog_format, load_tool, ..PromptPolicy::default() };
    prompt(&catalog(&two()), &[], &policy)
}

#[test]
fn a_context_block_is_next_to_the_instructions() {
    let prompt = placed(CatalogPlace::ContextBlock, CatalogFormat::Bullets);
    let block = prompt.context.clone().expect("the place of the catalog");
    assert_eq!(block.priority, 60);
    expect_file!["../data/places-block.txt"].assert_eq(&block.text);
    assert!(!prompt.text.contains("pdf"), "the instructions have the rule alone: {}", prompt.text);
    assert!(prompt.whole_text().ends_with(&format!("{}\n", block.text)));
    assert_eq!(*prompt.shown, ["pdf", "sql"]);
    let catalog = prompt.ledger.entries.iter().find(|entry| entry.part == Part::Catalog);
    assert_eq!(catalog.expect("it costs tokens").characters, block.text.chars().count());
}

#[test]
fn listing_has_the_order_of_its_host() {
    let with_lines = |format: &CatalogFormat| *format != CatalogFormat::Delimited;
    for format in CatalogFormat::ALL.into_iter().filter(with_lines) {
        let prompt = placed(CatalogPlace::ToolDescription, format);
        let own = prompt.listing.as_deref().expect("the place of the catalog");
        assert_eq!(prompt.listing_by(str::to_owned).as_deref(), Some(own), "{format:?}");
        let other = prompt.listing_by(|id| id != "sql").expect("it is the same place");
        let at = |text: &str, word: &str| text.find(word).expect("each is listed");
        assert!(at(&other, "Queries") < at(&other, "Fills"), "{format:?}: {other}");
        assert_eq!(other.len(), own.len(), "{format:?}: {other}");
    }
}

#[test]
fn context_blocks_are_sorted_by_priority() {
    let block = |priority, text: &str| ContextBlock { priority, text: text.into() };
    let skills = placed(CatalogPlace::ContextBlock, CatalogFormat::Bullets).context;
    let skills = skills.expect("the place of the catalog");
    let text = compose_context([
        block(100, "memory"),
        skills.clone(),
        block(60, "of the same priority"),
        block(10, ""),
        block(0, "channel"),
    ]);
    let expected = format!("channel\n\n{}\n\nof the same priority\n\nmemory", skills.text);
    assert_eq!(text, expected);
}

#[test]
fn without_a_skill_there_is_no_block_in_any_place() {
    for catalog_place in [
        CatalogPlace::SystemPrompt,
        CatalogPlace::ContextBlock,
        CatalogPlace::ToolDescription,
        CatalogPlace::ToolOnly,
    ] {
        for catalog_format in CatalogFormat::ALL {
            let policy = PromptPolicy { catalog_place, catalog_format, ..PromptPolicy::default() };
            for catalog in [catalog(&[]), hidden_catalog(&two())] {
                let prompt = prompt(&catalog, &[], &policy);
                let place = (catalog_place, catalog_format);
                assert_eq!(prompt.text, "", "{place:?}");
                assert!(prompt.ledger.entries.is_empty(), "{place:?} costs nothing");
                assert_eq!((prompt.context, prompt.listing), (None, None), "{place:?}");
            }
        }
    }
}

#[test]
fn loading_changes_no_place_of_the_catalog() {
    for catalog_place in
        [CatalogPlace::SystemPrompt, CatalogPlace::ContextBlock, CatalogPlace::ToolDescription]
    {
        let policy = PromptPolicy { catalog_place, ..PromptPolicy::default() };
        let before = prompt(&catalog(&two()), &[], &policy);
        let after = prompt(&catalog(&two()), &[active("pdf", "Body")], &policy);
        assert_eq!((before.context, before.listing), (after.context, after.listing));
        assert!(after.text.starts_with(&before.text), "the text grows at its end only");
    }
}

/// Returns the description of a tool with two skills.
fn described(tool: &str, format: CatalogFormat) -> String {
    let prompt = placed(CatalogPlace::ToolDescription, format);
    assert!(!prompt.text.contains("pdf"), "the instructions have the rule alone: {}", prompt.text);
    tool_description(tool, "Own text.", &prompt.listing.expect("the place"), format, None)
}

#[test]
fn skill_has_the_catalog_in_its_description() {
    let text = described("skill", CatalogFormat::QuotedLines);
    expect_file!["golden/skill.txt"].assert_eq(&text);
}

#[test]
fn get_skill_has_the_catalog_in_its_description() {
    expect_file!["../data/places-two.txt"]
        .assert_eq(&described("get_skill", CatalogFormat::DashLines));
}

#[test]
fn another_tool_has_the_catalog_behind_its_own_text() {
    expect_file!["../data/places.txt"]
        .assert_eq(&described("skills.load", CatalogFormat::Delimited));
}

#[test]
fn descriptions_say_that_there_is_no_skill() {
    let empty = |tool, format| tool_description(tool, "Own text.", "", format, None);
    let skill = empty("skill", CatalogFormat::QuotedLines);
    let none = "<available_skills>\n(No skills currently available)\n</available_skills>\n";
    assert!(skill.contains(none), "{skill}");
    assert_eq!(
        empty("get_skill", CatalogFormat::DashLines),
        "Gets detailed information about an agent skill. No skills are currently available."
    );
    assert_eq!(empty("read_skill", CatalogFormat::Bullets), "Own text.");
}

#[test]
fn a_template_in_a_description_is_not_expanded() {
    let skills = [skill("a", "{available_skills} {load_tool}"), skill("b", "Second.")];
    let catalog_place = CatalogPlace::ToolDescription;
    let catalog_format = CatalogFormat::QuotedLines;
    let blocks = BlockPolicy { any: Vec::new(), ..BlockPolicy::default() };
    let policy = PromptPolicy { catalog_place, catalog_format, blocks, ..PromptPolicy::default() };
    let listing = prompt(&catalog(&skills), &[], &policy).listing.expect("the place");
    let text = tool_description("skill", "", &listing, catalog_format, None);
    assert_eq!(text.matches("{available_skills} {load_tool}").count(), 1, "{text}");
    assert_eq!(text.matches("\"b\": Second.").count(), 1, "{text}");
}
