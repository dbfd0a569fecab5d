//! `prowess prompt --vendor`: the body of the next model call's request.

use std::process::ExitCode;

use prowess::vendor::{RequestOptions, WireFormat};
use prowess::{Message, ModelRequest, RequestParts};

use crate::args::{Global, ModelRequestArgs, PromptArgs, Vendor};
use crate::commands::composed::in_turn;
use crate::failure::Failure;
use crate::output::{DIM, Output};

/// Runs the command. The body is JSON in either output format.
pub(crate) fn run(
    global: &Global,
    args: &PromptArgs,
    vendor: Vendor,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let ModelRequestArgs { model, rules, message, .. } = &args.request;
    let messages = message.iter().map(Message::user).collect();
    let parts = RequestParts::new(rules.as_deref().unwrap_or_default(), messages);
    let request = in_turn(global, args, None, output, |turn| turn.messages(parts))?;
    let options = RequestOptions { model: model.clone(), ..RequestOptions::default() };
    match body(&request, vendor, &options) {
        Some(body) => output.json(&body)?,
        None => output.json(&request)?,
    }
    for (is_missing, option) in [
        (model.is_none() && has_model(vendor), "--model"),
        (message.is_none() && vendor != Vendor::Neutral, "--message"),
    ] {
        if is_missing {
            output.remark(&format!("{DIM}add `{option}` for a request that can be sent{DIM:#}\n"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the body; `None` for the neutral form.
fn body(
    request: &ModelRequest,
    vendor: Vendor,
    options: &RequestOptions,
) -> Option<serde_json::Value> {
    let format = match vendor {
        Vendor::OpenaiResponses => WireFormat::OpenAiResponses,
        Vendor::OpenaiChat => WireFormat::OpenAiChat,
        Vendor::Anthropic => WireFormat::Anthropic,
        Vendor::Gemini => WireFormat::Gemini,
        Vendor::Neutral => return None,
    };
    format.request(request, options)
}

/// Returns whether the body names the model.
fn has_model(vendor: Vendor) -> bool {
    !matches!(vendor, Vendor::Gemini | Vendor::Neutral)
}
