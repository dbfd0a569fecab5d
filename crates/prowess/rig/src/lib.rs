//! Agent Skills for agents of rig.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod tools;

pub use rig_agent::AgentBuilder;
pub use rig_core::tool::DynamicTool;

use prowess::{Error, Runtime, SessionHandle, Turn};
use rig_agent::agent::hook::{CompletionCallAction, CompletionCallEvent, StepEventKind};
use rig_agent::run::RequestPatch;
use rig_agent::{AgentHook, HookContext};

/// The skills of one conversation, for an agent of rig.
///
/// As a hook of the agent, it puts the catalog and the loaded skills into the instructions of each
/// call of the model. A failure of the session store ends the run with its message.
#[derive(Clone)]
pub struct RigSkills {
    runtime: Runtime,
    session: SessionHandle,
    rules: String,
}

impl RigSkills {
    /// Creates the skills of a conversation. `rules` are the instructions of the agent itself.
    pub fn new(runtime: Runtime, session: SessionHandle, rules: impl Into<String>) -> Self {
        Self { runtime, session, rules: rules.into() }
    }

    /// Returns the instructions of the next call of the model: the rules, the catalog and the
    /// loaded skills. Only a host that does not add this value as a hook needs them.
    ///
    /// # Errors
    ///
    /// The session is not open, or its store fails.
    pub fn preamble(&self) -> Result<String, Error> {
        let prompt = self.turn()?.prompt();
        Ok([self.rules.as_str(), &prompt.text].join("\n\n"))
    }

    /// Returns the tools that load, read and unload skills.
    ///
    /// # Errors
    ///
    /// The session is not open, or its store fails.
    pub fn tools(&self) -> Result<Vec<DynamicTool>, Error> {
        let definitions = self.turn()?.tools();
        Ok(definitions.into_iter().filter_map(|definition| self.tool(definition)).collect())
    }

    fn turn(&self) -> Result<Turn, Error> {
        self.runtime.turn(&self.session)
    }

    /// Runs work that may read files where threads may block.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> T {
        let skills = self.clone();
        let done = tokio::task::spawn_blocking(move || work(&skills)).await;
        done.expect("prowess catches the panics of tools, and the task is not aborted")
    }
}

impl AgentHook for RigSkills {
    async fn on_completion_call(
        &self,
        _: &HookContext,
        _: CompletionCallEvent<'_>,
    ) -> CompletionCallAction {
        match self.blocking(Self::preamble).await {
            Ok(preamble) => CompletionCallAction::patch(RequestPatch::new().preamble(preamble)),
            Err(error) => CompletionCallAction::stop(error.to_string()),
        }
    }

    fn observes(&self, kind: StepEventKind) -> bool {
        kind == StepEventKind::CompletionCall
    }
}
