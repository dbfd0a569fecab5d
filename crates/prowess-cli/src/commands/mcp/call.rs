//! `prowess mcp call`: one request to a server, for debugging.

mod peer;

use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};

use crate::args::McpCall;
use crate::failure::Failure;
use crate::output::Output;
use peer::Peer;

/// The revision that is negotiated, which servers of every later one accept.
const REVISION: &str = "2025-11-25";

/// Makes the handshake, sends the request and prints its result. An error of the server is printed
/// with exit code 1.
pub(super) fn run(args: &McpCall, output: &Output) -> Result<ExitCode, Failure> {
    let params = params(args.params.as_deref())?;
    let patience = Duration::from_secs(args.seconds.get());
    let mut peer = match &args.url {
        Some(url) => Peer::url(url, patience),
        None => Peer::command(&args.server, patience)?,
    };
    let client = json!({ "name": "prowess", "version": env!("CARGO_PKG_VERSION") });
    let handshake = json!({
        "protocolVersion": REVISION,
        "capabilities": {},
        "clientInfo": client,
    });
    let mut answer = peer.request(0, "initialize", &handshake)?;
    if args.method != "initialize" {
        result(answer)?;
        peer.notify("notifications/initialized")?;
        answer = peer.request(1, &args.method, &params)?;
    }
    let result = result(answer)?;
    output.json(&result)?;
    Ok(ExitCode::from(u8::from(result["isError"] == true)))
}

fn params(text: Option<&str>) -> Result<Value, Failure> {
    match serde_json::from_str(text.unwrap_or("{}")) {
        Ok(params @ Value::Object(_)) => Ok(params),
        Ok(_) => Err(invalid("they are no object")),
        Err(error) => Err(invalid(&error.to_string())),
    }
}

fn invalid(reason: &str) -> Failure {
    let message = format!("the parameters are not usable: {reason}");
    Failure::usage("arguments-invalid", message, "pass one JSON object, in single quotes")
}

/// Returns the result of an answer.
fn result(mut answer: Value) -> Result<Value, Failure> {
    if let Some(error) = answer.get("error") {
        let code = error["code"].as_i64().unwrap_or_default();
        let text = error["message"].as_str().unwrap_or("no message");
        let message = format!("the server refuses the request ({code}): {}", plain(text));
        let help = "see its methods with `initialize` and its tools with `tools/list`";
        return Err(Failure::new("mcp-refused", message, help));
    }
    Ok(answer["result"].take())
}

/// Returns the text of a server so that it can be part of a message.
fn plain(text: &str) -> String {
    prowess::text::clipped(&prowess::text::one_line(text), 1000)
}
