//! The tools of the faulty plugin.

use std::sync::Arc;
use std::thread;

use prowess_plugin_sdk::prowess_core::{Catalog, Code, ToolContext, ToolDefinition, ToolResult};
use prowess_plugin_sdk::{Host, Tool, ToolProvider};
use serde_json::{Value, json};

use crate::act::{act, forged};

/// Returns this number of tools with the same name.
pub(crate) struct FaultyTools {
    pub(crate) count: usize,
    pub(crate) provide: String,
    pub(crate) host: Host,
}

impl ToolProvider for FaultyTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        act(&self.provide, "the provider");
        let tool = || Arc::new(FaultyTool(self.host.clone())) as Arc<dyn Tool>;
        (0..self.count).map(|_| tool()).collect()
    }
}

struct FaultyTool(Host);

impl Tool for FaultyTool {
    fn definition(&self, _: &Catalog) -> ToolDefinition {
        ToolDefinition {
            name: "faulty.do".into(),
            description: "Does what `how` says.".into(),
            input_schema: json!({"type": "object", "properties": {"how": {"type": "string"}}}),
        }
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        let how = arguments["how"].as_str().unwrap_or_default();
        act(how, "the tool");
        match how {
            "who" => ToolResult::data(json!({
                "session": context.session.id().as_str(),
                "caller": format!("{:?}", context.caller),
                "now": context.clock.now().0,
                "skills": context.catalog.len(),
            })),
            "features" => ToolResult::data(json!({
                "caller": self.0.has_feature("caller"),
                "telepathy": self.0.has_feature("telepathy"),
            })),
            "wait" => {
                while !context.cancel.is_cancelled() {
                    thread::yield_now();
                }
                ToolResult::text("was cancelled")
            }
            "bytes" => ToolResult::text(forged("answer")),
            "large" => ToolResult::text("x".repeat(2 << 20)),
            "larger" => ToolResult::text("x".repeat(5 << 20)),
            "" => ToolResult::error(Code::new("faulty-how"), "say how"),
            _ => ToolResult::text("done"),
        }
    }
}
