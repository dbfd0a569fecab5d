//! The cost of a conversation's skills by level.

use std::sync::Arc;

use prowess::prompt::{ResourceUse, SkillLevels};
use prowess::{BodyDelivery, Policies, Runtime, ToolCall, ToolResult, Turn};
use prowess_testkit::Tree;
use serde_json::{Value, json};

use crate::dynamic;

/// A skill with a script of more than 5,000 tokens that prints one line.
fn tree() -> Tree {
    let tree = Tree::new(include_str!("../data/levels.txt"));
    let comments = "# A line of a long script that only a reader pays for.\n".repeat(400);
    tree.write("skills/pdf/scripts/fill.sh", format!("{comments}echo filled in\n"));
    tree
}

fn runtime(tree: &Tree, bodies: BodyDelivery) -> Runtime {
    dynamic::builder()
        .policies(Policies::default().with_body_delivery(bodies))
        .skills_directory("user", tree.join("skills"))
        .script_runner(Arc::new(prowess_testkit::ShellRunner))
        .build()
        .expect("the layers are the standard ones")
}

#[track_caller]
fn call(turn: &Turn, tool: &str, arguments: Value) -> ToolResult {
    let result = turn.call(&ToolCall::new(tool, arguments)).result;
    assert!(!result.is_error, "{result:?}");
    result
}

fn levels_of(levels: &[SkillLevels], id: &str) -> SkillLevels {
    levels.iter().find(|skill| skill.id == id).expect("it is in the report").clone()
}

#[test]
fn each_level_is_paid_when_it_is_used() {
    for bodies in [BodyDelivery::Instructions, BodyDelivery::ToolResult] {
        let tree = tree();
        let runtime = runtime(&tree, bodies);
        let session = runtime.open_session().expect("memory takes another session");
        let turn = || runtime.turn(&session).expect("the session is open");
        let before = levels_of(&turn().levels(), "pdf");
        assert!(before.catalog > 0 && before.instructions == 0, "{before:?}");
        call(&turn(), "skills_load", json!({ "names": ["pdf"] }));
        let loaded = levels_of(&turn().levels(), "pdf");
        assert_eq!(loaded.catalog, before.catalog);
        assert!(loaded.instructions > 0 && loaded.resources.is_empty(), "{bodies:?}: {loaded:?}");
        call(&turn(), "skills_read", json!({ "path": "references/fields.md" }));
        call(&turn(), "skills_read", json!({ "path": "skill://pdf/references/fields.md" }));
        call(&turn(), "skills_run", json!({ "skill": "pdf", "path": "scripts/fill.sh" }));
        let used = levels_of(&turn().levels(), "pdf");
        let files: Vec<_> =
            used.resources.iter().map(|used| (used.path.as_str(), used.by)).collect();
        assert_eq!(
            files,
            [("references/fields.md", ResourceUse::Read), ("scripts/fill.sh", ResourceUse::Run)]
        );
        assert_eq!(used.resources[0].tokens, 12, "two reads of 24 characters");
        assert_eq!(levels_of(&turn().levels(), "sql").resource_tokens(), 0);
    }
}

/// A script costs its output if it is run, and its text if it is read.
#[test]
fn running_a_script_costs_less_than_reading_it() {
    let tree = tree();
    let runtime = runtime(&tree, BodyDelivery::Instructions);
    let session = runtime.open_session().expect("memory takes another session");
    let turn = || runtime.turn(&session).expect("the session is open");
    call(&turn(), "skills_load", json!({ "names": ["pdf"] }));
    let missing = turn().call(&ToolCall::new("skills_read", json!({ "path": "missing.md" })));
    assert!(missing.result.is_error, "a failed call uses no file");
    for tool in ["skills_run", "skills_read"] {
        call(&turn(), tool, json!({ "path": "scripts/fill.sh" }));
    }
    let levels = levels_of(&turn().levels(), "pdf");
    let [run, read] = &levels.resources[..] else { panic!("{levels:?}") };
    assert!(run.tokens <= 100, "{run:?}");
    assert!(read.tokens >= 5_000, "{read:?}");
}
