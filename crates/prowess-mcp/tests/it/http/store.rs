//! A server whose store is away.

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use prowess::StoreError;
use prowess::session::{MemoryStore, SessionPolicy};
use prowess_mcp::{HttpLimits, HttpOptions};
use prowess_testkit::{HookedStore, ManualClock, StoreCall};
use serde_json::json;

use super::{Answer, Request, Server};
use crate::block_on;

#[test]
fn server_without_its_store_refers_clients() {
    let is_away = Arc::new(AtomicBool::new(false));
    let failing = Arc::clone(&is_away);
    let is_read_only = Arc::new(AtomicBool::new(false));
    let refusing = Arc::clone(&is_read_only);
    let store = HookedStore::new(Arc::new(MemoryStore::new()), move |call, _| {
        let reason = "the database is unavailable".to_owned();
        let retry_after = Some(Duration::from_secs(3));
        let error = StoreError { reason, retry_after };
        let is_put = matches!(call, StoreCall::Put { .. });
        let fails = failing.load(Ordering::SeqCst) || is_put && refusing.load(Ordering::SeqCst);
        if fails { Err(error) } else { Ok(()) }
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
        is_read_only.store(true, Ordering::SeqCst);
        assert_eq!(call("new").await.status(), 503, "no session was opened, and none is there");
        is_away.store(true, Ordering::SeqCst);
        while ready().await.status() != 503 {
            clock.advance(Duration::from_secs(1));
        }
    });
}

/// A proxy finds out by a probe, and until then no request is lost.
#[test]
fn server_that_leaves_answers_on() {
    let limits = HttpLimits { leave_seconds: u64::MAX, ..HttpLimits::default() };
    let options = HttpOptions { limits, ..HttpOptions::default() };
    // It never ends.
    let mut server = ManuallyDrop::new(Server::start(crate::runtime(|builder| builder), options));
    server.ask_to_end();
    block_on(async {
        let probe = Request { line: "GET /readyz", ..Request::POST };
        while !server.send(probe).await.0.contains("ending") {}
        let status = Request { line: "GET /status", ..Request::POST }.text(server.address);
        let kept_open = status.replace("Connection: close\r\n", "");
        // It returns when the server closes the connection.
        let answer = Answer(server.exchange(kept_open.as_bytes()).await);
        assert_eq!((answer.status(), answer.header("connection")), (200, Some("close")));
    });
}
