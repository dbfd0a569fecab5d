//! A server with the tools that the protocol's conformance suite calls, next to the skills of a
//! directory. It prints its URL and serves until standard input ends.
//!
//! ```console
//! $ cargo run --package prowess-mcp --features http --example conformance -- DIR
//! ```
#![allow(clippy::print_stdout, reason = "an example reports where it serves")]

use std::io::Read as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use prowess::gating::ToolRules;
use prowess::{
    AddedTools, Catalog, Code, Content, Policies, Runtime, Tool, ToolContext, ToolDefinition,
    ToolProvider, ToolResult,
};
use prowess_mcp::{HttpOptions, HttpServer};
use serde_json::{Value, json};

/// The tools that run at once.
const FREE: [&str; 8] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_logging_tool",
    "test_tool_with_logging",
];

/// The tools that a person has to approve, so that the server asks the user.
const GATED: [&str; 3] =
    ["test_elicitation", "test_input_required_result_elicitation", "test_streaming_elicitation"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let skills = std::env::args().nth(1).ok_or("name a directory with skills")?;
    let mut policies = Policies { added_tools: AddedTools::Gate, ..prowess_mcp::policies() };
    policies.gate.grant = ToolRules::parse(&FREE)?;
    let runtime = Runtime::builder()
        .policies(policies)
        .skills_directory("user", &skills)
        .tools(Arc::new(Fixtures))
        .build()?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = HttpServer::bind(address, HttpOptions::default())?;
    println!("http://{}/mcp", server.address()?);
    server.serve_until(runtime, async {
        let ended = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
        drop(ended.await);
    })?;
    Ok(())
}

struct Fixtures;

impl ToolProvider for Fixtures {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let fixture = |name: &&'static str| Arc::new(Fixture(name)) as Arc<dyn Tool>;
        FREE.iter().chain(&GATED).map(fixture).collect()
    }
}

/// A tool of the suite, by its name.
struct Fixture(&'static str);

impl Tool for Fixture {
    fn definition(&self, _catalog: &Catalog) -> ToolDefinition {
        let input_schema = json!({ "type": "object", "additionalProperties": true });
        let description = "A tool of the conformance suite.".to_owned();
        ToolDefinition { name: self.0.to_owned(), description, input_schema }
    }

    fn call(&self, _context: &ToolContext<'_>, _arguments: &Value) -> ToolResult {
        let text = || Content::Text { text: "This is a simple text response.".to_owned() };
        let image = || blob("image/png", None);
        let file = || blob("application/octet-stream", Some("test://embedded-resource"));
        let content = match self.0 {
            "test_image_content" => vec![image()],
            "test_audio_content" => vec![blob("audio/wav", None)],
            "test_embedded_resource" => vec![file()],
            "test_multiple_content_types" => vec![text(), image(), file()],
            "test_error_handling" => {
                return ToolResult::error(Code::new("test-error"), "This tool returns an error.");
            }
            _ => vec![text()],
        };
        ToolResult { content, ..ToolResult::text("") }
    }
}

fn blob(mime_type: &str, uri: Option<&str>) -> Content {
    Content::Blob {
        mime_type: mime_type.to_owned(),
        data: "iVBORw0KGgo=".to_owned(),
        uri: uri.map(str::to_owned),
    }
}
