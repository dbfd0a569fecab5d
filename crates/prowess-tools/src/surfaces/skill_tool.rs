//! The part that all skill tools share.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use prowess_core::{
    Catalog, LoadMode, Record, Tool, ToolContext, ToolDefinition, ToolInfo, ToolResult, ToolType,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::gate::Refusal;
use crate::operations::Operations;
use crate::rehearsal::Rehearsed;

/// The time limit of a call of a tool that runs no script.
const CALL_TIMEOUT_MS: u64 = 30_000;

/// One call of a tool.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) operations: &'a Operations,
    pub(crate) context: &'a ToolContext<'a>,
}

/// One tool over the operations: its name, its arguments and the form of its result.
pub(super) trait SkillTool: Send + Sync + 'static {
    /// The canonical name.
    const NAME: &'static str;

    /// The description for a model.
    const DESCRIPTION: &'static str;

    /// The field of the arguments with the skill that a call refers to.
    const SKILL_FIELD: &'static str = "skill";

    /// Whether a call changes more than the session, so that it cannot be rehearsed.
    const HAS_EFFECTS: bool = false;

    /// The arguments, once they match the schema.
    type Arguments: DeserializeOwned;

    /// Returns the description, if it depends on the policies.
    fn description(&self, _operations: &Operations) -> String {
        Self::DESCRIPTION.to_owned()
    }

    /// Returns the schema for checking arguments.
    fn schema(&self, operations: &Operations) -> Value;

    /// Returns the schema for a model, if it differs from [`Self::schema`]: it may list ids and
    /// require fields for whose absence the tool has a message of its own.
    fn shown_schema(&self, _operations: &Operations, _catalog: &Catalog) -> Option<Value> {
        None
    }

    /// Returns the skills that a call refers to. By default, the one in [`Self::SKILL_FIELD`].
    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        arguments[Self::SKILL_FIELD].as_str().into_iter().collect()
    }

    /// Returns the skills that a call would load, if it is one that loads.
    fn loads<'a>(&self, _arguments: &'a Value) -> Option<(Vec<&'a str>, LoadMode)> {
        None
    }

    /// Returns the skill whose content a call would run. By default, that of its hooks.
    fn subject<'c>(
        &self,
        operations: &Operations,
        context: &ToolContext<'c>,
        arguments: &Value,
    ) -> Option<Record<'c>> {
        let (names, mode) = self.loads(arguments)?;
        operations.hooked_subject(context, &names, mode)
    }

    /// Whether the document of the tool has it without skills, too.
    const WITHOUT_SKILLS: bool = false;

    /// Returns whether the tool is listed. By default, it is if there is a skill.
    fn is_offered(&self, _operations: &Operations, catalog: &Catalog) -> bool {
        Self::WITHOUT_SKILLS || !catalog.is_empty()
    }

    /// Returns the time limit of a call, in milliseconds.
    fn timeout_ms(&self, _operations: &Operations) -> u64 {
        CALL_TIMEOUT_MS
    }

    /// Executes a call.
    fn run(&self, call: &Call<'_>, arguments: Self::Arguments) -> Result<ToolResult, Refusal>;
}

/// Returns the schema of an object with these properties alone.
pub(super) fn closed(properties: Value, required: &[&str]) -> Value {
    let mut schema = json!({ "type": "object" });
    schema["properties"] = properties;
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema["additionalProperties"] = json!(false);
    schema
}

/// Returns the schema of a text.
pub(super) fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

/// A skill tool with the operations of its provider.
struct Bound<T> {
    tool: T,
    operations: Arc<Operations>,
    /// The schema for checking arguments, built at its first use.
    accepted: OnceLock<Value>,
    /// Whether a model is offered the tool. A host may call it in any case.
    is_listed: bool,
}

pub(super) fn bind<T: SkillTool>(tool: T, operations: &Arc<Operations>) -> Arc<dyn Tool> {
    Arc::new(Bound::new(tool, operations, true))
}

/// Returns a tool that a host may call and that no model is offered.
pub(super) fn unlisted<T: SkillTool>(tool: T, operations: &Arc<Operations>) -> Arc<dyn Tool> {
    Arc::new(Bound::new(tool, operations, false))
}

impl<T: SkillTool> Bound<T> {
    fn new(tool: T, operations: &Arc<Operations>, is_listed: bool) -> Self {
        Self { tool, operations: Arc::clone(operations), accepted: OnceLock::new(), is_listed }
    }

    fn answer(&self, call: &Call<'_>, arguments: &Value) -> ToolResult {
        let arguments = T::Arguments::deserialize(arguments).map_err(Refusal::from);
        arguments.and_then(|arguments| self.tool.run(call, arguments)).unwrap_or_else(Into::into)
    }

    fn accepted(&self) -> &Value {
        self.accepted.get_or_init(|| self.tool.schema(&self.operations))
    }
}

impl<T: SkillTool> Tool for Bound<T> {
    fn definition(&self, catalog: &Catalog) -> ToolDefinition {
        let shown = self.tool.shown_schema(&self.operations, catalog);
        ToolDefinition {
            name: T::NAME.to_owned(),
            description: self.tool.description(&self.operations),
            input_schema: shown.unwrap_or_else(|| self.accepted().clone()),
        }
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(T::NAME)
    }

    fn accepts(&self, _catalog: &Catalog) -> Cow<'_, Value> {
        Cow::Borrowed(self.accepted())
    }

    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        self.tool.named_skills(arguments)
    }

    fn named_resource<'a>(&self, arguments: &'a Value) -> Option<&'a str> {
        arguments["path"].as_str()
    }

    fn subject<'c>(&self, context: &ToolContext<'c>, arguments: &Value) -> Option<Record<'c>> {
        self.tool.subject(&self.operations, context, arguments)
    }

    fn refusal(&self, context: &ToolContext<'_>, arguments: &Value) -> Option<ToolResult> {
        if T::HAS_EFFECTS {
            return None;
        }
        let session = &Rehearsed(context.session);
        let context = &ToolContext { session, ..*context };
        let result =
            self.answer(&Call { operations: &self.operations.rehearsed(), context }, arguments);
        result.is_error.then_some(result)
    }

    fn is_offered(&self, catalog: &Catalog) -> bool {
        self.is_listed && self.tool.is_offered(&self.operations, catalog)
    }

    fn info(&self) -> ToolInfo {
        let timeout_ms = Some(self.tool.timeout_ms(&self.operations));
        ToolInfo { tool_type: ToolType::Skill, timeout_ms }
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        self.answer(&Call { operations: &self.operations, context }, arguments)
    }
}
