//! A scripted model that reaches each skill of a server in two calls: it searches for a part of
//! the skill's description, and loads the id that it finds.
//!
//! ```console
//! $ cargo run --package prowess-mcp --example reach -- '["prowess", "serve"]'
//! ```
//!
//! The skills are the prompts of the server, which the scripted model does not see, without those
//! that only a user may load. A model cannot distinguish two skills with the same description, so
//! either counts.
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::collections::{BTreeMap, BTreeSet};
use std::process::Stdio;

use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult, Prompt};
use rmcp::service::{RoleClient, RunningService};
use serde_json::{Value, json};

type Error = Box<dyn std::error::Error>;
type Client = RunningService<RoleClient, ()>;

/// The number of words of a description that the model searches for.
const WORDS: usize = 24;

/// The least share of skills that is reached, in percent.
const LEAST_PERCENT: usize = 100;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let command = std::env::args().nth(1).ok_or("name a server")?;
    let command: Vec<String> = serde_json::from_str(&command)?;
    let (program, options) = command.split_first().ok_or("the server has no program")?;
    let mut server = tokio::process::Command::new(program)
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let streams = server.stdout.take().zip(server.stdin.take()).ok_or("the streams are piped")?;
    let client = ().serve(streams).await?;
    let skills = offered(&client).await?;
    let missed = missed(&client, &skills).await?;
    let reached = skills.len() - missed.len();
    println!("{reached} of {} skills are reached in two calls", skills.len());
    for id in &missed {
        println!("  not reached: {id}");
    }
    client.cancel().await?;
    server.wait().await?;
    if skills.is_empty() || reached * 100 < skills.len() * LEAST_PERCENT {
        return Err("too few skills are reached".into());
    }
    Ok(())
}

/// Returns the skills that a model may load.
async fn offered(client: &Client) -> Result<Vec<Prompt>, Error> {
    let mut offered = Vec::new();
    for skill in client.list_all_prompts().await? {
        let loaded = load(client, &skill.name).await?;
        let code = loaded.meta.as_ref().and_then(|meta| meta.0.get("prowess/code"));
        if code.is_none_or(|code| code != "skill-hidden") {
            offered.push(skill);
        }
    }
    Ok(offered)
}

/// Returns the ids of the skills that are not reached.
async fn missed<'s>(client: &Client, skills: &'s [Prompt]) -> Result<Vec<&'s str>, Error> {
    let mut alike: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for skill in skills {
        let description = skill.description.as_deref().unwrap_or_default();
        alike.entry(description).or_default().insert(&skill.name);
    }
    let mut missed = Vec::new();
    for (description, ids) in alike {
        let query: Vec<_> = description.split_whitespace().take(WORDS).collect();
        let query = json!({ "query": query.join(" ") });
        let found = text(&call(client, "skills_search", &query).await?);
        let found: Value = serde_json::from_str(&found)?;
        let hits = found["hits"].as_array().into_iter().flatten();
        let hit = hits.filter_map(|hit| hit["id"].as_str()).find(|id| ids.contains(id));
        let is_reached = match hit {
            Some(id) => text(&load(client, id).await?).contains("<skill_content"),
            None => false,
        };
        if !is_reached {
            missed.extend(ids);
        }
    }
    Ok(missed)
}

async fn load(client: &Client, id: &str) -> Result<CallToolResult, Error> {
    call(client, "skills_load", &json!({ "names": [id] })).await
}

async fn call(
    client: &Client,
    name: &'static str,
    arguments: &Value,
) -> Result<CallToolResult, Error> {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let params = CallToolRequestParams::new(name).with_arguments(arguments);
    Ok(client.call_tool(params).await?)
}

fn text(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|block| block.as_text());
    texts.map(|text| text.text.as_str()).collect::<Vec<_>>().join("\n")
}
