//! A tool provider of the author's, for the host.

use std::sync::{Arc, OnceLock};

use abi_stable::std_types::{RResult, RStr, RString};
use prowess_core::{Boundary, Caller, Catalog, SessionId, Tool, ToolContext, ToolProvider};
use prowess_plugin_abi::{AbiError, CallCtx, ToolProviderAbi, codes};
use serde::Serialize;
use serde_json::Value;

use super::session::RemoteSession;
use crate::guard::{self, Guard};
use crate::{Host, convert};

pub(super) struct ToolsAdapter {
    /// Always there until the adapter is dropped.
    provider: Option<Arc<dyn ToolProvider>>,
    tools: OnceLock<Vec<(String, Arc<dyn Tool>)>>,
    catalog: Arc<Catalog>,
    host: Host,
    guard: Guard,
}

impl ToolsAdapter {
    pub(super) fn new(provider: Arc<dyn ToolProvider>, host: &Host) -> Self {
        Self {
            provider: Some(provider),
            tools: OnceLock::new(),
            catalog: Arc::new(Catalog::empty()),
            host: host.clone(),
            guard: Guard::default(),
        }
    }

    /// The tools by name. A provider gives the same tools each time, so it is asked once.
    fn named(&self) -> &[(String, Arc<dyn Tool>)] {
        self.tools.get_or_init(|| {
            let provider = self.provider.as_ref().expect("only the drop takes it");
            let named = |tool: Arc<dyn Tool>| (tool.definition(&self.catalog).name, tool);
            provider.tools().into_iter().map(named).collect()
        })
    }

    fn describe(&self) -> Result<RString, AbiError> {
        let catalog = &self.catalog;
        let described: Vec<_> =
            self.named().iter().map(|(_, tool)| Described::of(&**tool, catalog)).collect();
        encode(&described)
    }

    fn answer(&self, ctx: &CallCtx<'_>, name: &str, text: &str) -> Result<RString, AbiError> {
        let tool = self.named().iter().find(|(own, _)| own == name);
        let Some((_, tool)) = tool else {
            let message = format!("the plugin has no tool `{name}`");
            return Err(AbiError::new(codes::NOT_FOUND, message));
        };
        let arguments: Value = serde_json::from_str(text).map_err(|error| {
            AbiError::new(codes::INVALID_ARGUMENT, format!("the arguments are no JSON: {error}"))
        })?;
        let id = session_id(convert::text(ctx.trace_id)?)?;
        let session = RemoteSession { id, host: self.host.clone() };
        let context = ToolContext {
            catalog: &self.catalog,
            session: &session,
            caller: caller_of(ctx),
            clock: &self.host,
            cancel: &self.host.cancel_of(ctx),
            boundary: &Boundary::default(),
        };
        encode(&tool.call(&context, &arguments))
    }
}

impl ToolProviderAbi for ToolsAdapter {
    fn tools(&self) -> RResult<RString, AbiError> {
        self.guard.run(|| self.describe())
    }

    fn call(
        &self,
        ctx: CallCtx<'_>,
        name: RStr<'_>,
        arguments: RStr<'_>,
    ) -> RResult<RString, AbiError> {
        self.guard.run(|| self.answer(&ctx, convert::text(name)?, convert::text(arguments)?))
    }

    fn shutdown(&self, _deadline_ms: u64) -> RResult<(), AbiError> {
        // What ends does so when it is dropped.
        RResult::ROk(())
    }
}

/// Returns the caller: the model, unless the host names the user.
fn caller_of(ctx: &CallCtx<'_>) -> Caller {
    let ext: Value =
        serde_json::from_str(convert::text(ctx.ext).unwrap_or_default()).unwrap_or_default();
    match ext["caller"].as_str() {
        Some("user") => Caller::User,
        _ => Caller::Model,
    }
}

/// One tool as it is shown to the host.
#[derive(Serialize)]
struct Described {
    name: String,
    description: String,
    input_schema: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepts: Option<Value>,
    #[serde(skip_serializing_if = "is_usual")]
    is_offered: bool,
}

/// Nearly every tool is offered.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_usual(is_offered: &bool) -> bool {
    *is_offered
}

impl Described {
    fn of(tool: &dyn Tool, catalog: &Catalog) -> Self {
        let definition = tool.definition(catalog);
        let accepts = tool.accepts(catalog).into_owned();
        Self {
            accepts: (accepts != definition.input_schema).then_some(accepts),
            is_offered: tool.is_offered(catalog),
            name: definition.name,
            description: definition.description,
            input_schema: definition.input_schema,
        }
    }
}

fn encode(value: &impl Serialize) -> Result<RString, AbiError> {
    let text = serde_json::to_string(value);
    text.map(RString::from).map_err(|error| {
        AbiError::new(codes::INTERNAL, format!("the answer cannot be written as JSON: {error}"))
    })
}

impl Drop for ToolsAdapter {
    fn drop(&mut self) {
        let (provider, tools) = (self.provider.take(), self.tools.take());
        guard::contain(|| drop(tools));
        guard::contain(|| drop(provider));
    }
}

/// Returns the id of the conversation that the host names, or `unknown` if it names none.
fn session_id(trace_id: &str) -> Result<SessionId, AbiError> {
    let text = if trace_id.is_empty() { "unknown" } else { trace_id };
    SessionId::new(text).map_err(|error| AbiError::new(codes::INVALID_ARGUMENT, error.to_string()))
}
