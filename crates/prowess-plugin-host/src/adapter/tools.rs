//! A plugin's tools as the core's.

use std::borrow::Cow;
use std::sync::Arc;

use prowess_core::{
    Catalog, Code, Content, Tool, ToolContext, ToolDefinition, ToolProvider, ToolResult,
};
use prowess_plugin_abi::codes;
use prowess_plugin_abi::text::checked_string;
use serde::Deserialize;
use serde_json::Value;

use super::convert::{self, Described};
use crate::PluginErrorKind;
use crate::failure::Failure;
use crate::generation::{CallContext, Shared};
use crate::instance::Instance;

pub(crate) struct PluginTools {
    tools: Vec<Arc<dyn Tool>>,
}

impl PluginTools {
    pub(crate) fn new(shared: &Arc<Shared>, index: usize) -> Self {
        let described = convert::described(&shared.shape.tools[index]);
        let described = described.expect("they were read when the plugin began");
        let tool = |described| {
            Arc::new(PluginTool { shared: Arc::clone(shared), index, described }) as Arc<dyn Tool>
        };
        Self { tools: described.into_iter().map(tool).collect() }
    }
}

impl ToolProvider for PluginTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.tools.clone()
    }
}

struct PluginTool {
    shared: Arc<Shared>,
    index: usize,
    described: Described,
}

impl Tool for PluginTool {
    fn definition(&self, _: &Catalog) -> ToolDefinition {
        ToolDefinition {
            name: self.described.name.clone(),
            description: self.described.description.clone(),
            input_schema: self.described.input_schema.clone(),
        }
    }

    fn accepts(&self, _: &Catalog) -> Cow<'_, Value> {
        Cow::Borrowed(self.described.accepts.as_ref().unwrap_or(&self.described.input_schema))
    }

    fn is_offered(&self, _: &Catalog) -> bool {
        self.described.is_offered
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        self.answer(context, arguments).unwrap_or_else(|failure| {
            ToolResult::error(convert::result_code(&failure), failure.message)
        })
    }
}

impl PluginTool {
    fn answer(&self, context: &ToolContext<'_>, arguments: &Value) -> Result<ToolResult, Failure> {
        let (index, name) = (self.index, self.described.name.clone());
        let arguments = arguments.to_string();
        let call = CallContext {
            cancel: Some(context.cancel),
            conversation: context.session.id().as_str(),
            caller: context.caller,
            ..CallContext::default()
        };
        let text = self.shared.call(&call, move |instance: &Instance, ctx| {
            let tools = &instance.objects().tools[index];
            tools.call(ctx, name.as_str().into(), arguments.as_str().into())
        })?;
        let most = self.shared.limits.answer_bytes;
        if text.len() > most {
            return Err(self.fault(&format!("with {} bytes; {most} are allowed", text.len())));
        }
        let text = checked_string(text)
            .map_err(|error| self.fault(&format!("with what is not UTF-8 text: {error}")))?;
        let answer: Answer = serde_json::from_str(&text)
            .map_err(|error| self.fault(&format!("with what is no result: {error}")))?;
        Ok(answer.into_result())
    }

    fn fault(&self, how: &str) -> Failure {
        let (plugin, tool) = (&self.shared.name, &self.described.name);
        let message = format!("the plugin `{plugin}` answers a call of `{tool}` {how}");
        Failure::of(PluginErrorKind::Protocol, codes::INTERNAL, message)
    }
}

/// A result as a plugin writes it.
#[derive(Deserialize)]
struct Answer {
    is_error: bool,
    #[serde(default)]
    code: Option<Code>,
    content: Vec<Content>,
    #[serde(default)]
    structured: Option<Value>,
}

/// Checks that this is a result as a plugin has to write it.
///
/// # Errors
///
/// It is not; the text says why.
pub fn is_answer(text: &str) -> Result<(), String> {
    serde_json::from_str::<Answer>(text).map(drop).map_err(|error| error.to_string())
}

impl Answer {
    fn into_result(self) -> ToolResult {
        let Self { is_error, code, content, structured } = self;
        ToolResult { is_error, code, content, structured }
    }
}
