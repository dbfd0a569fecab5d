//! Tests that a client that cancels or disconnects ends the work.

use std::sync::{Arc, Mutex};

use prowess::{Catalog, Tool, ToolContext, ToolDefinition, ToolResult};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::{block_on, call, connect};

/// A tool that reports its start, runs until it is cancelled, and reports that too.
struct Endless(Mutex<UnboundedSender<&'static str>>);

impl Tool for Endless {
    fn definition(&self, _catalog: &Catalog) -> ToolDefinition {
        let input_schema = json!({ "type": "object" });
        ToolDefinition { name: "endless".into(), description: "Works.".into(), input_schema }
    }

    fn call(&self, context: &ToolContext<'_>, _arguments: &Value) -> ToolResult {
        let says = self.0.lock().expect("nothing panics").clone();
        says.send("begun").expect("the test listens");
        while !context.cancel.is_cancelled() {
            std::thread::yield_now();
        }
        says.send("cancelled").expect("the test listens");
        ToolResult::text("too late")
    }
}

fn endless() -> (Arc<Endless>, UnboundedReceiver<&'static str>) {
    let (sender, receiver) = unbounded_channel();
    (Arc::new(Endless(Mutex::new(sender))), receiver)
}

#[test]
fn cancelled_request_cancels_its_call() {
    block_on(async {
        let (tool, mut said) = endless();
        let client = connect(tool).await;
        let peer = client.peer().clone();
        let waiting =
            tokio::spawn(async move { peer.call_tool_once(call("endless", &json!({}))).await });
        assert_eq!(said.recv().await, Some("begun"));
        // Dropping a call sends a cancellation to the server.
        waiting.abort();
        assert_eq!(said.recv().await, Some("cancelled"), "the tool can see it");
        let tools = client.list_all_tools().await.expect("the connection goes on");
        assert!(tools.iter().any(|tool| tool.name == "endless"), "the server still answers");
    });
}

#[test]
fn lost_connection_cancels_its_calls() {
    block_on(async {
        let (tool, mut said) = endless();
        let client = connect(tool).await;
        let peer = client.peer().clone();
        let waiting =
            tokio::spawn(async move { peer.call_tool_once(call("endless", &json!({}))).await });
        assert_eq!(said.recv().await, Some("begun"));
        client.cancel().await.expect("the client ends");
        assert_eq!(said.recv().await, Some("cancelled"), "the tool does not work for nobody");
        waiting.abort();
    });
}

/// A server that blocks on its tool would answer nothing until the tool has ended.
#[test]
fn running_tool_does_not_block_others() {
    block_on(async {
        let (tool, mut said) = endless();
        let client = connect(tool).await;
        let peer = client.peer().clone();
        let waiting =
            tokio::spawn(async move { peer.call_tool_once(call("endless", &json!({}))).await });
        assert_eq!(said.recv().await, Some("begun"));
        let load = call("skills_load", &json!({ "names": ["skill-writing"] }));
        let loaded = client.call_tool(load).await.expect("an answer");
        assert_eq!(loaded.is_error, Some(false), "another call is answered meanwhile");
        waiting.abort();
        assert_eq!(said.recv().await, Some("cancelled"));
    });
}
