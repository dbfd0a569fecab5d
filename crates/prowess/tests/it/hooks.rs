//! Hooks of skills in a whole runtime: scripts that run in processes, with the consent of a person.

use std::collections::BTreeSet;
use std::sync::Arc;

use prowess::audit::{AuditEntry, MemoryLog};
use prowess::session::{ForkRequest, SessionHandle};
use prowess::tools::Dispatched;
use prowess::{
    Agent, ApprovalDecision, ApprovalScope, ApprovalStoreExt as _, ApprovalVerdict, AuditEvent,
    Code, Layer, Outcome, Policies, Runtime, RuntimeEvent, Timestamp, ToolCall, ToolResult, Trust,
    Unload,
};
use prowess_testkit::{ShellRunner, Tree};
use serde_json::json;

/// A skill whose scripts note that they ran, and whose guard refuses one table.
const FILES: &str = include_str!("../data/hooks.txt");

struct Host {
    tree: Tree,
    log: Tree,
    runtime: Runtime,
    session: SessionHandle,
    audit: Arc<MemoryLog>,
}

impl Host {
    fn new(trust: Trust, yaml: &str) -> Self {
        let log = Tree::new("//- /log\n");
        let place = log.join("log").display().to_string();
        let tree = Tree::new(&FILES.replace("LOG", &place));
        let gate = if yaml.contains("gate:") { "" } else { "gate: { ungranted: allow }\n" };
        let yaml = format!("tools: {{ hooks: run }}\n{gate}{yaml}");
        let mut policies = Policies::from_yaml(&yaml).expect("the policies are valid");
        // For turns about a message alone.
        policies.auto_load.min_score = Some(1);
        let audit = Arc::new(MemoryLog::new(100));
        let runtime = Runtime::builder()
            .policies(policies)
            .layers([Layer::new("layer", trust)])
            .skills_directory("layer", tree.path())
            .script_runner(Arc::new(ShellRunner))
            .audit(audit.clone())
            .build()
            .expect("the runtime is complete");
        let session = runtime.open_session().expect("the store is in memory");
        Self { tree, log, runtime, session, audit }
    }

    /// Returns the hooks that have run.
    fn ran(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.log.join("log")).expect("it is a file");
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// Returns how the hooks have ended, by the audit.
    fn audited(&self) -> Vec<Outcome> {
        let hook = |entry: AuditEntry| match entry {
            AuditEntry::Call(event) if event.intent.tool == "skills.hook" => Some(event.outcome),
            _ => None,
        };
        self.audit.entries().into_iter().filter_map(hook).collect()
    }

    fn call(&self, name: &str, arguments: serde_json::Value) -> Dispatched {
        let turn = self.runtime.turn(&self.session).expect("the session is open");
        turn.call(&ToolCall::new(name, arguments))
    }

    fn load(&self) -> Dispatched {
        self.call("skills_load", json!({ "names": ["db"] }))
    }

    /// Lets the host run a command, as far as the hooks permit.
    fn bash(&self, command: &str) -> ToolResult {
        let turn = self.runtime.turn(&self.session).expect("the session is open");
        let call = ToolCall::new("Bash", json!({ "command": command }));
        turn.guard(&call, || ToolResult::text("ran")).result
    }
}

fn code(result: &ToolResult) -> Option<&str> {
    result.code.as_ref().map(Code::as_str)
}

#[test]
fn scripts_run_around_the_skill_and_around_calls() {
    let mut host = Host::new(Trust::Trusted, "");
    assert_eq!(code(&host.load().result), None);
    assert_eq!(host.ran(), ["pre"]);
    assert_eq!(code(&host.bash("select from table orders")), None);
    assert_eq!(host.ran(), ["pre", "guard"]);
    let refused = host.bash("select from table users");
    assert_eq!(code(&refused), Some("hook-refused"));
    let message = refused.message().expect("it is an error");
    assert!(message.ends_with("that table is private"), "{message}");
    let turn = host.runtime.turn(&host.session).expect("the session is open");
    assert_eq!(turn.stop().as_deref(), Some("a hook of `db`: close the connection"));
    let fork = host.session.fork(&ForkRequest::default()).expect("there is room");
    host.call("skills_unload", json!({ "all": true }));
    assert_eq!(host.ran(), ["pre", "guard", "post"]);
    assert_eq!(code(&host.bash("select from table users")), None, "a hook ends with its skill");
    host.session = fork;
    let refused = host.bash("select from table users");
    assert_eq!(code(&refused), Some("hook-refused"), "a fork keeps the limits of its parent");
    let turn = host.runtime.turn(&host.session).expect("the session is open");
    assert_eq!(turn.stop(), None);
}

#[test]
fn post_runs_once_at_each_end_of_a_skill() {
    type End = fn(&Host);
    let ends: [(&str, End); 6] = [
        ("call", |host| drop(host.call("skills_unload", json!({ "names": ["db"] })))),
        ("host", |host| drop(host.session.unload(&Unload::All))),
        ("task", |host| drop(host.session.task())),
        ("limit", |host| drop(host.session.restrict(&BTreeSet::new()))),
        ("trust", |host| drop(host.session.revoke(|_| true))),
        ("session", |host| drop(host.runtime.close_session(host.session.id()))),
    ];
    for (name, end) in ends {
        let host = Host::new(Trust::Trusted, "");
        host.load();
        end(&host);
        assert_eq!(host.ran(), ["pre", "post"], "{name}");
        end(&host);
        drop(host.runtime.close_session(host.session.id()));
        assert_eq!(host.ran(), ["pre", "post"], "{name}: once");
        assert_eq!(host.audited(), [Outcome::Done, Outcome::Done], "{name}");
    }
    let host = Host::new(Trust::Trusted, "");
    host.load();
    std::fs::remove_dir_all(host.tree.join("db")).expect("it is there");
    host.runtime.reload();
    drop(host.session.task());
    let refused = Outcome::Refused(Code::new("skill-changed"));
    assert_eq!(host.audited(), [Outcome::Done, refused], "what is gone cannot run");
}

#[test]
fn hooks_of_an_untrusted_skill_need_an_approval_of_its_package() {
    let mut host = Host::new(Trust::Untrusted, "");
    let asked = host.load();
    assert_eq!(code(&asked.result), Some("approval-required"), "{asked:?}");
    assert!(host.ran().is_empty(), "nothing runs before a person has decided");
    let id = asked.approval.expect("a person is asked");
    let entry = host.runtime.approvals().load(&id).unwrap().expect("it is pending");
    assert_eq!(entry.request.skill.as_deref(), Some("db"));
    assert!(entry.request.package.is_some(), "it is bound to the digest of the package");
    let hooks = r#""hooks":["pre: scripts/pre.sh","post: scripts/post.sh","PreToolUse: scripts/guard.sh users","Stop: scripts/stop.sh"]"#;
    assert!(entry.preview.contains(hooks), "a person sees what will run: {}", entry.preview);
    let verdict = ApprovalVerdict::Grant { scope: ApprovalScope::Once, expires: None };
    let decision = ApprovalDecision { verdict, by: "ann".to_owned(), at: Timestamp(0) };
    host.runtime.approvals().decide(&id, &decision).expect("it is pending");
    assert_eq!(code(&host.load().result), None);
    assert_eq!(code(&host.bash("select from table orders")), None, "the load was approved");
    assert_eq!(host.ran(), ["pre", "guard"]);
    let fork = host.session.fork(&ForkRequest::default()).expect("there is room");
    let parent = std::mem::replace(&mut host.session, fork);
    assert_eq!(code(&host.bash("select from table orders")), None, "for its forks as well");
    host.session = parent;
    // The script itself stays, and what it could use does not.
    host.tree.write("db/scripts/other.sh", "echo other\n");
    let refused = host.bash("select from table orders");
    assert_eq!(code(&refused), Some("hook-refused"), "the package is another one: {refused:?}");
    assert_eq!(host.ran(), ["pre", "guard", "guard"]);
    let session = host.runtime.open_session().expect("the store is in memory");
    let turn = host.runtime.turn(&session).expect("the session is open");
    let again = turn.call(&ToolCall::new("skills_load", json!({ "names": ["db"] })));
    assert_eq!(code(&again.result), Some("approval-required"), "it was approved once");
}

#[test]
fn hooks_run_only_where_scripts_may() {
    let bind = |host: &Host| {
        let mut agent = Agent::default();
        agent.manifest.uses_skills = vec!["db".to_owned()];
        host.runtime.bind_agent(&host.session, &agent)
    };
    let (asks, gates) = ("gate: { ungranted: ask }", "gate: { ungranted: ask }\nadded_tools: gate");
    for (yaml, pre, refused) in [
        ("gate: { tool_semantics: restrict }", None, Some("skill-tool-not-allowed")),
        ("gate: { ceiling: { deny: [skills.run] } }", None, Some("tool-denied")),
        ("gate: { ceiling: { deny: [skills_hook] } }", None, Some("tool-denied")),
        ("session: { max_active: 1 }", None, Some("too-many-skills")),
        (gates, None, Some("approval-required")),
        (asks, Some("exit 1\n"), Some("hook-failed")),
        ("", None, None),
    ] {
        let host = Host::new(Trust::Trusted, yaml);
        pre.into_iter().for_each(|text| host.tree.write("db/scripts/pre.sh", text));
        host.call("skills_load", json!({ "names": ["ro"] }));
        let arguments = json!({ "names": ["db"], "mode": "add" });
        let turn = host.runtime.turn(&host.session).expect("the session is open");
        let explained = turn.explain("skills_load", &arguments).expect("it decides").to_string();
        let is_full = refused == Some("too-many-skills") && explained.contains("at most 1 may be");
        let hooks = "of `db` run: pre: scripts/pre.sh, ";
        assert!(is_full || explained.contains(hooks), "{yaml}: {explained}");
        let about = "rows of a database";
        let turn = host.runtime.turn_about(&host.session, about).expect("the session is open");
        assert_eq!(turn.state().find("db").is_none(), refused.is_some(), "{yaml}: by itself");
        assert_eq!(code(&host.call("skills_load", arguments).result), refused, "{yaml}");
        assert_eq!(bind(&host).is_err(), refused.is_some(), "{yaml}: of an agent");
        assert_eq!(host.ran().is_empty(), refused.is_some(), "{yaml}");
        let refuses = code(&host.bash("select from table users")) == Some("hook-refused");
        assert_eq!(refuses, refused.is_none(), "{yaml}: the hooks of what is loaded alone");
    }
    let untrusted = Host::new(Trust::Untrusted, "");
    assert!(bind(&untrusted).is_err() && untrusted.ran().is_empty(), "no person can be asked");
    let allowed = Host::new(Trust::Untrusted, "scripts: { trust: untrusted }");
    assert!(bind(&allowed).is_ok() && allowed.ran() == ["pre"], "the operator says so");
}

/// A skill that its parent has runs its hooks in a session of its own, too: each once, under the id
/// of that run.
#[test]
fn fork_of_an_active_skill_has_its_own_hooks() {
    for trust in [Trust::Trusted, Trust::Untrusted] {
        let mut host = Host::new(trust, "scripts: { trust: untrusted }");
        let text = std::fs::read_to_string(host.tree.join("db/SKILL.md")).expect("it is there");
        host.tree
            .write("db/SKILL.md", text.replace("hooks:\n  pre", "context: fork\nhooks:\n  pre"));
        host.runtime.reload();
        host.load();
        let forks = host.session.with_forks();
        let parent = std::mem::replace(&mut host.session, forks);
        let fork = host.load().result.fork.expect("it asks for a session of its own").session;
        assert_eq!(host.ran(), ["pre", "pre"]);
        drop(parent.forked(fork.clone()).task());
        assert_eq!(host.ran(), ["pre", "pre", "post"]);
        let of_run = |entry| match entry {
            AuditEntry::Call(AuditEvent { intent, .. }) if intent.tool == "skills.hook" => {
                (intent.session == fork).then_some(intent.correlation)
            }
            AuditEntry::Runtime(RuntimeEvent::SkillActivated(it)) => {
                (it.session == fork).then_some(it.correlation)
            }
            _ => None,
        };
        let runs: Vec<_> = host.audit.entries().into_iter().filter_map(of_run).collect();
        assert!(runs.len() == 3 && runs.iter().all(|run| *run == runs[0]), "{runs:?}");
    }
}

/// No skill is active in such a session, so that none ends.
#[test]
fn stateless_session_runs_no_hooks() {
    let host = Host::new(Trust::Untrusted, "session: { discipline: stateless }");
    assert_eq!(code(&host.load().result), None);
    drop(host.runtime.close_session(host.session.id()));
    assert_eq!(host.ran(), [""; 0]);
}
