//! Texts for clients with limits: descriptions, instructions and results.

use std::fmt::Write as _;
use std::sync::Arc;

use prowess::source_fs::Surroundings;
use prowess::{HostCommands, NoFolderTrust, Runtime, ShowLocation};
use prowess_testkit::Tree;
use rmcp::ServiceExt;
use rmcp::model::{ClientConfig, Implementation, Tool};
use serde_json::{Value, json};

use crate::{block_on, call, runtime, runtime_of};

/// The limits that are published or were measured: of a tool's description (several vendors, then
/// Claude Code), and of the instructions (Claude Code).
const DESCRIPTION: usize = 1_024;
const INSTRUCTIONS: usize = 2_048;

/// Clients by the names that they give, and the bytes of a result that they were seen to keep.
const CLIENTS: [(&str, usize); 5] = [
    ("any", usize::MAX),
    ("codex-mcp-client", 12_000),
    ("@cline/core", 8_000),
    ("copilot-cli", 20_000),
    ("qwen-cli-mcp-client-prowess", 24_000),
];

/// Returns a runtime with numbered skills, whose descriptions are as long as real ones. Some of
/// their letters have two bytes, which the clients count.
fn shelf(skills: usize) -> (Tree, Arc<Runtime>) {
    let tree = Tree::new("");
    for at in 0..skills {
        let text = format!(
            "---\nname: skill-{at:05}\ndescription: Bündelt subject{at} für Tests. {}\n---\nBody {at}\n",
            "Use when somebody asks for a report with tables and charts. ".repeat(3)
        );
        tree.write(&format!("skill-{at:05}/SKILL.md"), text);
    }
    let runtime = runtime_of(&tree);
    (tree, runtime)
}

/// The texts that a client gets at the start.
struct Seen {
    instructions: String,
    tools: Vec<Tool>,
}

async fn connected(
    runtime: Arc<Runtime>,
    name: &str,
) -> rmcp::service::RunningService<rmcp::RoleClient, ClientConfig> {
    let server = prowess_mcp::SkillServer::new(runtime).expect("a conversation opens");
    let (here, there) = tokio::io::duplex(4096);
    tokio::spawn(async move { server.serve(there).await.expect("the greeting").waiting().await });
    let mut info = ClientConfig::default();
    info.client_info = Implementation::new(name, "1.0");
    info.serve(here).await.expect("the greeting")
}

async fn seen(runtime: Arc<Runtime>) -> Seen {
    let client = connected(runtime, "any").await;
    let info = client.peer_info().expect("it has greeted").instructions.clone();
    let tools = client.list_all_tools().await.expect("a list");
    Seen { instructions: info.unwrap_or_default(), tools }
}

fn characters(tool: &Tool) -> usize {
    tool.description.as_deref().unwrap_or_default().chars().count()
}

fn named(text: &str) -> usize {
    text.matches("skill-0").count()
}

/// Prints a table with `--nocapture`: the characters of the longest description and of the
/// instructions, the skills that each names, the characters of `tools/list`, and the calls until
/// the right skill is loaded.
#[test]
fn texts_fit_clients_whatever_the_number_of_skills() {
    let mut table =
        String::from("skills  description  shown  instructions  shown  tools/list  calls\n");
    for skills in [3, 30, 60, 1_154, 10_000] {
        let (_tree, runtime) = shelf(skills);
        block_on(async {
            let Seen { instructions, tools } = seen(Arc::clone(&runtime)).await;
            let longest = tools.iter().map(characters).max().expect("there are tools");
            assert!(longest <= DESCRIPTION, "{skills} skills: {longest} characters");
            let load = tools.iter().find(|tool| tool.name == "skills_load").expect("it is there");
            let described = named(load.description.as_deref().unwrap_or_default());
            let listed = named(&instructions);
            let length = instructions.len();
            assert!(length <= INSTRUCTIONS, "{skills} skills: {length} bytes");
            let all: usize = tools.iter().map(|tool| json!(tool).to_string().len()).sum();
            let mut calls = 0;
            for (client, kept) in CLIENTS {
                let needed = calls_to_load(&runtime, skills - 1, load, client, kept).await;
                assert!(calls == 0 || needed == calls, "{client} needs {needed} calls");
                calls = needed;
            }
            let _ = writeln!(
                table,
                "{skills:6}  {longest:11}  {described:5}  {length:12}  {listed:5}  {all:10}  {calls:5}"
            );
            assert!(described >= skills.min(10), "{:?}", load.description);
            assert!(listed >= skills.min(30), "{instructions}");
            assert_eq!(skills > described, names_search(load), "{:?}", load.description);
        });
    }
    println!("{table}");
}

fn names_search(tool: &Tool) -> bool {
    tool.description.as_deref().unwrap_or_default().contains("`skills_search`")
}

/// Loads a skill as a model does: by its name if it sees it, or else after a search. No result is
/// longer than the client keeps.
async fn calls_to_load(
    runtime: &Arc<Runtime>,
    at: usize,
    load: &Tool,
    client: &str,
    kept: usize,
) -> usize {
    let client = connected(Arc::clone(runtime), client).await;
    let id = format!("skill-{at:05}");
    let mut calls = 1;
    if !json!(load).to_string().contains(&id) {
        calls += 1;
        let query = json!({ "query": format!("subject{at}"), "limit": 3 });
        let found = client.call_tool(call("skills_search", &query)).await.expect("an answer");
        assert!(json!(found).to_string().contains(&id), "{found:?}");
    }
    let listed = client.call_tool(call("skills_list", &json!({ "limit": 200 }))).await;
    let length = json!(listed.expect("an answer"))["content"][0]["text"].as_str().map(str::len);
    assert!(length.is_some_and(|length| length <= kept), "{length:?} of {kept}");
    let loaded = client.call_tool(call("skills_load", &json!({ "names": [id] }))).await;
    let loaded = json!(loaded.expect("an answer"));
    assert_eq!(loaded["content"].as_array().map(Vec::len), Some(1), "one part: {loaded}");
    assert!(loaded.to_string().contains(&format!("Body {at}")), "{loaded}");
    calls
}

#[test]
fn names_are_shown_before_a_few_descriptions() {
    let tree = Tree::new("");
    for at in 0..24 {
        let long = "Use it when somebody asks for a report. ".repeat(4);
        let text = format!("---\nname: skill-{at:05}\ndescription: {long}\n---\nBody\n");
        tree.write(&format!("skill-{at:05}/SKILL.md"), text);
    }
    let Seen { tools, .. } = block_on(seen(runtime_of(&tree)));
    let text = tools.iter().find(|tool| tool.name == "skills_load").expect("it is there");
    let text = text.description.as_deref().unwrap_or_default();
    assert_eq!(named(text), 24, "{text}");
    assert!(text.ends_with("left out, to save room; `skills_list` has them whole."), "{text}");
}

#[test]
fn skills_of_the_highest_layer_are_shown_first() {
    let (tree, _) = shelf(60);
    let project = Tree::new("");
    project.write("zz/SKILL.md", "---\nname: zz\ndescription: Of the project.\n---\nBody\n");
    let runtime = runtime(|builder| {
        let builder = builder.skills_directory("user", tree.path());
        builder.skills_directory("project", project.path())
    });
    let Seen { tools, instructions } = block_on(seen(Arc::new(runtime)));
    let load = tools.iter().find(|tool| tool.name == "skills_load").expect("it is there");
    let text = load.description.as_deref().unwrap_or_default();
    assert!(named(text) < 60 && text.contains("- zz: Of the project."), "{text}");
    assert!(instructions.contains("\n- zz"), "{instructions}");
}

#[test]
fn tools_ask_to_be_loaded_at_the_start() {
    let Seen { tools, instructions } = block_on(seen(Arc::new(runtime(|builder| builder))));
    for tool in tools {
        let meta = json!(tool.meta);
        assert_eq!(meta["anthropic/alwaysLoad"], true, "{}", tool.name);
    }
    assert!(instructions.contains("- skill-writing: "), "{instructions}");
}

#[test]
fn later_skills_can_be_named() {
    let (_tree, runtime) = shelf(3);
    let Seen { tools, .. } = block_on(seen(runtime));
    let load = tools.into_iter().find(|tool| tool.name == "skills_load").expect("it is there");
    let items = &json!(load.input_schema)["properties"]["names"]["items"];
    assert_eq!(items["anyOf"][1], json!({ "type": "string" }), "{items}");
}

/// Returns the texts of the pages of a skill, in the calls that the notes name.
async fn pages(runtime: Arc<Runtime>, client: &str) -> Vec<String> {
    let client = connected(runtime, client).await;
    let text = |result: Value| result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    let load = call("skills_load", &json!({ "names": ["long"] }));
    let mut pages = vec![text(json!(client.call_tool(load).await.expect("an answer")))];
    while let Some((_, next)) = pages.last().and_then(|page| page.split_once("`skills_read` with "))
    {
        let arguments = serde_json::Deserializer::from_str(next).into_iter::<Value>().next();
        let arguments = arguments.expect("a note has arguments").expect("they are JSON");
        let read = client.call_tool(call("skills_read", &arguments)).await.expect("an answer");
        assert_ne!(read.is_error, Some(true), "{read:?}");
        pages.push(text(json!(read)));
        assert!(pages.len() < 100, "the pages end");
    }
    pages
}

#[test]
fn long_instructions_come_in_pages_that_the_client_keeps() {
    let line = |at: usize| format!("Line {at:04} of long instructions, with some more words.");
    let body: Vec<_> = (0..900).map(line).collect();
    let body = body.join("\n");
    let tree = Tree::new("");
    tree.write("long/SKILL.md", format!("---\nname: long\ndescription: Long.\n---\n\n{body}\n"));
    let runtime = runtime_of(&tree);
    block_on(async {
        let whole = pages(Arc::clone(&runtime), "a client without limits").await;
        assert!(matches!(&whole[..], [one] if one.contains(&body)), "{} pages", whole.len());
        let pages = pages(runtime, "codex-mcp-client").await;
        assert!(pages.len() > 3, "{} pages", pages.len());
        assert!(pages.iter().all(|page| page.len() <= 10_000), "each fits");
        assert!(pages[0].contains("first part of the instructions"), "{}", pages[0]);
        let all = pages.concat();
        assert!((0..900).all(|at| all.matches(&line(at)).count() == 1), "each line, once");
    });
}

/// Many clients show no log, some no instructions, and a list may be cut.
#[test]
fn every_client_learns_of_hidden_skills() {
    let host = HostCommands { diagnose: "open the page".into(), ..HostCommands::default() };
    for (visible, shown, commands, step) in [
        (0, ShowLocation::Absolute, HostCommands::PROWESS, "run `prowess trust "),
        (60, ShowLocation::Absolute, HostCommands::PROWESS, "run `prowess trust "),
        (3, ShowLocation::Virtual, HostCommands::PROWESS, "run `prowess doctor` there"),
        (3, ShowLocation::Virtual, host, "open the page there"),
    ] {
        let ((shelf, _), project) = (shelf(visible), Tree::new("//- /a project/.git/HEAD\n"));
        let text = "---\nname: secret\ndescription: Is secret.\n---\n";
        project.write("a project/.agents/skills/secret/SKILL.md", text);
        let around = Surroundings::new(None, Some(project.join("a project")));
        let mut policies = prowess_mcp::policies().with_commands(commands);
        policies.delivery.show_location = shown;
        let builder = Runtime::builder().policies(policies).tree("user", shelf.path());
        let runtime = builder.discover(around, Arc::new(NoFolderTrust)).build().unwrap();
        let runtime = Arc::new(runtime);
        block_on(async {
            let Seen { instructions, tools } = seen(Arc::clone(&runtime)).await;
            let length = instructions.len();
            assert!(length <= INSTRUCTIONS, "{visible} skills: {length} bytes");
            assert!(tools.iter().any(|tool| tool.name == "skills_list"), "{tools:?}");
            let client = connected(runtime, "any").await;
            let listed = client.call_tool(call("skills_list", &json!({}))).await.unwrap();
            let listed = serde_json::to_string(&listed).unwrap();
            for text in [instructions, listed] {
                assert!(text.contains("Tell the user") && text.contains(step), "{text}");
                assert_eq!(text.matches("prowess ").count(), step.matches("prowess ").count());
                let is_named = text.contains("a project");
                assert_eq!(is_named, shown == ShowLocation::Absolute, "{text}");
            }
        });
    }
}
