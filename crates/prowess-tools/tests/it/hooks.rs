//! Scripts before a skill is loaded and after it was unloaded.

use std::sync::Arc;

use prowess_core::{
    CallIntent, Code, Outcome, ScriptError, ScriptOutcome, SkillError, Tool, ToolCall, ToolResult,
};
use prowess_testkit::TestTool;
use prowess_tools::{HookPolicy, Surface, ToolPolicy};
use serde_json::{Value, json};

use crate::fixture::{Host, Scripts, Setup};

/// Lets those scripts fail whose names say so.
fn scripts() -> Arc<Scripts> {
    Scripts::ending(|script, _| {
        if script.contains("missing") {
            return Err(ScriptError::new(Code::new("interpreter-missing"), "there is no `bash`"));
        }
        let (exit_code, stderr) = match script {
            script if script.contains("fail") => (1, "no database"),
            script if script.contains("refuse") => (2, "no database"),
            _ => (0, ""),
        };
        let (exit_code, stderr) = (Some(exit_code), stderr.to_owned());
        Ok(ScriptOutcome { exit_code, stderr, ..ScriptOutcome::default() })
    })
}

fn skill(name: &str, hooks: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}.\n{hooks}---\nBody of {name}\n")
}

fn host(hooks: HookPolicy) -> (Host, Arc<Scripts>) {
    host_on(Surface::Skills, hooks)
}

fn host_on(surface: Surface, hooks: HookPolicy) -> (Host, Arc<Scripts>) {
    let runner = scripts();
    let policy = ToolPolicy { hooks, surfaces: vec![surface], ..ToolPolicy::default() };
    let setup = Setup { policy, runner: Some(runner.clone()), ..Setup::default() };
    let alpha = skill("alpha", "hooks:\n  pre: scripts/pre.sh\n  post: scripts/post.sh\n");
    let beta = skill("beta", "hooks:\n  pre: scripts/fail.sh\n");
    let gamma = skill("pdf-processing", "hooks:\n  post: scripts/fail-late.sh\n");
    let files: [(&str, &[u8]); 7] = [
        ("alpha/SKILL.md", alpha.as_bytes()),
        ("alpha/scripts/pre.sh", b""),
        ("alpha/scripts/post.sh", b""),
        ("beta/SKILL.md", beta.as_bytes()),
        ("beta/scripts/fail.sh", b""),
        ("pdf-processing/SKILL.md", gamma.as_bytes()),
        ("pdf-processing/scripts/fail-late.sh", b""),
    ];
    (Host::with(setup, &files), runner)
}

#[test]
fn hooks_run_around_the_skill() {
    let (host, runner) = host(HookPolicy::Run);
    host.done("skills_load", json!({ "names": ["alpha"] }));
    assert_eq!(runner.scripts(), ["alpha scripts/pre.sh"], "before the skill is active");
    host.done("skills_load", json!({ "names": ["alpha"], "mode": "add" }));
    assert!(runner.scripts().is_empty(), "the skill is active already");
    host.done("skills_unload", json!({ "names": ["alpha"] }));
    assert_eq!(runner.scripts(), ["alpha scripts/post.sh"]);
    host.done("skills_unload", json!({ "all": true }));
    assert!(runner.scripts().is_empty(), "no skill is active");
}

#[test]
fn replaced_skill_has_its_post_hook_run() {
    let (host, runner) = host(HookPolicy::Run);
    host.done("skills_load", json!({ "names": ["alpha"] }));
    host.done("skills_load", json!({ "names": ["pdf-processing"] }));
    assert_eq!(runner.scripts(), ["alpha scripts/pre.sh", "alpha scripts/post.sh"]);
}

#[test]
fn failing_pre_stops_the_activation() {
    let (host, runner) = host(HookPolicy::Run);
    let answer = host.call("skills_load", json!({ "names": ["alpha", "beta"] }));
    let result = answer.result;
    assert_eq!(result.code.as_ref().map(Code::as_str), Some("hook-failed"), "{result:?}");
    let message = result.message().expect("it is an error");
    assert!(message.contains("exit code 1: no database"), "{message}");
    let Some(SkillError::Activation { skill, reason }) = result.error.as_deref() else {
        panic!("hosts branch on the error: {result:?}");
    };
    assert_eq!(skill, "beta");
    assert!(reason.contains("scripts/fail.sh"), "{reason}");
    let ran = ["alpha scripts/pre.sh", "beta scripts/fail.sh", "alpha scripts/post.sh"];
    assert_eq!(runner.scripts(), ran, "what has begun is ended");
    host.done("skills_unload", json!({ "all": true }));
    assert!(runner.scripts().is_empty(), "none of the two skills was loaded");
}

#[test]
fn failing_post_keeps_the_skill_unloaded() {
    let (host, runner) = host(HookPolicy::Run);
    host.done("skills_load", json!({ "names": ["pdf-processing"] }));
    host.done("skills_unload", json!({ "names": ["pdf-processing"] }));
    assert_eq!(runner.scripts(), ["pdf-processing scripts/fail-late.sh"]);
    host.done("skills_unload", json!({ "names": ["pdf-processing"] }));
    assert!(runner.scripts().is_empty(), "it is not active any more");
}

#[test]
fn hooks_are_ignored_unless_the_policy_runs_them() {
    let (host, runner) = host(HookPolicy::Ignore);
    host.done("skills_load", json!({ "names": ["beta"] }));
    host.done("skills_unload", json!({ "all": true }));
    assert!(runner.scripts().is_empty());
}

/// A skill whose hook runs a command at an event, for the tools of a matcher.
fn hooked(name: &str, event: &str, matcher: &str, command: &str) -> String {
    let handler = format!("hooks: [{{type: command, command: \"{command}\"}}]");
    let hooks = format!("hooks:\n  {event}:\n    - matcher: \"{matcher}\"\n      {handler}\n");
    skill(name, &hooks)
}

/// A host with one skill and a tool that answers.
fn host_of(skill_md: &str) -> (Host, Arc<Scripts>) {
    let runner = scripts();
    let policy = ToolPolicy { hooks: HookPolicy::Run, ..ToolPolicy::default() };
    let query = TestTool::new("db.query", "Answers.", |_, arguments| {
        ToolResult::text(format!("rows of {}", arguments["table"]))
    });
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(query)];
    let setup = Setup { policy, tools, runner: Some(runner.clone()), ..Setup::default() };
    (Host::with(setup, &[("alpha/SKILL.md", skill_md.as_bytes())]), runner)
}

/// The same host, with the skill loaded.
fn loaded(skill_md: &str) -> (Host, Arc<Scripts>) {
    let (host, runner) = host_of(skill_md);
    host.done("skills_load", json!({ "names": ["alpha"] }));
    (host, runner)
}

fn query(host: &Host) -> ToolResult {
    host.call("db_query", json!({ "table": "users" })).result
}

#[test]
fn event_of_a_matching_tool_reaches_the_script() {
    for (matcher, runs) in [
        ("db_query", true),
        ("db.query", true),
        ("Bash|db_query", true),
        ("db.*", true),
        ("", true),
        ("*", true),
        // A matcher that is more than names matches every tool.
        ("^(Bash)$", true),
        ("Bash", false),
        ("db", false),
        ("DB_QUERY", false),
    ] {
        let (host, runner) =
            host_of(&hooked("alpha", "PreToolUse", matcher, "./scripts/check.sh --strict"));
        host.done("skills_load", json!({ "names": ["alpha"] }));
        assert!(!query(&host).is_error, "{matcher}");
        let taken = runner.taken();
        let expected: &[&str] = if runs { &["alpha scripts/check.sh --strict"] } else { &[] };
        let scripts: Vec<_> = taken.iter().map(|run| run.script.as_str()).collect();
        assert_eq!(scripts, expected, "{matcher}");
        let expected = json!({
            "hook_event_name": "PreToolUse", "session_id": "talk",
            "tool_name": "db_query", "tool_input": { "table": "users" },
        });
        assert!(taken.iter().all(|run| run.event == expected), "{matcher}");
    }
}

#[test]
fn refusal_of_a_hook_stops_the_call() {
    let (host, runner) = host_of(&hooked("alpha", "PreToolUse", "", "scripts/refuse.sh"));
    assert!(!query(&host).is_error, "the skill is not loaded");
    host.done("skills_load", json!({ "names": ["alpha"] }));
    let refused = host.call("db_query", json!({ "table": "users" }));
    assert_eq!(refused.result.code.as_ref().map(Code::as_str), Some("hook-refused"));
    let message = "`db_query` was not run: a hook of `alpha` refused it: no database";
    assert_eq!(refused.result.message(), Some(message));
    assert_eq!(runner.scripts(), ["alpha scripts/refuse.sh"]);
    host.done("skills_unload", json!({ "all": true }));
    assert!(!query(&host).is_error, "a hook ends with its skill, and never holds it");
}

#[test]
fn hook_that_cannot_run_refuses_and_one_that_fails_does_not() {
    let (host, _) = loaded(&hooked("alpha", "PreToolUse", "", "scripts/missing.sh"));
    let message = query(&host).message().map(str::to_owned).expect("a guard that is gone guards");
    assert!(message.contains("has to agree and failed: there is no `bash`"), "{message}");
    let (host, _) = loaded(&hooked("alpha", "PreToolUse", "", "scripts/fail.sh"));
    assert!(!query(&host).is_error, "exit code 1 stops nothing");
}

#[test]
fn hook_after_a_call_adds_to_its_result() {
    let (host, runner) = loaded(&hooked("alpha", "PostToolUse", "db_query", "scripts/refuse.sh"));
    let result = query(&host);
    assert!(!result.is_error, "the call has run");
    let texts: Vec<_> = result.texts().collect();
    assert_eq!(texts, ["rows of \"users\"", "A hook of `alpha`: no database"]);
    let event = runner.taken().pop().expect("it received the event").event;
    assert_eq!(event["tool_response"], json!({ "is_error": false, "text": "rows of \"users\"" }));
}

#[test]
fn tools_of_the_host_have_the_same_hooks() {
    let (host, runner) = loaded(&hooked("alpha", "PreToolUse", "Bash", "scripts/refuse.sh"));
    let call = ToolCall::new("Bash", json!({ "command": "ls" }));
    let guarded = host.toolbox.guard(&host.context(), &call, || panic!("it must not run"));
    assert_eq!(guarded.result.code.as_ref().map(Code::as_str), Some("hook-refused"));
    assert_eq!(runner.taken()[0].event["tool_input"], json!({ "command": "ls" }));
}

#[test]
fn stop_of_the_work_is_asked_about() {
    let (host, _) = host_of(&hooked("alpha", "Stop", "", "scripts/refuse.sh"));
    let hooks = host.toolbox.hooks().expect("the host has them");
    assert_eq!(hooks.stop(&host.context()), None, "no skill is loaded");
    host.done("skills_load", json!({ "names": ["alpha"] }));
    let reason = hooks.stop(&host.context());
    assert_eq!(reason.as_deref(), Some("a hook of `alpha`: no database"));
    let (host, _) = loaded(&hooked("alpha", "Stop", "", "scripts/check.sh"));
    assert_eq!(host.toolbox.hooks().and_then(|hooks| hooks.stop(&host.context())), None);
}

#[test]
fn hook_that_runs_once_runs_once() {
    let once = "hooks:\n  PreToolUse:\n    - hooks: [{type: command, command: scripts/a.sh, once: true}]\n";
    let (host, runner) = loaded(&skill("alpha", once));
    query(&host);
    assert_eq!(runner.scripts(), ["alpha scripts/a.sh"]);
    query(&host);
    assert!(runner.scripts().is_empty());
}

#[test]
fn hook_that_cannot_be_kept_stops_the_load() {
    for (hook, reason) in [
        ("{type: command, command: \"a.sh | tee log\"}", "which only a shell could run"),
        ("{type: command, command: ../a.sh}", "leaves the package"),
        ("{type: prompt, prompt: Is it good?}", "is not of the type `command`"),
    ] {
        let hooks = format!("hooks:\n  PreToolUse:\n    - hooks: [{hook}]\n");
        let (host, _) = host_of(&skill("alpha", &hooks));
        let answer = host.call("skills_load", json!({ "names": ["alpha"] })).result;
        assert_eq!(answer.code.as_ref().map(Code::as_str), Some("hook-failed"), "{answer:?}");
        let message = answer.message().expect("it is an error");
        assert!(message.contains(reason), "{hook}: {message}");
    }
}

#[test]
fn runs_of_hooks_are_audited() {
    let (host, _) = host(HookPolicy::Run);
    host.done("skills_load", json!({ "names": ["alpha"] }));
    host.call("skills_load", json!({ "names": ["beta"], "mode": "add" }));
    let hook = |intent: &CallIntent| {
        let rule = intent.decision.as_ref().and_then(|decision| decision.rule.clone());
        (intent.skill.clone(), intent.resource.clone(), rule)
    };
    let intended: Vec<_> = host.audit.intents();
    let intended: Vec<_> = intended.iter().filter(|intent| intent.tool == "skills.hook").collect();
    let some = |text: &str| Some(text.to_owned());
    let [first, second] = &intended[..] else { panic!("{intended:?}") };
    assert_eq!(hook(first), (some("alpha"), some("scripts/pre.sh"), some("hooks.pre")));
    let decision = first.decision.as_ref().expect("the hook was permitted");
    assert_eq!(decision.skill.as_deref(), Some("alpha"));
    assert_eq!(decision.location.as_deref(), Some("memory://shelf/alpha/SKILL.md"));
    assert_eq!(hook(second), (some("beta"), some("scripts/fail.sh"), some("hooks.pre")));
    let events = host.audit.events();
    let outcomes = events.iter().filter(|event| event.intent.tool == "skills.hook");
    let outcomes: Vec<_> = outcomes.map(|event| event.outcome.clone()).collect();
    assert_eq!(outcomes, [Outcome::Done, Outcome::Failed(Code::new("hook-failed"))]);
    let mut numbers: Vec<_> = events.iter().map(|event| event.intent.call).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), events.len(), "no two calls have one number");
}

/// Returns the skill whose content a call would run.
fn subject(host: &Host, tool: &str, arguments: &Value) -> Option<String> {
    let subject = host.toolbox.subject(&host.context(), tool, arguments);
    subject.map(|record| record.id().to_owned())
}

#[test]
fn subject_of_a_load_is_the_first_skill_with_hooks() {
    let alpha = Some("alpha".to_owned());
    let load = json!({ "names": ["alpha", "beta"], "mode": "add" });
    let (ignoring, _) = host(HookPolicy::Ignore);
    assert_eq!(subject(&ignoring, "skills_load", &load), None, "no hook would run");
    let (host, _) = host(HookPolicy::Run);
    assert_eq!(subject(&host, "skills_load", &load), alpha);
    host.done("skills_load", json!({ "names": ["alpha"] }));
    assert_eq!(subject(&host, "skills_load", &load), Some("beta".to_owned()), "alpha is active");
    assert_eq!(subject(&host, "skills_load", &json!({ "names": ["alpha"] })), None);
}

#[test]
fn every_tool_that_loads_has_a_subject() {
    let alpha = Some("alpha".to_owned());
    let (host, _) = host_on(Surface::ActivateSkill, HookPolicy::Run);
    assert_eq!(subject(&host, "activate_skill", &json!({ "name": "alpha" })), alpha);
    let (host, _) = host_on(Surface::Skill, HookPolicy::Run);
    assert_eq!(subject(&host, "skill", &json!({ "skill_name": " alpha " })), alpha);
    let call = json!({ "skill_name": "alpha", "action": "deactivate" });
    assert_eq!(subject(&host, "skill", &call), None, "nothing is loaded");
    let unlisted = json!({ "names": ["alpha"] });
    assert_eq!(subject(&host, "skills_load", &unlisted), alpha, "the host may call it");
    let info = host.toolbox.info("skills_load").expect("the host may call it");
    assert!(info.timeout_ms.is_some());
}
