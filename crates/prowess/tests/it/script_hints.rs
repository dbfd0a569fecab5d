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

/// Runs a Python script in the sandbox, and cancels the call at its first line if asked to.
fn run(script: &str, adjust: impl FnOnce(&mut Policies), is_cancelled: bool) -> Dispatched {
    let tree = Tree::new(&format!(
        "
//- /skills/kit/SKILL.md
---
name: kit
description: Runs scripts.
---
Run them.
//- /skills/kit/scripts/a.py
import os, signal, sys, time
print('begun', flush=True)
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
    turn.call_with(&ToolCall::new("skills_run", json!({ "path": "scripts/a.py" })), options)
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
    check("sys.exit(3)", |_| {}, FAILED);
}

#[test]
fn each_limit_has_a_hint_of_its_own() {
    let less_work = |reason: &str| format!("{reason}; give it less work, or tell the user");
    check(
        "time.sleep(600)",
        |policies| policies.tools.script_seconds = 1,
        &less_work("the time limit ended the script"),
    );
    check(
        "while True: pass",
        |policies| policies.scripts.limits.cpu_seconds = 1,
        &less_work("the script has used up its processor time"),
    );
    check(
        "open(os.environ['TMPDIR'] + '/a', 'wb')
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
open(os.environ['TMPDIR'] + '/a', 'wb').truncate(1 << 21)",
        |policies| policies.scripts.limits.file_bytes = 1 << 20,
        &less_work("the script wrote a file that is too large"),
    );
    let own_files = "the script wrote too many or too large files in its own directory";
    check(
        "for name in range(100): open(f\"{os.environ['TMPDIR']}/{name}\", 'w').close()
time.sleep(600)",
        |policies| policies.scripts.scratch_files = 50,
        &less_work(own_files),
    );
    check(
        "open(os.environ['TMPDIR'] + '/a', 'wb').write(bytes(1 << 21))
time.sleep(600)",
        |policies| policies.scripts.scratch_bytes = 1 << 20,
        &less_work(own_files),
    );
}

/// Without a control group that limits the memory of all processes, the script does not start.
#[test]
fn memory_limit_has_a_hint_of_its_own() {
    let limited = |policies: &mut Policies| {
        policies.scripts.limits.memory_bytes = 64 << 20;
        policies.scripts.limits.demanded = vec![GroupLimit::Memory];
    };
    let answer = run("x = b'x' * (8 << 30)", limited, false).result;
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
    for (script, reported) in [
        ("while True: os.fork() or time.sleep(600)", "BlockingIOError"),
        ("x = b'x' * (8 << 30)", "MemoryError"),
    ] {
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
    check("os.kill(os.getpid(), signal.SIGSEGV)", |_| {}, hint);
}

#[test]
fn cut_output_has_a_hint_if_the_script_succeeded() {
    let short = |policies: &mut Policies| policies.scripts.output_bytes = 100;
    let cut = "the script succeeded, but the middle of its output was left out; if you need that, \
        run the script so that it prints less";
    check("print('x' * 1000)", short, cut);
    check("print('x' * 1000); sys.exit(1)", short, FAILED);
    let short = run("print('short')", short, false).result.structured.expect("it has a result");
    assert_eq!(short.get("hint"), None, "there is nothing else to do: {short}");
}

#[test]
fn cancelled_script_has_no_hint_about_its_arguments() {
    let answer = run("time.sleep(600)", |_| {}, true).result;
    assert_eq!(answer.code.as_ref().map(prowess::Code::as_str), Some("cancelled"), "{answer:?}");
    let result = answer.structured.expect("what it printed is kept");
    let hint = "the script was ended because the call was cancelled, so its work may be \
        incomplete; run it again only if that is still wanted";
    assert_eq!(result["hint"], hint, "{result}");
    assert_eq!(result["stdout"], "begun\n");
}

#[test]
fn script_that_cannot_start_has_a_next_step() {
    let yaml = "scripts: { interpreters: { py: [python-that-is-not-there] } }";
    let configured = Policies::from_yaml(yaml).expect("the policies are valid");
    let answer = run("", |policies| *policies = configured, false).result;
    let code = answer.code.as_ref().map(prowess::Code::as_str);
    assert_eq!(code, Some("interpreter-missing"), "{answer:?}");
    let message = answer.texts().collect::<String>();
    assert!(message.contains("follow the skill's instructions without the script"), "{message}");
    assert!(!message.contains("correct the arguments"), "{message}");
}
