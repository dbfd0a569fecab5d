//! The `# Behavior` lists of `Tool` and `ToolProvider` as checks.

use std::collections::BTreeSet;
use std::sync::Arc;

use prowess_core::{
    Boundary, Caller, Cancel, Catalog, Tool, ToolContext, ToolProvider, ToolResult,
};
use serde_json::{Value, json};

use crate::{FixedSession, ManualClock};

const SAME: &str = "`tools` gives the same tools each time";
const NAMED: &str = "The tools, each with a name of its own";
const CATALOG: &str = "`definition` is a function of the catalog alone; its name never changes";
const ANSWERS: &str = "`call` always answers: bad arguments and failures are results with a code";
const THREADS: &str =
    "`call` may run on any thread, also several times at once, and ends soon after `cancel`";

/// Checks every rule of [`ToolProvider`] and of its [`Tool`]s. `examples` has a valid call of each
/// tool, by its name, with the same result each time.
pub fn check_tools(provider: &dyn ToolProvider, examples: &[(&str, Value)]) {
    let tools = provider.tools();
    let names = names(&tools);
    let again = names.iter().eq(&self::names(&provider.tools()));
    assert!(again, "{}", broken(SAME, "the second time there are others"));
    let different: BTreeSet<_> = names.iter().collect();
    assert_eq!(different.len(), names.len(), "{}", broken(NAMED, "two have one name"));
    for tool in &tools {
        a_definition_can_be_shown(&**tool);
        bad_arguments_are_answered(&**tool);
    }
    for name in &names {
        let has_example = examples.iter().any(|(known, _)| known == name);
        assert!(has_example, "the kit has no good call of `{name}`");
    }
    for (name, arguments) in examples {
        let tool = tools.iter().zip(&names).find(|(_, known)| known == name);
        let (tool, _) = tool.unwrap_or_else(|| panic!("there is no tool `{name}`"));
        a_good_call_is_answered_anywhere(&**tool, arguments);
    }
}

/// Calls a tool as the model does, in a session without loaded skills, with an empty catalog.
pub fn call_tool(tool: &dyn Tool, arguments: &Value) -> ToolResult {
    call_until(tool, arguments, &Cancel::default())
}

fn call_until(tool: &dyn Tool, arguments: &Value, cancel: &Cancel) -> ToolResult {
    let context = ToolContext {
        catalog: &Arc::new(Catalog::empty()),
        session: &FixedSession::new("kit"),
        caller: Caller::Model,
        origin: &Arc::default(),
        clock: &ManualClock::default(),
        cancel,
        approved: None,
        progress: prowess_core::Progress::default(),
        boundary: &Boundary::default(),
        result_bytes: None,
        keeps_results: false,
    };
    tool.call(&context, arguments)
}

fn broken(rule: &str, how: &str) -> String {
    format!("the tools break the rule \"{rule}\": {how}")
}

fn names(tools: &[Arc<dyn Tool>]) -> Vec<String> {
    tools.iter().map(|tool| tool.name().into_owned()).collect()
}

fn a_definition_can_be_shown(tool: &dyn Tool) {
    let [one, other] = [(), ()].map(|()| tool.definition(&Catalog::empty()));
    assert_eq!(one, other, "{}", broken(CATALOG, "two definitions of one catalog differ"));
    let name = &one.name;
    assert_eq!(tool.name(), *name, "{}", broken(CATALOG, "its name is not that of its definition"));
    assert!(
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)),
        "`{name}` can be spelled everywhere"
    );
    assert!(!one.description.trim().is_empty(), "`{name}` says what it does");
    for schema in [&one.input_schema, &*tool.accepts(&Catalog::empty())] {
        assert_eq!(schema["type"], "object", "the arguments of `{name}` are an object");
    }
}

fn bad_arguments_are_answered(tool: &dyn Tool) {
    let name = tool.name().into_owned();
    let bad = [json!(null), json!([]), json!("text"), json!({"": {"": []}}), json!({"no such": 1})];
    for arguments in bad {
        let result = call_tool(tool, &arguments);
        let has_code = !result.is_error || result.code.is_some();
        assert!(has_code, "{}", broken(ANSWERS, &format!("`{name}` of {arguments} has no code")));
    }
}

fn a_good_call_is_answered_anywhere(tool: &dyn Tool, arguments: &Value) {
    let name = tool.name().into_owned();
    let alone = call_tool(tool, arguments);
    assert!(!alone.is_error, "the good call of `{name}` is answered: {alone:?}");
    std::thread::scope(|scope| {
        let threads = [(); 4].map(|()| scope.spawn(|| call_tool(tool, arguments)));
        for thread in threads {
            let together = thread.join().expect(THREADS);
            assert_eq!(together, alone, "{}", broken(THREADS, "threads get different answers"));
        }
    });
    let cancel = Cancel::default();
    cancel.cancel();
    let result = call_until(tool, arguments, &cancel);
    let is_answered = result == alone || (result.is_error && result.code.is_some());
    assert!(is_answered, "{}", broken(ANSWERS, "a cancelled call is neither done nor an error"));
}
