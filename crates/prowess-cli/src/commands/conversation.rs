//! The session of one command.

use std::sync::Arc;

use prowess::session::SessionHandle;
use prowess::{Agent, CallOrigin, Content, Runtime, ToolCall, ToolResult, Turn};
use prowess_text::counted;
use serde_json::{Value, json};

use crate::command_session::new_id;
use crate::failure::Failure;

/// A runtime with one open session.
pub(crate) struct Conversation<'r> {
    runtime: &'r Runtime,
    session: SessionHandle,
    agent: Option<Arc<Agent>>,
}

impl<'r> Conversation<'r> {
    pub(crate) fn open(runtime: &'r Runtime) -> Result<Self, Failure> {
        Self::open_for(runtime, None)
    }

    /// Opens a session for an agent, with the skills that it uses.
    pub(crate) fn open_for(
        runtime: &'r Runtime,
        agent: Option<Arc<Agent>>,
    ) -> Result<Self, Failure> {
        let session = match &agent {
            None => runtime.open_session_with(new_id())?,
            Some(agent) => runtime.open_session_for(agent)?,
        };
        // The origin of calls that a person makes, unless the policies name an agent.
        let program = || format!("prowess {}", env!("CARGO_PKG_VERSION"));
        let caller = runtime.policies().audience.agent.clone().unwrap_or_else(program);
        let origin = CallOrigin { agent: Some(caller), ..CallOrigin::default() };
        let session = session.with_origin(origin);
        Ok(Self { runtime, session, agent })
    }

    /// Starts a model call.
    pub(crate) fn turn(&self) -> Result<Turn, Failure> {
        Ok(self.turn_of(self.runtime.turn(&self.session)?))
    }

    /// Starts a model call, about a message of the user if there is one, whose skills may be loaded
    /// with it.
    pub(crate) fn turn_with(&self, message: Option<&str>) -> Result<Turn, Failure> {
        let Some(message) = message else { return self.turn() };
        let turn = self.runtime.turn_about(&self.session, message)?;
        Ok(self.turn_of(turn.with_message(message)))
    }

    fn turn_of(&self, turn: Turn) -> Turn {
        match &self.agent {
            None => turn,
            Some(agent) => turn.for_agent(Arc::clone(agent)),
        }
    }

    /// Loads skills on behalf of the user, with the tool that a model has.
    pub(crate) fn load(&self, ids: &[String]) -> Result<(), Failure> {
        if ids.is_empty() {
            return Ok(());
        }
        let load = call(&tool_name(self.runtime, "skills.load"), json!({ "names": ids }));
        self.succeed(&load, "load-failed", "see `prowess list` for the ids of the skills")
    }

    /// Reads a file of a skill on behalf of the user, with the tool that a model has.
    pub(crate) fn read(&self, path: &str) -> Result<(), Failure> {
        let read = call(&tool_name(self.runtime, "skills.read"), json!({ "path": path }));
        self.succeed(&read, "read-failed", "see `prowess show ID` for the files of a skill")
    }

    fn succeed(&self, call: &ToolCall, code: &str, help: &str) -> Result<(), Failure> {
        let result = self.turn()?.call_as_user(call).result;
        if result.is_error {
            let code = result.code.as_ref().map_or(code, |code| code.as_str());
            return Err(for_person(code, &words(&result), help));
        }
        Ok(())
    }
}

/// Returns a failure of a tool in words for a person, without advice to a model.
pub(crate) fn for_person(code: &str, message: &str, help: &str) -> Failure {
    let words = message.replace("; go on without it", "").replace(", go on without it", "");
    let words = words.replace("ask the user to ", "");
    let help = match code {
        "skill-hidden" => {
            "if you trust its authors, run `prowess trust` with the folder that the message names; \
             `prowess doctor` says why skills are hidden"
        }
        "audit-unavailable" => "`prowess doctor` says why; `audit.policy` requires the record",
        _ => help,
    };
    Failure::new(code, words, help)
}

/// The log says that the session has ended: nothing of it is left open.
impl Drop for Conversation<'_> {
    fn drop(&mut self) {
        let _ = self.runtime.close(&self.session);
    }
}

/// Returns a tool's name as the policies spell it: `skills_load`, `skills-load` or `skills.load`.
pub(crate) fn tool_name(runtime: &Runtime, name: &str) -> String {
    runtime.policies().naming().spell(name)
}

pub(crate) fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall { name: name.to_owned(), arguments }
}

/// Returns the text of a result; a blob is described, not shown.
pub(crate) fn words(result: &ToolResult) -> String {
    result
        .content
        .iter()
        .map(|content| match content {
            Content::Text { text } => text.clone(),
            Content::Blob { mime_type, data, .. } => {
                format!("[{} of {mime_type}]", counted(data.len() / 4 * 3, "byte"))
            }
        })
        .collect::<Vec<_>>()
        .join("\n")
}
