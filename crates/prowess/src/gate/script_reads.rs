//! Calls that would read a script of a skill instead of running it.

use prowess_gate::{Decision, Grounds, Reason, SimpleCommand, ToolKind, shell_commands};
use prowess_tools::{HostPaths, ReadCall, Refusal, ScriptRead, SkillTools, script_read};
use serde_json::{Value, json};

use super::{GatedCall, RuntimeGate};

/// The programs that print the files that they are given.
const PRINTERS: [&str; 8] = ["bat", "cat", "head", "less", "more", "nl", "tac", "tail"];

impl RuntimeGate {
    /// Refuses a call that would read a script of a skill, by a tool or by a program that prints
    /// files.
    pub(super) fn script_read(&self, call: &GatedCall<'_>) -> Option<Refusal> {
        let is_other =
            self.operations.contains(call.tool) && !SkillTools::READERS.contains(&call.tool);
        if self.skill_tools.script_read == ScriptRead::Allow || is_other {
            return None;
        }
        let names: Vec<_> =
            std::iter::once(call.tool).chain(call.aliases.iter().copied()).collect();
        self.read(call, &names, call.arguments).or_else(|| self.printed(call))
    }

    fn read(&self, call: &GatedCall<'_>, names: &[&str], arguments: &Value) -> Option<Refusal> {
        let GatedCall { catalog, state, .. } = *call;
        let read = ReadCall { names, arguments, catalog, state, show: self.show };
        let paths = HostPaths {
            working_directory: &|| std::env::current_dir().ok(),
            canonical: &|path| path.canonicalize().ok(),
        };
        script_read(&read, &self.skill_tools, &paths)
    }

    /// Refuses a shell command that prints a script, as far as its words are literal.
    fn printed(&self, call: &GatedCall<'_>) -> Option<Refusal> {
        let names = self.arguments.names(call.tool);
        let command = match self.arguments.kind(call.tool, &names, call.arguments) {
            ToolKind::Shell { command, .. } => command,
            _ if call.tool == SkillTools::EXECUTE => "command",
            _ => return None,
        };
        let commands = shell_commands(call.arguments[command].as_str()?).ok()?;
        let mut printing = commands.iter().filter(|command| is_printer(command));
        printing.find_map(|command| {
            let files = command.words[1..].iter().map(|word| self.unmounted(word));
            self.read(call, &["cat"], &json!(files.collect::<Vec<_>>()))
        })
    }

    /// Returns the URI of a file of a mounted skill, or the path as it is.
    fn unmounted(&self, path: &str) -> String {
        let below = self.mount.as_deref().and_then(|mount| path.strip_prefix(mount));
        let below = below.and_then(|below| below.strip_prefix('/'));
        below.map_or_else(|| path.to_owned(), |below| format!("skill://{below}"))
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

fn is_printer(command: &SimpleCommand) -> bool {
    let program = command.words.first().and_then(|word| word.rsplit('/').next());
    program.is_some_and(|program| PRINTERS.contains(&program))
}
