//! A client that lists, loads and reads.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use prowess_testkit::Tree;
use serde_json::json;

use super::{BINARY, Client, SECRET, block_on, code, tree, words};
use crate::plain_skill;
use crate::program::Program;

#[test]
fn first_sight_holds_the_catalog_and_no_body() {
    block_on(async {
        let tree = tree();
        let client = Client::connect(tree.path()).await;
        let server = client.service.peer_info().expect("the server says who it is");
        assert_eq!(server.server_info.as_ref().map(|info| info.name.as_str()), Some("prowess"));
        let shown = client.shown().await;
        for part in ["<available_skills>", "<name>pdf</name>", "Helps with tables.", "skills_load"]
        {
            assert_eq!(shown.matches(part).count().min(1), 1, "the model sees {part}: {shown}");
        }
        assert_eq!(
            shown.matches("Helps with tables.").count(),
            1,
            "nothing is sent twice: {shown}"
        );
        assert!(!shown.contains("# How to use"), "no skill is loaded yet");
    });
}

#[test]
fn the_tools_have_names_and_schemas_that_every_vendor_takes() {
    block_on(async {
        let tree = tree();
        let client = Client::connect(tree.path()).await;
        let tools = client.service.list_all_tools().await.expect("the tools are listed");
        let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        let expected = [
            "skills_load",
            "skills_unload",
            "skills_read",
            "skills_list",
            "skills_search",
            "skills_describe",
        ];
        assert_eq!(names, expected);
        let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        for tool in &tools {
            assert!((1..=64).contains(&tool.name.len()) && tool.name.bytes().all(is_legal));
            assert_eq!(tool.input_schema.get("type"), Some(&json!("object")), "{}", tool.name);
            assert!(tool.description.is_some(), "`{}` says what it is for", tool.name);
        }
    });
}

#[test]
fn loading_brings_the_body_and_reading_brings_text_and_bytes() {
    block_on(async {
        let tree = tree();
        let client = Client::connect(tree.path()).await;
        let early = client.call("skills_read", json!({"path": "references/fields.md"})).await;
        assert_eq!(code(&early), Some("skill-not-active"), "loading comes first");
        let loaded = client.call("skills_load", json!({"names": ["pdf"]})).await;
        assert!(words(&loaded).contains("# How to use pdf"), "the body comes in the result");
        let text = client.call("skills_read", json!({"path": "references/fields.md"})).await;
        assert!(words(&text).contains("Every field has a name."), "text comes as text");
        let bytes = client.call("skills_read", json!({"path": "assets/form.bin"})).await;
        let bytes = serde_json::to_value(&bytes).unwrap();
        let blob = bytes["content"][0]["resource"]["blob"].as_str().expect("bytes come as a blob");
        assert_eq!(BASE64_STANDARD.decode(blob).expect("base64"), BINARY, "byte for byte");
        let unloaded = client.call("skills_unload", json!({"all": true})).await;
        assert_eq!(unloaded.is_error, Some(false));
        let late = client.call("skills_read", json!({"path": "references/fields.md"})).await;
        assert_eq!(code(&late), Some("skill-not-active"), "what is unloaded is not read");
    });
}

#[test]
fn refused_call_is_a_result() {
    block_on(async {
        let tree = Tree::new("");
        tree.write("CANARY", SECRET);
        tree.write("skills/pdf/SKILL.md", plain_skill("pdf"));
        let client = Client::connect(&tree.join("skills")).await;
        let load = client.call("skills_load", json!({"names": ["pdf"]})).await;
        assert_eq!(load.is_error, Some(false));
        for (tool, arguments, expected) in [
            ("skills_read", json!({"path": "../../CANARY"}), "path-escape"),
            ("skills_read", json!({"path": "nothing.md"}), "resource-not-found"),
            ("skills_load", json!({"names": ["pfd"]}), "skill-not-found"),
            ("skills_load", json!({"names": 7}), "invalid-arguments"),
        ] {
            let refused = client.call(tool, arguments).await;
            assert_eq!(code(&refused), Some(expected), "{}", words(&refused));
            assert!(!words(&refused).contains(SECRET), "nothing outside is read");
        }
    });
}

/// Some clients start one server per call.
#[test]
fn file_is_read_without_a_load() {
    block_on(async {
        let tree = tree();
        let read = json!({"skill": "pdf", "path": "references/fields.md"});
        let client = Client::connect(tree.path()).await;
        let text = client.call("skills_read", read.clone()).await;
        assert!(words(&text).contains("Every field has a name."), "{}", words(&text));
        for gate in ["active", "loaded"] {
            let config = Tree::new("");
            config.write("prowess.yaml", format!("tools: {{ read_gate: {gate} }}\n"));
            let program =
                Program::new().root("user", tree.path()).config(&config.join("prowess.yaml"));
            let refused = Client::of(program).await.call("skills_read", read.clone()).await;
            assert_eq!(code(&refused), Some("skill-not-active"), "the policy asks for a load");
        }
    });
}

#[test]
fn two_clients_are_two_conversations() {
    block_on(async {
        let tree = tree();
        let (one, other) = (Client::connect(tree.path()).await, Client::connect(tree.path()).await);
        one.call("skills_load", json!({"names": ["pdf"]})).await;
        other.call("skills_load", json!({"names": ["tables"]})).await;
        let read = json!({"path": "references/fields.md"});
        assert_eq!(one.call("skills_read", read.clone()).await.is_error, Some(false));
        let refused = other.call("skills_read", read).await;
        assert_eq!(code(&refused), Some("resource-not-found"), "it has loaded another skill");
    });
}

#[test]
fn without_skills_there_are_no_tools() {
    block_on(async {
        let client = Client::connect(Tree::new("").path()).await;
        let server = client.service.peer_info().expect("the server says who it is");
        assert_eq!(server.instructions, None, "an empty catalog is not worth a token");
        let tools = client.service.list_all_tools().await.expect("the tools are listed");
        assert_eq!(tools.len(), 0, "there is nothing to load");
        let load = client.call("skills_load", json!({"names": ["pdf"]})).await;
        assert_eq!(code(&load), Some("skill-not-found"), "a call is answered all the same");
    });
}
