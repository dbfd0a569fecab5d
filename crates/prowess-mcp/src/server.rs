//! One client's server: its conversation, the catalog in its instructions, the tools.

use std::sync::Arc;

use prowess::session::SessionHandle;
use prowess::{Runtime, Session, ToolCall};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde_json::Value;

use crate::convert;

/// Serves one client. Make one for each connection; any number share a runtime.
pub struct SkillServer {
    runtime: Arc<Runtime>,
    session: SessionHandle,
}

impl SkillServer {
    /// A server with a conversation of its own.
    ///
    /// # Errors
    ///
    /// The session store fails.
    pub fn new(runtime: Arc<Runtime>) -> Result<Self, prowess::Error> {
        let session = runtime.open_session()?;
        Ok(Self { runtime, session })
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
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let implementation = Implementation::new("prowess", env!("CARGO_PKG_VERSION"));
        let info = ServerConfig::new(capabilities).with_server_info(implementation);
        match self.runtime.turn(&self.session) {
            Ok(turn) => info.with_instructions(turn.prompt().text),
            Err(_) => info,
        }
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let turn = self.runtime.turn(&self.session).map_err(internal)?;
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
        let _ = context;
        // Tools read files: they run beside the connection, which goes on answering.
        let answer =
            tokio::task::spawn_blocking(move || Ok(runtime.turn(&session)?.call(&call).result));
        let answer =
            answer.await.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let result = answer.map_err(|error: prowess::Error| internal(error))?;
        Ok(convert::result(result).into())
    }
}

fn internal(error: prowess::Error) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
