//! Many clients of one runtime.

use std::sync::Arc;

use prowess::session::MemoryStore;
use prowess::tools::HookPolicy;
use prowess::{Runtime, SessionStore};
use prowess_mcp::ServeError;
use serde_json::json;

use crate::{block_on, call, embedded, greet, greet_and_watch, runtime};

#[test]
fn loaded_skills_are_per_client() {
    block_on(async {
        let runtime = embedded();
        let one = greet(Arc::clone(&runtime)).await;
        let other = greet(runtime).await;
        let load = call("skills_load", &json!({ "names": ["skill-writing"] }));
        assert_eq!(one.call_tool(load).await.expect("an answer").is_error, Some(false));
        let read = call("skills_read", &json!({ "path": "references/checklist.md" }));
        let mine = one.call_tool(read.clone()).await.expect("an answer");
        assert_eq!(mine.is_error, Some(false), "the skill that was loaded last is the default");
        let theirs = other.call_tool(read).await.expect("an answer");
        assert_eq!(theirs.is_error, Some(true), "the other client has loaded none");
        let named = json!({ "skill": "skill-writing", "path": "references/checklist.md" });
        let read = other.call_tool(call("skills_read", &named)).await.expect("an answer");
        assert_eq!(read.is_error, Some(false), "a file of a named skill needs no load");
    });
}

#[test]
fn runtime_whose_bodies_would_reach_no_client_is_refused() {
    let runtime = Runtime::builder().default_skills().build().expect("the runtime is complete");
    let refused = prowess_mcp::SkillServer::new(Arc::new(runtime)).err().expect("it is refused");
    assert!(matches!(refused, ServeError::BodyDelivery), "{refused}");
    assert!(refused.to_string().contains("prowess_mcp::adapt"), "the fix is named: {refused}");
}

#[test]
fn session_ends_with_its_connection() {
    block_on(async {
        let store = Arc::new(MemoryStore::new());
        let kept = Arc::clone(&store) as Arc<dyn SessionStore>;
        let runtime = runtime(|builder| builder.session_store(kept));
        let (client, serving) = greet_and_watch(Arc::new(runtime)).await;
        assert_eq!(store.len(), 1, "a client has a conversation");
        client.cancel().await.expect("the client ends");
        serving.await.expect("the server ends");
        // No client can resume the session, so it is deleted: at once, or when the protocol's
        // library releases the server after the client's last message. If that never happened, this
        // would hang.
        while !store.is_empty() {
            tokio::task::yield_now().await;
        }
    });
}

#[test]
fn skill_tools_have_titles_hints_and_icons() {
    block_on(async {
        let client = greet(embedded()).await;
        let tools = client.list_all_tools().await.expect("an answer");
        assert!(tools.len() >= 6, "{tools:?}");
        for tool in tools {
            let hints = tool.annotations.expect("each skill tool has hints");
            assert!(tool.title.is_some() && tool.title == hints.title, "{}", tool.name);
            assert_eq!(hints.read_only_hint, Some(true), "{}", tool.name);
            assert_eq!(hints.destructive_hint, Some(false), "{}", tool.name);
            assert_eq!(hints.idempotent_hint, Some(true), "{}", tool.name);
            assert_eq!(hints.open_world_hint, Some(false), "{}", tool.name);
            for icon in tool.icons.expect("each skill tool has an icon") {
                let is_embedded = icon.src.starts_with("data:image/svg+xml;base64,");
                assert!(is_embedded && icon.src.len() < 400, "nothing is fetched: {icon:?}");
            }
        }
        let mut policies = prowess_mcp::policies();
        policies.tools.hooks = HookPolicy::Run;
        let client = greet(Arc::new(runtime(|builder| builder.policies(policies)))).await;
        for tool in client.list_all_tools().await.expect("an answer") {
            let hints = tool.annotations.expect("each skill tool has hints");
            let is_change = ["skills_load", "skills_unload"].contains(&&*tool.name);
            let hints = (hints.read_only_hint, hints.destructive_hint);
            assert_eq!(hints, (Some(!is_change), Some(is_change)), "{}", tool.name);
        }
    });
}

#[test]
fn tools_list_shows_the_catalog() {
    block_on(async {
        let client = greet(embedded()).await;
        let server = client.peer_info().expect("the handshake is done");
        let instructions = server.instructions.as_deref().unwrap_or_default();
        assert!(instructions.contains("skills_load"), "the rule stays: {instructions}");
        assert!(instructions.contains("\n- skill-writing: "), "one line each: {instructions}");
        let tools = client.list_all_tools().await.expect("an answer");
        let load = tools.iter().find(|tool| tool.name == "skills_load").expect("it is offered");
        let description = load.description.as_deref().unwrap_or_default();
        assert!(description.contains("\n- skill-writing: "), "{description}");
    });
}
