//! A `ScriptRunner` of the host, which runs the scripts of skills elsewhere: in a container, on
//! another machine, or, as here, in a language of its own.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::time::Duration;

use extension_points::kitchen;
use prowess::{
    ApprovedPackage, Cancel, Code, Error, ReadLimit, ScriptError, ScriptOutcome, ScriptRequest,
    ScriptRunner, ToolCall,
};
use serde_json::json;

/// Runs files that end in `.count`: they count down from their argument.
struct Countdown;

impl ScriptRunner for Countdown {
    fn run(
        &self,
        request: &ScriptRequest<'_>,
        _time_limit: Duration,
        cancel: &Cancel,
    ) -> Result<ScriptOutcome, ScriptError> {
        let refuse = |message: &str| ScriptError {
            code: Code::new("script-refused"),
            message: message.to_owned(),
        };
        let approved = ApprovedPackage::of(request, cancel)?;
        let read = request.catalog.read(request.record, request.path, ReadLimit::default());
        let script = read.map_err(|_| refuse("the script cannot be read"))?;
        // A person may have approved the package as it was; then no other content runs.
        approved.check(request.path, &script)?;
        let minutes = request.arguments.first().and_then(|text| text.parse::<u8>().ok());
        let minutes = minutes.ok_or_else(|| refuse("pass the minutes, such as `3`"))?;
        let script = String::from_utf8_lossy(&script).into_owned();
        let lines = (0..=minutes).rev().map(|left| format!("{left} {script}\n"));
        Ok(ScriptOutcome { exit_code: Some(0), stdout: lines.collect(), ..Default::default() })
    }
}

fn main() -> Result<(), Error> {
    let runtime = kitchen().script_runner(Arc::new(Countdown)).build()?;
    let turn = runtime.turn(&runtime.open_session()?)?;
    turn.call(&ToolCall::new("skills_load", json!({ "names": ["bread"] })));
    let arguments = json!({ "skill": "bread", "path": "scripts/timer.count", "args": ["2"] });
    let result = turn.call(&ToolCall::new("skills_run", arguments)).result;
    let outcome = result.structured.unwrap_or_default();
    println!("{}", outcome["stdout"]);
    Ok(())
}
