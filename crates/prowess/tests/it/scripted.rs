//! A model that follows a script, over a runtime on real files.

use prowess::session::SessionHandle;
use prowess::{Runtime, ToolCall, ToolResult};
use serde_json::{Value, json};

/// A conversation of a scripted model. Like a host, it keeps the messages; the runtime never sees
/// them.
pub(crate) struct Agent<'r> {
    runtime: &'r Runtime,
    session: SessionHandle,
    /// The calls and their results, in the order of time.
    pub(crate) messages: Vec<(ToolCall, ToolResult)>,
}

impl<'r> Agent<'r> {
    pub(crate) fn new(runtime: &'r Runtime) -> Self {
        let session = runtime.open_session().expect("memory takes another session");
        Self { runtime, session, messages: Vec::new() }
    }

    /// The instructions and the context of the next model call.
    pub(crate) fn prompt(&self) -> String {
        self.runtime
            .turn(&self.session)
            .expect("the session is open")
            .prompt()
            .whole_text()
            .into_owned()
    }

    /// The ids of the skills that are loaded.
    pub(crate) fn active(&self) -> Vec<String> {
        let turn = self.runtime.turn(&self.session).expect("the session is open");
        turn.state().active.iter().map(|skill| skill.id.clone()).collect()
    }

    /// One model call: the model sees its prompt and calls a tool. Gives the prompt that it saw and
    /// the answer.
    pub(crate) fn turn(&mut self, tool: &str, arguments: Value) -> (String, ToolResult) {
        let turn = self.runtime.turn(&self.session).expect("the session is open");
        let prompt = turn.prompt().whole_text().into_owned();
        let call = ToolCall::new(tool, arguments);
        let answer = turn.call(&call).result;
        assert_eq!(
            turn.prompt().whole_text(),
            prompt,
            "a call does not change the prompt of its own turn"
        );
        self.messages.push((call, answer.clone()));
        (prompt, answer)
    }

    /// As [`Self::turn`], for a call that must succeed.
    #[track_caller]
    pub(crate) fn succeed(&mut self, tool: &str, arguments: Value) -> (String, ToolResult) {
        let (prompt, answer) = self.turn(tool, arguments);
        assert!(!answer.is_error, "{answer:?}");
        (prompt, answer)
    }

    #[track_caller]
    pub(crate) fn load(&mut self, names: &[&str], mode: &str) -> (String, ToolResult) {
        self.succeed("skills_load", json!({ "names": names, "mode": mode }))
    }
}
