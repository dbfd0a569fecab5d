//! An event for each request that is answered.

#![expect(deprecated, reason = "revisions before 2026-07-28 have these parts of the protocol")]

use std::borrow::Cow;
use std::time::Instant;

use prowess::Outcome;
use prowess::tools::{Dispatched, codes};
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CompleteRequestParams,
    CompleteResult, ConstString as _, CustomRequest, CustomResult, DiscoverResult,
    GetPromptRequestParams, GetPromptResponse, GetSkillRequestParams, GetSkillResult,
    Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceDirectoryRequestParams,
    ReadResourceDirectoryResult, ReadResourceRequestParams, ReadResourceResponse, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use serde_json::Value;
use tracing::{info, warn};

use crate::SkillServer;

/// The longest text of a client that an event repeats, in characters.
const MOST_CHARACTERS: usize = 100;

/// A server that emits an event for each request. Calls that a tool has answered have theirs where
/// their outcome is known.
pub(crate) struct Logged(pub(crate) SkillServer);

/// The beginning of a request.
struct Started {
    client: String,
    at: Instant,
}

impl Started {
    fn now(context: &RequestContext<RoleServer>) -> Self {
        Self { client: client(context), at: Instant::now() }
    }

    fn end<T>(self, method: &str, result: Result<T, ErrorData>) -> Result<T, ErrorData> {
        let method = &*cut(method);
        let duration_ms = milliseconds(self.at);
        let client = &*self.client;
        match &result {
            Ok(_) => {
                info!(name: "request", target: "prowess", method, outcome = "done", duration_ms, client, "request");
            }
            Err(ErrorData { data: Some(data), .. }) if data["code"].is_string() => {
                let code = data["code"].as_str();
                warn!(name: "request", target: "prowess", method, outcome = "refused", code, duration_ms, client, "request");
            }
            Err(error) => {
                let code = error.code.0;
                info!(name: "request", target: "prowess", method, outcome = "failed", code, duration_ms, client, "request");
            }
        }
        result
    }
}

/// Emits the event of a call that was answered.
pub(crate) fn call(
    dispatched: &Dispatched,
    session: &str,
    started: Instant,
    context: &RequestContext<RoleServer>,
) {
    let Dispatched { tool, skill, resource, outcome, .. } = dispatched;
    let method = CallToolRequestMethod::VALUE;
    let duration_ms = milliseconds(started);
    let client = &*client(context);
    // A name that the model made up is no tool, nor one of a skill, and a path may be anything
    // where no file was read or run.
    let is_known = dispatched.result.code != Some(codes::UNKNOWN_TOOL);
    let tool = is_known.then_some(tool.as_str());
    let [skill, file] = [skill, resource].map(|it| it.as_deref().filter(|_| is_known));
    match outcome {
        Outcome::Done => {
            info!(name: "request", target: "prowess", method, tool, skill, file, outcome = "done", duration_ms, session, client, "request");
        }
        Outcome::Refused(code) => {
            let code = code.as_str();
            warn!(name: "request", target: "prowess", method, tool, skill, outcome = "refused", code, duration_ms, session, client, "request");
        }
        Outcome::Failed(code) => {
            let (code, exit) = (code.as_str(), dispatched.result.exit);
            let file = file.filter(|_| exit.is_some());
            warn!(name: "request", target: "prowess", method, tool, skill, file, outcome = "failed", code, exit, duration_ms, session, client, "request");
        }
    }
}

fn milliseconds(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Returns the name and the version of the client that sends a request, as it calls itself.
fn client(context: &RequestContext<RoleServer>) -> String {
    context.client_info().as_ref().map(named).unwrap_or_default()
}

fn named(client: &Implementation) -> String {
    cut(format!("{} {}", client.name, client.version).trim())
}

fn cut(text: &str) -> String {
    text.chars().take(MOST_CHARACTERS).collect()
}

/// Passes requests on, and emits the event of each.
macro_rules! logged {
    ($($name:ident: $method:literal, $params:ty => $result:ty;)*) => {
        $(async fn $name(
            &self,
            request: $params,
            context: RequestContext<RoleServer>,
        ) -> Result<$result, ErrorData> {
            let started = Started::now(&context);
            started.end($method, self.0.$name(request, context).await)
        })*
    };
}

impl ServerHandler for Logged {
    logged! {
        set_level: "logging/setLevel", SetLevelRequestParams => ();
        subscribe: "resources/subscribe", SubscribeRequestParams => ();
        unsubscribe: "resources/unsubscribe", UnsubscribeRequestParams => ();
        list_tools: "tools/list", Option<PaginatedRequestParams> => ListToolsResult;
        list_prompts: "prompts/list", Option<PaginatedRequestParams> => ListPromptsResult;
        get_prompt: "prompts/get", GetPromptRequestParams => GetPromptResponse;
        complete: "completion/complete", CompleteRequestParams => CompleteResult;
        list_resources: "resources/list", Option<PaginatedRequestParams> => ListResourcesResult;
        list_resource_templates:
            "resources/templates/list", Option<PaginatedRequestParams> => ListResourceTemplatesResult;
        read_resource: "resources/read", ReadResourceRequestParams => ReadResourceResponse;
        list_skills: "skills/list", Option<PaginatedRequestParams> => ListSkillsResult;
        get_skill: "skills/get", GetSkillRequestParams => GetSkillResult;
        read_resource_directory:
            "resources/directory/read",
            ReadResourceDirectoryRequestParams => ReadResourceDirectoryResult;
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let started = Started { client: named(&request.client_info), at: Instant::now() };
        started.end("initialize", self.0.initialize(request, context).await)
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let started = Started::now(&context);
        started.end("server/discover", self.0.discover(context).await)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let started = Started::now(&context);
        let result = self.0.call_tool(request, context).await;
        // That error is the result of a call, which has had its event.
        let is_result = |data: &Value| data["code"] == codes::UNKNOWN_TOOL.as_str();
        let error = result.as_ref().err();
        let is_emitted = error.is_none_or(|error| error.data.as_ref().is_some_and(is_result));
        if is_emitted { result } else { started.end(CallToolRequestMethod::VALUE, result) }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let started = Started::now(&context);
        let method = request.method.clone();
        started.end(&method, self.0.on_custom_request(request, context).await)
    }

    fn get_info(&self) -> ServerConfig {
        self.0.get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        ServerHandler::supported_protocol_versions(&self.0)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.0.get_tool(name)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.0.on_initialized(context).await;
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.0.accepted_subscription_filter(requested)
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        self.0.listen(subscription).await
    }
}
