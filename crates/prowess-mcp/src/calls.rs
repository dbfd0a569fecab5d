//! Tool calls: their run, their cancellation, and the question to the user if a person has to
//! approve them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use prowess::text::{clipped, quoted};
use prowess::tools::Dispatched;
use prowess::{
    ApprovalDecision, ApprovalEntry, ApprovalId, ApprovalState, ApprovalStoreExt as _, CallOptions,
    Cancel, Progress, ProgressEvent, ToolCall,
};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientResult, ElicitResult, InputRequest,
    InputRequiredResult, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext, RoleServer};
use serde_json::Value;

use crate::compaction::Wanted;
use crate::conversation::Conversation;
use crate::conversations::Waiting;
use crate::requests::is_stateless;
use crate::result_limits::bytes_kept_by;
use crate::server::SkillServer;
use crate::transport::Closed;
use crate::{ApprovalChannel, convert, elicitation, hidden, logged, progress};

/// The time that a user has for an answer, while the call waits.
const PATIENCE: Duration = Duration::from_secs(600);

/// The tool that lists skills.
const LIST: &str = "skills.list";

/// The progress of a question.
enum Asked {
    /// The user has decided, so the call runs or is refused for good.
    Decided,
    /// The user has not decided.
    Undecided,
    /// The client asks its user and repeats the call.
    Later(InputRequiredResult),
}

impl SkillServer {
    /// Runs a call, and asks the user if that is what it needs. A call is asked about once.
    pub(crate) async fn call(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let started = Instant::now();
        let CallToolRequestParams { name, arguments, input_responses, request_state, .. } = request;
        let call = ToolCall::new(name, arguments.map_or(Value::Null, Value::Object));
        let answered = request_state.map(|state| self.waiting(&state)).transpose()?;
        let conversation = match &answered {
            Some(waiting) => Arc::clone(&waiting.conversation),
            None => self.conversation(context)?,
        };
        let order = conversation.order_of(&call.name, &call.arguments).await;
        if let Some(waiting) = &answered {
            let answer = input_responses.and_then(|mut answers| answers.remove(elicitation::INPUT));
            let answer = answer.and_then(|answer| serde_json::from_value(answer).ok());
            self.decide(&conversation, &waiting.asked, answer, context).await?;
        }
        let wanted = Wanted::of(&conversation, context).await?;
        let mut dispatched = run(&conversation, call.clone(), context, &self.closed).await?;
        drop(order);
        if let Some(approval) = &dispatched.approval
            && answered.is_none()
            && self.asks(context)
        {
            match self.ask(&conversation, approval, context).await? {
                Asked::Decided => {
                    dispatched = run(&conversation, call, context, &self.closed).await?;
                }
                Asked::Undecided => {}
                Asked::Later(result) => {
                    logged::call(&dispatched, &conversation.log_name(), started, context);
                    return Ok(result.into());
                }
            }
        }
        logged::call(&dispatched, &conversation.log_name(), started, context);
        self.news.log.hidden(conversation.runtime(), context).await;
        self.news.log.call(&dispatched, context).await;
        if dispatched.tool == LIST && !dispatched.result.is_error {
            let runtime = conversation.runtime();
            let note = hidden::note(&runtime.catalog(), runtime.policies());
            dispatched.result.add_note(&note);
        }
        if let Some(wanted) = wanted {
            let again = wanted.instructions(&conversation).await.unwrap_or_default();
            dispatched.result.add_note(&again);
        }
        if let Some(fork) = &dispatched.result.fork {
            self.conversations.keep_fork(&conversation, &fork.session, context);
        }
        let shows_paths = hidden::shows_paths(conversation.runtime());
        Ok(convert::result(dispatched, self.approval_hint, shows_paths)?.into())
    }

    fn waiting(&self, state: &str) -> Result<Waiting, ErrorData> {
        self.conversations.take(state).ok_or_else(|| {
            let message = "unknown `requestState`: make the call again without it";
            ErrorData::invalid_params(message, None)
        })
    }

    fn asks(&self, context: &RequestContext<RoleServer>) -> bool {
        self.approvals == ApprovalChannel::Client && elicitation::is_supported(context)
    }

    /// Asks the user about a pending approval.
    async fn ask(
        &self,
        conversation: &Arc<Conversation>,
        approval: &ApprovalId,
        context: &RequestContext<RoleServer>,
    ) -> Result<Asked, ErrorData> {
        let wanted = approval.clone();
        let entry = conversation.blocking(move |runtime| runtime.approvals().load(&wanted));
        let entry = entry.await?.map_err(convert::internal)?;
        let Some(entry) = entry else { return Ok(Asked::Undecided) };
        if entry.state != ApprovalState::Pending {
            // Another person was faster.
            return Ok(Asked::Decided);
        }
        let Some(question) = elicitation::question(&entry) else {
            return Ok(Asked::Undecided);
        };
        if is_stateless(context) {
            let question = InputRequest::Elicitation(question);
            let questions = [(elicitation::INPUT.to_owned(), question)].into_iter().collect();
            let waiting = Waiting { conversation: Arc::clone(conversation), asked: entry };
            let state = self.conversations.keep(waiting)?;
            return Ok(Asked::Later(InputRequiredResult::new(Some(questions), Some(state))));
        }
        let mut closed = self.closed.clone();
        let mut options = PeerRequestOptions::no_options();
        options.timeout = Some(PATIENCE);
        let asking = async {
            let question = ServerRequest::ElicitRequest(question);
            let sent = context.peer.send_cancellable_request(question, options).await.ok()?;
            sent.await_response().await.ok()
        };
        let answer = tokio::select! {
            answer = asking => answer,
            () = context.ct.cancelled() => None,
            () = closed.wait() => None,
        };
        let answer = match answer {
            Some(ClientResult::ElicitResult(answer)) => Some(answer),
            _ => None,
        };
        let is_decided = self.decide(conversation, &entry, answer, context).await?;
        Ok(if is_decided { Asked::Decided } else { Asked::Undecided })
    }

    /// Stores the decision of an answer to a question about an entry, and returns whether there is
    /// one.
    async fn decide(
        &self,
        conversation: &Arc<Conversation>,
        asked: &ApprovalEntry,
        answer: Option<ElicitResult>,
        context: &RequestContext<RoleServer>,
    ) -> Result<bool, ErrorData> {
        let is_allowed = self.asks(context);
        let verdict = answer.filter(|_| is_allowed).as_ref().and_then(elicitation::verdict);
        let Some(verdict) = verdict else { return Ok(false) };
        let client = context.client_info().map(|client| client.name).unwrap_or_default();
        let by = format!("user of {}", quoted(&clipped(&client, 64)));
        let asked = asked.clone();
        let decided = conversation.blocking(move |runtime| {
            let decision = ApprovalDecision { verdict, by, at: runtime.now() };
            // If it is too late, the repeated call follows the decision that was made.
            drop(runtime.approvals().answer(&asked, &decision));
        });
        decided.await.map(|()| true)
    }
}

/// Runs a call until it ends or is cancelled. Its progress is sent before its result.
async fn run(
    conversation: &Arc<Conversation>,
    call: ToolCall,
    context: &RequestContext<RoleServer>,
    closed: &Closed,
) -> Result<Dispatched, ErrorData> {
    let cancel = CancelOnDrop::default();
    let cancelled = cancel.0.clone();
    let (reporter, forwarder) = progress::of(context);
    let client = context.client_info();
    let result_bytes = client.and_then(|client| bytes_kept_by(&client.name));
    let keeps_results = conversation.keeps_results();
    let mut closed = closed.clone();
    let work = conversation.in_turn(move |turn| {
        let receive = |event: ProgressEvent<'_>| reporter.report(event);
        let progress =
            if reporter.is_wanted() { Progress::new(&receive) } else { Progress::default() };
        let options = CallOptions {
            cancel: Some(&cancelled),
            progress,
            result_bytes,
            keeps_results,
            ..CallOptions::default()
        };
        turn.call_with(&call, options)
    });
    let ended = async {
        tokio::pin!(work);
        tokio::select! {
            dispatched = &mut work => return dispatched,
            () = context.ct.cancelled() => {}
            () = closed.late() => {}
        }
        cancel.0.cancel();
        work.await
    };
    let (dispatched, ()) = tokio::join!(ended, forwarder.run(context));
    dispatched
}

/// Cancels a call when its future is dropped, which happens when the client is gone.
#[derive(Default)]
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
