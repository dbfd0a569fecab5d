//! Reports of a client about its conversation: tasks, compactions, and skills of their own.

use std::sync::Arc;

use prowess::audit::{AuditEntry, MemoryLog};
use prowess::{DeactivationCause, Policies, RuntimeEvent};
use prowess_testkit::{Tree, rows};
use serde_json::{Value, json};

use crate::raw::Raw;
use crate::{block_on, runtime};

const SKILLS: &str = include_str!("../data/lifecycle.txt");

struct Place {
    _tree: Tree,
    log: Arc<MemoryLog>,
    raw: Raw,
}

impl Place {
    async fn new() -> Self {
        Self::with(prowess_mcp::policies()).await
    }

    async fn with(mut policies: Policies) -> Self {
        policies.audience.tenant = Some("acme".to_owned());
        let tree = Tree::new(SKILLS);
        let log = Arc::new(MemoryLog::new(100));
        let runtime = runtime(|builder| {
            let builder = builder.policies(policies).audit(log.clone());
            builder.skills_directory("user", tree.path())
        });
        let raw = Raw::greeted(Arc::new(runtime), "2025-11-25").await;
        Self { _tree: tree, log, raw }
    }

    async fn call(&mut self, tool: &str, arguments: Value, meta: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        self.raw.request(json!(1), "tools/call", params).await["result"].take()
    }

    async fn load(&mut self, skill: &str, meta: Value) -> Value {
        self.call("skills_load", json!({ "names": [skill] }), meta).await
    }

    fn ended(&self) -> Vec<(String, DeactivationCause, Option<String>)> {
        ended(&self.log)
    }
}

/// Returns the ends of skills: the skill, and the task of the audit, which names the client too.
fn ended(log: &MemoryLog) -> Vec<(String, DeactivationCause, Option<String>)> {
    let end = |entry| match entry {
        AuditEntry::Runtime(RuntimeEvent::SkillDeactivated(it)) => {
            let origin = &it.origin;
            assert_eq!(
                origin.agent.as_deref().zip(origin.tenant.as_deref()),
                Some(("test 1", "acme"))
            );
            Some((it.skill, it.cause, origin.task.clone()))
        }
        _ => None,
    };
    log.entries().into_iter().filter_map(end).collect()
}

#[test]
fn end_of_a_task_unloads_its_skills() {
    block_on(async {
        let mut place = Place::new().await;
        place.load("plain", json!({ "prowess/task": "one" })).await;
        place.call("skills_list", json!({}), json!({})).await;
        place.call("skills_list", json!({}), json!({ "prowess/task": "one" })).await;
        assert_eq!(place.ended(), [], "the task goes on");
        for (task, next) in [("one", "two"), ("two", ""), ("three", "")] {
            place.load("plain", json!({ "prowess/task": task })).await;
            place.call("skills_list", json!({}), json!({ "prowess/task": next })).await;
            let end = (Some(task.to_owned()), DeactivationCause::TaskCompleted);
            let last = place.ended().pop().expect("the skill has ended");
            assert_eq!((last.2, last.1), end, "another task, or none, ends it");
        }
        assert_eq!(place.ended().len(), 3, "each once");
        place.load("plain", json!({ "prowess/task": "last" })).await;
        let Place { raw, log, .. } = place;
        raw.close().await;
        // The skills of a connection end after it.
        while ended(&log).len() == 3 {
            tokio::task::yield_now().await;
        }
        assert_eq!(ended(&log)[3].2.as_deref(), Some("last"), "so does the connection");
    });
}

#[test]
fn instructions_come_again_after_a_compaction() {
    block_on(async {
        let mut place = Place::new().await;
        place.load("plain", json!({})).await;
        let list = async |place: &mut Place, compacted: Value| {
            let meta = json!({ "prowess/compacted": compacted });
            place.call("skills_list", json!({}), meta).await.to_string()
        };
        for (compacted, is_again) in [
            (json!(false), false),
            (json!(["plain"]), false),
            (json!(true), true),
            (json!([]), true),
        ] {
            let listed = list(&mut place, compacted.clone()).await;
            assert_eq!(listed.contains("Body of plain"), is_again, "{compacted}: {listed}");
        }
        let listed = place.call("skills_list", json!({}), json!({})).await.to_string();
        assert!(!listed.contains("Body of plain"), "once: {listed}");
        let all = json!({ "prowess/compacted": true });
        let listed = place.call("skills_list", json!({}), all.clone()).await;
        let texts = listed["content"].as_array().map_or(&[][..], |texts| texts);
        let [text] = texts else { panic!("some clients lose a second text: {listed}") };
        let data: Value =
            serde_json::from_str(text["text"].as_str().expect("a text")).expect("JSON");
        assert!(
            data["host_note"].to_string().contains("Body of plain"),
            "it is still JSON: {data}"
        );
        for (tool, arguments, times) in [
            ("skills_load", json!({ "names": ["plain"] }), 1),
            ("skills_unload", json!({ "all": true }), 0),
        ] {
            let result = place.call(tool, arguments, all.clone()).await.to_string();
            assert_eq!(result.matches("Body of plain").count(), times, "{tool}: {result}");
        }
    });
}

#[test]
fn skill_that_a_message_is_about_comes_with_the_result() {
    block_on(async {
        for (min_score, times) in [(None, [false, false]), (Some(1), [true, false])] {
            let mut policies = prowess_mcp::policies();
            policies.auto_load.min_score = min_score;
            let mut place = Place::with(policies).await;
            for is_there in times {
                let message = json!({ "prowess/message": "plain" });
                let listed = place.call("skills_list", json!({}), message).await.to_string();
                assert_eq!(listed.contains("Body of plain"), is_there, "{min_score:?}: {listed}");
            }
        }
    });
}

#[test]
fn skill_with_a_context_of_its_own_has_a_conversation_of_its_own() {
    block_on(async {
        let mut place = Place::new().await;
        let read = json!({ "path": "list.md" });
        let loaded = place.load("review", json!({ "prowess/fork": true })).await;
        let fork = &loaded["_meta"]["prowess/fork"];
        assert_eq!((&fork["fork"], &fork["agent"]), (&json!(true), &json!("reviewer")), "{loaded}");
        let text = loaded["content"][0]["text"].as_str().expect("a text");
        let note = "`review` asks for a context of its own, the agent `reviewer`. It is active in a \
                    session of its own, and not in this one.";
        assert!(text.contains(note) && text.contains("Body of review"), "{text}");
        let here = place.call("skills_read", read.clone(), json!({})).await;
        assert_eq!(here["isError"], true, "the conversation that loaded it stays as it is: {here}");
        let error = here["_meta"]["prowess/error"].as_str().expect("each failure is one type");
        assert!(error.starts_with("[SKILL_ERROR] no skill is active"), "{error}");
        assert!(error.ends_with("(code=skill-not-active)"), "{error}");
        let there = json!({ "prowess/conversation": fork["conversation"] });
        let there = place.call("skills_read", read.clone(), there).await;
        assert_eq!(there["content"][0]["text"], "The list\n", "{there}");

        assert_eq!(place.ended(), []);
        let fork = json!({ "prowess/fork": true, "prowess/task": "one" });
        place.load("review", fork).await;
        place.call("skills_list", json!({}), json!({ "prowess/task": "two" })).await;
        let completed = DeactivationCause::TaskCompleted;
        let of_task = [("review".to_owned(), completed, Some("one".to_owned()))];
        assert_eq!(place.ended()[1..], of_task, "a fork is a part of the task");

        let mut other = Place::new().await;
        let loaded = other.load("review", json!({})).await;
        assert!(loaded["_meta"].get("prowess/fork").is_none(), "it does not run such: {loaded}");
        let text = loaded["content"][0]["text"].as_str().expect("a text");
        assert!(text.contains("asks for a context of its own") && !text.contains("not in this"));
        let here = other.call("skills_read", read, json!({})).await;
        assert_eq!(here["isError"], false, "the skill is active: {here}");
    });
}

#[test]
fn prompt_that_forks_names_its_conversation_and_ends() {
    block_on(async {
        let mut place = Place::new().await;
        let meta = json!({ "prowess/fork": true, "prowess/task": "one" });
        let params = json!({ "name": "review", "_meta": meta });
        let got = place.raw.request(json!(1), "prompts/get", params).await["result"].take();
        let there = json!({ "prowess/conversation": got["_meta"]["prowess/fork"]["conversation"] });
        let read = place.call("skills_read", json!({ "path": "list.md" }), there).await;
        assert_eq!(read["content"][0]["text"], "The list\n", "{got}: {read}");
        place.call("skills_list", json!({}), json!({ "prowess/task": "two" })).await;
        let ended = place.ended();
        assert!(ended.iter().any(|(skill, ..)| skill == "review"), "with its task: {ended:?}");
    });
}

#[test]
fn discipline_is_chosen_until_a_skill_is_loaded() {
    block_on(async {
        let mut policies = Policies::default();
        policies.tools.surfaces = vec![prowess::Surface::Skill];
        let mut place = Place::with(prowess_mcp::adapt(policies)).await;
        let stack = json!({ "prowess/discipline": "stack" });
        for skill in ["plain", "review"] {
            place.call("skill", json!({ "skill_name": skill }), stack.clone()).await;
        }
        let lower = json!({ "skill_name": "plain", "action": "deactivate" });
        let refused = place.call("skill", lower.clone(), json!({})).await;
        assert_eq!(refused["isError"], true, "the first call has chosen: {refused}");
        for [key, value] in rows(include_str!("../data/messages.txt"), "malformed") {
            let value = serde_json::from_str::<Value>(&value).expect("JSON");
            let meta = json!({ format!("prowess/{key}"): value });
            let params = json!({ "name": "skills_list", "arguments": {}, "_meta": meta });
            let refused = place.raw.request(json!(1), "tools/call", params).await;
            assert_eq!(refused["error"]["code"], -32602, "{key}: {refused}");
        }
        let refused = place.call("skill", lower, json!({})).await;
        assert_eq!(refused["isError"], true, "a refused change has no effect: {refused}");
        let unload = json!({ "name": "skills_unload", "arguments": { "all": true } });
        let unknown = place.raw.request(json!(2), "tools/call", unload).await.to_string();
        assert!(unknown.contains("no tool named `skills_unload`"), "it is not offered: {unknown}");
    });
}

#[test]
fn skill_that_makes_room_is_named() {
    block_on(async {
        let mut policies = prowess_mcp::policies();
        policies.session.max_active = 1;
        let mut place = Place::with(policies).await;
        place.load("plain", json!({})).await;
        let loaded = place.load("review", json!({})).await;
        let text = loaded["content"][0]["text"].as_str().expect("a text");
        let note = "`plain` made room, and must be loaded again before further use.";
        assert!(text.starts_with("Loaded `review`.") && text.contains(note), "{text}");
    });
}
