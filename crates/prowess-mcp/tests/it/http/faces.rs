//! Clients of one server that see other tools and use skills in other ways.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use prowess::audit::{AuditEntry, MemoryLog};
use prowess::session::MemoryStore;
use prowess::{Policies, Runtime, RuntimeBuilder, RuntimeEvent};
use prowess_mcp::HttpOptions;
use prowess_testkit::{HookedStore, StoreCall, StoreMoment, Tree, rows};
use serde_json::{Value, json};

use super::{Request, Server, message};
use crate::block_on;

const SKILLS: &str = include_str!("../../data/http-faces.txt");

/// A client that sends these headers with each request, perhaps in a conversation that it names.
struct Client<'s> {
    server: &'s Server,
    headers: String,
    name: String,
    is_named: bool,
}

impl<'s> Client<'s> {
    async fn greet(server: &'s Server, name: &str, headers: &str) -> Self {
        let client = json!({ "name": name, "version": "1" });
        let params =
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        let body = message("initialize", &params);
        let greeting = server.send(Request { headers, body: &body, ..Request::POST }).await;
        let headers = format!("{headers}{}", greeting.session());
        Self { server, headers, name: name.to_owned(), is_named: false }
    }

    async fn ask(&self, method: &str, mut params: Value) -> Value {
        if self.is_named {
            // Clients count their conversations, each from one.
            params["_meta"]["prowess/conversation"] = "1".into();
        }
        let body = message(method, &params);
        let request = Request { headers: &self.headers, body: &body, ..Request::POST };
        self.server.send(request).await.message()["result"].take()
    }

    /// Returns the names and the descriptions of the tools.
    async fn tools(&self) -> Vec<(String, String)> {
        let listed = self.ask("tools/list", json!({})).await;
        let text = |tool: &Value, key: &str| tool[key].as_str().unwrap_or_default().to_owned();
        let tools = listed["tools"].as_array().expect("there are tools").iter();
        tools.map(|tool| (text(tool, "name"), text(tool, "description"))).collect()
    }

    async fn call(&self, tool: &str, arguments: Value) -> String {
        let called = self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        called["content"][0]["text"].as_str().expect("a text").to_owned()
    }
}

/// Returns the ends and the starts of skills: the agent, then the skill.
fn runs(log: &MemoryLog) -> Vec<String> {
    let run = |entry| match entry {
        AuditEntry::Runtime(RuntimeEvent::SkillActivated(it)) => Some((it.origin, '+', it.skill)),
        AuditEntry::Runtime(RuntimeEvent::SkillDeactivated(it)) => Some((it.origin, '-', it.skill)),
        _ => None,
    };
    let runs = log.entries().into_iter().filter_map(run);
    let agent = |origin: &prowess::CallOrigin| origin.agent.clone().unwrap_or_default();
    runs.map(|(origin, sign, skill)| format!("{}: {sign}{skill}", agent(&origin))).collect()
}

fn runtime(policies: &str, add: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder) -> Runtime {
    let mut policies: Policies = serde_json::from_str(policies).expect("they are policies");
    policies.session.idle_limit_seconds = Some(60);
    let builder = Runtime::builder().policies(prowess_mcp::adapt(policies));
    add(builder).build().expect("it is complete")
}

/// Loads and unloads two skills, as a stack by the tool `skill` and as a set by `skills_load`.
async fn work_differently(stack: &Client<'_>, set: &Client<'_>) {
    let names = async |client: &Client<'_>| {
        client.tools().await.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(names(stack).await, ["skills_list", "skills_search", "skill"]);
    let own = names(set).await;
    assert!(own.iter().all(|name| name.starts_with("skills_")), "{own:?}");
    let foreign = json!({ "name": "skills_load", "arguments": { "names": ["a"] } });
    assert!(stack.ask("tools/call", foreign).await.is_null(), "such a tool is an error");
    for skill in ["a", "b"] {
        let content = stack.call("skill", json!({ "skill_name": skill })).await;
        assert!(content.contains("\"status\": \"activated\""), "{content}");
        set.call("skills_load", json!({ "names": [skill] })).await;
    }
    let a = json!({ "skill_name": "a", "action": "deactivate" });
    let refused = stack.call("skill", a.clone()).await;
    assert!(refused.contains("must be deactivated first"), "{refused}");
    let unloaded = set.call("skills_unload", json!({ "names": ["a"] })).await;
    assert!(unloaded.starts_with("Unloaded `a`"), "{unloaded}");
    stack.call("skill", json!({ "skill_name": "b", "action": "deactivate" })).await;
    stack.call("skill", a).await;
}

#[test]
fn one_server_is_a_stack_and_a_set_at_once() {
    let tree = Tree::new(SKILLS);
    let log = Arc::new(MemoryLog::new(100));
    let policies = json!({
        "clients": {
            "opencode": { "surfaces": ["skill"], "discipline": "stack" },
            "kept-by-name": { "host": "own" },
            "any": { "surfaces": ["skills"] },
        },
        "tools": { "surfaces": ["skills", "skill", "get_skill", "read_skill"] },
        "prompt": { "catalog_place": "tool_description" },
    });
    let runtime = runtime(&policies.to_string(), |builder| {
        builder.audit(log.clone()).skills_directory("user", tree.path())
    });
    // Conversations that other servers continue have the discipline of their client, too.
    let server =
        Server::start(runtime, HttpOptions { keeps_conversations: true, ..HttpOptions::default() });
    let every = "Prowess-Surfaces: skills,skill,get_skill,read_skill\r\n";
    block_on(async {
        let headers = "Prowess-Surfaces: skill\r\nProwess-Discipline: stack\r\n";
        for (stack, headers, set, of_set) in [
            ("stack", headers, "set", "Prowess-Surfaces: skills\r\n"),
            ("OpenCode", "", "claude-code", ""),
            ("opencode", "", "OPENCODE", "Prowess-Surfaces: skills\r\nProwess-Discipline: set\r\n"),
        ] {
            let stack = Client::greet(&server, stack, headers).await;
            let stack = Client { is_named: true, ..stack };
            let set = Client::greet(&server, set, of_set).await;
            let set = Client { is_named: true, ..set };
            work_differently(&stack, &set).await;
            let runs = runs(&log);
            let of = |client: &Client<'_>| -> Vec<&str> {
                let agent = format!("{} 1: ", client.name);
                runs.iter().filter_map(|run| run.strip_prefix(&agent)).collect()
            };
            assert_eq!(of(&stack), ["+a", "+b", "-b", "-a"], "{runs:?}");
            assert_eq!(of(&set), ["+a", "+b", "-a"], "{runs:?}");
        }
        let all = Client::greet(&server, "all", every).await;
        let tools = all.tools().await;
        for (name, list) in [
            ("skills_load", "<name>a</name>"),
            ("skill", "\"a\": Does one thing."),
            ("get_skill", "- a: Does one thing."),
            ("read_skill", "• `a` — Does one thing."),
        ] {
            let (_, text) = tools.iter().find(|(tool, _)| tool == name).expect("it is offered");
            assert!(text.contains(list), "each has the list of its document: {name}: {text}");
        }

        let kept = Client::greet(&server, "kept", "Prowess-Host: own\r\n").await;
        let named = Client::greet(&server, "kept-by-name", "").await;
        for (client, has_body) in [(&kept, false), (&named, false), (&all, true)] {
            let load = async || client.call("skills_load", json!({ "names": ["a"] })).await;
            assert!(load().await.contains("Body of a"));
            let again = load().await;
            assert_eq!(again.contains("Body of a"), has_body, "{again}");
            assert_eq!(again.contains("`a` are in an earlier result"), !has_body, "{again}");
            client.call("skills_unload", json!({ "all": true })).await;
            assert!(load().await.contains("Body of a"), "it can be had again");
        }
    });
}

/// A skill that a request without a conversation forks stays loaded after it.
#[test]
fn fork_ends_with_the_conversation_that_began_it() {
    let tree = Tree::new(SKILLS);
    let log = Arc::new(MemoryLog::new(100));
    let ended = Arc::new(AtomicUsize::new(0));
    let deleted = Arc::clone(&ended);
    let store = HookedStore::new(Arc::new(MemoryStore::new()), move |call, moment| {
        let is_end = matches!((call, moment), (StoreCall::Delete(_), StoreMoment::After(_)));
        deleted.fetch_add(usize::from(is_end), Ordering::SeqCst);
        Ok(())
    });
    let runtime = runtime("{}", |builder| {
        let builder = builder.session_store(Arc::new(store)).audit(log.clone());
        builder.skills_directory("user", tree.path())
    });
    let server = Server::start(runtime, HttpOptions::default());
    let (c, fork) = (json!({ "names": ["c"] }), "prowess/fork");
    let call = async |tool: &str, key: &str, value: &Value| {
        server.call(tool, c.clone(), (key, value)).await.message()
    };
    let sessions = async |count: usize| {
        while ended.load(Ordering::SeqCst) < count {
            tokio::task::yield_now().await;
        }
    };
    block_on(async {
        let loaded = call("skills_load", fork, &json!(true)).await;
        let id = &loaded["result"]["_meta"][fork]["conversation"];
        sessions(1).await;
        let unloaded = call("skills_unload", "prowess/conversation", id).await;
        assert!(unloaded.to_string().contains("Unloaded `c`"), "{unloaded}");
        let client = Client::greet(&server, "test", "").await;
        let load = json!({ "name": "skills_load", "arguments": &c, "_meta": { fork: true } });
        let loaded = client.ask("tools/call", load).await;
        let id = &loaded["_meta"][fork]["conversation"];
        let delete = Request { line: "DELETE /mcp", headers: &client.headers, ..Request::POST };
        assert_eq!(server.send(delete).await.status(), 204);
        // That of the request, and those of the connection and its fork.
        sessions(3).await;
        for code in [json!("conversation-forgotten"), Value::Null] {
            let answer = call("skills_load", "prowess/conversation", id).await;
            assert_eq!(answer["error"]["data"]["code"], code, "it is said once: {answer}");
        }
        let runs = runs(&log);
        assert_eq!(runs, ["+c", "-c", "+c", "-c", "+c"].map(|run| format!("test 1: {run}")));
    });
}

/// A client may not choose a discipline under which limits of active skills mean less.
#[test]
fn discipline_of_a_client_keeps_the_limits() {
    for [header, words, policies] in rows(include_str!("../../data/client-choices.txt"), "") {
        let server = Server::start(runtime(&policies, |builder| builder), HttpOptions::default());
        let answer = block_on(server.initialize_with(&format!("Prowess-{header}\r\n"))).message();
        let error = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(error.starts_with(&words), "{header}: {answer}");
        assert_eq!(error.is_empty(), words.is_empty(), "{header}: {answer}");
        let code = &answer["error"]["data"]["code"];
        let is_weaker = words.starts_with("a client may not choose");
        assert_eq!(*code == "discipline-not-allowed", is_weaker, "{header}: {answer}");
    }
}
