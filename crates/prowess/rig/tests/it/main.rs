//! A conversation by rig's own loop, with a scripted model.

use std::sync::Arc;

use prowess::{MemorySource, Outcome, Runtime};
use prowess_rig::{AgentBuilder, DynamicTool, RigSkills};
use prowess_testkit::AuditRecorder;
use rig_core::message::ToolName;
use rig_core::test_utils::{MockCompletionModel, MockTurn};
use rig_core::tool::ToolOutput;
use serde_json::json;

const RELEASE: &str = include_str!("../data/main-release.txt");

fn shell() -> DynamicTool {
    let name = ToolName::new("Bash").expect("it is a name");
    let schema = json!({ "type": "object", "properties": { "command": { "type": "string" } } });
    DynamicTool::new(name, "Runs a command.", schema, |arguments| {
        Box::pin(async move {
            tokio::task::yield_now().await;
            Ok(ToolOutput::text(format!("ran {}", arguments["command"])))
        })
    })
}

#[tokio::test]
async fn model_finds_loads_reads_and_is_gated() -> Result<(), Box<dyn std::error::Error>> {
    let source = MemorySource::builder("shelf")
        .file("release/SKILL.md", RELEASE)
        .file("release/references/notes.md", "One line for each change.")
        .build()?;
    let audit = Arc::new(AuditRecorder::default());
    let builder = Runtime::builder().source("user", Arc::new(source));
    let runtime = builder.audit(Arc::clone(&audit) as _).build()?;
    let skills = RigSkills::new(runtime.clone(), runtime.open_session()?, "You publish software.");
    let bash =
        |id: &str, command: &str| MockTurn::tool_call(id, "Bash", json!({ "command": command }));
    let read = json!({ "skill": "release", "path": "references/notes.md" });
    let model = MockCompletionModel::from_turns([
        MockTurn::tool_call("1", "skills_load", json!({ "names": ["release"] })),
        MockTurn::tool_call("2", "skills_read", read),
        bash("3", "git tag v1"),
        bash("4", "rm -r build"),
        MockTurn::tool_call("5", "skills_load", json!({ "names": ["relaese"] })),
        MockTurn::text("Published."),
    ]);
    let agent = AgentBuilder::new(model.clone())
        .dynamic_tools(skills.tools()?)
        .dynamic_tool(skills.guarded(shell()))
        .add_hook(skills)
        .default_max_turns(10)
        .build();
    let answer = agent.prompt("Publish version 1.").await?;
    assert_eq!(format!("{answer}"), "Published.");

    let requests: Vec<_> = model
        .requests()
        .iter()
        .map(|request| serde_json::to_string(request))
        .collect::<Result<_, _>>()?;
    let expected: [(usize, &[&str]); 6] = [
        (0, &["You publish software.", "Makes releases.", "skills_load", "Runs a command."]),
        (1, &["Tag the commit"]),
        (2, &["One line for each change."]),
        (3, &["ran \\\"git tag v1\\\""]),
        (4, &["a person has to approve"]),
        (5, &["did you mean `release`?"]),
    ];
    for (request, texts) in expected {
        for text in texts {
            assert!(
                requests[request].contains(text),
                "request {request} has `{text}`: {}",
                requests[request]
            );
        }
    }
    assert!(!requests[0].contains("Tag the commit"), "the body is not there before the load");

    let calls = audit.take_calls();
    let outcomes: Vec<_> = calls
        .iter()
        .map(|call| match &call.outcome {
            Outcome::Done => call.intent.tool.clone(),
            Outcome::Refused(code) | Outcome::Failed(code) => code.to_string(),
        })
        .collect();
    let expected = ["skills.load", "skills.read", "Bash", "approval-required", "skill-not-found"];
    assert_eq!(outcomes, expected);
    Ok(())
}
