//! `subscriptions/listen`, from revision 2026-07-28 on.

use std::sync::Arc;

use prowess::Runtime;
use prowess_testkit::Tree;
use serde_json::{Value, json};

use crate::raw::{Raw, meta};
use crate::{block_on, runtime_of};

const REVISION: &str = "2026-07-28";
const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// Starts a server of an empty tree.
async fn server() -> (Tree, Arc<Runtime>, Raw) {
    let tree = Tree::new("");
    let runtime = runtime_of(&tree);
    let raw = Raw::greeted(Arc::clone(&runtime), REVISION).await;
    (tree, runtime, raw)
}

/// Subscribes to changes of the tools.
async fn listen_to_tools(raw: &mut Raw, id: &str) {
    listen(raw, id, json!({ "toolsListChanged": true })).await;
}

/// Subscribes, and checks the acknowledgement.
async fn listen(raw: &mut Raw, id: &str, filter: Value) {
    let params = meta(REVISION, json!({ "notifications": filter.clone() }));
    raw.ask(json!(id), "subscriptions/listen", params).await;
    let message = raw.receive().await;
    assert_eq!(message["method"], "notifications/subscriptions/acknowledged", "{message}");
    assert_eq!(message["params"]["_meta"][SUBSCRIPTION_ID], id, "it names the subscription");
    assert_eq!(message["params"]["notifications"], filter, "it names what is sent");
}

fn write_skill(tree: &Tree, name: &str) {
    let text = format!("---\nname: {name}\ndescription: Fills forms.\n---\nBody\n");
    tree.write(&format!("{name}/SKILL.md"), text);
}

/// Reloads with one more skill until a message arrives. Notifications start some time after the
/// acknowledgement, so one change may come too early.
async fn change_until_notified(raw: &mut Raw, runtime: &Runtime, tree: &Tree) -> Value {
    for number in 0.. {
        write_skill(tree, &format!("skill-{number}"));
        runtime.reload();
        let wait = std::time::Duration::from_millis(200);
        if let Ok(message) = tokio::time::timeout(wait, raw.receive()).await {
            return message;
        }
    }
    unreachable!("the test's patience ends first")
}

#[test]
fn change_is_sent_to_the_subscription() {
    block_on(async {
        let (tree, runtime, mut raw) = server().await;
        let filter = json!({
            "toolsListChanged": true,
            "promptsListChanged": true,
            "resourcesListChanged": true,
        });
        listen(&mut raw, "s1", filter).await;
        let mut message = change_until_notified(&mut raw, &runtime, &tree).await;
        for list in ["tools", "prompts", "resources"] {
            let method = format!("notifications/{list}/list_changed");
            assert_eq!(message["method"], method, "{message}");
            assert_eq!(message["params"]["_meta"][SUBSCRIPTION_ID], "s1", "{message}");
            if list != "resources" {
                message = raw.receive().await;
            }
        }
    });
}

#[test]
fn subscription_without_tools_gets_no_lists() {
    block_on(async {
        let (tree, runtime, mut raw) = server().await;
        let one_file = json!({ "resourceSubscriptions": ["skill://pdf/SKILL.md"] });
        listen(&mut raw, "none", one_file).await;
        listen_to_tools(&mut raw, "tools").await;
        let message = change_until_notified(&mut raw, &runtime, &tree).await;
        assert_eq!(message["params"]["_meta"][SUBSCRIPTION_ID], "tools", "{message}");
    });
}

#[test]
fn unsubscribed_client_gets_nothing() {
    block_on(async {
        let (tree, runtime, mut raw) = server().await;
        let list = raw.request(json!(1), "tools/list", meta(REVISION, json!({}))).await;
        assert!(list["result"]["tools"].is_array(), "{list}");
        write_skill(&tree, "pdf");
        runtime.reload();
        assert_eq!(raw.close().await, Vec::<Value>::new(), "nothing was asked for");
    });
}

#[test]
fn open_subscription_ends_with_the_connection() {
    block_on(async {
        let (tree, runtime, mut raw) = server().await;
        listen_to_tools(&mut raw, "s1").await;
        // Until a notification arrives, the library may not have noticed that its own was sent.
        change_until_notified(&mut raw, &runtime, &tree).await;
        let rest = raw.close().await;
        let last = rest.last().expect("the subscription is answered when it ends");
        assert_eq!(last["id"], "s1", "{rest:?}");
        assert_eq!(last["result"]["resultType"], "complete", "{rest:?}");
    });
}

/// The end of the first one would be taken for the answer to the second.
#[test]
fn id_of_cancelled_subscription_is_not_taken_again() {
    block_on(async {
        let (_tree, _, mut raw) = server().await;
        listen_to_tools(&mut raw, "s1").await;
        raw.send(
            br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s1"}}"#,
        )
        .await;
        let again = meta(REVISION, json!({ "notifications": { "toolsListChanged": true } }));
        let refused = raw.request(json!("s1"), "subscriptions/listen", again).await;
        assert_eq!(refused["error"]["code"], -32600, "{refused}");
        listen_to_tools(&mut raw, "s2").await;
    });
}

/// Notifies as often as the client's view changes, not as often as files are touched.
#[test]
fn reload_without_a_visible_change_is_not_sent() {
    block_on(async {
        let (tree, runtime, mut raw) = server().await;
        listen_to_tools(&mut raw, "s1").await;
        change_until_notified(&mut raw, &runtime, &tree).await;
        // The file is another one with the same text, so the catalog is swapped.
        let text = "---\nname: skill-0\ndescription: Fills forms.\n---\nOther\n";
        tree.write("skill-0/SKILL.md", text);
        runtime.reload();
        let list = raw.request(json!(9), "tools/list", meta(REVISION, json!({}))).await;
        assert!(list["result"]["tools"].is_array(), "the next message is the list: {list}");
        let rest = raw.close().await;
        assert!(rest.iter().all(|sent| sent["method"].is_null()), "no more of them: {rest:?}");
    });
}
