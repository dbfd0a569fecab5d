//! Results of scripts, and hooks of sources that are not trusted.

use std::sync::Arc;
use std::time::Duration;

use prowess_core::{
    Catalog, CatalogBuilder, Code, Digest, Layer, Outcome, RecordIndex, RefusedHost,
    ScriptIsolation, ScriptLimit, ScriptNetwork, ScriptOutcome, Tool, ToolResult, Trust,
};
use prowess_testkit::TestTool;
use prowess_tools::{Gate, GateAnswer, GateRequest, HookPolicy, ToolPolicy};
use serde_json::json;

use crate::fixture::{Host, Scripts, Setup, text};

/// Ends each script in one way.
fn ending(outcome: ScriptOutcome) -> Arc<Scripts> {
    Scripts::ending(move |_, _| Ok(outcome.clone()))
}

fn done() -> Arc<Scripts> {
    ending(ScriptOutcome { exit_code: Some(0), ..ScriptOutcome::default() })
}

fn host(runner: Arc<Scripts>, hooks: &str, gate: Option<Arc<dyn Gate>>) -> Host {
    let policy = ToolPolicy { hooks: HookPolicy::Run, ..ToolPolicy::default() };
    let probe = TestTool::new("probe", "Answers.", |_, _| ToolResult::text("done"));
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(probe)];
    let setup = Setup { policy, runner: Some(runner), gate, tools, ..Setup::default() };
    let alpha = format!("---\nname: alpha\ndescription: It.\n{hooks}---\nBody\n");
    let files: [(&str, &[u8]); 2] =
        [("alpha/SKILL.md", alpha.as_bytes()), ("alpha/scripts/run.sh", b"")];
    Host::with(setup, &files)
}

#[test]
fn ended_script_has_a_hint_about_its_limit() {
    let ended = |limit, timed_out| ScriptOutcome { limit, timed_out, ..ScriptOutcome::default() };
    for (outcome, hint) in [
        (ended(Some(ScriptLimit::Time), true), "the time limit ended the script"),
        (ended(None, true), "the time limit ended the script"),
        (ended(Some(ScriptLimit::ProcessorTime), false), "used up its processor time"),
        (ended(Some(ScriptLimit::Memory), false), "used up its memory"),
        (ended(Some(ScriptLimit::FileSize), false), "a file that is too large"),
        (ended(Some(ScriptLimit::Files), false), "too many or too large files"),
    ] {
        let host = host(ending(outcome.clone()), "", None);
        host.done("skills_load", json!({ "names": ["alpha"] }));
        let answer = host.done("skills_run", json!({ "path": "scripts/run.sh" }));
        let failed = Outcome::Failed(Code::new("tool-failed"));
        assert_eq!(answer.outcome, failed, "a result, and no success");
        let value = answer.result.structured.expect("the result is data");
        let found = value["hint"].as_str().unwrap_or_default();
        assert!(found.contains(hint), "{outcome:?}: {found}");
    }
}

#[test]
fn isolation_and_refused_hosts_reach_the_host() {
    let refused = vec![RefusedHost { host: "a.example:443".to_owned(), code: Code::new("no") }];
    let isolation = ScriptIsolation { level: "strict".to_owned(), ..ScriptIsolation::default() };
    let network = ScriptNetwork { refused: refused.clone(), ..ScriptNetwork::default() };
    let outcome = ScriptOutcome {
        exit_code: Some(0),
        isolation: Some(isolation),
        network,
        ..ScriptOutcome::default()
    };
    let host = host(ending(outcome), "", None);
    host.done("skills_load", json!({ "names": ["alpha"] }));
    let result = host.done("skills_run", json!({ "path": "scripts/run.sh" })).result;
    assert_eq!(result.refused_hosts, refused);
    assert_eq!(result.isolation.as_deref(), Some("strict"));
}

#[test]
fn script_that_a_cancelled_call_ended_has_not_done_its_work() {
    for (exit_code, is_error) in [(None, true), (Some(0), false)] {
        let outcome = ScriptOutcome { exit_code, ..ScriptOutcome::default() };
        let runner = Scripts::ending(move |_, cancel| {
            cancel.cancel();
            Ok(outcome.clone())
        });
        let host = host(runner, "", None);
        host.done("skills_load", json!({ "names": ["alpha"] }));
        let result = host.call("skills_run", json!({ "path": "scripts/run.sh" })).result;
        assert_eq!(result.is_error, is_error, "{exit_code:?}");
        let code = is_error.then(|| Code::new("cancelled"));
        assert_eq!(result.code, code, "{exit_code:?}");
    }
}

const HOOKS: &str = "hooks:\n  pre: scripts/pre.sh\n  post: scripts/post.sh\n";

#[test]
fn hook_that_took_too_long_says_so() {
    let outcome = ScriptOutcome { timed_out: true, ..ScriptOutcome::default() };
    let host = host(ending(outcome), HOOKS, None);
    let message = text(&host.call("skills_load", json!({ "names": ["alpha"] })));
    assert!(message.contains("its time was over"), "{message}");
}

#[test]
fn hook_has_the_time_that_it_declares() {
    let default = ToolPolicy::default().script_seconds;
    let too_long = default + 100;
    for (timeout, seconds) in [
        ("7".to_owned(), 7),
        ("\"8\"".to_owned(), 8),
        ("soon".to_owned(), default),
        (too_long.to_string(), default),
        ("0".to_owned(), 1),
    ] {
        let hooks = format!(
            "hooks:\n  PreToolUse:\n    - hooks: [{{type: command, command: scripts/a.sh, timeout: {timeout}}}]\n"
        );
        let runner = done();
        let host = host(runner.clone(), &hooks, None);
        host.done("skills_load", json!({ "names": ["alpha"] }));
        runner.taken();
        host.call("probe", json!({}));
        let ran = runner.taken();
        let [run] = &ran[..] else { panic!("the hook runs once: {timeout}") };
        assert_eq!(run.time, Duration::from_secs(seconds), "{timeout}");
    }
}

/// Returns the same catalog, of a layer that is not trusted.
fn untrusted(catalog: &Catalog) -> Arc<Catalog> {
    let layers = vec![Layer::new("downloads", Trust::Untrusted)];
    let mut builder = CatalogBuilder::new(layers, catalog.sources().to_vec());
    builder.show(RecordIndex::new(0, 0)).expect("it is the only skill");
    Arc::new(builder.finish(8))
}

#[test]
fn skill_without_hooks_needs_no_trust() {
    for (hooks, is_loaded) in [("", true), (HOOKS, false)] {
        let runner = done();
        let mut host = host(runner.clone(), hooks, None);
        host.catalog = untrusted(&host.catalog);
        let load = json!({ "names": ["alpha"] });
        let subject = host.toolbox.subject(&host.context(), "skills_load", &load).is_some();
        assert_eq!(subject, !is_loaded, "only a skill with hooks is one to approve");
        let answer = host.call("skills_load", load);
        assert_eq!(!answer.result.is_error, is_loaded, "{}", text(&answer));
        assert!(runner.taken().is_empty(), "no hook runs");
    }
}

/// Permits each call with the approval of one package.
struct Approved(Digest);

impl Gate for Approved {
    fn check(&self, _request: &GateRequest<'_>) -> GateAnswer {
        GateAnswer { package: Some(self.0), ..GateAnswer::allow() }
    }
}

#[test]
fn approval_of_a_load_is_that_of_its_later_hooks() {
    let digest = Digest::of(b"the approved package");
    let runner = done();
    let mut host = host(runner.clone(), HOOKS, Some(Arc::new(Approved(digest))));
    host.catalog = untrusted(&host.catalog);
    host.done("skills_load", json!({ "names": ["alpha"] }));
    host.done("skills_unload", json!({ "all": true }));
    let ran = runner.taken().into_iter().map(|run| (run.script, run.approved));
    let hook = |path: &str| (format!("alpha scripts/{path}.sh"), Some(digest));
    assert_eq!(ran.collect::<Vec<_>>(), [hook("pre"), hook("post")]);
}

#[test]
fn reason_of_a_failed_hook_is_shown_with_its_output() {
    let stderr = "x".repeat(400);
    let outcome =
        ScriptOutcome { exit_code: Some(1), stderr: stderr.clone(), ..ScriptOutcome::default() };
    let host = host(ending(outcome), HOOKS, None);
    let message = text(&host.call("skills_load", json!({ "names": ["alpha"] })));
    assert!(message.contains(&stderr), "{message}");
}
