//! Tests that a client that cancels or disconnects ends the work.

use std::sync::{Arc, Mutex, mpsc};

use prowess::{PackagePath, ReadLimit, ResourcePath, SkillSource, SourceError, ToolResult};
use prowess_testkit::{OverriddenSource, SourceOverrides, TestTool, VersionedSource};
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use crate::{Client, block_on, call, connect, greet, runtime};

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

/// A source whose bodies are read once a test says so, or has failed.
struct Slow(VersionedSource, UnboundedSender<()>, Mutex<mpsc::Receiver<()>>);

impl SourceOverrides for Slow {
    fn inner(&self) -> &dyn SkillSource {
        &self.0
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        self.1.send(()).expect("the test listens");
        let _ = self.2.lock().expect("no reader panics").recv();
        self.0.read(package, resource, limit)
    }
}

#[test]
fn slow_load_delays_only_what_needs_its_skill() {
    block_on(async {
        let (sender, mut begun) = unbounded_channel();
        let (end, ended) = mpsc::channel();
        let slow = OverriddenSource(Slow(VersionedSource::default(), sender, ended.into()));
        let client = greet(Arc::new(runtime(|it| it.source("user", Arc::new(slow))))).await;
        let peer = client.peer().clone();
        let load = |name: &str| call("skills_load", &json!({ "names": [name] }));
        let named = load("skill-002");
        let loading = tokio::spawn(async move { peer.call_tool(named).await });
        begun.recv().await.expect("it is read");
        let read = json!({ "skill": "user:skill-002", "path": "a.md" });
        let reading = client.peer().clone();
        let read = tokio::spawn(async move { reading.call_tool(call("skills_read", &read)).await });
        for other in [call("skills_list", &json!({})), load("skill-writing")] {
            let answer = client.call_tool(other).await.expect("an answer");
            assert_eq!(answer.is_error, Some(false), "it is answered meanwhile: {answer:?}");
        }
        assert!(!loading.is_finished() && !read.is_finished());
        drop(end);
        loading.await.expect("it ends").expect("an answer");
        read.await.expect("it ends").expect("an answer");
    });
}
