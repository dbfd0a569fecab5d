//! Tools of the host that are awaited.

use std::future::pending;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use prowess::{Outcome, Policies, Runtime, ToolCall, ToolResult, Turn};
use prowess_testkit::AuditRecorder;
use serde_json::json;
use tokio::task::yield_now;

const CALLS: usize = 1000;

fn turn(audit: &Arc<AuditRecorder>) -> Turn {
    let policies = Policies::from_yaml("gate: { grant: [fetch] }").expect("they are valid");
    let builder = Runtime::builder().policies(policies).audit(Arc::clone(audit) as _);
    let runtime = builder.build().expect("the runtime is complete");
    let session = runtime.open_session().expect("the store is in memory");
    runtime.turn(&session).expect("the session is open")
}

fn fetch() -> ToolCall {
    ToolCall::new("fetch", json!({}))
}

/// Checks that each call with an intent has one end, and returns the numbers of the ends that are
/// done, cancelled and failed.
fn ends(audit: &AuditRecorder) -> [usize; 3] {
    let mut begun: Vec<_> = audit.take_intents().iter().map(|intent| intent.call).collect();
    let calls = audit.take_calls();
    let mut ended: Vec<_> = calls.iter().map(|event| event.intent.call).collect();
    begun.sort_unstable();
    ended.sort_unstable();
    assert_eq!(begun, ended, "each intent has one end");
    let count = |is_such: fn(&Outcome) -> bool| {
        calls.iter().filter(|event| is_such(&event.outcome)).count()
    };
    [
        count(|outcome| *outcome == Outcome::Done),
        count(|outcome| matches!(outcome, Outcome::Failed(code) if code.as_str() == "cancelled")),
        count(|outcome| matches!(outcome, Outcome::Failed(code) if code.as_str() == "tool-failed")),
    ]
}

/// All calls run at once on one thread: each goes on only when all have begun. One in four is never
/// answered, and its future is dropped.
#[tokio::test(flavor = "current_thread")]
async fn concurrent_calls_wait_for_no_other_and_each_has_an_end() {
    let audit = Arc::new(AuditRecorder::default());
    let (turn, begun) = (Arc::new(turn(&audit)), Arc::new(AtomicUsize::new(0)));
    let calls: Vec<_> = (0..CALLS)
        .map(|number| {
            let (turn, begun) = (Arc::clone(&turn), Arc::clone(&begun));
            tokio::spawn(async move {
                let permit = turn.admit(&fetch()).expect("it is granted");
                begun.fetch_add(1, Ordering::Relaxed);
                while begun.load(Ordering::Relaxed) < CALLS {
                    yield_now().await;
                }
                if number % 4 == 0 {
                    pending::<()>().await;
                }
                permit.finish(ToolResult::text(number.to_string())).result
            })
        })
        .collect();
    for (number, call) in calls.into_iter().enumerate().rev() {
        if number % 4 == 0 {
            call.abort();
            assert!(call.await.expect_err("it was dropped").is_cancelled());
        } else {
            let result = call.await.expect("no task panics");
            assert_eq!(result, ToolResult::text(number.to_string()), "no results are mixed up");
        }
    }
    assert_eq!(ends(&audit), [CALLS / 4 * 3, CALLS / 4, 0]);
}

#[test]
fn permits_outlive_their_turn_and_record_panics() {
    let audit = Arc::new(AuditRecorder::default());
    let permit = turn(&audit).admit(&fetch()).expect("it is granted");
    assert!(!permit.finish(ToolResult::text("the page")).result.is_error);
    let permit = turn(&audit).admit(&fetch()).expect("it is granted");
    let failed = catch_unwind(AssertUnwindSafe(|| {
        let _permit = permit;
        panic!("the network is gone");
    }));
    assert!(failed.is_err());
    assert_eq!(ends(&audit), [1, 0, 1]);
}
