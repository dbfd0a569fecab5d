//! Tests of the fixed texts about skills.

use expect_test::expect_file;
use prowess_core::{EstimatedTokens, TokenCounter};
use prowess_prompt::{Block, BlockPolicy, ModelFamily, Part, PromptPolicy, resolve_path};
use prowess_testkit::rows;
use serde_json::Value;

use crate::fixture::{catalog, prompt, skill};

const CASES: &str = include_str!("../data/blocks.txt");

#[test]
fn every_block_has_its_text_and_stays_small() {
    for block in Block::ALL {
        let text = block.text("skills_load");
        expect_file![format!("golden/blocks/{}.txt", block.as_str())].assert_eq(&text);
        assert!(text.len() <= block.max_bytes(), "{block:?} has {} bytes", text.len());
        let tokens = EstimatedTokens.count(&text);
        assert!(tokens <= block.max_bytes().div_ceil(4), "{block:?} has {tokens} tokens");
    }
}

#[test]
fn file_reading_takes_the_place_of_the_base_rule() {
    let policy = BlockPolicy {
        any: vec![Block::CheckFirst, Block::BaseRule],
        gpt: Some(vec![Block::BaseRule, Block::PathRules]),
        ..BlockPolicy::default()
    };
    let policy = policy.reading_files();
    assert_eq!(policy.of(ModelFamily::Claude), [Block::CheckFirst, Block::FileReading]);
    assert_eq!(policy.of(ModelFamily::Gpt), [Block::FileReading, Block::PathRules]);
}

#[test]
fn names_of_blocks_are_those_of_the_policy() {
    for block in Block::ALL {
        let name = serde_json::to_value(block).expect("a block is a word");
        assert_eq!(name, block.as_str());
    }
}

#[test]
fn calls_in_the_examples_are_json() {
    let text = Block::ToolCallingExamples.text("");
    let calls: Vec<Value> = text
        .split("```json\n")
        .skip(1)
        .map(|rest| rest.split("```").next().expect("a fence ends"))
        .map(|json| serde_json::from_str(json).expect("an example is JSON"))
        .collect();
    let tools: Vec<_> = calls.iter().map(|call| call["tool"].as_str()).collect();
    assert_eq!(tools, [Some("Read"), Some("Bash"), Some("Skill")]);
    for (call, argument) in calls.iter().zip(["file_path", "command", "skill_name"]) {
        assert!(call["arguments"][argument].is_string(), "{call}");
    }
}

#[test]
fn paths_resolve_by_the_first_rule_that_applies() {
    for [path, expected] in rows(CASES, "paths") {
        assert_eq!(resolve_path("/skills/pdf", &path), expected, "{path}");
        assert_eq!(resolve_path("/skills/pdf/", &path), expected, "{path}");
    }
}

#[test]
fn worked_examples_follow_the_rules() {
    let text = Block::PathResolution.text("");
    for (base, path) in [
        ("/skills/kubernetes-deploy", "advanced.md"),
        ("/skills/my-skill", "docs/api/reference.md"),
    ] {
        let resolved = resolve_path(base, path);
        assert!(text.contains(&format!("`{base}`")), "{base}");
        assert!(text.contains(&format!("Read tool with path `{resolved}`")), "{resolved}");
    }
    let command = "`cd /skills/pdf-processing && python scripts/extract.py input.pdf`";
    assert!(text.contains(command), "a script runs in the base path");
}

#[test]
fn a_family_has_its_own_blocks_or_those_of_any() {
    let yaml = r#"{ "any": ["base_rule"], "gpt": ["base_rule", "check_first", "path_rules"], "gemini": [] }"#;
    let blocks: BlockPolicy = serde_json::from_str(yaml).expect("blocks are words");
    let skills = [skill("pdf", "Fills forms.")];
    let parts = |model_family| {
        let policy =
            PromptPolicy { model_family, blocks: blocks.clone(), ..PromptPolicy::default() };
        let prompt = prompt(&catalog(&skills), &[], &policy);
        prompt.ledger.entries.into_iter().map(|entry| entry.part).collect::<Vec<_>>()
    };
    let block = |block| Part::Block { block };
    assert_eq!(parts(ModelFamily::Any), [Part::Rule, Part::Catalog]);
    assert_eq!(parts(ModelFamily::Claude), [Part::Rule, Part::Catalog]);
    assert_eq!(
        parts(ModelFamily::Gpt),
        [Part::Rule, block(Block::CheckFirst), block(Block::PathRules), Part::Catalog]
    );
    assert_eq!(parts(ModelFamily::Gemini), [Part::Catalog]);
}

#[test]
fn blocks_are_parted_by_blank_lines() {
    let any = vec![Block::BaseRule, Block::CheckFirst, Block::Precedence];
    let blocks = BlockPolicy { any: any.clone(), ..BlockPolicy::default() };
    let policy = PromptPolicy { blocks, ..PromptPolicy::default() };
    let text = prompt(&catalog(&[skill("pdf", "Fills forms.")]), &[], &policy).text;
    let expected: Vec<_> = any.iter().map(|block| block.text("skills.load")).collect();
    assert!(
        text.starts_with(&format!("{}\n\n<available_skills>", expected.join("\n\n"))),
        "{text}"
    );
}

#[test]
fn models_belong_to_families() {
    for [model, family] in rows(CASES, "models") {
        assert_eq!(format!("{:?}", ModelFamily::of(&model)), family, "{model}");
    }
}
