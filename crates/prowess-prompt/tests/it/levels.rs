//! The cost of each skill by level.

use expect_test::expect;
use prowess_core::EstimatedTokens;
use prowess_prompt::{CatalogPlace, Part, PromptPolicy};

use crate::fixture::{active, catalog, many, prompt, skill};

#[test]
fn entry_and_body_are_counted_by_skill() {
    let skills = [skill("pdf", "Fills forms."), skill("sql", "Queries; use it for tables.")];
    let prompt = prompt(
        &catalog(&skills),
        &[active("pdf", &"word ".repeat(80)), active("gone", "Not in the catalog.")],
        &PromptPolicy::default(),
    );
    let levels = prompt.levels(&EstimatedTokens);
    let lines = levels.iter().map(|skill| {
        format!(
            "{}: {} {} {}",
            skill.id,
            skill.catalog,
            skill.instructions,
            skill.resource_tokens()
        )
    });
    expect![[r#"
        pdf: 31 126 0
        sql: 35 0 0
        gone: 0 31 0"#]]
    .assert_eq(&lines.collect::<Vec<_>>().join("\n"));
    let bodies = prompt.ledger.entries.iter().filter_map(|entry| match &entry.part {
        Part::ActiveSkill { .. } => Some(entry.tokens),
        _ => None,
    });
    let instructions: usize = levels.iter().map(|skill| skill.instructions).sum();
    assert_eq!(instructions, bodies.sum::<usize>(), "level 2 is what the ledger counts");
}

#[test]
fn skills_without_an_entry_cost_nothing() {
    let skills = catalog(&many(40, 100));
    let cut = PromptPolicy { max_tokens: Some(600), ..PromptPolicy::default() };
    let levels = prompt(&skills, &[], &cut).levels(&EstimatedTokens);
    assert!((1..40).contains(&levels.len()), "dropped skills have no level: {}", levels.len());
    assert!(levels.iter().map(|skill| skill.catalog).sum::<usize>() <= 600);
    let hidden = PromptPolicy { catalog_place: CatalogPlace::ToolOnly, ..PromptPolicy::default() };
    assert_eq!(prompt(&skills, &[], &hidden).levels(&EstimatedTokens), []);
    let described =
        PromptPolicy { catalog_place: CatalogPlace::ToolDescription, ..PromptPolicy::default() };
    assert_eq!(prompt(&skills, &[], &described).levels(&EstimatedTokens).len(), 40);
}
