//! A server and a client of the protocol's own library, in one process.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod approvals;
mod cancelling;
mod changes;
mod clients;
mod conversations;
mod converting;
mod elicitation;
#[cfg(feature = "http")]
mod http;
mod lifecycle;
mod log;
mod named;
mod progress;
mod prompts;
mod raw;
mod requests;
mod resources;
mod subscriptions;
mod watching;

use std::sync::Arc;

use prowess::{Runtime, RuntimeBuilder, Tool};
use prowess_mcp::SkillServer;
use prowess_testkit::{TestTools, Tree};
use rmcp::service::{RoleClient, RunningService};
use rmcp::{ServiceExt, model::CallToolRequestParams};
use serde_json::Value;
use tokio::task::JoinHandle;

/// A client that has greeted its server.
type Client = RunningService<RoleClient, ()>;

/// Connects a client to a server with this tool.
async fn connect(tool: Arc<dyn Tool>) -> Client {
    greet(Arc::new(runtime_with(tool))).await
}

/// Returns a runtime of the embedded skills and of what a test adds.
fn runtime(add: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder) -> Runtime {
    let builder = Runtime::builder().policies(prowess_mcp::policies()).default_skills();
    add(builder).build().expect("the runtime is complete")
}

fn embedded() -> Arc<Runtime> {
    Arc::new(runtime(|builder| builder))
}

fn runtime_of(tree: &Tree) -> Arc<Runtime> {
    Arc::new(runtime(|builder| builder.skills_directory("user", tree.path())))
}

fn runtime_with(tool: Arc<dyn Tool>) -> Runtime {
    runtime(|builder| builder.tools(Arc::new(TestTools(vec![tool]))))
}

/// A client of one more server of this runtime.
async fn greet(runtime: Arc<Runtime>) -> Client {
    greet_and_watch(runtime).await.0
}

/// Like [`greet`], with a task that ends when the server does.
async fn greet_and_watch(runtime: Arc<Runtime>) -> (Client, JoinHandle<()>) {
    let server = SkillServer::new(runtime).expect("a conversation opens");
    let (here, there) = tokio::io::duplex(4096);
    let serving = tokio::spawn(async move {
        let running = server.serve(there).await.expect("the greeting");
        running.waiting().await.expect("the server does not panic");
    });
    (().serve(here).await.expect("the greeting"), serving)
}

fn call(name: &'static str, arguments: &Value) -> CallToolRequestParams {
    let arguments = arguments.as_object().expect("arguments are an object").clone();
    CallToolRequestParams::new(name).with_arguments(arguments)
}

/// Awaits a test, or fails when it hangs.
fn block_on<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let patience = std::time::Duration::from_secs(60);
    runtime.block_on(async { tokio::time::timeout(patience, test).await.expect("nothing hangs") })
}
