//! The cases of the documents through a server, with each preset as it is. The rows of `served`
//! and of `differs` that are about it name the cases that differ there. Steps of a host alone are left to the library.

use std::path::Path;
use std::sync::Arc;

use prowess::source_fs::Surroundings;
use prowess::{FolderAnswer, FolderTrust, NoFolderTrust, Policies, Runtime};
use prowess_mcp::SkillServer;
use prowess_testkit::{ShellRunner, Tree};
use rmcp::ServiceExt as _;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{RoleClient, RunningService};
use serde_json::{Value, json};

use crate::serve::{block_on, words};

/// A user with trust in each folder.
struct Trusting;

impl FolderTrust for Trusting {
    fn answer(&self, _: &Path) -> FolderAnswer {
        FolderAnswer::Trusted
    }
}

async fn connect(
    preset: &str,
    key: &str,
    case: &Value,
    tree: &Tree,
) -> RunningService<RoleClient, ()> {
    let policies = Policies::from_yaml(&format!("preset: {preset}\n{key}"));
    let policies = policies.expect("it is a preset");
    let machine = Surroundings::new(Some(tree.join("home")), Some(tree.join("project")));
    let trust: Arc<dyn FolderTrust> =
        if case["untrusted"] == true { Arc::new(NoFolderTrust) } else { Arc::new(Trusting) };
    // Its case of hooks has no runner.
    let builder = match preset {
        "omniforge" => Runtime::builder(),
        _ => Runtime::builder().script_runner(Arc::new(ShellRunner)),
    };
    let builder = builder.policies(prowess_mcp::adapt(policies)).discover(machine, trust);
    let server = SkillServer::new(Arc::new(builder.build().expect("the preset fits together")));
    let (here, there) = tokio::io::duplex(4096);
    let server = server.expect("a conversation opens");
    tokio::spawn(async { server.serve(there).await.expect("the greeting").waiting().await });
    ().serve(here).await.expect("the greeting")
}

/// Runs a step, and returns what is not as expected.
async fn fault(
    client: &RunningService<RoleClient, ()>,
    step: &Value,
    root: &str,
) -> Option<String> {
    let step: Value = serde_json::from_str(&step.to_string().replace("{root}", root)).unwrap();
    let tools = || async { client.list_all_tools().await.expect("the tools are listed") };
    let found = if step["tools"].is_array() {
        let names: Vec<_> = tools().await.into_iter().map(|tool| tool.name).collect();
        json!({ "tools": names })
    } else if let Some(name) = step["description"].as_str().or(step["schema"].as_str()) {
        let tool = tools().await.into_iter().find(|tool| tool.name == name)?;
        let text = tool.description.as_deref().unwrap_or_default().trim_end().to_owned();
        let schema = json!(tool.input_schema);
        let has = if step["schema"].is_string() { schema } else { json!(text) };
        json!({ "description": name, "schema": name, "is": text, "has": has })
    } else {
        let call = CallToolRequestParams::new(step["call"].as_str()?.to_owned());
        let call = call.with_arguments(step["with"].as_object()?.clone());
        let result = client.call_tool(call).await.expect("every call of a tool is answered");
        let code = result.meta.as_ref().and_then(|meta| meta.0.get("prowess/code"));
        let text = words(&result);
        let structured = result.structured_content.or_else(|| serde_json::from_str(&text).ok());
        json!({ "call": step["call"], "with": step["with"], "code": code, "text": text,
            "has": text, "lacks": text, "data": structured })
    };
    let is_as = |(key, expected): (&String, &Value)| match (key.as_str(), &found[key]) {
        ("tools", found) => found == expected,
        ("lacks", text) => expected
            .as_array()
            .is_some_and(|parts| !parts.iter().any(|part| includes(text, &json!([part])))),
        ("is", text) => text.as_str() == expected.as_str().map(str::trim_end),
        (_, found) => includes(found, expected),
    };
    let no_code = step["code"].is_null() && found["code"].is_string();
    let wrong = step.as_object()?.iter().find(|entry| !is_as(*entry)).map(|(key, _)| key.as_str());
    wrong.or(no_code.then_some("code")).map(|key| format!("{step}\n  {key}: {}", found[key]))
}

/// Returns whether a value has each field, each part of a text, or is the same.
fn includes(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => expected
            .iter()
            .all(|(key, value)| found.get(key).is_some_and(|found| includes(found, value))),
        (Value::String(text), Value::Array(parts)) => {
            parts.iter().all(|part| part.as_str().is_some_and(|part| text.contains(part)))
        }
        _ => found == expected,
    }
}

/// Returns what differs without a row or in spite of its key, and the rows without a difference.
fn check(preset: &str, text: &str) -> Vec<String> {
    let document: Value = serde_yaml::from_str(text).expect("the cases are YAML");
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let rows = list(&document["served"]);
    let mut faults = Vec::new();
    for case in &list(&document["cases"]) {
        let tree = if case["empty"] == true { &Value::Null } else { &document["tree"] };
        let mut files =
            [tree, &case["files"]].map(|text| text.as_str().unwrap_or_default()).concat();
        for (directory, text) in case["skills"].as_object().into_iter().flatten() {
            let text = text.as_str().unwrap();
            files += &format!("//- /{directory}/SKILL.md\n---\n{text}\n---\n# {directory}\n");
        }
        if files.contains(" * ") {
            continue; // A long text, which the library's test writes.
        }
        let id = case["id"].as_str().unwrap();
        let served = |key: &str, steps: &Value| {
            let (tree, mut found) = (Tree::new(&files), Vec::new());
            block_on(async {
                let client = connect(preset, key, case, &tree).await;
                for step in list(steps) {
                    let fault = fault(&client, &step, &tree.path().to_string_lossy()).await;
                    found.extend(fault.map(|fault| format!("{preset}, {id}: {key} {fault}")));
                }
            });
            found
        };
        let is_of = |row: &&Value| row["cases"].as_str().unwrap().split("; ").any(|it| it == id);
        let differs = &case["differs"];
        let is_about = |text: &str| text.contains("`prowess serve`");
        let is_served = differs["prowess"].as_str().is_some_and(is_about);
        let row = rows.iter().find(is_of).or(is_served.then_some(differs));
        let found = served("", &case["steps"]);
        match row {
            None => faults.extend(found),
            Some(_) if found.is_empty() => faults.push(format!("{preset}, {id}: as in a library")),
            Some(row) => {
                let steps = if row["steps"].is_array() { &row["steps"] } else { &case["steps"] };
                faults.extend(row["key"].as_str().into_iter().flat_map(|key| served(key, steps)));
            }
        }
    }
    faults
}

#[test]
fn each_document_is_served() {
    let mut documents = vec![
        ("flexigpt", include_str!("../../../prowess/tests/documents/flexigpt/cases.yaml")),
        ("omniforge", include_str!("../../../prowess/tests/documents/omniforge/cases.yaml")),
        ("boxxy", include_str!("../../../prowess/tests/documents/boxxy/cases.yaml")),
        ("yodoca", include_str!("../../../prowess/tests/documents/yodoca/cases.yaml")),
    ];
    if cfg!(feature = "virtual-shell") {
        let cases = include_str!("../../../prowess/tests/documents/sandbox/cases.yaml");
        documents.push(("sandbox", cases));
    }
    let faults: Vec<_> = documents.iter().flat_map(|(preset, text)| check(preset, text)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
