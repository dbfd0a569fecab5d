//! A small agent framework: it has tools, and passes each call of a model through one function of
//! the host.

use std::collections::BTreeMap;

use serde_json::Value;

/// A tool of the framework.
pub(crate) type Function = fn(&Value) -> String;

/// An agent with its tools.
#[derive(Default)]
pub(crate) struct Agent {
    tools: BTreeMap<&'static str, Function>,
}

impl Agent {
    /// Adds a tool.
    #[must_use]
    pub(crate) fn tool(mut self, name: &'static str, function: Function) -> Self {
        self.tools.insert(name, function);
        self
    }

    /// Answers the calls of a model. `around` receives the name and the arguments of each call, and
    /// the function that runs it; its result is the text that the model reads.
    pub(crate) fn answer<E>(
        &self,
        calls: &[(&str, Value)],
        around: impl Fn(&str, &Value, &dyn Fn() -> String) -> Result<String, E>,
    ) -> Result<Vec<String>, E> {
        let answer = |(name, arguments): &(&str, Value)| match self.tools.get(name) {
            Some(function) => around(name, arguments, &|| function(arguments)),
            None => Ok(format!("no tool named {name}")),
        };
        calls.iter().map(answer).collect()
    }
}
