//! The server of one connection: its session, the catalog in its instructions, and the tools.

#![expect(deprecated, reason = "revisions before 2026-07-28 have these parts of the protocol")]

use std::sync::Arc;

use prowess::tools::HookPolicy;
use prowess::{BodyDelivery, Runtime, Turn};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse,
    GetSkillRequestParams, GetSkillResult, InitializeRequestParams, InitializeResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceDirectoryRequestParams,
    ReadResourceDirectoryResult, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};

use crate::approval_hint::{ApprovalChannel, ApprovalHint, decide_in_the_host};
use crate::changes::{News, PeerTask, notify_subscription};
use crate::conversation::Conversation;
use crate::conversations::Conversations;
use crate::page::{Page, cursor, only_page};
use crate::transport::Closed;
use crate::watched::MOST_WATCHED;
use crate::{ServeError, convert, manifest, prompts, repeated_arguments, requests, resources};

/// Returns the page of a list after a cursor, of at most this many items.
type List<T> = fn(&Turn, Option<&str>, usize) -> Result<Page<T>, ErrorData>;

/// Serves one client. Create one per connection; they can share a runtime.
pub struct SkillServer {
    /// The conversation of requests that name none.
    conversation: Arc<Conversation>,
    pub(crate) conversations: Arc<Conversations>,
    pub(crate) news: Arc<News>,
    peer_task: PeerTask,
    pub(crate) closed: Closed,
    pub(crate) approval_hint: ApprovalHint,
    pub(crate) approvals: ApprovalChannel,
}

impl SkillServer {
    /// Creates a server with a session of its own, which its first request opens.
    ///
    /// # Errors
    ///
    /// The runtime delivers bodies in instructions instead of tool results (see
    /// [`adapt`](crate::adapt)).
    pub fn new(runtime: Arc<Runtime>) -> Result<Self, ServeError> {
        check_delivery(&runtime)?;
        Ok(Self::sharing(Arc::new(Conversations::new(runtime, false))))
    }

    /// Creates a server that shares the named conversations with others.
    pub(crate) fn sharing(conversations: Arc<Conversations>) -> Self {
        let conversation = conversations.conversation();
        Self {
            conversation: Arc::new(conversation),
            conversations,
            news: Arc::default(),
            peer_task: PeerTask::default(),
            closed: Closed::never(),
            approval_hint: decide_in_the_host,
            approvals: ApprovalChannel::default(),
        }
    }

    /// Sets where calls that need an approval are approved.
    #[must_use]
    pub fn approvals(self, approvals: ApprovalChannel) -> Self {
        Self { approvals, ..self }
    }

    /// Sets the next step that the result of a call names if a person has to approve the call. By
    /// default, it refers to the program that runs this server.
    #[must_use]
    pub fn approval_hint(self, approval_hint: ApprovalHint) -> Self {
        Self { approval_hint, ..self }
    }

    /// Ends subscriptions and questions as soon as the client has closed its end of the connection,
    /// and calls a few seconds later. See
    /// [`LineTransport::closed`](crate::LineTransport::closed).
    pub fn until(self, closed: Closed) -> Self {
        Self { closed, ..self }
    }
}

impl SkillServer {
    pub(crate) fn conversation(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<Arc<Conversation>, ErrorData> {
        let named = self.conversations.named(context)?;
        let conversation = named.unwrap_or_else(|| Arc::clone(&self.conversation));
        conversation.introduce(context)?;
        Ok(conversation)
    }

    /// Runs a request in a turn of its own.
    async fn in_turn<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Turn) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        self.conversation(context)?.in_turn(work).await?
    }

    async fn page<T: Send + 'static>(
        &self,
        request: Option<PaginatedRequestParams>,
        context: &RequestContext<RoleServer>,
        list: List<T>,
    ) -> Result<Page<T>, ErrorData> {
        let size = self.conversation.runtime().policies().tools.list_page;
        self.in_turn(context, move |turn| list(turn, cursor(request.as_ref()).as_deref(), size))
            .await
    }

    /// Adds the text that describes the catalog, if there is one.
    async fn with_instructions(&self, info: ServerConfig) -> ServerConfig {
        match self.conversation.instructions().await {
            Ok(instructions) if !instructions.is_empty() => info.with_instructions(instructions),
            _ => info,
        }
    }

    /// Returns an error unless clients may read files.
    fn check_open(&self, method: &str) -> Result<(), ErrorData> {
        if resources::are_open(self.conversation.runtime().policies()) {
            return Ok(());
        }
        let message = format!("{method} is not offered: the server's policies limit what is read");
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
    }
}

impl ServerHandler for SkillServer {
    /// Returns everything but the instructions. The protocol's library calls this several times for
    /// each request over HTTP.
    fn get_info(&self) -> ServerConfig {
        self.conversations.info().clone()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        self.conversation.introduce(&context)?;
        Ok(self.with_instructions(self.negotiate_initialize(&request)?).await)
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        self.conversation.introduce(&context)?;
        let versions = self.supported_protocol_versions().into_owned();
        let info = self.with_instructions(self.get_info()).await;
        Ok(DiscoverResult::from_server_info(versions, info))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let news = Arc::clone(&self.news);
        self.peer_task.start(Arc::clone(&self.conversation), news, context.peer);
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        requests::check_removed("logging/setLevel", &context)?;
        self.news.log.set(request.level);
        self.news.log.hidden(self.conversation.runtime(), &context).await;
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        requests::check_removed("resources/subscribe", &context)?;
        self.check_open("resources/subscribe")?;
        self.news.watched.add(request.uri, &self.conversation).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        requests::check_removed("resources/unsubscribe", &context)?;
        self.check_open("resources/unsubscribe")?;
        self.news.watched.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let lists = SubscriptionFilter::builder().tools_list_changed().prompts_list_changed();
        let mut accepted = lists.resources_list_changed().build();
        let files = requested.resource_subscriptions.iter().flatten();
        let files: Vec<_> = files.take(MOST_WATCHED).cloned().collect();
        accepted.resource_subscriptions = (!files.is_empty()).then_some(files);
        Some(accepted)
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let mut closed = self.closed.clone();
        let accepted = subscription.accepted();
        let conversation = Arc::clone(&self.conversation);
        tokio::select! {
            () = notify_subscription(conversation, subscription.sink(), accepted) => {}
            () = subscription.cancelled() => {}
            () = closed.wait() => {}
        }
        Ok(())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.conversation.introduce(&context)?;
        only_page(cursor(request.as_ref()).as_deref())?;
        let tools = self.conversation.in_turn(Turn::newest_tools).await?;
        let naming = self.conversation.naming();
        let has_hooks = self.conversation.runtime().policies().tools.hooks == HookPolicy::Run;
        let tools = tools.into_iter().map(|tool| convert::tool(tool, naming, has_hooks)).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        repeated_arguments::tool(self.conversation.runtime(), name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.call(request, &context).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let Page { items, next } = self.page(request, &context, prompts::list).await?;
        let mut result = ListPromptsResult::with_all_items(items);
        result.next_cursor = next;
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let GetPromptRequestParams { name, arguments, .. } = request;
        let arguments = arguments.unwrap_or_default();
        let conversation = self.conversation(&context)?;
        let got = conversation.in_turn(move |turn| prompts::get(turn, &name, &arguments));
        let (result, fork) = got.await??;
        if let Some(fork) = fork {
            self.conversations.keep_fork(&conversation, &fork.session, &context);
        }
        Ok(result.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let CompleteRequestParams { r#ref: reference, argument, .. } = request;
        let found =
            self.in_turn(&context, move |turn| prompts::complete(turn, &reference, &argument));
        Ok(CompleteResult::new(found.await?))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.check_open("resources/list")?;
        let Page { items, next } = self.page(request, &context, resources::list).await?;
        let mut result = ListResourcesResult::with_all_items(items);
        result.next_cursor = next;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.check_open("resources/templates/list")?;
        only_page(cursor(request.as_ref()).as_deref())?;
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.check_open("resources/read")?;
        let contents = self.in_turn(&context, move |turn| resources::read(turn, &request.uri));
        Ok(ReadResourceResult::new(vec![contents.await?]).into())
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let Page { items, next } = self.page(request, &context, manifest::list).await?;
        let mut result = ListSkillsResult::with_all_items(items);
        result.next_cursor = next;
        Ok(result)
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let found = self.in_turn(&context, move |turn| manifest::get(turn.catalog(), &request.uri));
        Ok(GetSkillResult::new(found.await?))
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        only_page(request.cursor.as_deref())?;
        let children = self.in_turn(&context, move |turn| resources::children(turn, &request.uri));
        Ok(ReadResourceDirectoryResult::with_all_items(children.await?))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(requests::unsupported(&request, &context))
    }
}

/// Returns an error if bodies are delivered where no client sees them.
pub(crate) fn check_delivery(runtime: &Runtime) -> Result<(), ServeError> {
    if runtime.policies().delivery.bodies == BodyDelivery::ToolResult {
        Ok(())
    } else {
        Err(ServeError::BodyDelivery)
    }
}
