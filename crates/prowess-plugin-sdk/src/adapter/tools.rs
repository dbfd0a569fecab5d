//! Adapts the author's tool provider to the ABI.

use std::convert::Infallible;
use std::sync::{Arc, OnceLock};

use abi_stable::std_types::{RResult, RStr, RString};
use prowess_core::{
    Boundary, Caller, Catalog, ResultTexts, SessionId, SessionState, Tool, ToolContext,
    ToolProvider, ToolResult,
};
use prowess_plugin_abi::conversation::{self, CallNotes};
use prowess_plugin_abi::{AbiError, CallCtx, ToolProviderAbi, codes};
use serde::Serialize;
use serde_json::Value;

use super::conversation::Conversation;
use super::mirror::Mirrors;
use super::recent::Recent;
use super::session::RemoteSession;
use crate::guard::{self, Guard};
use crate::{Host, convert};

/// A tool provider behind the ABI.
pub(super) struct ToolsAdapter {
    /// `Some` until the adapter is dropped.
    provider: Option<Arc<dyn ToolProvider>>,
    tools: OnceLock<Vec<(String, Arc<dyn Tool>)>>,
    /// The catalog of a call without a conversation.
    empty_catalog: Arc<Catalog>,
    mirrors: Mirrors,
    states: Recent<u64, SessionState>,
    /// The notes of the latest calls, and their boundaries.
    notes: Recent<String, Arc<(CallNotes, Boundary)>>,
    host: Host,
    guard: Guard,
}

impl ToolsAdapter {
    pub(super) fn new(provider: Arc<dyn ToolProvider>, host: &Host) -> Self {
        Self {
            provider: Some(provider),
            tools: OnceLock::new(),
            empty_catalog: Arc::new(Catalog::empty()),
            mirrors: Mirrors::default(),
            states: Recent::default(),
            notes: Recent::default(),
            host: host.clone(),
            guard: Guard::default(),
        }
    }

    /// Returns the tools with their names. They do not change, so they are requested once.
    fn named(&self) -> &[(String, Arc<dyn Tool>)] {
        self.tools.get_or_init(|| {
            let provider = self.provider.as_ref().expect("only the drop takes it");
            let named = |tool: Arc<dyn Tool>| (tool.name().into_owned(), tool);
            provider.tools().into_iter().map(named).collect()
        })
    }

    fn tool(&self, name: &str) -> Result<&dyn Tool, AbiError> {
        let tool = self.named().iter().find(|(own, _)| own == name);
        tool.map(|(_, tool)| &**tool).ok_or_else(|| {
            AbiError::new(codes::NOT_FOUND, format!("the plugin has no tool `{name}`"))
        })
    }

    fn describe(&self, catalog: &Catalog) -> Result<RString, AbiError> {
        let described: Vec<_> =
            self.named().iter().map(|(_, tool)| ToolDescription::of(&**tool, catalog)).collect();
        encode(&described)
    }

    fn describe_for(&self, ctx: &CallCtx<'_>) -> Result<RString, AbiError> {
        let conversation = self.conversation(ctx, &self.notes(ctx).0);
        self.describe(&*self.catalog(conversation.as_ref())?)
    }

    /// Returns the conversation of a call, if the host has sent its catalog.
    fn conversation(&self, ctx: &CallCtx<'_>, notes: &CallNotes) -> Option<Conversation> {
        let catalog = notes.catalog?;
        Some(Conversation { host: self.host.clone(), call: ctx.cancel_token, catalog })
    }

    fn catalog(&self, conversation: Option<&Conversation>) -> Result<Arc<Catalog>, AbiError> {
        match conversation {
            Some(conversation) => self.mirrors.catalog(conversation),
            None => Ok(Arc::clone(&self.empty_catalog)),
        }
    }

    fn answer(&self, ctx: &CallCtx<'_>, name: &str, text: &str) -> Result<RString, AbiError> {
        let tool = self.tool(name)?;
        let arguments = arguments_of(text)?;
        let (notes, boundary) = &*self.notes(ctx);
        let conversation = self.conversation(ctx, notes);
        let catalog = self.catalog(conversation.as_ref())?;
        let id = session_id(convert::text(ctx.trace_id)?)?;
        let session = RemoteSession::new(id, &self.host, conversation, &self.states, notes.state);
        let context = ToolContext {
            catalog: &catalog,
            session: &session,
            caller: caller_of(notes),
            origin: &Arc::default(),
            clock: &self.host,
            cancel: &self.host.cancel_of(ctx),
            approved: None,
            progress: prowess_core::Progress::default(),
            boundary,
            result_bytes: None,
            keeps_results: false,
        };
        let result = tool.call(&context, &arguments);
        if notes.takes_texts { encode_with_texts(result) } else { encode(&result) }
    }

    /// Returns the notes of a call. Those of a series of calls are parsed once.
    fn notes(&self, ctx: &CallCtx<'_>) -> Arc<(CallNotes, Boundary)> {
        let text = convert::text(ctx.ext).unwrap_or_default();
        let parsed = self.notes.get_or_insert_with(text.to_owned(), || {
            let notes = conversation::notes(text);
            let boundary = Boundary::new(&notes.boundary);
            Ok::<_, Infallible>(Arc::new((notes, boundary)))
        });
        parsed.unwrap_or_else(|never| match never {})
    }

    fn skills_named(&self, name: &str, text: &str) -> Result<RString, AbiError> {
        encode(&self.tool(name)?.named_skills(&arguments_of(text)?))
    }
}

impl ToolProviderAbi for ToolsAdapter {
    fn tools(&self) -> RResult<RString, AbiError> {
        self.guard.run(|| self.describe(&self.empty_catalog))
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
        // The provider is shut down when it is dropped.
        RResult::ROk(())
    }

    fn tools_for(&self, ctx: CallCtx<'_>) -> RResult<RString, AbiError> {
        self.guard.run(|| self.describe_for(&ctx))
    }

    fn named_skills(&self, name: RStr<'_>, arguments: RStr<'_>) -> RResult<RString, AbiError> {
        self.guard.run(|| self.skills_named(convert::text(name)?, convert::text(arguments)?))
    }
}

/// Returns the caller: the model, unless the host names the user.
fn caller_of(notes: &CallNotes) -> Caller {
    match notes.caller.as_deref() {
        Some("user") => Caller::User,
        _ => Caller::Model,
    }
}

fn arguments_of(text: &str) -> Result<Value, AbiError> {
    serde_json::from_str(text).map_err(|error| {
        AbiError::new(codes::INVALID_ARGUMENT, format!("the arguments are invalid JSON: {error}"))
    })
}

/// The description of a tool for the host.
#[derive(Serialize)]
struct ToolDescription {
    name: String,
    description: String,
    input_schema: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepts: Option<Value>,
    #[serde(skip_serializing_if = "is_default")]
    is_offered: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_default(is_offered: &bool) -> bool {
    *is_offered
}

impl ToolDescription {
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

/// Encodes a result with long texts after the document.
fn encode_with_texts(mut result: ToolResult) -> Result<RString, AbiError> {
    let Some(ResultTexts { lengths, text }) = ResultTexts::take(&mut result, usize::MAX) else {
        return encode(&result);
    };
    let mut encoded = encode(&result)?;
    // The result is an object, which ends with a brace; the lengths are its last field.
    encoded.pop();
    let lengths = format!(",\"texts\":{lengths:?}}}\n");
    encoded.reserve(lengths.len() + text.len());
    encoded.push_str(&lengths);
    encoded.push_str(&text);
    Ok(encoded)
}

impl Drop for ToolsAdapter {
    fn drop(&mut self) {
        let provider = self.provider.take();
        let tools = self.tools.take();
        guard::contain(|| drop(tools));
        guard::contain(|| drop(provider));
    }
}

/// Returns the session id that the host has sent, or `unknown` if there is none.
fn session_id(trace_id: &str) -> Result<SessionId, AbiError> {
    let text = if trace_id.is_empty() { "unknown" } else { trace_id };
    SessionId::new(text).map_err(|error| AbiError::new(codes::INVALID_ARGUMENT, error.to_string()))
}
