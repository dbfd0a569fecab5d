//! A client of the protocol's own Rust library: it lists, loads and reads skills of a server on
//! standard input and output, and prints what a model would see, as JSON.
//!
//! ```console
//! $ cargo run --package prowess-mcp --example client -- '["prowess", "serve"]' DIR
//! ```
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Instant;

use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{NotificationContext, RoleClient, RunningService};
use rmcp::{ClientHandler, ServiceExt};
use serde_json::{Value, json};
use tokio::sync::Notify;

type Error = Box<dyn std::error::Error>;

/// A client that waits for changes of the tools.
#[derive(Clone, Default)]
struct Waiting(Arc<Notify>);

impl ClientHandler for Waiting {
    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.0.notify_one();
    }
}

type Client = RunningService<RoleClient, Waiting>;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let command: Vec<String> = serde_json::from_str(&arguments.next().ok_or("name a server")?)?;
    let skills = arguments.next().ok_or("name the directory of its skills")?;
    let (program, options) = command.split_first().ok_or("the server has no program")?;
    let mut server = tokio::process::Command::new(program)
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let streams = server.stdout.take().zip(server.stdin.take()).ok_or("the streams are piped")?;
    let waiting = Waiting::default();
    let client = waiting.clone().serve(streams).await?;
    println!("{}", observe(&client, &waiting, Path::new(&skills)).await?);
    client.cancel().await?;
    server.wait().await?;
    Ok(())
}

async fn observe(client: &Client, waiting: &Waiting, skills: &Path) -> Result<Value, Error> {
    let file = json!({ "skill": "pdf", "path": "references/fields.md" });
    let catalog = descriptions(client).await?;
    let read = call(client, "skills_read", &file).await?;
    let [pdf, notes] = ["pdf", "notes"].map(|name| json!({ "names": [name] }));
    let loads =
        tokio::join!(call(client, "skills_load", &pdf), call(client, "skills_load", &notes));
    let (body, other) = (loads.0?, loads.1?);
    let mut times = Vec::new();
    for _ in 0..200 {
        let begun = Instant::now();
        call(client, "skills_read", &file).await?;
        times.push(begun.elapsed().as_secs_f64() * 1000.0);
    }
    let peer = client.peer().clone();
    let search = params("skills_search", &json!({ "query": "forms" }));
    let cancelled = tokio::spawn(async move { peer.call_tool_once(search).await });
    tokio::task::yield_now().await;
    cancelled.abort();
    let cancel = call(client, "skills_read", &file).await?.contains("marker");
    std::fs::create_dir(skills.join("new"))?;
    let text = "---\nname: new\ndescription: Is new.\n---\nnew-body\n";
    std::fs::write(skills.join("new/SKILL.md"), text)?;
    waiting.0.notified().await;
    Ok(json!({
        "catalog": catalog,
        "read": read,
        "parallel": other.contains("notes-body") && body != other,
        "body": body,
        "cancel": cancel,
        "changes": descriptions(client).await?.contains("Is new."),
        "times": times,
    }))
}

async fn descriptions(client: &Client) -> Result<String, Error> {
    let tools = client.list_all_tools().await?;
    Ok(tools.into_iter().filter_map(|tool| tool.description).collect())
}

async fn call(client: &Client, name: &'static str, arguments: &Value) -> Result<String, Error> {
    let CallToolResult { content, .. } = client.call_tool(params(name, arguments)).await?;
    let texts = content.iter().filter_map(|block| block.as_text());
    Ok(texts.map(|text| text.text.as_str()).collect::<Vec<_>>().join("\n"))
}

fn params(name: &'static str, arguments: &Value) -> CallToolRequestParams {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    CallToolRequestParams::new(name).with_arguments(arguments)
}
