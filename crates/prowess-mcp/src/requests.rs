//! Answers to requests that are not well formed or not known.

use prowess::text::{clipped, quoted};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CompleteRequestMethod, ConstString,
    CustomRequest, DiscoverRequestMethod, ErrorCode, GetPromptRequestMethod, GetSkillRequestMethod,
    ListPromptsRequestMethod, ListResourceTemplatesRequestMethod, ListResourcesRequestMethod,
    ListSkillsRequestMethod, ListToolsRequestMethod, ReadResourceDirectoryRequestMethod,
    ReadResourceRequestMethod, SubscriptionsListenRequestMethod,
};

/// The methods that this server implements. The protocol's library passes a request on as a custom
/// one if the method is known and the parameters are not.
const IMPLEMENTED: [&str; 15] = [
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
    ListSkillsRequestMethod::VALUE,
    GetSkillRequestMethod::VALUE,
    ReadResourceDirectoryRequestMethod::VALUE,
    "initialize",
    "ping",
];

/// The longest part of a parser's message that an error repeats, in characters.
const MAX_REPEATED: usize = 200;

/// Returns the error for a request that has no handler.
pub(crate) fn unsupported(request: &CustomRequest) -> ErrorData {
    let method = quoted(&request.method);
    if !IMPLEMENTED.contains(&request.method.as_str()) {
        let message = format!("unknown method {method}");
        return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None);
    }
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
