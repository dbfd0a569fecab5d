//! `prowess mcp config`: blocks that clients can read.

use prowess_testkit::Tree;
use serde_json::{Value, json};

use crate::plain_skill;
use crate::program::Program;

/// Returns the part of a block that starts the server: the command line.
fn command_line(client: &str, block: &str) -> Value {
    let value: Value = match client {
        // Each of its lines is JSON behind a key.
        "codex" => {
            let entries = block.lines().filter_map(|line| line.split_once(" = "));
            let entry = |(key, value)| (String::from(key), serde_json::from_str(value).unwrap());
            Value::Object(entries.map(entry).collect())
        }
        "goose" | "hermes" => {
            let entries = block.lines().filter_map(|line| line.trim().split_once(": "));
            let read = |value: &str| serde_json::from_str(value).unwrap_or(json!(value));
            Value::Object(entries.map(|(key, value)| (key.to_owned(), read(value))).collect())
        }
        _ => {
            let block: Value = serde_json::from_str(block).expect("the block is JSON");
            let keys = ["mcpServers", "servers", "context_servers", "mcp"];
            let servers = keys.iter().find_map(|key| block.get(key)).expect("there are servers");
            servers["prowess"].clone()
        }
    };
    if value["command"].is_array() {
        return value["command"].clone();
    }
    let command = value.get("command").or(value.get("cmd")).expect("there is a command");
    let args = value["args"].as_array().expect("there are arguments");
    [command].into_iter().chain(args).cloned().collect()
}

#[test]
fn every_block_starts_a_server_of_the_same_skills() {
    let tree = Tree::new("");
    tree.write("a \"b\"/pdf/SKILL.md", plain_skill("pdf"));
    let program = || Program::new().working_in(tree.path());
    let listed = program().run(&["mcp", "config"]);
    let clients = listed.text();
    assert!(clients.lines().count() >= 15, "{clients}");
    for client in clients.lines() {
        let args = ["--root", "user=a \"b\"", "mcp", "config", "--client", client];
        let ran = program().run(&args);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stderr.contains(" reads this from "), "the file is named: {ran:?}");
        let line = command_line(client, &ran.stdout);
        let root = tree.join("a \"b\"").canonicalize().expect("it exists");
        let root = format!("user={}", root.display());
        let expected = match client {
            // Its file is that of a project, for everybody.
            "roo" => ["prowess", "--root", "user=a \"b\"", "serve"],
            _ => [env!("CARGO_BIN_EXE_prowess"), "--root", &root, "serve"],
        };
        assert_eq!(line, json!(expected), "{client}");
    }
}

#[test]
fn client_has_its_usual_names() {
    for (name, file) in [
        ("gemini-cli", "~/.gemini/settings.json"),
        ("Claude", "~/.claude.json"),
        ("roo-code", ".roo/mcp.json in the project"),
        ("continue.dev", "~/.continue/mcpServers/prowess.json"),
        ("cline", "~/.cline/data/settings/cline_mcp_settings.json"),
        ("copilot-cli", "~/.copilot/mcp-config.json"),
    ] {
        let ran = Program::new().run(&["mcp", "config", "--client", name]);
        assert!(ran.stderr.contains(&format!(" reads this from {file}")), "{name}: {ran:?}");
    }
}

#[test]
fn unknown_client_is_refused_with_the_known_ones() {
    let ran = Program::new().run(&["mcp", "config", "--client", "cursr"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("cursor"), "{ran:?}");
}
