//! Tools that call functions of a test.

use std::sync::Arc;

use prowess_core::{Catalog, Tool, ToolContext, ToolDefinition, ToolProvider, ToolResult};
use serde_json::{Value, json};

type Call = dyn Fn(&ToolContext<'_>, &Value) -> ToolResult + Send + Sync;

/// A tool that takes any object and calls a function.
pub struct TestTool {
    name: String,
    description: String,
    call: Box<Call>,
}

impl TestTool {
    /// Creates a tool.
    pub fn new(
        name: &str,
        description: &str,
        call: impl Fn(&ToolContext<'_>, &Value) -> ToolResult + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), description: description.into(), call: Box::new(call) }
    }
}

impl Tool for TestTool {
    fn definition(&self, _catalog: &Catalog) -> ToolDefinition {
        ToolDefinition {
            name: self.name.clone(),
            description: self.description.clone(),
            input_schema: json!({ "type": "object" }),
        }
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        (self.call)(context, arguments)
    }
}

/// A provider of these tools.
pub struct TestTools(pub Vec<Arc<dyn Tool>>);

impl TestTools {
    /// Creates a provider of one tool.
    pub fn one(tool: impl Tool + 'static) -> Self {
        Self(vec![Arc::new(tool)])
    }
}

impl ToolProvider for TestTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.0.clone()
    }
}
