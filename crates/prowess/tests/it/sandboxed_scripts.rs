//! Scripts in the sandbox, by the policies of the runtime and the secrets of its host.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use prowess::audit::Redactor;
use prowess::sandbox::Program;
use prowess::script::SecretGrant;
use prowess::{Layer, Policies, Runtime, ToolCall, ToolResult, Trust};
use prowess_testkit::{Tree, build_program};
use serde_json::json;

fn stage() -> Program {
    static STAGE: OnceLock<PathBuf> = OnceLock::new();
    Program::new(STAGE.get_or_init(|| build_program("prowess-sandbox", "prowess-sandbox-stage")))
}

/// Runs a shell script of a trusted skill. The secret `TOKEN` of the host is `hidden-value`.
fn run(
    script: &str,
    redactor: &Redactor,
    adjust: impl FnOnce(&mut Policies, &Runtime),
) -> ToolResult {
    let tree = Tree::new("//- /packages/keep\n");
    tree.write("skills/kit/SKILL.md", "---\nname: kit\ndescription: Runs.\n---\nRun them.\n");
    tree.write("skills/kit/scripts/a.sh", script);
    let builder = || {
        let builder = Runtime::builder().layers([Layer::new("layer", Trust::Trusted)]);
        builder.skills_directory("layer", tree.join("skills"))
    };
    let mut policies = Policies::default();
    adjust(&mut policies, &builder().build().expect("the runtime is complete"));
    let runtime = builder()
        .policies(policies)
        .sandboxed_scripts(stage(), tree.join("packages"))
        .redactor(redactor.clone())
        .script_secrets(Arc::new(|_| Ok("hidden-value\n".to_owned())))
        .build()
        .expect("the runtime is complete");
    let session = runtime.open_session().expect("the store is in memory");
    let call = |name: &str, arguments| {
        let turn = runtime.turn(&session).expect("the session is open");
        turn.call(&ToolCall::new(name, arguments)).result
    };
    call("skills_load", json!({ "names": ["kit"] }));
    call("skills_run", json!({ "path": "scripts/a.sh" }))
}

#[test]
fn script_has_the_limits_of_the_policies() {
    let redactor = Redactor::default();
    let result =
        run("echo begun; sleep 600", &redactor, |policies, _| policies.tools.script_seconds = 1);
    let result = result.structured.expect("a script that started has a result");
    assert_eq!((&result["stdout"], &result["timed_out"]), (&json!("begun\n"), &json!(true)));
    assert_eq!(
        result["hint"],
        "the time limit ended the script; give it less work, or tell the user"
    );
    let missing = run("", &redactor, |policies, _| {
        let table = &mut policies.scripts.interpreters.0;
        table.insert("sh".to_owned(), vec!["shell-that-is-not-there".to_owned()]);
    });
    assert_eq!(missing.code.expect("it is refused").as_str(), "interpreter-missing");
}

#[test]
fn secret_of_a_script_is_registered_before_it_runs() {
    let redactor = Redactor::default();
    let result = run("echo ${#KEY}", &redactor, |policies, runtime| {
        let catalog = runtime.catalog();
        let record = catalog.get("kit").expect("it is there");
        let package = catalog.package_digest(record, &prowess::Cancel::default());
        policies.scripts.secrets = vec![SecretGrant {
            packages: vec![package.expect("it has one")],
            variable: Some("TOKEN".to_owned()),
            environment: Some("KEY".to_owned()),
            ..SecretGrant::default()
        }];
    });
    let result = result.structured.expect("it has a result");
    assert_eq!(result["stdout"], "12\n", "the script has the secret");
    assert_eq!(redactor.redact("hidden-value"), "[REDACTED]");
}
