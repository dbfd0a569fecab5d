//! The gate: what skills, the operator and approvals let a call do, through the public interface.

use prowess_testkit::rows;
use std::cell::Cell;
use std::sync::Arc;

use prowess::gating::Decision;
use prowess::session::{ForkRequest, SessionHandle};
use prowess::{ApprovalId, Layer, Policies, Runtime, ToolCall, ToolResult, Trust};
use prowess_testkit::{TestTool, TestTools, Tree};
use serde_json::{Value, json};

/// A conversation over skills that a test writes.
struct Host {
    tree: Tree,
    runtime: Runtime,
    session: SessionHandle,
}

const GIT: &str = "allowed-tools: Bash(git:*) Read Write\n";

impl Host {
    /// Creates a host with skills: name and further frontmatter.
    fn new(yaml: &str, trust: Trust, skills: &[(&str, &str)]) -> Self {
        let tree = Tree::new("");
        for (name, further) in skills {
            tree.write(&format!("{name}/SKILL.md"), skill(name, further));
        }
        let policies = Policies::from_yaml(yaml).expect("the policies are valid");
        let query =
            TestTool::new("json_query", "Queries data.", |_, _| ToolResult::text("the data"));
        let runtime = Runtime::builder()
            .policies(policies)
            .layers([Layer::new("user", trust)])
            .tools(Arc::new(TestTools::one(query)))
            .skills_directory("user", tree.path())
            .build()
            .expect("the runtime is complete");
        let session = runtime.open_session().expect("the store is in memory");
        Self { tree, runtime, session }
    }

    fn call(&self, name: &str, arguments: Value) -> prowess::tools::Dispatched {
        let turn = self.runtime.turn(&self.session).expect("the session is open");
        turn.call(&ToolCall::new(name, arguments))
    }

    fn load(&self, name: &str) {
        let answer = self.call("skills_load", json!({ "names": [name], "mode": "add" }));
        assert!(!answer.result.is_error, "{answer:?}");
    }

    fn decide(&self, tool: &str, arguments: &Value) -> Decision {
        self.runtime.decide(&self.session, tool, arguments).expect("the approvals can be read")
    }

    fn bash(&self, command: &str) -> Decision {
        self.decide("Bash", &json!({ "command": command }))
    }

    /// Makes a call of the host's own tool; returns the pending approval if it was not run.
    fn guard(&self, command: &str) -> Result<(), Option<ApprovalId>> {
        guard(&self.runtime, &self.session, command)
    }
}

fn guard(
    runtime: &Runtime,
    session: &SessionHandle,
    command: &str,
) -> Result<(), Option<ApprovalId>> {
    let runs = Cell::new(0);
    let call = ToolCall::new("Bash", json!({ "command": command }));
    let answer = runtime.guard(session, &call, || {
        runs.set(runs.get() + 1);
        ToolResult::text("ran")
    });
    let answer = answer.expect("the session is open");
    assert_eq!(runs.get() == 1, !answer.result.is_error, "it runs exactly if it is permitted");
    if answer.result.is_error { Err(answer.approval) } else { Ok(()) }
}

fn skill(name: &str, further: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}.\n{further}---\nBody of {name}\n")
}

fn standard(skills: &[(&str, &str)]) -> Host {
    Host::new("preset: standard", Trust::Trusted, skills)
}

/// Under the preset of an enterprise, the lists of its own layers are limits and could be grants;
/// those of a project and of plugins only narrow, whatever an operator makes of lists.
#[test]
fn lists_of_a_project_only_narrow() {
    let check = |trust, further: &str, status: &str, remove: &str| {
        let yaml = format!("{{ preset: omniforge{further} }}");
        let host = Host::new(&yaml, trust, &[("k8s", GIT)]);
        let loaded = host.call("skill", json!({ "skill_name": "k8s" }));
        assert!(!loaded.result.is_error, "{loaded:?}");
        for (command, expected) in [("git status", status), ("rm file", remove)] {
            let decision = host.bash(command).to_string();
            assert!(decision.starts_with(expected), "{trust:?}{further} {command}: {decision}");
        }
    };
    for trust in [Trust::Trusted, Trust::AskFirst, Trust::Untrusted] {
        check(trust, "", "allow", "deny");
        check(trust, ", gate: { combine: union }", "allow", "deny");
    }
    let preapprove = ", gate: { tool_semantics: preapprove }";
    check(Trust::Trusted, preapprove, "allow", "ask");
    check(Trust::AskFirst, preapprove, "ask", "ask");
    check(Trust::Untrusted, preapprove, "ask", "ask");
    let of_asking = ", gate: { tool_semantics: preapprove, grant_from: ask_first }";
    check(Trust::AskFirst, of_asking, "allow", "ask");
    check(Trust::Untrusted, of_asking, "ask", "ask");
}

/// A fork is limited by what was active in its parent, whatever its own skill says, and gets no
/// grant of it.
#[test]
fn fork_is_limited_by_the_skills_of_its_parent() {
    let check = |semantics: &str, own: &str, expected: [&str; 3]| {
        let yaml = format!("{{ preset: standard, gate: {{ tool_semantics: {semantics} }} }}");
        let skills = [("release", GIT), ("review", own)];
        let mut host = Host::new(&yaml, Trust::Trusted, &skills);
        host.load("release");
        let parent = host.session.clone();
        let forks = parent.with_forks();
        let turn = host.runtime.turn(&forks).expect("the session is open");
        let loaded = turn.call(&ToolCall::new("skills_load", json!({ "names": ["review"] })));
        let fork = loaded.result.fork.expect("it asks for a session of its own");
        host.session = parent.forked(fork.session);
        drop(parent.task());
        let deeper = host.session.fork(&ForkRequest::default()).expect("there is room");
        for session in [host.session.clone(), deeper] {
            host.session = session;
            let ids = host.session.state().expect("it is open").active.len();
            let commands = ["git status", "ls", "rm file"];
            for (command, expected) in commands.iter().zip(expected) {
                let decision = host.bash(command).to_string();
                assert!(
                    decision.starts_with(expected),
                    "{semantics} {own} {ids} {command}: {decision}"
                );
            }
        }
    };
    let fork = "context: fork\n";
    check("restrict", fork, ["allow", "deny", "deny"]);
    check("restrict", "context: fork\nallowed-tools: Bash\n", ["allow", "deny", "deny"]);
    check("restrict", "context: fork\nallowed-tools: Bash(ls:*)\n", ["deny", "deny", "deny"]);
    check("preapprove", fork, ["ask", "ask", "ask"]);
}

#[test]
fn granted_commands_run_and_others_are_asked_about() {
    let host = standard(&[("release", GIT)]);
    assert!(host.bash("git status").is_ask(), "nothing grants it before a skill is loaded");
    host.load("release");
    assert!(host.bash("git add . && git commit -m 'a; b'").is_allowed());
    assert!(host.bash("git status; touch pwn").is_ask());
    assert!(host.bash("git log > file").is_ask());
    assert_eq!(host.guard("git status"), Ok(()));
    let answer = host.call("skills_unload", json!({ "names": ["release"] }));
    assert!(!answer.result.is_error);
    assert!(host.bash("git status").is_ask(), "the grant ends with the skill");
}

#[test]
fn decisions_name_rule_and_position() {
    let host = standard(&[("release", GIT)]);
    host.load("release");
    let decision = host.bash("git log > file").to_string();
    let location = host.tree.join("release/SKILL.md");
    let place = format!("--> {}:4:16", location.display());
    assert!(decision.starts_with("ask: `Bash` is listed by a skill"), "{decision}");
    assert!(decision.contains(&place), "{decision}");
    assert!(decision.contains("| Bash(git:*)"), "{decision}");
}

#[test]
fn added_tools_run_unless_the_policy_asks() {
    let query = |yaml: &str| {
        let host = Host::new(yaml, Trust::Trusted, &[("release", GIT)]);
        host.load("release");
        host.call("json_query", json!({})).result.code.map(|code| code.to_string())
    };
    assert_eq!(query("preset: standard"), None);
    let asked = Some("approval-required".to_owned());
    assert_eq!(query("{ preset: standard, added_tools: gate }"), asked);
    let denied = "{ preset: standard, gate: { ceiling: { deny: [json_query] } } }";
    assert_eq!(query(denied).as_deref(), Some("tool-denied"));
}

/// A rule about paths means the file that is opened, and the list of a skill stays near it.
#[cfg(unix)]
#[test]
fn path_rules_see_the_links_of_the_host() {
    use std::os::unix::fs::symlink;

    let own = "allowed-tools: Read(${CLAUDE_SKILL_DIR}/references/**) \
               Bash(sh ${CLAUDE_SKILL_DIR}/scripts/*)\n";
    let host = standard(&[("pdf", own), ("any", "allowed-tools: Read Write(src/**)\n")]);
    host.tree.write("secret", "it is one");
    host.tree.write("pdf/references/a.md", "text");
    host.tree.write("pdf/scripts/a.sh", "exit");
    for row in rows(include_str!("../data/tables.txt"), "path_rules_see_the_links_of_the_host") {
        let [link, target] = row.each_ref().map(String::as_str);
        symlink(target, host.tree.join(&format!("pdf/{link}"))).expect("there is room");
    }
    let root = host.tree.path().canonicalize().expect("it is there");
    let root = root.to_str().expect("it is UTF-8");
    let check = |tool: &str, argument: &str, value: &str, expected: &str| {
        let decision = host.decide(tool, &json!({ argument: value })).to_string();
        assert!(decision.starts_with(expected), "{tool} {value}: {decision}");
    };
    host.load("pdf");
    for (paths, expected) in
        [("a.md new.md in", "allow"), ("out gone up/secret process/Cargo.toml ../SKILL.md", "ask")]
    {
        for path in paths.split(' ') {
            check("Read", "path", &format!("{root}/pdf/references/{path}"), expected);
        }
    }
    check("Bash", "command", &format!("sh {root}/pdf/scripts/a.sh x"), "allow");
    check("Bash", "command", &format!("sh {root}/pdf/scripts/out.sh"), "ask");
    host.call("skills_unload", json!({ "names": ["pdf"] }));
    host.load("any");
    let others = "/etc/passwd //etc/passwd /proc/self/environ /proc/self/cwd/src/lib.rs /dev/fd/0 \
        ../../README.md";
    for (paths, expected) in [("src/lib.rs ./src/../Cargo.toml", "allow"), (others, "ask")] {
        paths.split(' ').for_each(|path| check("Read", "path", path, expected));
    }
    check("Write", "path", "src/new.rs", "allow");
    check("Write", "path", "src/./lib.rs", "allow");
    check("Write", "path", "src/../lib.rs", "ask");
    let denied =
        "{ preset: standard, gate: { grant: [Read], ceiling: { deny: ['Read(/etc/**)'] } } }";
    let host = Host::new(denied, Trust::Trusted, &[("any", "")]);
    symlink("/etc", host.tree.join("etc")).expect("there is room");
    let path = host.tree.join("etc/passwd");
    assert!(host.decide("Read", &json!({ "path": path })).is_denied(), "a link to what is denied");
}

/// A program is what its name on the search path leads to.
#[cfg(unix)]
#[test]
fn denied_program_is_refused_by_another_name() {
    let yaml = "{ preset: standard, gate: { grant: [Bash], ceiling: { deny: ['Bash(rm:*)'] } } }";
    let host = Host::new(yaml, Trust::Trusted, &[]);
    let link = host.tree.join("x");
    std::os::unix::fs::symlink("/bin/rm", &link).expect("there is room");
    let link = link.display();
    for command in [format!("{link} y"), format!("sudo {link} y"), format!("find . -exec {link} +")]
    {
        assert!(host.bash(&command).is_denied(), "{command}");
    }
}

/// No person is asked about more than can be shown.
#[test]
fn call_that_cannot_be_shown_asks_nobody() {
    let host = standard(&[]);
    for (length, is_asked) in [(12_000, true), (12 * 1024, false), (1 << 20, false)] {
        let answer = host.guard(&format!("echo {}", "x".repeat(length)));
        let id = answer.expect_err("nothing grants it");
        assert_eq!(id.is_some(), is_asked, "{length} bytes");
        if let Some(id) = id {
            let entry = host.runtime.approvals().load(&id).expect("memory does not fail");
            let shown = entry.expect("it is pending").preview;
            assert!(shown.len() > length && shown.ends_with("x\"}"), "the whole call is shown");
        }
    }
}
