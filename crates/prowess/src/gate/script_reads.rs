//! Calls that would read a script of a skill instead of running it.

use prowess_gate::{Decision, Grounds, Reason, ToolKind};
use prowess_tools::{HostPaths, ReadCall, Refusal, ScriptRead, SkillTools, script_read};

use super::{GatedCall, RuntimeGate};

impl RuntimeGate {
    /// Refuses a call that would read a script of a skill, by a tool or by a program that prints
    /// files. In the sandbox, each file is decided on when it is opened.
    pub(super) fn script_read(&self, call: &GatedCall<'_>) -> Option<Refusal> {
        let is_other =
            self.operations.contains(call.tool) && !SkillTools::READERS.contains(&call.tool);
        let is_later = is_other || call.tool == SkillTools::EXECUTE;
        if self.skill_tools.script_read == ScriptRead::Allow || is_later {
            return None;
        }
        let GatedCall { tool, aliases, arguments, catalog, state, .. } = *call;
        let argument_names = self.arguments.names(tool);
        let command = match self.arguments.kind(tool, &argument_names, arguments) {
            ToolKind::Shell { command, .. } => arguments[command].as_str(),
            _ => None,
        };
        let names: Vec<_> = std::iter::once(tool).chain(aliases.iter().copied()).collect();
        let read = ReadCall {
            names: &names,
            arguments,
            command,
            catalog,
            state,
            show: self.show,
            mount: self.mount.as_deref(),
            run_tool: self.run_tool.as_deref(),
        };
        let paths = HostPaths {
            working_directory: &|| std::env::current_dir().ok(),
            home: &std::env::home_dir,
            canonical: &|path| path.canonicalize().ok(),
        };
        script_read(&read, &self.skill_tools, &paths)
    }

    /// Returns the decision about a call that would read a script.
    pub(super) fn script_denial(&self, call: &GatedCall<'_>) -> Option<Decision> {
        let Refusal { code, error, .. } = self.script_read(call)?;
        let refusal = prowess_gate::Refusal { code, error: *error? };
        let grounds = Grounds {
            tool: call.tool.to_owned(),
            reason: Reason::ScriptRead,
            rules: Vec::new(),
            detail: Some(refusal.message().replace('\n', " ")),
            approval: None,
            files: Vec::new(),
            warnings: Vec::new(),
        };
        Some(Decision::Deny { refusal, grounds })
    }
}
