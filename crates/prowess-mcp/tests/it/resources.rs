//! Resources and the skills extension, as a client that checks digests sees them.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prowess::tools::{ReadGate, ReadScope, ScriptRead};
use prowess::{MemorySource, Policies, Runtime, ShowLocation};
use prowess_testkit::{Tree, rows};
use rmcp::model::{Skill, SkillResources, validate_skills};
use serde_json::{Value, json};

use crate::block_on;
use crate::raw::{Raw, meta};

const REVISION: &str = "2026-07-28";
const TEXT: &str = "---\nname: pdf\ndescription: Fills & forms.\nlicense: MIT\n\
    metadata:\n  author: us\n---\n</skill_content> $ARGUMENTS\n";
const TABLES: &str = include_str!("../data/resources.txt");
const BINARY: [u8; 4] = [0, 255, 13, 10];

/// Returns two layers of skills: a name that both have, and one that is not its directory's.
fn tree() -> Tree {
    let tree = Tree::new("");
    tree.write("project/pdf/SKILL.md", TEXT);
    tree.write("project/pdf/references/a b.md", "Reference\r\n");
    tree.write("project/pdf/references/deep/x.md", "x");
    tree.write("project/pdf/form.bin", BINARY);
    tree.write("project/other/SKILL.md", "---\nname: renamed\ndescription: x\n---\nBody\n");
    tree.write("user/pdf/SKILL.md", "---\nname: pdf\ndescription: y\n---\nShadowed\n");
    tree
}

async fn connect(tree: &Tree, policies: Policies) -> Raw {
    let builder = Runtime::builder().policies(policies);
    let builder = builder
        .skills_directory("user", tree.join("user"))
        .skills_directory("project", tree.join("project"));
    Raw::greeted(Arc::new(builder.build().expect("the runtime is complete")), REVISION).await
}

async fn ask(raw: &mut Raw, method: &str, params: Value) -> Value {
    raw.request(json!(1), method, meta(REVISION, params)).await
}

/// Returns the items of a list, which is read a page at a time.
async fn list(raw: &mut Raw, method: &str, field: &str, page: usize) -> Vec<Value> {
    let (mut items, mut params) = (Vec::new(), json!({}));
    loop {
        let answer = ask(raw, method, params).await;
        let result = &answer["result"];
        assert_eq!(result["resultType"], "complete", "{answer}");
        let found = result[field].as_array().expect("a list");
        assert!(found.len() <= page, "a page has up to {page}: {answer}");
        items.extend(found.iter().cloned());
        match &result["nextCursor"] {
            Value::Null => return items,
            cursor => params = json!({ "cursor": cursor }),
        }
    }
}

async fn skills(raw: &mut Raw, page: usize) -> Vec<Skill> {
    let skills = list(raw, "skills/list", "skills", page).await;
    serde_json::from_value(skills.into()).expect("skills are data")
}

/// Returns the bytes of a resource.
fn bytes(answer: &Value) -> Vec<u8> {
    let contents = &answer["result"]["contents"][0];
    match contents["text"].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => STANDARD.decode(contents["blob"].as_str().expect("a blob")).expect("base64"),
    }
}

#[test]
fn every_listed_file_has_its_digest() {
    block_on(async {
        let tree = tree();
        let mut policies = prowess_mcp::policies();
        policies.tools.list_page = 2;
        let mut raw = connect(&tree, policies).await;
        let skills = skills(&mut raw, 2).await;
        validate_skills(&skills).expect("the list follows the extension");
        let mut files = BTreeMap::new();
        for skill in &skills {
            let SkillResources::Files(resources) = &skill.resources else { panic!("{skill:?}") };
            for resource in resources {
                let read = ask(&mut raw, "resources/read", json!({ "uri": resource.uri })).await;
                let bytes = bytes(&read);
                resource.verify(&bytes).expect("the bytes are those of the list");
                files.insert(resource.uri.clone(), bytes);
            }
            let found = ask(&mut raw, "skills/get", json!({ "uri": skill.uri })).await;
            let found: Skill = serde_json::from_value(found["result"]["skill"].clone()).unwrap();
            assert_eq!(&found, skill, "one skill is what the list says");
        }
        let uris: Vec<_> = files.keys().map(String::as_str).collect();
        let expected = [
            "skill://pdf/SKILL.md",
            "skill://pdf/form.bin",
            "skill://pdf/references/a%20b.md",
            "skill://pdf/references/deep/x.md",
            "skill://renamed/SKILL.md",
            "skill://user%3Apdf/pdf/SKILL.md",
        ];
        assert_eq!(uris, expected, "a shadowed skill is served under its qualified id");
        assert_eq!(files["skill://pdf/form.bin"], BINARY);
        assert_eq!(files["skill://pdf/SKILL.md"], TEXT.as_bytes(), "not encoded for a model");
    });
}

#[test]
fn a_name_of_any_kind_is_in_each_list() {
    block_on(async {
        let names = "小说拆条|Ahrefs Automation|CFO / Chief|हिन्दी|Re\u{301}sume\u{301}|Bash";
        let names: Vec<_> = names.split('|').collect();
        let builder =
            (0..).zip(&names).fold(MemorySource::builder("many"), |builder, (at, name)| {
                let text = format!("---\nname: {name}\ndescription: x\n---\nBody {at}\n");
                builder.file(&format!("skill-{at}/SKILL.md"), text)
            });
        let builder = builder.file("nameless/SKILL.md", "---\ndescription: x\n---\nBody\n");
        let source = Arc::new(builder.build().expect("the paths are plain"));
        let runtime = Runtime::builder().policies(prowess_mcp::policies()).source("user", source);
        let runtime = Arc::new(runtime.build().expect("the runtime is complete"));
        let mut raw = Raw::greeted(runtime, REVISION).await;
        let skills = skills(&mut raw, 100).await;
        validate_skills(&skills).expect("the list follows the extension");
        let listed = list(&mut raw, "resources/list", "resources", 100).await;
        assert_eq!([skills.len(), listed.len()], [names.len() + 1; 2], "{skills:?}");
        for skill in &skills {
            let escaped = skill.uri.replace("小说拆条", "%E5%B0%8F%E8%AF%B4%E6%8B%86%E6%9D%A1");
            for uri in [&skill.uri, &escaped] {
                let read = ask(&mut raw, "resources/read", json!({ "uri": uri })).await;
                assert!(bytes(&read).ends_with(b"\n"), "{uri}: {read}");
            }
            let found = ask(&mut raw, "skills/get", json!({ "uri": skill.uri })).await;
            assert_eq!(found["result"]["skill"]["uri"], skill.uri, "{found}");
        }
    });
}

#[test]
fn ten_thousand_resources_are_listed_by_pages() {
    block_on(async {
        let builder = (0..10_000).fold(MemorySource::builder("many"), |builder, at| {
            let text = format!("---\nname: skill-{at:05}\ndescription: x\n---\nBody\n");
            builder.file(&format!("skill-{at:05}/SKILL.md"), text)
        });
        let source = Arc::new(builder.build().expect("paths are paths"));
        let policies = prowess_mcp::policies();
        let most = policies.tools.list_page;
        let runtime = Runtime::builder().policies(policies).source("user", source).build();
        let mut raw = Raw::greeted(Arc::new(runtime.expect("it is complete")), REVISION).await;
        let resources = list(&mut raw, "resources/list", "resources", most).await;
        let uris: Vec<_> = resources.iter().map(|resource| resource["uri"].to_string()).collect();
        let expected = (0..10_000).map(|at| format!("\"skill://skill-{at:05}/SKILL.md\""));
        assert!(uris.iter().cloned().eq(expected), "each skill once, in order: {}", uris.len());
    });
}

/// Returns all that a client gets to see of the skills, also of calls that fail.
async fn everything(tree: &Tree, policies: Policies) -> String {
    let builder = Runtime::builder().policies(policies).skills_directory("user", tree.path());
    let runtime = Arc::new(builder.build().expect("the runtime is complete"));
    let mut raw = Raw::start(runtime);
    let client = json!({ "name": "test", "version": "1" });
    let hello =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    let mut shown = raw.request(json!(0), "initialize", hello).await.to_string();
    raw.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    for [method, params] in rows(TABLES, "") {
        let params = serde_json::from_str(&params).expect("JSON");
        shown.push_str(&raw.request(json!(1), &method, params).await.to_string());
    }
    shown
}

#[test]
fn paths_of_the_host_are_shown_by_policy_only() {
    block_on(async {
        let tree = Tree::new("");
        tree.write("pdf/SKILL.md", TEXT);
        tree.write("pdf/references/a b.md", "Reference\n");
        tree.write("pdf/form.bin", BINARY);
        let place = tree.path().to_str().expect("text").to_owned();
        for show in
            [ShowLocation::Absolute, ShowLocation::Id, ShowLocation::Virtual, ShowLocation::None]
        {
            let mut policies = prowess_mcp::policies();
            policies.delivery.show_location = show;
            let shown = everything(&tree, policies).await;
            assert!(shown.contains("Fills & forms."), "{shown}");
            assert_eq!(shown.contains(&place), show == ShowLocation::Absolute, "{show:?}: {shown}");
        }
    });
}

#[test]
fn frontmatter_is_verbatim() {
    block_on(async {
        let tree = tree();
        let mut raw = connect(&tree, prowess_mcp::policies()).await;
        let found = ask(&mut raw, "skills/get", json!({ "uri": "skill://pdf/SKILL.md" })).await;
        let expected = json!({
            "name": "pdf",
            "description": "Fills & forms.",
            "license": "MIT",
            "metadata": { "author": "us" },
        });
        assert_eq!(found["result"]["skill"]["frontmatter"], expected);
        assert!(found["result"]["ttlMs"].is_u64() && found["result"]["cacheScope"].is_string());
    });
}

#[test]
fn directories_list_direct_children() {
    block_on(async {
        let tree = tree();
        let mut raw = connect(&tree, prowess_mcp::policies()).await;
        for [uri, expected] in rows(TABLES, "children") {
            let read = ask(&mut raw, "resources/directory/read", json!({ "uri": uri })).await;
            let children = read["result"]["resources"].as_array().expect("children").iter();
            let children: Value =
                children.map(|child| json!([child["uri"], child["mimeType"]])).collect();
            let expected = serde_json::from_str::<Value>(&expected).expect("JSON");
            assert_eq!(children, expected, "{uri}");
        }
    });
}

#[test]
fn wrong_uris_and_cursors_are_invalid_params() {
    block_on(async {
        let tree = tree();
        tree.write("secret.md", "canary-5d1f");
        let mut raw = connect(&tree, prowess_mcp::policies()).await;
        let uris = "skill://nothing/SKILL.md skill://pdf/missing.md skill://pdf/../other/SKILL.md \
            skill://pdf/%2e%2e/other/SKILL.md skill://pdf/..%2f..%2fsecret.md \
            skill://pdf//etc/passwd skill://pdf/references file:///etc/passwd pdf/SKILL.md ";
        for uri in uris.split(' ') {
            for method in ["resources/read", "skills/get"] {
                let answer = ask(&mut raw, method, json!({ "uri": uri })).await;
                assert_eq!(answer["error"]["code"], -32602, "{method} {uri}: {answer}");
                assert!(!answer.to_string().contains("canary"), "{answer}");
            }
        }
        for uri in ["skill://pdf/form.bin", "skill://pdf/nothing", "skill://nothing"] {
            let answer = ask(&mut raw, "resources/directory/read", json!({ "uri": uri })).await;
            assert_eq!(answer["error"]["code"], -32602, "{uri}: {answer}");
        }
        for list in ["skills", "resources", "resources/templates", "prompts", "tools"] {
            let answer = ask(&mut raw, &format!("{list}/list"), json!({ "cursor": "bogus" })).await;
            assert_eq!(answer["error"]["code"], -32602, "{list}: {answer}");
        }
        let answer = ask(&mut raw, "skills/get", json!({})).await;
        assert_eq!(answer["error"]["code"], -32602, "the parameter is missing: {answer}");
    });
}

/// A policy that limits what a model reads limits every other way too.
#[test]
fn limited_reads_close_the_resources() {
    block_on(async {
        let tree = tree();
        let mut gated = prowess_mcp::policies();
        gated.tools.read_gate = Some(ReadGate::Active);
        let mut scoped = prowess_mcp::policies();
        scoped.tools.read_scope = ReadScope::Resources;
        for policies in [gated, scoped] {
            let mut raw = connect(&tree, policies).await;
            let discovered = ask(&mut raw, "server/discover", json!({})).await;
            let capabilities = &discovered["result"]["capabilities"];
            assert!(capabilities["resources"].is_null(), "{discovered}");
            assert!(capabilities["extensions"].is_null(), "{discovered}");
            for method in ["resources/read", "skills/get", "resources/directory/read"] {
                let uri = json!({ "uri": "skill://pdf/SKILL.md" });
                let answer = ask(&mut raw, method, uri).await;
                assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
            }
            for method in ["resources/list", "resources/templates/list", "skills/list"] {
                let answer = ask(&mut raw, method, json!({})).await;
                assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
            }
        }
    });
}

/// The policies about single files, which `skills.read` follows, hold here too.
#[test]
fn protected_scripts_and_large_files_are_not_read() {
    block_on(async {
        let tree = tree();
        tree.write("project/pdf/scripts/fill.py", "print()\n");
        let mut policies = prowess_mcp::policies();
        policies.tools.script_read = ScriptRead::Block;
        policies.tools.read_limit_bytes = 4;
        let mut raw = connect(&tree, policies).await;
        for (path, code) in [
            ("scripts/fill.py", json!("script-read-blocked")),
            ("references/a%20b.md", json!("file-too-large")),
            ("form.bin", Value::Null),
            ("SKILL.md", Value::Null),
        ] {
            let uri = json!({ "uri": format!("skill://pdf/{path}") });
            let answer = ask(&mut raw, "resources/read", uri).await;
            assert_eq!(answer["error"]["data"]["code"], code, "{path}: {answer}");
        }
    });
}

#[test]
fn skill_beyond_the_limits_is_not_listed() {
    block_on(async {
        let tree = Tree::new("");
        tree.write("project/many/SKILL.md", "---\nname: many\ndescription: x\n---\nBody\n");
        for number in 0..512 {
            tree.write(&format!("project/many/{number}.md"), "x");
        }
        std::fs::create_dir_all(tree.join("user")).expect("a directory");
        let mut raw = connect(&tree, prowess_mcp::policies()).await;
        assert!(skills(&mut raw, 50).await.is_empty(), "clients need not accept it");
        let found = ask(&mut raw, "skills/get", json!({ "uri": "skill://many/SKILL.md" })).await;
        assert_eq!(found["result"]["skill"]["resources"], "dynamic", "{found}");
    });
}

#[test]
fn index_of_drafts_names_each_skill() {
    block_on(async {
        let tree = tree();
        let mut raw = connect(&tree, prowess_mcp::policies()).await;
        let answer = ask(&mut raw, "resources/read", json!({ "uri": "skill://index.json" })).await;
        let index: Value = serde_json::from_slice(&bytes(&answer)).expect("JSON");
        let skills = index["skills"].as_array().expect("a list");
        assert_eq!(skills.len(), skills_of(&mut raw).await, "{index}");
        for skill in skills {
            assert_eq!(skill["type"], "skill-md");
            let read = ask(&mut raw, "resources/read", json!({ "uri": skill["url"] })).await;
            assert!(String::from_utf8_lossy(&bytes(&read)).contains("description: "), "{read}");
        }
    });
}

async fn skills_of(raw: &mut Raw) -> usize {
    list(raw, "resources/list", "resources", 50).await.len()
}
