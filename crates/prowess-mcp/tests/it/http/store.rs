//! A server whose store is away.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use prowess::StoreError;
use prowess::session::{MemoryStore, SessionPolicy};
use prowess_mcp::HttpOptions;
use prowess_testkit::{HookedStore, ManualClock};
use serde_json::json;

use super::{Request, Server};
use crate::block_on;

#[test]
fn server_without_its_store_refers_clients() {
    let is_away = Arc::new(AtomicBool::new(false));
    let failing = Arc::clone(&is_away);
    let store = HookedStore::new(Arc::new(MemoryStore::new()), move |_, _| {
        let reason = "the database is unavailable".to_owned();
        let retry_after = Some(Duration::from_secs(3));
        let error = StoreError { reason, retry_after };
        if failing.load(Ordering::SeqCst) { Err(error) } else { Ok(()) }
    });
    let mut policies = prowess_mcp::policies();
    policies.session = SessionPolicy { idle_limit_seconds: Some(60), ..SessionPolicy::default() };
    let runtime =
        crate::runtime(|builder| builder.policies(policies).session_store(Arc::new(store)));
    let clock = Arc::new(ManualClock::default());
    let options = HttpOptions {
        keeps_conversations: true,
        clock: Arc::clone(&clock) as _,
        ..HttpOptions::default()
    };
    let server = Server::start(runtime, options);
    let ready = async || server.send(Request { line: "GET /readyz", ..Request::POST }).await;
    let call = async |conversation: &str| {
        let named = ("prowess/conversation", &json!(conversation));
        server.call("skills_list", json!({}), named).await
    };
    block_on(async {
        assert_eq!(call("a").await.status(), 200);
        while ready().await.status() != 200 {}
        is_away.store(true, Ordering::SeqCst);
        for conversation in ["a", "b"] {
            let refused = call(conversation).await;
            assert_eq!(refused.status(), 503, "a proxy may ask another server: {refused:?}");
            assert_eq!(refused.header("retry-after"), Some("3"), "{refused:?}");
            let data = &refused.message()["error"]["data"];
            assert_eq!(data["prowess/code"], "store-unavailable", "{refused:?}");
            assert_eq!(data["retry_after"], 3, "{refused:?}");
        }
        let probed = ready().await;
        assert_eq!(probed.status(), 503, "a failed request is enough: {probed:?}");
        is_away.store(false, Ordering::SeqCst);
        while ready().await.status() != 200 {
            clock.advance(Duration::from_secs(1));
        }
        assert_eq!(call("b").await.status(), 200);
        is_away.store(true, Ordering::SeqCst);
        while ready().await.status() != 503 {
            clock.advance(Duration::from_secs(1));
        }
    });
}
