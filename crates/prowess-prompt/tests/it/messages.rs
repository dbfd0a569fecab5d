//! The order of a request, and its division into blocks.

use prowess_core::{
    IdentifiedCall, InstructionKind, Message, ModelRequest, ToolCall, ToolDefinition, ToolResult,
};
use prowess_prompt::{CatalogPlace, ContextBlock, MessagesInput, PromptPolicy, compose_messages};
use serde_json::json;

use crate::fixture::{active, catalog, prompt, skill};

fn request(rules: &str, skills: &[&str], loaded: &[&str]) -> ModelRequest {
    let skills: Vec<_> = skills.iter().map(|id| skill(id, "Does “it”. Use when asked.")).collect();
    let loaded: Vec<_> = loaded.iter().map(|id| active(id, &format!("Body of {id}."))).collect();
    let prompt = prompt(&catalog(&skills), &loaded, &PromptPolicy::default());
    let messages = vec![Message::user("First."), Message::model("Second.")];
    let request = compose_messages(MessagesInput {
        rules,
        prompt: &prompt,
        context: Vec::new(),
        tools: Vec::new(),
        messages,
    });
    let blocks = request.instructions.iter().filter(|block| block.kind != InstructionKind::Rules);
    let texts: Vec<_> = blocks.map(|block| block.text.as_str()).collect();
    assert_eq!(texts.join("\n\n"), prompt.text.trim(), "the blocks are the whole prompt");
    request
}

fn kinds(request: &ModelRequest) -> Vec<InstructionKind> {
    request.instructions.iter().map(|block| block.kind).collect()
}

#[test]
fn instructions_have_their_order() {
    use InstructionKind::{ActiveSkills, Catalog, Rules};
    let whole = request("Be kind.", &["pdf", "sql"], &["pdf"]);
    assert_eq!(kinds(&whole), [Rules, Catalog, ActiveSkills]);
    let text = whole.instruction_text();
    let parts = ["Be kind.", "<available_skills>", "</available_skills>", "Body of pdf."];
    let found: Vec<_> = parts.iter().map(|part| text.find(part).expect("it is there")).collect();
    assert!(found.is_sorted(), "rules, catalog, active bodies: {text}");
    assert_eq!(whole.messages, [Message::user("First."), Message::model("Second.")]);
    assert_eq!(kinds(&request("", &["pdf"], &[])), [Catalog]);
    assert_eq!(kinds(&request("Be kind.", &[], &["pdf"])), [Rules, ActiveSkills]);
    assert_eq!(kinds(&request(" \n", &[], &[])), []);
}

#[test]
fn load_changes_the_last_block_only() {
    let before = request("Be kind.", &["pdf", "sql"], &["pdf"]).instructions;
    let after = request("Be kind.", &["pdf", "sql"], &["sql"]).instructions;
    assert_eq!(before[..2], after[..2]);
    assert_ne!(before[2], after[2]);
    assert!(before[..2].iter().all(|block| block.kind.is_stable()));
    assert!(!before[2].kind.is_stable());
}

#[test]
fn rules_stay_as_they_are() {
    let request = request("\n  Be kind.\n\n- Always.  \n", &["pdf"], &[]);
    assert_eq!(request.instructions[0].text, "  Be kind.\n\n- Always.  ");
}

#[test]
fn context_is_sorted_by_priority() {
    let policy = PromptPolicy {
        catalog_place: CatalogPlace::ContextBlock,
        context_priority: 60,
        ..PromptPolicy::default()
    };
    let skills = catalog(&[skill("pdf", "Does “it”. Use when asked.")]);
    let prompt = prompt(&skills, &[active("pdf", "Body of pdf.")], &policy);
    let block = |priority, text: &str| ContextBlock { priority, text: text.into() };
    let request = compose_messages(MessagesInput {
        rules: "Be kind.",
        prompt: &prompt,
        context: vec![block(100, "Memories."), block(0, "A channel."), block(10, "")],
        tools: Vec::new(),
        messages: Vec::new(),
    });
    assert!(kinds(&request).is_sorted(), "{request:?}");
    let last = request.instructions.last().expect("there is context");
    assert_eq!(last.kind, InstructionKind::Context);
    let parts = ["A channel.", "<name>pdf</name>", "Memories."];
    let found: Vec<_> =
        parts.iter().map(|part| last.text.find(part).expect("it is there")).collect();
    assert!(found.is_sorted(), "{request:?}");
    let text = request.instruction_text();
    assert_eq!(text.matches("<name>pdf</name>").count(), 1);
    let active = &request.instructions[request.instructions.len() - 2];
    assert_eq!(active.kind, InstructionKind::ActiveSkills);
    assert!(active.text.contains("Body of pdf."), "{request:?}");
}

/// The request in the format of no vendor, as a host serializes it.
#[test]
fn neutral_form_has_each_part() {
    let policy =
        PromptPolicy { catalog_place: CatalogPlace::ContextBlock, ..PromptPolicy::default() };
    let skills = catalog(&[skill("pdf", "Fills forms.")]);
    let prompt = prompt(&skills, &[active("pdf", "Fill it in.")], &policy);
    let call = ToolCall::new("skills_read", json!({ "path": "references/fields.md" }));
    let calls = vec![IdentifiedCall { id: "call_1".to_owned(), call }];
    let request = compose_messages(MessagesInput {
        rules: "Be kind.",
        prompt: &prompt,
        context: vec![ContextBlock { priority: 0, text: "A channel.".into() }],
        tools: vec![ToolDefinition {
            name: "skills_read".to_owned(),
            description: "Read a file.".to_owned(),
            input_schema: json!({ "type": "object" }),
        }],
        messages: vec![
            Message::user("Fill in this form."),
            Message::context("A file has changed."),
            Message::Model { text: "I read it first.".to_owned(), calls },
            Message::ToolResult {
                id: "call_1".to_owned(),
                name: "skills_read".to_owned(),
                result: ToolResult::text("Each field has a color."),
            },
            Message::Verbatim { message: json!({ "role": "assistant" }) },
        ],
    });
    let text = serde_json::to_string_pretty(&request).expect("a request is JSON");
    expect_test::expect_file!["golden/neutral.json"].assert_eq(&(text + "\n"));
}
