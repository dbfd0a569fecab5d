//! The part that all skill tools share.

use std::borrow::Cow;
use std::sync::Arc;

use prowess_core::{
    Catalog, Record, Tool, ToolContext, ToolDefinition, ToolInfo, ToolResult, ToolType,
};
use serde_json::Value;

use crate::content::problem::{Problem, answer};
use crate::operations::Operations;

/// The time limit of a call of a tool that runs no script.
const CALL_TIMEOUT_MS: u64 = 30_000;

/// One tool over the operations: its name, its arguments and the form of its result.
pub(super) trait SkillTool: Send + Sync + 'static {
    /// The canonical name.
    const NAME: &'static str;

    /// Returns the description for a model.
    fn description(&self, operations: &Operations, catalog: &Catalog) -> Cow<'static, str>;

    /// Returns the schema for checking arguments.
    fn schema(&self, operations: &Operations) -> Value;

    /// Returns the schema for a model, if it differs from [`Self::schema`]: it may list ids and
    /// require fields for whose absence the tool has a message of its own.
    fn shown_schema(&self, _operations: &Operations, _catalog: &Catalog) -> Option<Value> {
        None
    }

    /// Returns the skills that a call refers to. By default, the one in the field `skill`.
    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        arguments["skill"].as_str().into_iter().collect()
    }

    /// Returns the file that a call refers to. By default, the one in the field `path`.
    fn named_resource<'a>(&self, arguments: &'a Value) -> Option<&'a str> {
        arguments["path"].as_str()
    }

    /// Returns the skill whose content a call would run. By default, none.
    fn subject<'c>(
        &self,
        _operations: &Operations,
        _context: &ToolContext<'c>,
        _arguments: &Value,
    ) -> Option<Record<'c>> {
        None
    }

    /// Returns whether the tool is listed. By default, it is if there is a skill.
    fn is_offered(&self, _operations: &Operations, catalog: &Catalog) -> bool {
        !catalog.is_empty()
    }

    /// Returns the time limit of a call, in milliseconds.
    fn timeout_ms(&self, _operations: &Operations) -> u64 {
        CALL_TIMEOUT_MS
    }

    /// Executes a call.
    fn run(
        &self,
        operations: &Operations,
        context: &ToolContext<'_>,
        arguments: &Value,
    ) -> Result<ToolResult, Problem>;
}

/// A skill tool with the operations of its provider.
struct Bound<T> {
    tool: T,
    operations: Arc<Operations>,
    /// The schema for checking arguments, built once.
    accepted: Value,
}

/// Returns a tool for a toolbox.
pub(super) fn bind<T: SkillTool>(tool: T, operations: &Arc<Operations>) -> Arc<dyn Tool> {
    let operations = Arc::clone(operations);
    let accepted = tool.schema(&operations);
    Arc::new(Bound { tool, operations, accepted })
}

impl<T: SkillTool> Tool for Bound<T> {
    fn definition(&self, catalog: &Catalog) -> ToolDefinition {
        let shown = self.tool.shown_schema(&self.operations, catalog);
        ToolDefinition {
            name: T::NAME.to_owned(),
            description: self.tool.description(&self.operations, catalog).into_owned(),
            input_schema: shown.unwrap_or_else(|| self.accepted.clone()),
        }
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(T::NAME)
    }

    fn accepts(&self, _catalog: &Catalog) -> Cow<'_, Value> {
        Cow::Borrowed(&self.accepted)
    }

    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        self.tool.named_skills(arguments)
    }

    fn named_resource<'a>(&self, arguments: &'a Value) -> Option<&'a str> {
        self.tool.named_resource(arguments)
    }

    fn subject<'c>(&self, context: &ToolContext<'c>, arguments: &Value) -> Option<Record<'c>> {
        self.tool.subject(&self.operations, context, arguments)
    }

    fn is_offered(&self, catalog: &Catalog) -> bool {
        self.tool.is_offered(&self.operations, catalog)
    }

    fn info(&self) -> ToolInfo {
        let timeout_ms = Some(self.tool.timeout_ms(&self.operations));
        ToolInfo { tool_type: ToolType::Skill, timeout_ms }
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        answer(self.tool.run(&self.operations, context, arguments))
    }
}

/// A tool that a host may call and that no model is offered.
struct Unlisted(Arc<dyn Tool>);

/// Returns a tool that is not offered to a model.
pub(super) fn unlisted(tool: Arc<dyn Tool>) -> Arc<dyn Tool> {
    Arc::new(Unlisted(tool))
}

impl Tool for Unlisted {
    fn definition(&self, catalog: &Catalog) -> ToolDefinition {
        self.0.definition(catalog)
    }

    fn name(&self) -> Cow<'_, str> {
        self.0.name()
    }

    fn accepts(&self, catalog: &Catalog) -> Cow<'_, Value> {
        self.0.accepts(catalog)
    }

    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        self.0.named_skills(arguments)
    }

    fn named_resource<'a>(&self, arguments: &'a Value) -> Option<&'a str> {
        self.0.named_resource(arguments)
    }

    fn subject<'c>(&self, context: &ToolContext<'c>, arguments: &Value) -> Option<Record<'c>> {
        self.0.subject(context, arguments)
    }

    fn is_offered(&self, _catalog: &Catalog) -> bool {
        false
    }

    fn info(&self) -> ToolInfo {
        self.0.info()
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        self.0.call(context, arguments)
    }
}
