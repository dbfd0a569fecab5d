//! Calls by the command line and by the server pass one gate and one audit log.

use std::path::Path;

use prowess_testkit::Tree;
use serde_json::{Value, json};

use crate::program::{Program, Ran};
use crate::serve::{Client, block_on, code, words};

/// A skill with a script that leaves a file, which no call may run.
const SKILLS: &str = "
//- /skills/pdf/SKILL.md
---
name: pdf
description: Fills forms.
---
Body
//- /skills/pdf/scripts/fill.sh
touch canary
//- /home/empty
";

const RUN: &str = r#"{"skill": "pdf", "path": "scripts/fill.sh"}"#;

/// A user with a policy.
struct Place(Tree);

impl Place {
    fn new(policies: &str) -> Self {
        let tree = Tree::new(SKILLS);
        tree.write("prowess.yaml", format!("audit: {{ log: keep, policy: required }}\n{policies}"));
        Self(tree)
    }

    fn program(&self) -> Program {
        let program = Program::new().at_home_in(&self.0.join("home"));
        let program = program.config(&self.0.join("prowess.yaml"));
        program.root("user", &self.0.join("skills"))
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.program().run(arguments)
    }

    /// Returns the entries of the audit log that are about calls of this tool, as JSON lines.
    fn records(&self, tool: &str) -> Vec<Value> {
        let directory = self.0.join("home/.local/state/prowess");
        let log = std::fs::read_to_string(Path::new(&directory).join("audit.jsonl"));
        let lines = log.expect("there is a log");
        let entries = lines.lines().map(|line| serde_json::from_str(line).expect("it is JSON"));
        entries.filter(|entry: &Value| entry.to_string().contains(&format!("\"{tool}\""))).collect()
    }
}

const DENYING: &str = "gate: { ceiling: { deny: [skills.load, skills.run] } }";

#[test]
fn denied_calls_of_the_command_line_are_recorded_once() {
    let place = Place::new(DENYING);
    let load = ["call", "skills_load", r#"{"names": ["pdf"]}"#, "--format", "json"];
    let ran = place.run(&load);
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.json()["code"], "tool-denied");
    let records = place.records("skills.load");
    assert_eq!(records.len(), 1, "{records:#?}");
    assert_eq!(
        place.run(&["call", "skills_run", RUN, "--format", "json"]).json()["code"],
        "tool-denied"
    );
    assert_eq!(place.records("skills.run").len(), 1);
    assert!(!place.0.join("skills/pdf/canary").exists());
}

#[test]
fn denied_calls_of_a_client_are_recorded_once() {
    block_on(async {
        let place = Place::new(DENYING);
        let client = Client::of(place.program()).await;
        let refused = client.call("skills_load", json!({ "names": ["pdf"] })).await;
        assert_eq!(code(&refused), Some("tool-denied"));
        let refused = client.call("skills_run", serde_json::from_str(RUN).unwrap()).await;
        assert_eq!(code(&refused), Some("tool-denied"));
        for tool in ["skills.load", "skills.run"] {
            let records = place.records(tool);
            assert_eq!(records.len(), 1, "{records:#?}");
        }
    });
}

#[test]
fn server_and_command_line_share_approvals() {
    block_on(async {
        let place = Place::new("added_tools: gate");
        let client = Client::of(place.program()).await;
        let run = || client.call("skills_run", serde_json::from_str(RUN).unwrap());
        let asked = run().await;
        assert_eq!(code(&asked), Some("approval-required"));
        let meta = asked.meta.as_ref().expect("errors have a code").0.clone();
        let id = meta["prowess/approval"].as_str().expect("the approval is named");
        let grant = format!("`prowess approvals grant {id}`");
        assert!(words(&asked).contains(&grant), "{}", words(&asked));
        assert_eq!(place.run(&["approvals", "grant", id]).code, Some(0));
        let next = run().await;
        assert_ne!(code(&next), Some("approval-required"), "{next:?}");
    });
}

#[test]
fn refused_call_names_the_commands_for_its_approval() {
    let place = Place::new("added_tools: gate");
    let ran = place.run(&["call", "skills_run", RUN, "--format", "json"]);
    let answer = ran.json();
    let id = answer["approval"].as_str().expect("the approval is named");
    let ran = place.run(&["call", "skills_run", RUN]);
    let session = "a run has a session of its own, so its approval is another one";
    assert!(ran.stderr.contains("`prowess approvals grant "), "{}", ran.stderr);
    assert!(!ran.stderr.contains(id), "{session}");
    let grant = ran.stderr.split("`prowess approvals grant ").nth(1).expect("a command");
    let grant: Vec<_> = grant.split('`').next().expect("it ends").split(' ').collect();
    let granted = place.run(&[&["approvals", "grant"], &grant[..]].concat());
    assert_eq!(granted.code, Some(0), "{granted:?}");
    let repeated = place.run(&["call", "skills_run", RUN]);
    let asked = repeated.stderr.contains("approval-required");
    assert!(!asked, "the named command allows the same call: {}", repeated.stderr);
}
