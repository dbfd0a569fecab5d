//! Tests that a client that cancels or disconnects ends the work.

use std::sync::Arc;

use prowess::ToolResult;
use prowess_testkit::TestTool;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;

use crate::{Client, block_on, call, connect};

/// A client whose call runs until it is cancelled.
struct Begun {
    client: Client,
    call: JoinHandle<()>,
    said: UnboundedReceiver<&'static str>,
}

impl Begun {
    async fn new() -> Self {
        let (sender, mut said) = unbounded_channel();
        let tool = TestTool::new("endless", "Works.", move |context, _| {
            sender.send("begun").expect("the test listens");
            while !context.cancel.is_cancelled() {
                std::thread::yield_now();
            }
            sender.send("cancelled").expect("the test listens");
            ToolResult::text("too late")
        });
        let client = connect(Arc::new(tool)).await;
        let peer = client.peer().clone();
        let call = tokio::spawn(async move {
            let _ = peer.call_tool_once(call("endless", &json!({}))).await;
        });
        assert_eq!(said.recv().await, Some("begun"));
        Self { client, call, said }
    }
}

#[test]
fn cancelled_request_cancels_its_call() {
    block_on(async {
        let Begun { client, call: waiting, mut said } = Begun::new().await;
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
        let Begun { client, call: waiting, mut said } = Begun::new().await;
        client.cancel().await.expect("the client ends");
        assert_eq!(said.recv().await, Some("cancelled"), "the tool ends with its caller");
        waiting.abort();
    });
}

/// A server that blocks on its tool would answer nothing until the tool has ended.
#[test]
fn running_tool_does_not_block_others() {
    block_on(async {
        let Begun { client, call: waiting, mut said } = Begun::new().await;
        let load = call("skills_load", &json!({ "names": ["skill-writing"] }));
        let loaded = client.call_tool(load).await.expect("an answer");
        assert_eq!(loaded.is_error, Some(false), "another call is answered meanwhile");
        waiting.abort();
        assert_eq!(said.recv().await, Some("cancelled"));
    });
}
