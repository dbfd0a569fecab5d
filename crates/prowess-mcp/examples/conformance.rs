//! A server with the tools that the protocol's conformance suite calls, next to the skills of a
//! directory. It prints its URL and serves until standard input ends.
//!
//! ```console
//! $ cargo run --package prowess-mcp --features http --example conformance -- DIR
//! ```
#![allow(clippy::print_stdout, reason = "an example reports where it serves")]

use std::io::Read as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use prowess::gating::ToolRules;
use prowess::registry::RefreshMode;
use prowess::{
    AddedTools, Catalog, Code, Content, OutputStream, Policies, ProgressEvent, Runtime, Tool,
    ToolContext, ToolDefinition, ToolProvider, ToolResult,
};
use prowess_mcp::{HttpOptions, HttpServer};
use serde_json::{Value, json};

/// The tools that run at once.
#[rustfmt::skip]
const FREE: [&str; 13] = [
    "json_schema_2020_12_tool", "test_simple_text", "test_image_content", "test_audio_content",
    "test_embedded_resource", "test_multiple_content_types", "test_error_handling",
    "test_logging_tool", "test_tool_with_logging", "test_tool_with_header",
    "test_tool_with_progress", "test_trigger_prompt_change", "test_trigger_tool_change",
];

/// The tools that a person has to approve, so that the server asks the user.
const GATED: [&str; 3] =
    ["test_elicitation", "test_input_required_result_elicitation", "test_streaming_elicitation"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let skills = std::env::args().nth(1).ok_or("name a directory with skills")?;
    let mut policies = Policies { added_tools: AddedTools::Gate, ..prowess_mcp::policies() };
    policies.refresh.mode = Some(RefreshMode::Watch);
    policies.gate.grant = ToolRules::parse(&FREE)?;
    let runtime = Runtime::builder()
        .policies(policies)
        .skills_directory("user", &skills)
        .tools(Arc::new(Fixtures { skills: skills.into() }))
        .build()?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = HttpServer::bind(address, HttpOptions::default())?;
    println!("http://{}/mcp", server.address());
    server.serve_until(runtime, async {
        let ended = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
        drop(ended.await);
    })?;
    Ok(())
}

struct Fixtures {
    /// The directory of the skills.
    skills: PathBuf,
}

impl ToolProvider for Fixtures {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        for name in FREE.iter().chain(&GATED) {
            let written = AtomicU64::default();
            tools.push(Arc::new(Fixture { name, skills: self.skills.clone(), written }));
        }
        tools
    }
}

/// A tool of the suite.
struct Fixture {
    name: &'static str,
    skills: PathBuf,
    /// How often a skill was written.
    written: AtomicU64,
}

impl Fixture {
    /// Writes a skill, which changes the descriptions of the skill tools and the list of prompts.
    fn write_skill(&self) -> std::io::Result<()> {
        // Names of skills have no underscores.
        let name = self.name.replace('_', "-");
        let directory = self.skills.join(&name);
        std::fs::create_dir_all(&directory)?;
        let version = self.written.fetch_add(1, Ordering::Relaxed);
        let description = format!("description: Version {version} of a skill of the suite.");
        let text = format!("---\nname: {name}\n{description}\n---\nBody\n");
        std::fs::write(directory.join("SKILL.md"), text)
    }
}

impl Tool for Fixture {
    fn definition(&self, _catalog: &Catalog) -> ToolDefinition {
        let input_schema = match self.name {
            "json_schema_2020_12_tool" => every_keyword(),
            // A client repeats the argument in the header `Mcp-Param-Region`.
            "test_tool_with_header" => json!({
                "type": "object",
                "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
            }),
            _ => json!({ "type": "object", "additionalProperties": true }),
        };
        let description = "A tool of the conformance suite.".to_owned();
        ToolDefinition { name: self.name.to_owned(), description, input_schema }
    }

    fn call(&self, context: &ToolContext<'_>, _arguments: &Value) -> ToolResult {
        let text = || Content::Text { text: "This is a simple text response.".to_owned() };
        let image = || blob("image/png", None);
        let file = || blob("application/octet-stream", Some("test://embedded-resource"));
        let content = match self.name {
            "test_image_content" => vec![image()],
            "test_audio_content" => vec![blob("audio/wav", None)],
            "test_embedded_resource" => vec![file()],
            "test_multiple_content_types" => vec![text(), image(), file()],
            "test_error_handling" => {
                return ToolResult::error(Code::new("test-error"), "This tool returns an error.");
            }
            "test_tool_with_progress" => {
                for line in ["opened", "read", "closed"] {
                    let stream = OutputStream::Stdout;
                    context.progress.report(ProgressEvent::Output { stream, line });
                }
                vec![text()]
            }
            "test_trigger_prompt_change" | "test_trigger_tool_change" => {
                if let Err(error) = self.write_skill() {
                    return ToolResult::error(Code::new("test-error"), error.to_string());
                }
                vec![text()]
            }
            _ => vec![text()],
        };
        ToolResult { content, ..ToolResult::text("") }
    }
}

/// A schema with the keywords that a server has to pass on as they are.
fn every_keyword() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
        } },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": {
            "properties": { "contactMethod": { "const": "phone" } },
            "required": ["contactMethod"],
        },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

fn blob(mime_type: &str, uri: Option<&str>) -> Content {
    Content::Blob {
        mime_type: mime_type.to_owned(),
        data: "iVBORw0KGgo=".to_owned(),
        uri: uri.map(str::to_owned),
    }
}
