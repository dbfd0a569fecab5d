//! One client's server: its conversation, the catalog in its instructions, the tools.

use std::sync::Arc;

use prowess::session::SessionHandle;
use prowess::{Cancel, Runtime, Session, ToolCall};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde_json::Value;

use crate::changes::Changes;
use crate::convert;

/// Serves one client. Make one for each connection; any number share a runtime.
pub struct SkillServer {
    runtime: Arc<Runtime>,
    session: SessionHandle,
    changes: Changes,
}

impl SkillServer {
    /// A server with a conversation of its own.
    ///
    /// # Errors
    ///
    /// The session store fails.
    pub fn new(runtime: Arc<Runtime>) -> Result<Self, prowess::Error> {
        let session = runtime.open_session()?;
        Ok(Self { runtime, session, changes: Changes::default() })
    }
}

/// A conversation ends with its connection.
impl Drop for SkillServer {
    fn drop(&mut self) {
        // A store that fails now will expire the conversation by itself.
        let _ = self.runtime.close_session(self.session.id());
    }
}

impl ServerHandler for SkillServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        let implementation = Implementation::new("prowess", env!("CARGO_PKG_VERSION"));
        let info = ServerConfig::new(capabilities).with_server_info(implementation);
        // Without a skill there is nothing to instruct about, and an empty text is not nothing.
        match self.runtime.turn(&self.session).map(|turn| turn.prompt().text) {
            Ok(instructions) if !instructions.is_empty() => info.with_instructions(instructions),
            _ => info,
        }
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.changes.tell(&self.runtime, context.peer);
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let turn = self.runtime.turn(&self.session).map_err(|error| internal(&error))?;
        let tools = turn.tools().into_iter().map(convert::tool).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let call = ToolCall { name: request.name.into_owned(), arguments };
        let (runtime, session) = (Arc::clone(&self.runtime), self.session.clone());
        let cancel = CancelOnDrop::default();
        let until = cancel.0.clone();
        // Tools read files: they run beside the connection, which goes on answering.
        let mut work = tokio::task::spawn_blocking(move || {
            Ok(runtime.turn(&session)?.call_until(&call, &until).result)
        });
        let answer = tokio::select! {
            answer = &mut work => answer,
            () = context.ct.cancelled() => {
                cancel.0.cancel();
                work.await
            }
        };
        let answer = answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let result = answer.map_err(|error: prowess::Error| internal(&error))?;
        Ok(convert::result(result).into())
    }
}

/// Ends a call whose client is gone: then nobody waits for the answer, and its future is dropped.
#[derive(Default)]
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn internal(error: &prowess::Error) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
