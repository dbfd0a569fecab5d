//! The server of one connection: its session, the catalog in its instructions, and the tools.

use std::sync::Arc;

use prowess::{BodyDelivery, Cancel, Runtime, ToolCall};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use serde_json::Value;

use crate::approval_hint::{ApprovalHint, decide_in_the_host};
use crate::changes::{PeerTask, notify_subscription};
use crate::conversation::Conversation;
use crate::transport::Closed;
use crate::{ServeError, convert, requests};

/// Serves one client. Create one per connection; they can share a runtime.
pub struct SkillServer {
    conversation: Arc<Conversation>,
    peer_task: PeerTask,
    closed: Closed,
    approval_hint: ApprovalHint,
}

impl SkillServer {
    /// Creates a server with a session of its own.
    ///
    /// # Errors
    ///
    /// The runtime delivers bodies in instructions instead of tool results (see
    /// [`adapt`](crate::adapt)), or the session store fails.
    pub fn new(runtime: Arc<Runtime>) -> Result<Self, ServeError> {
        if runtime.policies().delivery.bodies != BodyDelivery::ToolResult {
            return Err(ServeError::BodyDelivery);
        }
        let conversation = Arc::new(Conversation::open(runtime)?);
        Ok(Self {
            conversation,
            peer_task: PeerTask::default(),
            closed: Closed::never(),
            approval_hint: decide_in_the_host,
        })
    }

    /// Sets the next step that the result of a call names if a person has to approve the call. By
    /// default, it refers to the program that runs this server.
    #[must_use]
    pub fn approval_hint(self, approval_hint: ApprovalHint) -> Self {
        Self { approval_hint, ..self }
    }

    /// Ends subscriptions as soon as the client has closed its end of the connection. See
    /// [`LineTransport::closed`](crate::LineTransport::closed).
    pub fn until(self, closed: Closed) -> Self {
        Self { closed, ..self }
    }
}

impl ServerHandler for SkillServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        let implementation = Implementation::new("prowess", env!("CARGO_PKG_VERSION"));
        let info = ServerConfig::new(capabilities).with_server_info(implementation);
        match self.conversation.instructions() {
            Ok(instructions) if !instructions.is_empty() => info.with_instructions(instructions),
            _ => info,
        }
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.peer_task.start(Arc::clone(&self.conversation), context.peer);
    }

    fn accepted_subscription_filter(
        &self,
        _requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let mut closed = self.closed.clone();
        let wants_tools = subscription.accepted().tools_list_changed == Some(true);
        let notifying = async {
            if wants_tools {
                notify_subscription(Arc::clone(&self.conversation), subscription.sink()).await;
            } else {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = notifying => {}
            () = subscription.cancelled() => {}
            () = closed.wait() => {}
        }
        Ok(())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            let message = "unknown cursor: the list of tools has one page";
            return Err(ErrorData::invalid_params(message, None));
        }
        let tools =
            self.conversation.in_turn(prowess::Turn::newest_tools).await.map_err(internal)?;
        Ok(ListToolsResult::with_all_items(tools.into_iter().map(convert::tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let call = ToolCall { name: request.name.into_owned(), arguments };
        let cancel = CancelOnDrop::default();
        let cancelled = cancel.0.clone();
        let work = self.conversation.in_turn(move |turn| turn.call_until(&call, &cancelled));
        tokio::pin!(work);
        let dispatched = tokio::select! {
            dispatched = &mut work => dispatched,
            () = context.ct.cancelled() => {
                cancel.0.cancel();
                work.await
            }
        };
        let dispatched = dispatched.map_err(internal)?;
        Ok(convert::result(dispatched, self.approval_hint)?.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(requests::unsupported(&request))
    }
}

/// Cancels a call when its future is dropped, which happens when the client is gone.
#[derive(Default)]
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn internal(error: String) -> ErrorData {
    ErrorData::internal_error(error, None)
}
