//! One call of a skill tool in the wire format of each vendor.
//!
//! `cargo run -p vendor-formats` prints, for each format, the definitions for the request, the
//! message in which a model calls a tool, and the message that answers it.
//!
//! The model here is a script: it writes the message that the vendor's API would return. A host
//! sends the definitions with its own client of that API, and passes what comes back to
//! [`WireFormat::calls`].
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use prowess::session::SessionHandle;
use prowess::vendor::WireFormat;
use prowess::{Error, Runtime, ToolCall};
use serde_json::{Value, json};

/// The messages of one exchange with a model.
struct Exchange {
    definitions: Value,
    call: Value,
    answers: Vec<Value>,
}

/// Offers the tools, lets the model load a skill, and answers its calls.
fn exchange(
    runtime: &Runtime,
    session: &SessionHandle,
    format: WireFormat,
) -> Result<Exchange, Error> {
    let turn = runtime.turn(session)?;
    let tools = turn.tools();
    let load = ToolCall::new("skills_load", json!({ "names": ["skill-writing"] }));
    let call = format.call("call-1", &load);
    let mut answers = Vec::new();
    for received in format.calls(&call, &tools) {
        let result = match &received.call {
            Ok(call) => turn.call(call).result,
            // Arguments that are not JSON are an answer too.
            Err(result) => (**result).clone(),
        };
        answers.push(format.result(&received, &result));
    }
    Ok(Exchange { definitions: format.definitions(&tools), call, answers })
}

fn print(title: &str, value: &Value) {
    println!("{title}:\n{value:#}\n");
}

fn main() -> Result<(), Error> {
    let runtime = Runtime::builder().default_skills().build()?;
    for format in WireFormat::ALL {
        println!("# {format:?}\n");
        let session = runtime.open_session()?;
        let Exchange { definitions, call, answers } = exchange(&runtime, &session, format)?;
        print("Definitions", &definitions);
        print("Call", &call);
        print("Answer", &answers.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_carries_a_call_and_its_answer() {
        let runtime = Runtime::builder().default_skills().build().expect("it is complete");
        for format in WireFormat::ALL {
            let session = runtime.open_session().expect("the store is in memory");
            let exchange = exchange(&runtime, &session, format).expect("the session is open");
            let definitions = exchange.definitions.to_string();
            assert!(definitions.contains("skills_read"), "{format:?}: {definitions}");
            assert!(exchange.call.to_string().contains("skills_load"), "{format:?}");
            let [answer] = &exchange.answers[..] else { panic!("{format:?}: one answer") };
            let answer = answer.to_string();
            assert!(answer.contains("active_skills"), "{format:?}: {answer}");
            let state = session.state().expect("the session is open");
            assert_eq!(state.active[0].id, "skill-writing", "{format:?}: the skill is loaded");
        }
    }
}
