//! Scripts before a skill is loaded and after it was unloaded.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use prowess_core::{
    Cancel, Code, ScriptError, ScriptOutcome, ScriptRequest, ScriptRunner, SkillError,
};
use prowess_tools::{HookPolicy, ToolPolicy};
use serde_json::json;

use crate::fixture::{Host, Setup};

/// Notes which scripts run, and lets those fail whose names say so.
#[derive(Default)]
struct Recorder(Mutex<Vec<String>>);

impl Recorder {
    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().expect("no test panics inside"))
    }
}

impl ScriptRunner for Recorder {
    fn run(
        &self,
        request: &ScriptRequest<'_>,
        _: Duration,
        _: &Cancel,
    ) -> Result<ScriptOutcome, ScriptError> {
        let script = format!("{} {}", request.record.id(), request.path);
        let fails = script.contains("fail");
        self.0.lock().expect("no test panics inside").push(script);
        let stderr = if fails { "no database" } else { "" }.to_owned();
        Ok(ScriptOutcome { exit_code: Some(i32::from(fails)), stderr, ..ScriptOutcome::default() })
    }
}

fn skill(name: &str, hooks: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}.\n{hooks}---\nBody of {name}\n")
}

fn host(hooks: HookPolicy) -> (Host, Arc<Recorder>) {
    let runner = Arc::new(Recorder::default());
    let policy = ToolPolicy { hooks, ..ToolPolicy::default() };
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
    assert_eq!(runner.taken(), ["alpha scripts/pre.sh"], "before the skill is active");
    host.done("skills_load", json!({ "names": ["alpha"], "mode": "add" }));
    assert!(runner.taken().is_empty(), "the skill is active already");
    host.done("skills_unload", json!({ "names": ["alpha"] }));
    assert_eq!(runner.taken(), ["alpha scripts/post.sh"]);
    host.done("skills_unload", json!({ "all": true }));
    assert!(runner.taken().is_empty(), "no skill is active");
}

#[test]
fn replaced_skill_has_its_post_hook_run() {
    let (host, runner) = host(HookPolicy::Run);
    host.done("skills_load", json!({ "names": ["alpha"] }));
    host.done("skills_load", json!({ "names": ["pdf-processing"] }));
    assert_eq!(runner.taken(), ["alpha scripts/pre.sh", "alpha scripts/post.sh"]);
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
    runner.taken();
    host.done("skills_unload", json!({ "all": true }));
    assert!(runner.taken().is_empty(), "none of the two skills was loaded");
}

#[test]
fn failing_post_keeps_the_skill_unloaded() {
    let (host, runner) = host(HookPolicy::Run);
    host.done("skills_load", json!({ "names": ["pdf-processing"] }));
    host.done("skills_unload", json!({ "names": ["pdf-processing"] }));
    assert_eq!(runner.taken(), ["pdf-processing scripts/fail-late.sh"]);
    host.done("skills_unload", json!({ "names": ["pdf-processing"] }));
    assert!(runner.taken().is_empty(), "it is not active any more");
}

#[test]
fn hooks_are_ignored_unless_the_policy_runs_them() {
    let (host, runner) = host(HookPolicy::Ignore);
    host.done("skills_load", json!({ "names": ["beta"] }));
    host.done("skills_unload", json!({ "all": true }));
    assert!(runner.taken().is_empty());
}
