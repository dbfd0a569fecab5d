//! Whole conversations over the Model Context Protocol: the protocol's own client and a process of
//! `prowess serve` for each preset.

use std::path::Path;
#[cfg(feature = "json-schema")]
use std::path::PathBuf;

use prowess_testkit::Tree;
use rmcp::model::CallToolResult;
use serde_json::{Value, json};

use crate::program::{Program, Ran};
use crate::serve::{Client, block_on, words};

const SHELF: &str = "
//- /skills/kubernetes-deploy/SKILL.md
---
name: kubernetes-deploy
description: Deploys to a cluster. Use when something is to be deployed.
allowed-tools: Bash(kubectl:*) Read
---
See references/steps.md.
//- /skills/kubernetes-deploy/references/steps.md
First the namespace.
//- /skills/kubernetes-deploy/scripts/count.sh
echo 3 pods
//- /skills/notes/SKILL.md
---
name: notes
description: Takes notes. Use when something is to be remembered.
---
Write them down.
//- /home/empty
";

/// A user with skills and a preset. Programs of the user share a home.
struct User {
    tree: Tree,
    layer: &'static str,
}

impl User {
    fn of(preset: &str, layer: &'static str) -> Self {
        let tree = Tree::new(SHELF);
        let scripts = "scripts: { exec: tool }";
        let config = format!("preset: {preset}\naudit: {{ log: keep }}\n{scripts}\n");
        tree.write("prowess.yaml", config);
        Self { tree, layer }
    }

    fn program(&self) -> Program {
        let program = Program::new().at_home_in(&self.tree.join("home"));
        program.config(&self.tree.join("prowess.yaml")).root(self.layer, &self.tree.join("skills"))
    }

    #[track_caller]
    fn run(&self, args: &[&str]) -> Ran {
        let ran = self.program().run(args);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran
    }

    /// Installs the plugin with tools for texts.
    #[cfg(feature = "json-schema")]
    fn plugin(&self) -> PathBuf {
        let built = prowess_testkit::build_plugin("prowess-plugin-text-tools");
        let file = self.tree.join("home").join(built.file_name().expect("it is a file"));
        std::fs::copy(built, &file).expect("there is room");
        let trusted = Program::new().linked().at_home_in(&self.tree.join("home")).run(&[
            "plugin",
            "trust",
            text_of(&file),
        ]);
        assert_eq!(trusted.code, Some(0), "{trusted:?}");
        file
    }
}

fn text_of(path: &Path) -> &str {
    path.to_str().expect("the path is text")
}

/// Calls a tool that must succeed, and returns what the model reads.
async fn succeed(client: &Client, tool: &'static str, arguments: Value) -> String {
    let result = client.call(tool, arguments).await;
    assert_ne!(result.is_error, Some(true), "{}", words(&result));
    words(&result)
}

fn code(result: &CallToolResult) -> Option<&str> {
    result.meta.as_ref()?.0["prowess/code"].as_str()
}

/// The index is built, the model reads a description and activates the skill, a tool outside of its
/// list is refused, and the limit ends with the skill.
#[cfg(feature = "json-schema")]
#[test]
fn restricted_skill_refuses_other_tools_until_it_ends() {
    let user = User::of("omniforge", "personal");
    let plugin = user.plugin();
    block_on(async {
        let client = Client::with(user.program(), &["--plugin", text_of(&plugin)]).await;
        assert!(client.shown().await.contains("Deploys to a cluster."), "the index is shown");
        let query = json!({ "json": "[1]", "query": "$[0]" });
        succeed(&client, "json_query", query.clone()).await;

        let name = json!({ "skill_name": "kubernetes-deploy" });
        let activated = succeed(&client, "skill", name.clone()).await;
        assert!(activated.contains("See references/steps.md."), "{activated}");
        let refused = client.call("json_query", query.clone()).await;
        assert_eq!(code(&refused), Some("skill-tool-not-allowed"), "{}", words(&refused));

        succeed(&client, "skill", json!({ "skill_name": "notes" })).await;
        let broken = client.call("json_query", json!({ "json": "[" })).await;
        assert_eq!(broken.is_error, Some(true), "a call that fails");
        let refused = client.call("json_query", query.clone()).await;
        assert_eq!(code(&refused), Some("skill-tool-not-allowed"), "lifts no limit");

        let deactivate = |name: &str| json!({ "skill_name": name, "action": "deactivate" });
        let early = client.call("skill", deactivate("kubernetes-deploy")).await;
        assert_eq!(code(&early), Some("not-on-top"));
        assert!(words(&early).contains("skill `notes` must be deactivated first"));
        succeed(&client, "skill", deactivate("notes")).await;
        succeed(&client, "skill", deactivate("kubernetes-deploy")).await;
        succeed(&client, "json_query", query).await;
        succeed(&client, "skill", name).await;
        client.end().await;
    });
    let story = user.run(&["audit", "show"]);
    let last = story.text().lines().last().expect("there is a story");
    assert!(last.contains("kubernetes-deploy ended"), "the end of a connection ends it: {last}");
}

/// A worker sees the catalog, reads a skill and applies it.
#[test]
fn worker_reads_and_applies_a_skill() {
    let user = User::of("yodoca", "user");
    block_on(async {
        let client = Client::of(user.program()).await;
        assert!(client.shown().await.contains("notes"), "the worker sees the catalog");
        let listed = succeed(&client, "list_skills", json!({ "query": "deployed" })).await;
        assert!(listed.contains("kubernetes-deploy") && !listed.contains("notes"), "{listed}");
        let read = succeed(&client, "read_skill", json!({ "skill_id": "kubernetes-deploy" })).await;
        assert!(read.contains("Skill loaded: kubernetes-deploy (approx. "), "{read}");
        assert!(read.contains("See references/steps.md."), "{read}");
        let file = json!({ "skill_id": "kubernetes-deploy", "path": "references/steps.md" });
        let steps = succeed(&client, "read_skill_resource", file).await;
        assert_eq!(steps, "First the namespace.\n");
        client.end().await;
    });
}

/// What a worker reads names what the skill requires, loads none of it, and stays in the skill.
#[test]
fn worker_is_pointed_to_what_a_skill_requires() {
    let user = User::of("yodoca", "user");
    let release = "---\nname: release\ndescription: Releases.\nrequires: [notes]\n---\nShip it.\n";
    user.tree.write("skills/release/SKILL.md", release);
    block_on(async {
        let client = Client::of(user.program()).await;
        let read = client.call("read_skill", json!({ "skill_id": "release" })).await;
        let text = words(&read);
        let hint = "This skill requires: notes. Load it first if you haven't already.";
        assert!(text.contains(hint) && text.contains("Ship it."), "{text}");
        assert!(!text.contains("Write them down."), "nothing else is loaded: {text}");
        let meta = read.meta.expect("each result has a duration").0;
        assert!(meta["prowess/duration_ms"].is_u64(), "{meta:?}");
        for path in ["../notes/SKILL.md", "/etc/passwd", "references/../../notes/SKILL.md"] {
            let arguments = json!({ "skill_id": "release", "path": path });
            let refused = client.call("read_skill_resource", arguments).await;
            assert_eq!(code(&refused), Some("path-escape"), "{path}");
            assert_eq!(words(&refused), "Path traversal detected", "{path}");
            let meta = refused.meta.expect("so has each error").0;
            assert!(meta["prowess/duration_ms"].is_u64(), "{meta:?}");
        }
        client.end().await;
    });
}

/// A worker proposes an update: a file for the reviewer, and the skill is as it was.
#[test]
fn worker_proposes_an_update() {
    let user = User::of("yodoca", "user");
    let skill = std::fs::read(user.tree.join("skills/notes/SKILL.md")).expect("it is there");
    let update = json!({
        "skill_id": "notes",
        "diff": "-Write them down.\n+Write them down, with the date.\n",
        "justification": "Two notes had no date.",
    });
    block_on(async {
        let client = Client::of(user.program()).await;
        let refused = client.call("propose_skill_update", update.clone()).await;
        assert_eq!(code(&refused), Some("proposals-unavailable"), "the operator asks for it first");
        assert!(!client.shown().await.contains("propose_skill_update"), "and it is not offered");
        client.end().await;
    });
    let proposals = user.tree.join("proposals");
    let setting = format!("proposals.directory={}", text_of(&proposals));
    block_on(async {
        let client = Client::with(user.program(), &["--set", &setting]).await;
        assert!(client.shown().await.contains("propose_skill_update"));
        let written = succeed(&client, "propose_skill_update", update.clone()).await;
        assert!(written.contains("does not change until a person accepts it"), "{written}");
        assert!(!written.contains(text_of(user.tree.path())), "no path of the host: {written}");
        let wrong = |key: &str, value: &str| {
            let mut wrong = update.clone();
            wrong[key] = json!(value);
            wrong
        };
        for (key, value, expected) in [
            ("skill_id", "note", "skill-not-found"),
            ("skill_id", "../notes", "skill-not-found"),
            ("diff", "Add the date.", "invalid-arguments"),
            ("justification", " ", "invalid-arguments"),
            ("justification", &"x".repeat(20_000), "proposal-too-long"),
        ] {
            let refused = client.call("propose_skill_update", wrong(key, value)).await;
            assert_eq!(code(&refused), Some(expected), "{key}: {}", words(&refused));
        }
        client.end().await;
    });
    let files: Vec<_> = std::fs::read_dir(&proposals).expect("it was created").collect();
    let [Ok(file)] = &files[..] else { panic!("there is one proposal: {files:?}") };
    let name = file.file_name().into_string().expect("text");
    assert!(name.starts_with("notes-20") && name.ends_with("Z.md"), "{name}");
    let text = std::fs::read_to_string(file.path()).expect("it is text");
    for part in ["## Diff", "+Write them down, with the date.", "## Justification", "no date."] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let after = std::fs::read(user.tree.join("skills/notes/SKILL.md")).expect("it is there");
    assert_eq!(after, skill, "the skill is unchanged");
}

/// The six steps of an agent's builder: discover, extract, match, load, execute, log. A person
/// approves the script in another process, and it runs in the sandbox.
#[test]
fn builder_finds_loads_runs_and_logs() {
    let user = User::of("boxxy", "user");
    block_on(async {
        let client = Client::of(user.program()).await;
        assert!(client.shown().await.contains("kubernetes-deploy"), "skills are discovered");
        let named = json!({ "skill": "kubernetes-deploy" });
        let described = succeed(&client, "skills_describe", named).await;
        assert!(described.contains("Deploys to a cluster."), "metadata is extracted: {described}");
        let found = succeed(&client, "skills_search", json!({ "query": "deploy" })).await;
        assert!(found.contains("kubernetes-deploy"), "the request matches a skill: {found}");
        let load = json!({ "names": ["kubernetes-deploy"] });
        let loaded = succeed(&client, "skills_load", load).await;
        assert!(loaded.contains("See references/steps.md."), "{loaded}");

        let script = json!({ "skill": "kubernetes-deploy", "path": "scripts/count.sh" });
        let asked = client.call("skills_run", script.clone()).await;
        assert_eq!(code(&asked), Some("approval-required"), "{}", words(&asked));
        let pending = user.run(&["approvals", "list", "--format", "json"]).json();
        let id = pending["approvals"][0]["id"].as_str().expect("it is pending").to_owned();
        user.run(&["approvals", "grant", &id]);
        let ran = succeed(&client, "skills_run", script.clone()).await;
        let ran: Value = serde_json::from_str(&ran).expect("it is data");
        assert_eq!((&ran["exit_code"], &ran["stdout"]), (&json!(0), &json!("3 pods\n")));
        let again = client.call("skills_run", script).await;
        assert_eq!(code(&again), Some("approval-required"), "the approval is spent");
        client.end().await;
    });
    user.run(&["audit", "verify"]);
    let story = user.run(&["audit", "show"]);
    let tools = ["skills.describe", "skills.search", "skills.load", "skills.run"];
    let places: Vec<_> = tools.iter().map(|tool| story.text().find(tool)).collect();
    assert!(places.iter().all(Option::is_some), "each step is in the log: {}", story.text());
    assert!(places.is_sorted(), "in its order: {}", story.text());
}

/// A model gets a skill and runs its script in the shell of the sandbox.
#[cfg(feature = "virtual-shell")]
#[test]
fn sandbox_runs_a_script_over_files_in_memory() {
    let user = User::of("sandbox", "user");
    block_on(async {
        let client = Client::of(user.program()).await;
        let name = json!({ "skillName": "Kubernetes-Deploy" });
        let got = succeed(&client, "get_skill", name).await;
        let got: Value = serde_json::from_str(&got).expect("it is data");
        assert_eq!(got["mountPath"], "/.sandbox/skills/kubernetes-deploy");
        let execute = async |command: &str| {
            let result = succeed(&client, "sandbox_execute", json!({ "command": command })).await;
            serde_json::from_str::<Value>(&result).expect("it is data")
        };
        let ran = execute("sh /.sandbox/skills/kubernetes-deploy/scripts/count.sh > /count").await;
        assert_eq!(ran["exitCode"], 0, "{ran}");
        let counted = execute("cat /count; echo mine > /.sandbox/skills/notes/SKILL.md").await;
        assert_eq!(counted["output"], "3 pods", "{counted}");
        assert_eq!(counted["sandbox"], ran["sandbox"], "the connection has one sandbox");
        client.end().await;
    });
    let notes = std::fs::read_to_string(user.tree.join("skills/notes/SKILL.md"));
    assert!(notes.expect("it is there").contains("Takes notes."), "no file of the disk changes");
    let command = json!({ "command": "ls /.sandbox/skills; exit 3" }).to_string();
    let called = user.run(&["call", "sandbox_execute", &command]);
    assert!(called.text().contains("kubernetes-deploy\\nnotes"), "{called:?}");
    assert!(called.text().contains("\"exitCode\": 3"), "{called:?}");
    let story = user.run(&["audit", "show"]);
    assert!(story.text().contains("sandbox_execute"), "{}", story.text());
}
