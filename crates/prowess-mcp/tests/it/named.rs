//! Conversations that a client names.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::approvals::Place;
use crate::block_on;
use crate::raw::Raw;

const SKILL: &str = "skill-writing";

/// Calls a tool that needs an approval.
async fn deploy(raw: &mut Raw, id: u64, meta: Value) {
    let params = json!({ "name": "deploy", "arguments": {}, "_meta": meta });
    raw.ask(json!(id), "tools/call", params).await;
}

#[test]
fn each_id_is_a_conversation() {
    for key in ["prowess/conversation", "openai/session", "vscode.conversationId"] {
        block_on(async {
            let place = Place::new().await;
            let forms = json!({ "elicitation": {} });
            let runtime = Arc::clone(&place.runtime);
            let mut raw = Raw::greeted_with(runtime, "2025-11-25", &forms).await;
            deploy(&mut raw, 1, json!({ key: "a" })).await;
            let question = raw.receive().await;
            let answer = json!({ "action": "accept", "content": { "decision": "session" } });
            raw.reply(question["id"].clone(), answer).await;
            assert_eq!(raw.receive().await["id"], 1);
            deploy(&mut raw, 2, json!({ key: "a" })).await;
            assert_eq!(raw.receive().await["id"], 2, "the approval is of this conversation");
            for (id, other) in [(3, json!({ key: "b" })), (4, json!({}))] {
                deploy(&mut raw, id, other.clone()).await;
                let question = raw.receive().await;
                assert_eq!(question["method"], "elicitation/create", "{other}: {question}");
                raw.reply(question["id"].clone(), json!({ "action": "cancel" })).await;
                assert_eq!(raw.receive().await["id"], id);
            }
            assert_eq!(place.runs(), 2);
        });
    }
}

#[test]
fn malformed_id_is_refused() {
    block_on(async {
        let mut raw = Raw::embedded("2025-11-25").await;
        for id in [json!(""), json!(7), json!({}), json!("x".repeat(257)), json!("a\u{200b}b")] {
            let meta = json!({ "prowess/conversation": id });
            let params = json!({ "name": "skills_list", "arguments": {}, "_meta": meta });
            let refused = raw.request(json!(1), "tools/call", params).await;
            assert_eq!(refused["error"]["code"], -32602, "{id}: {refused}");
        }
    });
}

#[test]
fn forgotten_conversation_learns_it_once() {
    block_on(async {
        let mut raw = Raw::embedded("2025-11-25").await;
        let mut load = async |conversation: u64, tool: &str| {
            let meta = json!({ "prowess/conversation": conversation.to_string() });
            let arguments =
                if tool == "skills_load" { json!({ "names": [SKILL] }) } else { json!({}) };
            let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
            raw.request(json!(1), "tools/call", params).await
        };
        load(0, "skills_load").await;
        for conversation in 1..=1024 {
            load(conversation, "skills_list").await;
        }
        let forgotten = load(0, "skills_unload").await;
        assert_eq!(forgotten["error"]["data"]["code"], "conversation-forgotten", "{forgotten}");
        let again = load(0, "skills_load").await;
        assert_eq!(again["result"]["isError"], false, "it begins again: {again}");
        let kept = load(2, "skills_list").await;
        assert!(kept.get("error").is_none(), "the one before the last made room: {kept}");
    });
}
