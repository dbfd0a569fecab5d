//! `prowess mcp call`: one request to a server, for debugging.

mod peer;

use std::process::ExitCode;
use std::time::Duration;

use serde_json::Value;

use super::process::{handshake, result};
use crate::args::McpCall;
use crate::failure::Failure;
use crate::output::Output;
use peer::Peer;

/// Makes the handshake, sends the request and prints its result. An error of the server is printed
/// with exit code 1.
pub(super) fn run(args: &McpCall, output: &Output) -> Result<ExitCode, Failure> {
    let params = params(args.params.as_deref())?;
    let patience = Duration::from_secs(args.seconds.get());
    let mut peer = match &args.url {
        Some(url) => Peer::url(url, patience),
        None => Peer::command(&args.server, patience)?,
    };
    let mut answer = peer.request(0, "initialize", &handshake())?;
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
