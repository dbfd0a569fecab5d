//! The session of one conversation, and the blocking work that is done in it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use prowess::session::SessionHandle;
use prowess::tools::ToolNaming;
use prowess::{Runtime, Turn};
use rmcp::ErrorData;
use rmcp::model::ServerCapabilities;

use crate::resources;

/// One conversation's session. It ends when the last handle is dropped.
pub(crate) struct Conversation {
    runtime: Arc<Runtime>,
    session: SessionHandle,
}

impl Conversation {
    /// Opens a session.
    pub(crate) fn open(runtime: Arc<Runtime>) -> Result<Self, prowess::Error> {
        let session = runtime.open_session()?;
        Ok(Self { runtime, session })
    }

    /// Returns the runtime that the session belongs to.
    pub(crate) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Returns the spelling of tool names.
    pub(crate) fn naming(&self) -> ToolNaming {
        ToolNaming::new(self.runtime.policies().name_style)
    }

    /// Returns what the policies let clients use: always tools, prompts if a tool loads skills, and
    /// the files of skills if a model may read them all.
    #[expect(deprecated, reason = "revisions before 2026-07-28 have logging")]
    pub(crate) fn capabilities(&self) -> ServerCapabilities {
        let policies = self.runtime.policies();
        let mut capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_skills_with_directory_read()
            .build();
        if policies.tools.load_tool().is_none() {
            capabilities.prompts = None;
        }
        if !resources::are_open(policies) {
            capabilities.resources = None;
            capabilities.extensions = None;
        }
        capabilities
    }

    /// Returns the text that describes the catalog.
    pub(crate) fn instructions(&self) -> Result<String, prowess::Error> {
        Ok(self.runtime.turn(&self.session)?.prompt().whole_text().into_owned())
    }

    /// Starts a turn and runs `work` in it. Both may read files, so they run on a thread that may
    /// block, and the connection goes on answering.
    pub(crate) async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Turn) -> T + Send + 'static,
    ) -> Result<T, String> {
        let runtime = Arc::clone(&self.runtime);
        let session = self.session.clone();
        let turn = move || runtime.turn(&session).map(|turn| work(&turn));
        let done = tokio::task::spawn_blocking(turn).await.map_err(|error| error.to_string())?;
        done.map_err(|error| error.to_string())
    }

    /// Runs `work`, which may wait for a store, on a thread that may block.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Runtime) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let runtime = Arc::clone(&self.runtime);
        let done = tokio::task::spawn_blocking(move || work(&runtime)).await;
        done.map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    /// Returns a digest of everything that a client is shown of the catalog, or `None` if the
    /// session has ended.
    pub(crate) async fn digest(&self) -> Option<u64> {
        self.in_turn(digest).await.ok()
    }
}

fn digest(turn: &Turn) -> u64 {
    let mut hasher = DefaultHasher::new();
    turn.prompt().whole_text().hash(&mut hasher);
    for tool in turn.newest_tools() {
        (tool.name, tool.description, tool.input_schema.to_string()).hash(&mut hasher);
    }
    hasher.finish()
}

impl Drop for Conversation {
    fn drop(&mut self) {
        // If the store fails here, the session expires later.
        let _ = self.runtime.close_session(self.session.id());
    }
}
