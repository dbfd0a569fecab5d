//! Calls by the command line and by the server: one gate, one audit log, one store of approvals.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use prowess_testkit::Tree;
use serde_json::{Value, json};

use crate::program::{Program, Ran};
use crate::serve::{Client, block_on, code, words};

/// A skill with a script that leaves a file, which no call may run.
const SKILLS: &str = include_str!("../data/calls.txt");

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
        program.config(&self.0.join("prowess.yaml")).root("user", &self.0.join("skills"))
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.program().run(arguments)
    }

    /// Returns the number of entries of the audit log that are about calls of this tool.
    fn records(&self, tool: &str) -> usize {
        let log = fs::read_to_string(self.0.join("home/.local/state/prowess/audit.jsonl"));
        let name = format!("\"{tool}\"");
        log.expect("there is a log").lines().filter(|line| line.contains(&name)).count()
    }
}

const DENYING: &str = "gate: { ceiling: { deny: [skills.load, skills.run] } }";

#[test]
fn denied_calls_of_the_command_line_are_recorded_once() {
    let place = Place::new(DENYING);
    for (tool, name, arguments) in
        [("skills_load", "skills.load", r#"{"names": ["pdf"]}"#), ("skills_run", "skills.run", RUN)]
    {
        let ran = place.run(&["call", tool, arguments, "--format", "json"]);
        assert_eq!((ran.code, &ran.json()["code"]), (Some(1), &"tool-denied".into()), "{tool}");
        assert_eq!(place.records(name), 1, "{tool}");
    }
    assert!(!place.0.join("skills/pdf/canary").exists());
}

#[test]
fn server_and_command_line_share_approvals() {
    block_on(async {
        let place = Place::new("added_tools: gate\nscripts: { exec: tool }");
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
    let place = Place::new("added_tools: gate\nscripts: { exec: tool }");
    let answer = place.run(&["call", "skills_run", RUN, "--format", "json"]).json();
    assert!(answer["approval"].is_string(), "the approval is named: {answer}");
    let ran = place.run(&["call", "skills_run", RUN]);
    let grant = ran.stderr.split("`prowess approvals grant ").nth(1).expect("a command");
    let grant: Vec<_> = grant.split('`').next().expect("it ends").split(' ').collect();
    let granted = place.run(&[&["approvals", "grant"], &grant[..]].concat());
    assert_eq!(granted.code, Some(0), "{granted:?}");
    let repeated = place.run(&["call", "skills_run", RUN]);
    let is_asked_again = repeated.stderr.contains("approval-required");
    assert!(!is_asked_again, "the command allows the same call: {}", repeated.stderr);
}

#[test]
fn explained_call_names_its_rule_and_is_not_run() {
    let place = Place::new("");
    let explain = |command: &str, more: &[&str]| {
        let json = json!({ "command": command }).to_string();
        let arguments = ["call", "--explain", "Bash", &json, "--load", "pdf"];
        place.run(&[&arguments, more].concat())
    };
    let granted = explain("git status", &[]);
    assert!(granted.text().starts_with("allow: `Bash` is covered by `allowed-tools`"));
    let file = place.0.join("skills/pdf/SKILL.md").display().to_string();
    let rule = format!("{file}:4:21\n   | Bash(git:*)\n");
    assert!(granted.text().contains(&rule), "the rule has its position: {}", granted.text());
    let asks = explain("git log > file", &[]);
    assert_eq!(asks.code, Some(1), "it may not run now");
    assert!(asks.stdout.contains(&format!("{file}:4:21")), "{}", asks.stdout);
    let decision: Value = explain("git log > file", &["--format", "json"]).json();
    assert_eq!(decision["decision"], "ask");
    assert_eq!(decision["grounds"]["rules"][0]["line"], 4);
    let ceiling = ["--set", "gate.ceiling.deny=[Bash]", "--format", "json"];
    let denied: Value = serde_json::from_str(&explain("git log", &ceiling).stdout).unwrap();
    let error = denied["error"].to_string();
    assert!(error.contains("[SKILL_TOOL_NOT_ALLOWED] ") && error.contains("tool_name=Bash"));
    let load = place.run(&["call", "skills_load", r#"{"names": ["pdf"]}"#, "--explain"]);
    assert_eq!(load.text(), "allow: `skills.load` manages skills, which is always possible\n");
}

/// A part of a configuration is a valid one, without what is denied.
#[test]
fn configuration_that_is_being_saved_denies() {
    let place = Place::new("");
    let file = place.0.join("own.yaml");
    let (part, whole) = ("# mine\n", "# mine\ngate: { ceiling: { deny: ['Bash(git:*)'] } }\n");
    fs::write(&file, whole).unwrap();
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                fs::write(&file, part).unwrap();
                thread::yield_now();
                fs::write(&file, whole).unwrap();
            }
        });
        let config = file.to_str().unwrap();
        let call = ["call", "--explain", "Bash", r#"{"command": "git status"}"#, "--load", "pdf"];
        let runs = [(); 3].map(|()| place.run(&[&call[..], &["--config", config]].concat()));
        is_done.store(true, Ordering::Relaxed);
        for run in runs {
            let is_unread = run.stderr.contains("config-unreadable");
            assert!(is_unread || run.stdout.starts_with("deny"), "{run:?}");
        }
    });
}

/// The arguments with which a command of the help does something.
fn arguments<'a>(command: &[&str], skill: &'a str) -> Vec<&'a str> {
    match command {
        ["validate" | "read-properties" | "to-prompt"] => vec![skill],
        ["show" | "search" | "explain"] => vec!["pdf"],
        ["prompt"] => vec!["--load", "pdf"],
        ["call"] => vec!["skills_load", r#"{"names": ["pdf"]}"#],
        ["run"] => vec!["pdf", "scripts/fill.sh", "--explain"],
        ["mcp", "config"] => vec!["--client", "cursor"],
        ["completions"] => vec!["bash"],
        ["approvals", "grant" | "deny" | "revoke"] => vec!["none"],
        ["approvals", "watch"] => vec!["--help"],
        _ => Vec::new(),
    }
}

/// A command that only reads leaves the log as it is, and no command needs it for itself.
#[test]
fn every_command_works_beside_a_server() {
    block_on(async {
        let place = Place::new("added_tools: gate");
        let client = Client::of(place.program()).await;
        client.call("skills_load", json!({ "names": ["pdf"] })).await;
        let skill = place.0.join("skills/pdf").display().to_string();
        let log = place.0.join("home/.local/state/prowess/audit.jsonl");
        // The server may find a change of the files, which are new, at any time.
        let is_command = |entry: &&str| !entry.contains(r#""cause":"watch""#);
        let read = || fs::read_to_string(&log).expect("there is a log");
        let length = || read().lines().filter(is_command).count();
        for command in crate::help::commands() {
            // Servers go on, and others ask the network or write into the working directory.
            if matches!(command[..], ["serve" | "add" | "sync" | "update" | "publish", ..]) {
                continue;
            }
            let before = length();
            let ran = place.run(&[&command[..], &arguments(&command, &skill)].concat());
            assert!(!ran.stderr.contains("error[audit"), "{command:?}: {}", ran.stderr);
            assert!(!ran.stderr.contains("nothing is recorded"), "{command:?}: {}", ran.stderr);
            assert_eq!(length() > before, command == ["call"], "{command:?} writes the log");
        }
        let second = Client::of(place.program()).await;
        for client in [&client, &second, &client] {
            client.call("skills_load", json!({ "names": ["pdf"] })).await;
        }
        prowess_audit::verify(&log).expect("all have written one chain");
        let shown = place.run(&["audit", "show"]);
        for agent in ["agent `rmcp ", concat!("agent `prowess ", env!("CARGO_PKG_VERSION"))] {
            assert!(shown.text().contains(agent), "`{agent}` is named: {}", shown.stdout);
        }
    });
}
