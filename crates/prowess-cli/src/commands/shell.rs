//! `prowess run --shell`: commands in the sandbox over files in memory, by the tool that a model
//! has.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _};
use std::process::ExitCode;

use prowess::tools::{SkillTools, Surface};
use prowess::{CallOptions, Caller, Policies, Progress};
use serde_json::{Value, json};

use crate::args::{Global, Run};
use crate::commands::approvals::next_step;
use crate::commands::conversation::{Conversation, call, tool_name, words};
use crate::failure::Failure;
use crate::interrupt::{INTERRUPTED, Interrupt};
use crate::output::{DIM, Output};
use crate::policies::policies;
use crate::runtime::builder_with;
use crate::terminal::plain_lines;

/// The exit code if a command did not run, as `env` has it.
const NOT_RUN: u8 = 125;
/// The most bytes of standard input that are read: more than any policy lets a command have.
const MOST_INPUT: u64 = 16 << 20;

/// Runs the command.
pub(crate) fn run(global: &Global, args: &Run, output: &Output) -> Result<ExitCode, Failure> {
    let policies = with_shell(policies(global)?);
    let plugins = crate::plugins::load(global, &policies)?;
    let runtime = builder_with(global, policies, &plugins)?.build()?;
    let conversation = Conversation::open(&runtime)?;
    conversation.load(&args.load)?;
    let commands = Commands {
        conversation,
        tool: tool_name(&runtime, SkillTools::EXECUTE),
        interrupt: Interrupt::watch(),
        output,
    };
    match &args.command {
        Some(command) => commands.run(command),
        None if io::stdin().is_terminal() => commands.converse(),
        None => commands.run(&read_input()?),
    }
}

/// Adds the shell to the tools, which a model has only by the configuration.
fn with_shell(mut policies: Policies) -> Policies {
    let surfaces = &mut policies.tools.surfaces;
    if !surfaces.contains(&Surface::Shell) {
        surfaces.push(Surface::Shell);
    }
    policies
}

/// Reads a script from standard input.
fn read_input() -> Result<String, Failure> {
    let mut text = String::new();
    let read = io::stdin().lock().take(MOST_INPUT).read_to_string(&mut text);
    read.map_err(|error| {
        let message = format!("standard input cannot be read: {error}");
        Failure::new("input-invalid", message, "pass commands as UTF-8 text, or use `-c COMMAND`")
    })?;
    Ok(text)
}

/// The commands of one sandbox.
struct Commands<'r> {
    conversation: Conversation<'r>,
    tool: String,
    interrupt: Interrupt,
    output: &'r Output,
}

impl Commands<'_> {
    /// Runs one command, prints its output, and returns its exit code.
    fn run(&self, command: &str) -> Result<ExitCode, Failure> {
        let execute = call(&self.tool, json!({ "command": command }));
        let options = CallOptions {
            caller: Caller::User,
            cancel: Some(&self.interrupt.cancel),
            progress: Progress::default(),
        };
        let answer = self.conversation.turn()?.call_with(&execute, options);
        let result = answer.result;
        if result.is_error {
            let code = result.code.as_ref().map_or("tool-failed", |code| code.as_str());
            let help = answer.approval.as_ref().map_or_else(
                || "`prowess call sandbox_execute --explain` says what the gate allows".to_owned(),
                next_step,
            );
            self.output.failure(&Failure::new(code, words(&result), help));
            return Ok(NOT_RUN.into());
        }
        self.print(&result.structured.unwrap_or_default())
    }

    fn print(&self, ended: &Value) -> Result<ExitCode, Failure> {
        let output = self.output;
        if output.is_text() {
            let text = |key: &str| match ended[key].as_str().unwrap_or_default() {
                "" => String::new(),
                text => plain_lines(text).into_owned() + "\n",
            };
            output.data(&text("output"))?;
            output.error_text(&text("error"));
        } else {
            output.json(ended)?;
        }
        if ended["truncated"] == true {
            output.remark(&format!("{DIM}a part of the output was dropped{DIM:#}\n"));
        }
        if self.interrupt.is_requested() {
            output.remark(&format!("{DIM}interrupted: the command was ended{DIM:#}\n"));
            return Ok(INTERRUPTED.into());
        }
        if let Some(reason) = ended["stopped"].as_str() {
            output.remark(&format!("{DIM}ended: {reason}{DIM:#}\n"));
        }
        let code = ended["exitCode"].as_u64().and_then(|code| u8::try_from(code).ok());
        Ok(code.unwrap_or(u8::MAX).into())
    }

    /// Runs the commands that a person types, until `exit` or the end of the input.
    fn converse(&self) -> Result<ExitCode, Failure> {
        if !self.output.is_text() {
            let message = "commands that are typed one after another have no single JSON document";
            return Err(Failure::usage("format-unsupported", message, "use `-c COMMAND`"));
        }
        self.output.remark(
            "Files are in memory. A line that ends with `\\` goes on in the next one. `exit` or \
             Ctrl-D ends the shell.\n",
        );
        let mut last = ExitCode::SUCCESS;
        while let Some(command) = self.next_command()? {
            match exit_of(&command) {
                Some(Exit::Last) => return Ok(last),
                Some(Exit::With(code)) => return Ok(code.into()),
                None => {}
            }
            last = self.run(&command)?;
            self.interrupt.reset();
        }
        self.output.error_text("\n");
        Ok(last)
    }

    /// Reads a command; `None` at the end of the input.
    fn next_command(&self) -> Result<Option<String>, Failure> {
        let mut command = String::new();
        self.output.error_text("$ ");
        loop {
            let before = command.len();
            let read = io::stdin().lock().read_line(&mut command);
            read.map_err(|error| {
                let message = format!("the terminal cannot be read: {error}");
                Failure::new("input-invalid", message, "type commands as UTF-8 text")
            })?;
            if command.len() == before {
                return Ok(Some(command).filter(|command| !command.is_empty()));
            }
            if !command.ends_with("\\\n") {
                return Ok(Some(command));
            }
            self.output.error_text("> ");
        }
    }
}

/// A typed `exit`.
enum Exit {
    /// With the exit code of the last command.
    Last,
    With(u8),
}

/// Returns whether a command ends the conversation, which the interpreter cannot.
fn exit_of(command: &str) -> Option<Exit> {
    let words: Vec<_> = command.split_whitespace().collect();
    match words[..] {
        ["exit"] => Some(Exit::Last),
        ["exit", code] => code.parse().ok().map(Exit::With),
        _ => None,
    }
}
