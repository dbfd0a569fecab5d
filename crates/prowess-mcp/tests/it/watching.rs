//! Notifications about files that a client watches.

use std::sync::Arc;

use prowess::Runtime;
use prowess_testkit::Tree;
use serde_json::{Value, json};

use crate::raw::{Raw, meta};
use crate::{block_on, runtime_of};

const SKILL: &str = "//- /pdf/SKILL.md\n---\nname: pdf\ndescription: Fills forms.\n---\nBody\n";
const URI: &str = "skill://pdf/SKILL.md";

struct Place {
    tree: Tree,
    runtime: Arc<Runtime>,
}

impl Place {
    fn new() -> Self {
        let tree = Tree::new(SKILL);
        let runtime = runtime_of(&tree);
        Self { tree, runtime }
    }

    /// Changes the body until a notification arrives: it starts some time after the request.
    async fn change_until_notified(&self, raw: &mut Raw) -> Value {
        for number in 0.. {
            let text = format!("---\nname: pdf\ndescription: Fills forms.\n---\nBody {number}\n");
            self.tree.write("pdf/SKILL.md", text);
            self.runtime.reload();
            let wait = std::time::Duration::from_millis(200);
            if let Ok(message) = tokio::time::timeout(wait, raw.receive()).await {
                return message;
            }
        }
        unreachable!("the test's patience ends first")
    }
}

#[test]
fn change_of_a_subscribed_file_is_notified() {
    block_on(async {
        let place = Place::new();
        let mut raw = Raw::greeted(Arc::clone(&place.runtime), "2025-11-25").await;
        let done = raw.request(json!(1), "resources/subscribe", json!({ "uri": URI })).await;
        assert_eq!(done["result"], json!({}), "{done}");
        let message = place.change_until_notified(&mut raw).await;
        assert_eq!(message["method"], "notifications/resources/updated", "{message}");
        assert_eq!(message["params"]["uri"], URI);
        raw.ask(json!(2), "resources/unsubscribe", json!({ "uri": URI })).await;
        while raw.receive().await["id"] != 2 {}
    });
}

#[test]
fn unknown_file_cannot_be_subscribed() {
    block_on(async {
        let place = Place::new();
        let mut raw = Raw::greeted(Arc::clone(&place.runtime), "2025-11-25").await;
        for uri in ["skill://pdf/nothing.md", "skill://pdf/../../etc/passwd", "file:///etc/passwd"]
        {
            let refused =
                raw.request(json!(uri), "resources/subscribe", json!({ "uri": uri })).await;
            assert!(refused["error"]["code"].is_i64(), "{uri}: {refused}");
        }
    });
}

#[test]
fn subscription_names_its_files() {
    block_on(async {
        let place = Place::new();
        let mut raw = Raw::greeted(Arc::clone(&place.runtime), "2026-07-28").await;
        let filter = json!({ "notifications": { "resourceSubscriptions": [URI] } });
        raw.ask(json!("s"), "subscriptions/listen", meta("2026-07-28", filter.clone())).await;
        let accepted = raw.receive().await;
        assert_eq!(accepted["params"]["notifications"], filter["notifications"], "{accepted}");
        let message = place.change_until_notified(&mut raw).await;
        assert_eq!(message["method"], "notifications/resources/updated", "{message}");
        assert_eq!(message["params"]["uri"], URI);
    });
}
