//! Messages for the log of a client.

use std::sync::Arc;

use prowess_testkit::Tree;
use serde_json::{Value, json};

use crate::raw::{Raw, meta};
use crate::{block_on, runtime_of};

fn unknown_skill() -> Value {
    json!({ "name": "skills_load", "arguments": { "names": ["nothing"] } })
}

#[test]
fn failed_call_is_logged_from_the_level_on() {
    block_on(async {
        let mut raw = Raw::embedded("2025-11-25").await;
        let silent = raw.request(json!(1), "tools/call", unknown_skill()).await;
        assert_eq!(silent["result"]["isError"], true, "nothing is logged unasked: {silent}");
        raw.request(json!(2), "logging/setLevel", json!({ "level": "warning" })).await;
        raw.ask(json!(3), "tools/call", unknown_skill()).await;
        let logged = raw.receive().await;
        assert_eq!(logged["method"], "notifications/message", "{logged}");
        assert_eq!(logged["params"]["level"], "warning");
        assert_eq!(logged["params"]["logger"], "prowess.call");
        assert_eq!(logged["params"]["data"]["tool"], "skills.load");
        assert!(logged["params"]["data"]["duration_ms"].is_u64(), "{logged}");
        assert_eq!(raw.receive().await["id"], 3);
        raw.request(json!(4), "logging/setLevel", json!({ "level": "error" })).await;
        raw.request(json!(5), "tools/call", unknown_skill()).await;
        let wrong = raw.request(json!(6), "logging/setLevel", json!({ "level": "loud" })).await;
        assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
    });
}

#[test]
fn stateless_request_has_a_level_of_its_own() {
    block_on(async {
        let mut raw = Raw::embedded("2026-07-28").await;
        let mut params = meta("2026-07-28", unknown_skill());
        params["_meta"]["io.modelcontextprotocol/logLevel"] = json!("info");
        raw.ask(json!(1), "tools/call", params).await;
        assert_eq!(raw.receive().await["method"], "notifications/message");
        assert_eq!(raw.receive().await["id"], 1);
        let silent = meta("2026-07-28", unknown_skill());
        raw.request(json!(2), "tools/call", silent).await;
    });
}

#[test]
fn new_finding_is_logged() {
    block_on(async {
        let tree = Tree::new("");
        let runtime = runtime_of(&tree);
        let mut raw = Raw::greeted(Arc::clone(&runtime), "2025-11-25").await;
        raw.request(json!(1), "logging/setLevel", json!({ "level": "debug" })).await;
        let wait = std::time::Duration::from_millis(200);
        for number in 0.. {
            // Notifications start some time after the handshake.
            tree.write(&format!("broken-{number}/SKILL.md"), "no frontmatter");
            runtime.reload();
            let Ok(logged) = tokio::time::timeout(wait, raw.receive()).await else { continue };
            assert_eq!(logged["method"], "notifications/message", "{logged}");
            assert_eq!(logged["params"]["logger"], "prowess.catalog");
            let path = logged["params"]["data"]["path"].as_str().expect("a path");
            assert!(path.contains("broken-"), "the finding names the file: {logged}");
            break;
        }
    });
}
