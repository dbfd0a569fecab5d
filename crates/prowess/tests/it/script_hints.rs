//! Results of scripts that did not do their work: each way to end has its own next step.

use std::path::PathBuf;
use std::sync::OnceLock;

use prowess::sandbox::{GroupLimit, Program};
use prowess::tools::Dispatched;
use prowess::{CallOptions, Cancel, Layer, Policies, Progress, Runtime, ToolCall, Trust};
use prowess_testkit::{Tree, build_program};
use serde_json::json;

fn stage() -> Program {
    static STAGE: OnceLock<PathBuf> = OnceLock::new();
    Program::new(STAGE.get_or_init(|| build_program("prowess-sandbox", "prowess-sandbox-stage")))
}

/// Runs a shell script in the sandbox, and cancels the call at its first line if asked to.
fn run(script: &str, adjust: impl FnOnce(&mut Policies), is_cancelled: bool) -> Dispatched {
    let tree = Tree::new(&format!(
        "
//- /skills/kit/SKILL.md
---
name: kit
description: Runs scripts.
---
Run them.
//- /skills/kit/scripts/a.sh
echo begun
{script}
//- /packages/keep
"
    ));
    let mut policies = Policies::default();
    adjust(&mut policies);
    let runtime = Runtime::builder()
        .policies(policies)
        .layers([Layer::new("layer", Trust::Trusted)])
        .skills_directory("layer", tree.join("skills"))
        .sandboxed_scripts(stage(), tree.join("packages"))
        .build()
        .expect("the runtime is complete");
    let session = runtime.open_session().expect("the store is in memory");
    let turn = runtime.turn(&session).expect("the session is open");
    turn.call(&ToolCall::new("skills_load", json!({ "names": ["kit"] })));
    let cancel = Cancel::default();
    let receive = |_: prowess::ProgressEvent<'_>| {
        if is_cancelled {
            cancel.cancel();
        }
    };
    let progress = Progress::new(&receive);
    let options = CallOptions { cancel: Some(&cancel), progress, ..CallOptions::default() };
    let turn = runtime.turn(&session).expect("the session is open");
    turn.call_with(&ToolCall::new("skills_run", json!({ "path": "scripts/a.sh" })), options)
}

/// Checks the hint of a script that has started.
#[track_caller]
fn check(script: &str, adjust: impl FnOnce(&mut Policies), hint: &str) {
    let answer = run(script, adjust, false).result;
    let result = answer.structured.expect("a script that started has a result");
    assert_eq!(result["hint"], hint, "{result}");
    let output = result["stdout"].as_str().expect("it is a text");
    assert!(output.starts_with("begun\n"), "what it printed is kept: {result}");
}

const FAILED: &str = "the script failed; read `stderr` and correct the arguments, or follow the \
    skill's instructions without the script";

#[test]
fn exit_code_has_a_hint_about_the_arguments() {
    check("exit 3", |_| {}, FAILED);
}

#[test]
fn each_limit_has_a_hint_of_its_own() {
    let less_work = |reason: &str| format!("{reason}; give it less work, or tell the user");
    check(
        "sleep 600",
        |policies| policies.tools.script_seconds = 1,
        &less_work("the time limit ended the script"),
    );
    check(
        "while :; do :; done",
        |policies| policies.scripts.limits.cpu_seconds = 1,
        &less_work("the script has used up its processor time"),
    );
    check(
        r#"exec head -c 2097152 /dev/zero > "$TMPDIR/a""#,
        |policies| policies.scripts.limits.file_bytes = 1 << 20,
        &less_work("the script wrote a file that is too large"),
    );
    let own_files = "the script wrote too many or too large files in its own directory";
    check(
        r#"for name in {1..100}; do : > "$TMPDIR/$name"; done; sleep 600"#,
        |policies| policies.scripts.scratch_files = 50,
        &less_work(own_files),
    );
    check(
        r#"head -c 2097152 /dev/zero > "$TMPDIR/a"; sleep 600"#,
        |policies| policies.scripts.scratch_bytes = 1 << 20,
        &less_work(own_files),
    );
}

/// Needs all memory.
const ENDLESS: &str = "a=xxxxxxxx; while :; do a=$a$a; done";

/// Without a control group that limits the memory of all processes, the script does not start.
#[test]
fn memory_limit_has_a_hint_of_its_own() {
    let limited = |policies: &mut Policies| {
        policies.scripts.limits.memory_bytes = 64 << 20;
        policies.scripts.limits.demanded = vec![GroupLimit::Memory];
    };
    let answer = run(ENDLESS, limited, false).result;
    match answer.structured {
        Some(result) => {
            let hint = "the script has used up its memory; give it less work, or tell the user";
            assert_eq!(result["hint"], hint, "{result}");
        }
        None => assert_eq!(answer.code.expect("it is refused").as_str(), "sandbox-unavailable"),
    }
}

/// A script receives these two limits as errors that it reports itself.
#[test]
fn errors_of_the_kernel_are_in_the_output_that_the_hint_names() {
    for (script, reported) in
        [("exec sh -c 'while :; do sleep 600 & done'", "fork"), (ENDLESS, "cannot allocate")]
    {
        let limited = |policies: &mut Policies| {
            let limits = &mut policies.scripts.limits;
            (limits.processes, limits.address_space) = (10, 1 << 30);
        };
        let answer = run(script, limited, false).result;
        let result = answer.structured.expect("a script that started has a result");
        assert_eq!(result["hint"], FAILED, "{result}");
        let errors = result["stderr"].as_str().expect("it is a text");
        assert!(errors.contains(reported), "{result}");
    }
}

#[test]
fn signal_has_a_hint_of_its_own() {
    let hint = "a signal ended the script, so its work may be incomplete; follow the skill's \
        instructions without the script, or tell the user";
    check("kill -SEGV $$", |_| {}, hint);
}

#[test]
fn cut_output_has_a_hint_if_the_script_succeeded() {
    let short = |policies: &mut Policies| policies.scripts.output_bytes = 100;
    let cut = "the script succeeded, but the middle of its output was left out; if you need that, \
        run the script so that it prints less";
    check("head -c 1000 /dev/zero | tr '\\0' x", short, cut);
    check("head -c 1000 /dev/zero | tr '\\0' x; exit 1", short, FAILED);
    let short = run("echo short", short, false).result.structured.expect("it has a result");
    assert_eq!(short.get("hint"), None, "there is nothing else to do: {short}");
}

#[test]
fn cancelled_script_has_no_hint_about_its_arguments() {
    let answer = run("sleep 600", |_| {}, true).result;
    assert_eq!(answer.code.as_ref().map(prowess::Code::as_str), Some("cancelled"), "{answer:?}");
    let result = answer.structured.expect("what it printed is kept");
    let hint = "the script was ended because the call was cancelled, so its work may be \
        incomplete; run it again only if that is still wanted";
    assert_eq!(result["hint"], hint, "{result}");
    assert_eq!(result["stdout"], "begun\n");
}

#[test]
fn script_that_cannot_start_has_a_next_step() {
    let yaml = "scripts: { interpreters: { sh: [shell-that-is-not-there] } }";
    let configured = Policies::from_yaml(yaml).expect("the policies are valid");
    let answer = run("", |policies| *policies = configured, false).result;
    let code = answer.code.as_ref().map(prowess::Code::as_str);
    assert_eq!(code, Some("interpreter-missing"), "{answer:?}");
    let message = answer.texts().collect::<String>();
    assert!(message.contains("follow the skill's instructions without the script"), "{message}");
    assert!(!message.contains("correct the arguments"), "{message}");
}
