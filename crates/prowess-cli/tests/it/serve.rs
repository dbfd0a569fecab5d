//! `prowess serve`, by the protocol's own client over a child process, and by clients that behave
//! badly.

mod bad_clients;
mod changes;
mod conversation;

use std::time::Duration;

use prowess_testkit::Tree;
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use serde_json::Value;
use tempfile::TempDir;

use crate::plain_skill;
use crate::program::Program;

/// No text in any encoding.
const BINARY: [u8; 6] = [0x25, 0x50, 0x00, 0xff, 0xfe, 0x0a];

/// What no answer may hold.
const SECRET: &str = "secret-7f3a";

pub(crate) fn tree() -> Tree {
    let tree = Tree::new("");
    tree.write("pdf/SKILL.md", plain_skill("pdf"));
    tree.write("pdf/references/fields.md", "Every field has a name.\n");
    tree.write("pdf/assets/form.bin", BINARY);
    tree.write("tables/SKILL.md", plain_skill("tables"));
    tree
}

/// One client with a server of its own.
pub(crate) struct Client {
    service: RunningService<RoleClient, ()>,
    pid: u32,
    _place: TempDir,
}

impl Client {
    async fn connect(root: &std::path::Path) -> Self {
        Self::of(Program::new().root("user", root)).await
    }

    pub(crate) async fn of(program: Program) -> Self {
        Self::with(program, &[]).await
    }

    pub(crate) async fn with(program: Program, args: &[&str]) -> Self {
        let (command, place) = program.into_command();
        let mut command = tokio::process::Command::from(command);
        command.args(args).args(["serve", "--quiet"]);
        let child = TokioChildProcess::new(command).expect("the server starts");
        let pid = child.id().expect("it runs");
        let service = ().serve(child).await.expect("the server greets");
        Self { service, pid, _place: place }
    }

    /// The instructions of the server and the definitions of its tools: what a model sees first.
    pub(crate) async fn shown(&self) -> String {
        let server = self.service.peer_info().expect("the server has greeted");
        let instructions = server.instructions.clone().unwrap_or_default();
        let tools = self.service.list_all_tools().await.expect("the tools are listed");
        format!("{instructions}{}", serde_json::to_string(&tools).expect("tools are JSON"))
    }

    /// Ends the connection, and with it the server.
    pub(crate) async fn end(self) {
        self.service.cancel().await.expect("the client ends");
    }

    pub(crate) async fn call(&self, name: &'static str, arguments: Value) -> CallToolResult {
        let arguments = arguments.as_object().expect("arguments are an object").clone();
        let call = CallToolRequestParams::new(name).with_arguments(arguments);
        self.service.call_tool(call).await.expect("every call of a tool is answered")
    }
}

/// What a model reads of a result.
pub(crate) fn words(result: &CallToolResult) -> String {
    let text = |block: &rmcp::model::ContentBlock| Some(block.as_text()?.text.clone());
    result.content.iter().filter_map(text).collect::<Vec<_>>().join("\n")
}

pub(crate) fn code(result: &CallToolResult) -> Option<&str> {
    assert_eq!(result.is_error, Some(true), "a refusal is marked as an error");
    result.meta.as_ref()?.0["prowess/code"].as_str()
}

pub(crate) fn block_on(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let patience = Duration::from_secs(60);
    runtime.block_on(async { tokio::time::timeout(patience, test).await.expect("nothing hangs") });
}
