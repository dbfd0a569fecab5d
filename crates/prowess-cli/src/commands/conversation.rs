//! The session of one command.

use prowess::session::SessionHandle;
use prowess::tools::ToolNaming;
use prowess::{Content, Runtime, ToolCall, ToolResult, Turn};
use serde_json::{Value, json};

use crate::failure::Failure;

/// A runtime with one open session.
pub(crate) struct Conversation<'r> {
    runtime: &'r Runtime,
    session: SessionHandle,
}

impl<'r> Conversation<'r> {
    pub(crate) fn open(runtime: &'r Runtime) -> Result<Self, Failure> {
        Ok(Self { runtime, session: runtime.open_session()? })
    }

    /// Starts a model call.
    pub(crate) fn turn(&self) -> Result<Turn, Failure> {
        Ok(self.runtime.turn(&self.session)?)
    }

    /// Loads skills on behalf of the user, with the tool that a model has.
    pub(crate) fn load(&self, ids: &[String]) -> Result<(), Failure> {
        if ids.is_empty() {
            return Ok(());
        }
        let load = call(&tool_name(self.runtime, "skills.load"), json!({ "names": ids }));
        let result = self.turn()?.call_as_user(&load).result;
        if result.is_error {
            let code = result.code.as_ref().map_or("load-failed", |code| code.as_str());
            let help = "see `prowess list` for the ids of the skills";
            return Err(Failure::new(code, words(&result), help));
        }
        Ok(())
    }
}

/// Returns a tool's name as the policies spell it: `skills_load`, `skills-load` or `skills.load`.
pub(crate) fn tool_name(runtime: &Runtime, name: &str) -> String {
    ToolNaming::new(runtime.policies().name_style).spell(name)
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
                format!("[{} bytes of {mime_type}]", data.len() / 4 * 3)
            }
        })
        .collect::<Vec<_>>()
        .join("\n")
}
