//! Answers to requests that are not well formed or not known.

use prowess::text::{clipped, quoted};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CompleteRequestMethod, ConstString,
    CustomRequest, DiscoverRequestMethod, ErrorCode, GetPromptRequestMethod, GetSkillRequestMethod,
    ListPromptsRequestMethod, ListResourceTemplatesRequestMethod, ListResourcesRequestMethod,
    ListSkillsRequestMethod, ListToolsRequestMethod, ProtocolVersion,
    ReadResourceDirectoryRequestMethod, ReadResourceRequestMethod, SetLevelRequestMethod,
    SubscribeRequestMethod, SubscriptionsListenRequestMethod, UnsubscribeRequestMethod,
};
use rmcp::service::{RequestContext, RoleServer};

/// The methods that this server implements. The protocol's library passes a request on as a custom
/// one if the method is known and the parameters are not.
const IMPLEMENTED: [&str; 18] = [
    CallToolRequestMethod::VALUE,
    ListToolsRequestMethod::VALUE,
    DiscoverRequestMethod::VALUE,
    SubscriptionsListenRequestMethod::VALUE,
    ListPromptsRequestMethod::VALUE,
    GetPromptRequestMethod::VALUE,
    CompleteRequestMethod::VALUE,
    ListResourcesRequestMethod::VALUE,
    ListResourceTemplatesRequestMethod::VALUE,
    ReadResourceRequestMethod::VALUE,
    SetLevelRequestMethod::VALUE,
    SubscribeRequestMethod::VALUE,
    UnsubscribeRequestMethod::VALUE,
    ListSkillsRequestMethod::VALUE,
    GetSkillRequestMethod::VALUE,
    ReadResourceDirectoryRequestMethod::VALUE,
    "initialize",
    "ping",
];

/// The longest part of a parser's message that an error repeats, in characters.
const MAX_REPEATED: usize = 200;

/// The methods that revision 2026-07-28 has removed.
const REMOVED: [&str; 5] = [
    "initialize",
    "ping",
    SetLevelRequestMethod::VALUE,
    SubscribeRequestMethod::VALUE,
    UnsubscribeRequestMethod::VALUE,
];

/// Returns an error if the revision of a request has removed its method.
pub(crate) fn check_removed(
    method: &str,
    context: &RequestContext<RoleServer>,
) -> Result<(), ErrorData> {
    if is_stateless(context) && REMOVED.contains(&method) { Err(unknown(method)) } else { Ok(()) }
}

/// Returns whether a request is of a revision without a handshake.
pub(crate) fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// Returns the error for a request that has no handler.
pub(crate) fn unsupported(
    request: &CustomRequest,
    context: &RequestContext<RoleServer>,
) -> ErrorData {
    if let Err(error) = check_removed(&request.method, context) {
        return error;
    }
    if !IMPLEMENTED.contains(&request.method.as_str()) {
        return unknown(&request.method);
    }
    let method = quoted(&request.method);
    let reason = match &request.params {
        None => "they are missing".to_owned(),
        Some(_) if request.method == CallToolRequestMethod::VALUE => {
            match request.params_as::<CallToolRequestParams>() {
                Ok(_) => "they have an unexpected shape".to_owned(),
                Err(error) => clipped(&error.to_string(), MAX_REPEATED),
            }
        }
        Some(_) => "they have an unexpected shape".to_owned(),
    };
    ErrorData::invalid_params(format!("invalid params of {method}: {reason}"), None)
}

fn unknown(method: &str) -> ErrorData {
    let message = format!("unknown method {}", quoted(method));
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}
