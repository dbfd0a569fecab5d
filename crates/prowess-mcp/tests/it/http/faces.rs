//! Clients of one server that see other tools and use skills in other ways.

use std::collections::BTreeMap;
use std::sync::Arc;

use prowess::audit::{AuditEntry, MemoryLog};
use prowess::gating::ToolSemantics;
use prowess::prompt::CatalogPlace;
use prowess::session::{Discipline, SessionPolicy};
use prowess::tools::{HookPolicy, ReadGate, ScriptRead, Surface, ToolHost};
use prowess::{ClientPolicy, Policies, Runtime, RuntimeEvent};
use prowess_mcp::HttpOptions;
use prowess_testkit::Tree;
use serde_json::{Value, json};

use super::{Request, Server, message};
use crate::block_on;

const SKILLS: &str = include_str!("../../data/http-faces.txt");

/// Changes the policies of a server.
type Change = fn(&mut Policies);

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

fn no_policy() -> ClientPolicy {
    ClientPolicy::default()
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
    let mut policies = Policies {
        clients: BTreeMap::from([
            (
                "opencode".to_owned(),
                ClientPolicy {
                    surfaces: vec![Surface::Skill],
                    discipline: Some(Discipline::Stack),
                    host: None,
                },
            ),
            ("kept-by-name".to_owned(), ClientPolicy { host: Some(ToolHost::Own), ..no_policy() }),
            ("any".to_owned(), ClientPolicy { surfaces: vec![Surface::Skills], ..no_policy() }),
        ]),
        session: SessionPolicy { idle_limit_seconds: Some(60), ..SessionPolicy::default() },
        ..Policies::default()
    };
    let surfaces = [Surface::Skills, Surface::Skill, Surface::GetSkill, Surface::ReadSkill];
    policies.tools.surfaces = surfaces.into();
    policies.prompt.catalog_place = CatalogPlace::ToolDescription;
    let builder = Runtime::builder().policies(prowess_mcp::adapt(policies)).audit(log.clone());
    let runtime = builder.skills_directory("user", tree.path()).build().expect("it is complete");
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
    block_on(async {
        let client = Client::greet(&server, "forking", "").await;
        let (arguments, meta) = (json!({ "names": ["c"] }), json!({ "prowess/fork": true }));
        let load = json!({ "name": "skills_load", "arguments": arguments, "_meta": meta });
        client.ask("tools/call", load).await;
        let delete = Request { line: "DELETE /mcp", headers: &client.headers, ..Request::POST };
        assert_eq!(server.send(delete).await.status(), 204);
        // Without an end of the fork, this would hang.
        while !runs(&log).iter().any(|run| run.ends_with("-c")) {
            tokio::task::yield_now().await;
        }
    });
    const HEAP: &str = "there is no discipline `heap`: name one of `set`, `stack` and `stateless`";
    const OTHER: &str = "there is no host `other`: name one of `own` and `foreign`";
    const WEAKER: &str = "a client may not choose this discipline, since ";
    let restrict: Change = |it| it.gate.tool_semantics = ToolSemantics::Restrict;
    let stack: Change = |it| {
        (it.tools.hooks, it.session.discipline) = (HookPolicy::Run, Discipline::Stack);
    };
    let cases: [(&str, &str, Change); 9] = [
        ("Discipline: heap", HEAP, |_| ()),
        ("Host: other", OTHER, |_| ()),
        ("Discipline: stateless", WEAKER, restrict),
        ("Discipline: stack", "", restrict),
        ("Discipline: stateless", WEAKER, |it| it.tools.script_read = ScriptRead::BlockWhenActive),
        ("Discipline: stateless", "", |it| it.tools.script_read = ScriptRead::Block),
        ("Discipline: stateless", WEAKER, |it| it.tools.hooks = HookPolicy::Run),
        ("Discipline: stateless", WEAKER, |it| it.tools.read_gate = Some(ReadGate::Active)),
        ("Discipline: set", WEAKER, stack),
    ];
    // A client may not choose a discipline under which limits of active skills mean less.
    for (header, words, change) in cases {
        let mut policies = prowess_mcp::policies();
        change(&mut policies);
        let runtime = Runtime::builder().policies(policies).build().expect("it is complete");
        let server = Server::start(runtime, HttpOptions::default());
        let answer = block_on(server.initialize_with(&format!("Prowess-{header}\r\n"))).message();
        let error = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(error.starts_with(words), "{header}: {answer}");
        assert_eq!(error.is_empty(), words.is_empty(), "{header}: {answer}");
        let code = &answer["error"]["data"]["code"];
        assert_eq!(*code == "discipline-not-allowed", words == WEAKER, "{header}: {answer}");
    }
}
