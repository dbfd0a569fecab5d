//! A function of the host under its new and its old name, next to skills that limit tools.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use prowess::session::SessionHandle;
use prowess::tools::{Dispatched, FunctionTool};
use prowess::{Code, Content, Layer, Policies, Runtime, ToolCall, Trust};
use prowess_testkit::Tree;
use serde_json::{Value, json};

const SHELF: &str = "
//- /counting/SKILL.md
---
name: counting
description: Counts. Use when something is to be counted.
allowed-tools: count_words
---
Count.
//- /reading/SKILL.md
---
name: reading
description: Reads. Use when something is to be read.
allowed-tools: Read
---
Read.
";

/// A host whose function counts its calls.
struct Host {
    _tree: Tree,
    runtime: Runtime,
    session: SessionHandle,
    runs: Arc<AtomicUsize>,
}

impl Host {
    fn new() -> Self {
        let tree = Tree::new(SHELF);
        let runs = Arc::new(AtomicUsize::new(0));
        let counted = runs.clone();
        let function = move |arguments: Value| {
            counted.fetch_add(1, Ordering::SeqCst);
            let text = arguments["text"].as_str().unwrap_or_default();
            Ok::<_, String>(json!({ "words": text.split_whitespace().count() }))
        };
        let tool = FunctionTool::new("count_words", "Counts words. Use it for texts.", function);
        let mut policies = Policies::preset("omniforge").expect("there is one");
        policies.layers = vec![Layer::new("personal", Trust::Trusted)];
        let builder = Runtime::builder().policies(policies).tools(Arc::new(tool.alias("old_name")));
        let runtime = builder.skills_directory("personal", tree.path()).build();
        let runtime = runtime.expect("the names differ");
        let session = runtime.open_session().expect("the store is in memory");
        Self { _tree: tree, runtime, session, runs }
    }

    fn call(&self, tool: &str, arguments: Value) -> Dispatched {
        let turn = self.runtime.turn(&self.session).expect("the session is open");
        turn.call(&ToolCall::new(tool, arguments))
    }

    fn skill(&self, name: &str, action: &str) {
        let answer = self.call("skill", json!({ "skill_name": name, "action": action }));
        assert!(!answer.result.is_error, "{answer:?}");
    }
}

/// Calls the function by one of its names.
#[track_caller]
fn check(host: &Host, name: &str, refused: Option<&'static str>) {
    let before = host.runs.load(Ordering::SeqCst);
    let result = host.call(name, json!({ "text": "one two" })).result;
    let ran = host.runs.load(Ordering::SeqCst) - before;
    match refused {
        None => {
            assert_eq!(result.structured, Some(json!({ "words": 2 })), "{name}: {result:?}");
            assert_eq!(ran, 1, "`{name}` runs the function once");
        }
        Some(code) => {
            assert_eq!(result.code, Some(Code::new(code)), "{name}: {result:?}");
            assert_eq!(ran, 0, "`{name}` does not run when it is refused");
        }
    }
}

#[test]
fn both_names_have_the_limits_of_active_skills() {
    let host = Host::new();
    let names = ["count_words", "old_name"];
    names.iter().for_each(|name| check(&host, name, None));
    host.skill("counting", "activate");
    names.iter().for_each(|name| check(&host, name, None));
    host.skill("reading", "activate");
    names.iter().for_each(|name| check(&host, name, Some("skill-tool-not-allowed")));
    host.skill("reading", "deactivate");
    names.iter().for_each(|name| check(&host, name, None));
}

#[test]
fn old_name_is_deprecated_and_not_offered() {
    let host = Host::new();
    let result = host.call("old_name", json!({ "text": "" })).result;
    let note = |part: &Content| match part {
        Content::Text { text } => text.contains("`old_name` is deprecated; call `count_words`"),
        Content::Blob { .. } => false,
    };
    assert!(result.content.iter().any(note), "the model reads the new name: {result:?}");
    let turn = host.runtime.turn(&host.session).expect("the session is open");
    let offered: Vec<_> = turn.tools().into_iter().map(|tool| tool.name).collect();
    assert!(offered.contains(&"count_words".to_owned()), "{offered:?}");
    assert!(!offered.contains(&"old_name".to_owned()), "{offered:?}");
}

#[test]
fn system_prompt_has_every_block_of_the_preset() {
    let host = Host::new();
    let turn = host.runtime.turn(&host.session).expect("the session is open");
    let text = &turn.prompt().text;
    let titles = ["Skill navigation", "Path resolution for skills", "Script execution"];
    for title in titles.into_iter().chain(["Tool calls for skills"]) {
        assert!(text.contains(&format!("## {title}\n")), "`{title}` is missing: {text}");
    }
    assert!(text.starts_with("Skills hold instructions"), "the base rule comes first: {text}");
}
