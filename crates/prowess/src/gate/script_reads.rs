//! Calls that would read a script of a skill instead of running it.

use std::path::PathBuf;

use prowess_gate::{Decision, Grounds, Reason, SimpleCommand, ToolKind, shell_commands};
use prowess_tools::{HostPaths, ReadCall, Refusal, ScriptRead, SkillTools, script_read};
use serde_json::{Value, json};

use super::{GatedCall, RuntimeGate};

/// The programs that print the files that they are given.
const PRINTERS: [&str; 21] = [
    "awk", "base64", "bat", "cat", "cut", "egrep", "fgrep", "grep", "head", "hexdump", "less",
    "more", "nl", "od", "rg", "sed", "sort", "strings", "tac", "tail", "xxd",
];

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
        let mount = self.mount.as_deref();
        let read = ReadCall { names, arguments, catalog, state, show: self.show, mount };
        let paths = HostPaths {
            working_directory: &|| std::env::current_dir().ok(),
            canonical: &|path| path.canonicalize().ok(),
        };
        script_read(&read, &self.skill_tools, &paths)
    }

    /// Refuses a shell command that prints a script, as far as its words are literal. In the
    /// sandbox, each file is decided on when it is opened.
    fn printed(&self, call: &GatedCall<'_>) -> Option<Refusal> {
        let names = self.arguments.names(call.tool);
        let ToolKind::Shell { command, .. } =
            self.arguments.kind(call.tool, &names, call.arguments)
        else {
            return None;
        };
        let command = call.arguments[command].as_str()?;
        let commands = shell_commands(command).unwrap_or_else(|_| literal_parts(command));
        let mut directory = PathBuf::new();
        commands.iter().find_map(|SimpleCommand { words }| {
            match &words[..] {
                [cd, to] if cd == "cd" => directory.push(to),
                [program, files @ ..] if is_printer(program) => {
                    let files: Vec<_> = files.iter().map(|file| directory.join(file)).collect();
                    return self.read(call, &["cat"], &json!(files));
                }
                _ => {}
            }
            None
        })
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

fn is_printer(program: &str) -> bool {
    program.rsplit('/').next().is_some_and(|program| PRINTERS.contains(&program))
}

/// Returns the commands of a text that are literal. The file of a redirection is a word of its
/// program, and a substitution is a command of its own: they are compared, and never run.
fn literal_parts(command: &str) -> Vec<SimpleCommand> {
    let command = command.replace("$(<", "\ncat ").replace("&&", "\n").replace(">&", " ");
    let command = command.replace(['<', '>', '"'], " ");
    let parts = command.split(['\n', ';', '|', '(', ')', '`']);
    parts.filter_map(|part| shell_commands(part.trim_end_matches('$')).ok()).flatten().collect()
}
