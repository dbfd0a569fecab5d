//! Tests of skills that change during a conversation.

use std::sync::Arc;

use prowess_testkit::Tree;
use rmcp::service::{NotificationContext, RoleClient};
use rmcp::{ClientHandler, ServiceExt};
use serde_json::json;
use tokio::sync::Notify;

use crate::{block_on, call, greet, runtime_of};

/// A client that records the notification that the list of tools has changed.
#[derive(Clone, Default)]
struct Listening(Arc<Notify>);

impl ClientHandler for Listening {
    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.0.notify_one();
    }
}

#[test]
fn new_skill_notifies_the_client() {
    block_on(async {
        let tree = Tree::new("");
        let runtime = runtime_of(&tree);
        let client = Listening::default();
        let (here, there) = tokio::io::duplex(4096);
        let server = prowess_mcp::SkillServer::new(Arc::clone(&runtime));
        let server = server.expect("a conversation opens");
        let serving = tokio::spawn(async move { server.serve(there).await });
        let connected = client.clone().serve(here).await.expect("the greeting");
        let _serving = serving.await.expect("no panic").expect("the greeting");
        // Before the server has processed `initialized`, it has no client to notify.
        loop {
            tree.write("pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\nBody\n");
            runtime.reload();
            let patience = std::time::Duration::from_millis(100);
            if tokio::time::timeout(patience, client.0.notified()).await.is_ok() {
                break;
            }
            std::fs::remove_dir_all(tree.join("pdf")).expect("it goes");
            runtime.reload();
        }
        let tools = connected.list_all_tools().await.expect("the list");
        let names = serde_json::to_string(&tools).expect("tools are JSON");
        assert!(names.contains("\"pdf\""), "the list names the new skill: {names}");
        assert!(names.contains("Fills forms."), "and describes it: {names}");
    });
}

#[test]
fn call_after_a_change_uses_the_current_catalog() {
    block_on(async {
        let tree = Tree::new("");
        let write = |description: &str, body: &str| {
            let text = format!("---\nname: pdf\ndescription: {description}\n---\n{body}\n");
            tree.write("pdf/SKILL.md", text);
        };
        write("Fills forms.", "The old steps.");
        let runtime = runtime_of(&tree);
        let client = greet(Arc::clone(&runtime)).await;
        let shown = serde_json::to_string(&client.list_all_tools().await.expect("the list"));
        assert!(shown.expect("tools are JSON").contains("Fills forms."), "the model has read it");

        write("Signs forms.", "The new steps.");
        runtime.reload();
        let load = || client.call_tool(call("skills_load", &json!({ "names": ["pdf"] })));
        let loaded = load().await.expect("the call has a result");
        let text = serde_json::to_string(&loaded).expect("a result is JSON");
        assert!(text.contains("The new steps."), "the skill is loaded as it is now: {text}");
        assert!(!text.contains("The old steps."), "no older version is kept: {text}");
    });
}
