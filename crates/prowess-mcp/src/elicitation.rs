//! The question to the user of a client about a call that a person has to approve.
//!
//! A model cannot answer it: the answer is a message of the client, not an argument of a tool.

use prowess::text::{head_and_tail, quoted};
use prowess::{ApprovalEntry, ApprovalScope, ApprovalVerdict};
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    EnumSchema,
};
use rmcp::service::{RequestContext, RoleServer};

/// The name of the question where a result has several.
pub(crate) const INPUT: &str = "approval";

/// The name of the answer's field.
const FIELD: &str = "decision";

const ONCE: &str = "once";
const SESSION: &str = "session";
const DENY: &str = "deny";

/// The most characters of a question. Who is asked about a longer one would allow what is not
/// shown: it waits for the host.
const MOST_SHOWN: usize = 4000;

/// Returns whether the client shows forms to its user.
pub(crate) fn is_supported(context: &RequestContext<RoleServer>) -> bool {
    let capability = context.client_capabilities().and_then(|client| client.elicitation);
    // A client that names no mode has forms.
    capability.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
}

/// Returns the question about a call; `None` if it is too long for one. An answer for the rest of
/// the conversation is offered only if the approval is bound to the content of the skill's package.
pub(crate) fn question(entry: &ApprovalEntry) -> Option<ElicitRequest> {
    let message = message(entry);
    if message.chars().count() > MOST_SHOWN {
        return None;
    }
    let request = &entry.request;
    let is_bound = request.skill.is_none() || request.package.is_some();
    let choices = [
        Some((ONCE, "Allow this call")),
        is_bound.then_some((SESSION, "Allow such calls in this conversation")),
        Some((DENY, "Refuse")),
    ];
    let (values, titles): (Vec<_>, Vec<_>) = choices
        .into_iter()
        .flatten()
        .map(|(value, title)| (value.to_owned(), title.to_owned()))
        .unzip();
    // A client that fills in defaults without its user refuses.
    let choice = EnumSchema::builder(values).enum_titles(titles).ok()?;
    let choice = choice.with_default(DENY.to_owned()).ok()?.build();
    let schema = ElicitationSchema::builder().required_enum_schema(FIELD, choice).build().ok()?;
    Some(ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: schema,
    }))
}

fn message(entry: &ApprovalEntry) -> String {
    let tool = quoted(&entry.request.tool);
    let skill = entry.request.skill.as_deref();
    let caller =
        skill.map_or_else(String::new, |skill| format!(" for the skill {}", quoted(skill)));
    // Each character that a person would not see is marked, and so is a run of blanks.
    let arguments = head_and_tail(&entry.preview, usize::MAX);
    format!("Allow the model to call {tool}{caller} with these arguments?\n{arguments}")
}

/// Returns the decision of an answer; `None` if the user made none.
pub(crate) fn verdict(answer: &ElicitResult) -> Option<ApprovalVerdict> {
    let grant = |scope| Some(ApprovalVerdict::Grant { scope, expires: None });
    match answer.action {
        ElicitationAction::Decline => Some(ApprovalVerdict::Deny),
        ElicitationAction::Accept => {
            let choice = answer.content.as_ref().and_then(|content| content.get(FIELD)?.as_str());
            match choice {
                Some(ONCE) => grant(ApprovalScope::Once),
                Some(SESSION) => grant(ApprovalScope::Session),
                Some(DENY) => Some(ApprovalVerdict::Deny),
                _ => None,
            }
        }
        _ => None,
    }
}
