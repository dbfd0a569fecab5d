//! Tests that a client that cancels or disconnects ends the work.

use std::sync::Arc;

use prowess::ToolResult;
use prowess_testkit::TestTool;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::{block_on, call, connect};

/// Returns a tool that reports its start, runs until it is cancelled, and reports that too.
fn endless() -> (Arc<TestTool>, UnboundedReceiver<&'static str>) {
    let (sender, receiver) = unbounded_channel();
    let tool = TestTool::new("endless", "Works.", move |context, _| {
        sender.send("begun").expect("the test listens");
        while !context.cancel.is_cancelled() {
            std::thread::yield_now();
        }
        sender.send("cancelled").expect("the test listens");
        ToolResult::text("too late")
    });
    (Arc::new(tool), receiver)
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
        assert_eq!(said.recv().await, Some("cancelled"), "the tool ends with its caller");
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
