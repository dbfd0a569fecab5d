//! `prowess run`: runs a script of a skill in the sandbox.

mod caller_files;
mod explained;
mod scripts;

use std::collections::BTreeSet;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use prowess::script::{HostPattern, ScriptExecution};
use prowess::{CallOptions, Caller, OutputStream, Policies, Progress, ProgressEvent, Trust, Turn};
use prowess_text::shell_word;
use serde_json::{Value, json};

use crate::args::{Global, Run};
use crate::commands::approvals::{next_step_of_later, record_answer};
use crate::commands::config::{adding, in_yaml};
use crate::commands::conversation::{Conversation, call, for_person, tool_name, words};
use crate::commands::own_copies::announce;
use crate::failure::Failure;
use crate::interrupt::{INTERRUPTED, Interrupt};
use crate::output::{DIM, Output};
use crate::paths::{absolute, working_directory};
use crate::policies::policies;
use crate::question::{can_ask, is_confirmed, is_confirmed_unless};
use crate::runtime::{builder_with, built};
use crate::terminal::{plain, plain_lines};

use caller_files::{CallerFiles, leads_away};
use explained::Explained;

/// The most directories that are named of those in which a script may not write.
const MOST_NAMED: usize = 3;
/// The code of a call that waits for a person.
const APPROVAL_REQUIRED: &str = "approval-required";
/// The exit code of a script whose time is over, as `timeout` has it.
const TIMED_OUT: u8 = 124;
/// The exit code if no script was started, as `env` has it.
const NOT_STARTED: u8 = 125;
/// The exit code of a script that a signal ended, without the number of the signal.
const SIGNALLED: u64 = 128;

pub(crate) fn run(global: &Global, args: &Run, output: &Output) -> Result<ExitCode, Failure> {
    // The exit code 1 is the script's.
    let starts = args.script.is_some() && !args.explain;
    run_or_explain(global, args, output).map_err(|failure| match failure.exit {
        // This one is of what was printed behind its end.
        1 if starts && failure.code != "output-failed" => Failure { exit: NOT_STARTED, ..failure },
        _ => failure,
    })
}

fn run_or_explain(global: &Global, args: &Run, output: &Output) -> Result<ExitCode, Failure> {
    let configured = policies(global)?;
    let mut policies = granted(configured.clone(), args)?;
    let here = working_directory()?;
    if !args.explain && can_ask(output) {
        offer(&mut policies, &here, args, output);
    }
    // A command that runs nothing leaves the audit log as it is.
    let only_reads = args.explain || args.script.is_none();
    let load = if only_reads { crate::plugins::load } else { crate::plugins::load_audited };
    let plugins = load(global, &policies)?;
    let scripts = policies.scripts.clone();
    let runtime = built(global, builder_with(global, policies, &plugins)?)?;
    announce(&runtime.catalog(), output);
    let conversation = Conversation::open(&runtime)?;
    let (id, script) = (args.id(), args.script());
    if args.script.is_none() {
        let turn = conversation.turn()?;
        // A list loads nothing; the load says why there is no such skill.
        if turn.catalog().find(id, Caller::User).found().is_none() {
            conversation.load(&[id.to_owned()])?;
        }
        return scripts::list(&turn, id, &runtime, output);
    }
    conversation.load(&[id.to_owned()])?;
    let files = CallerFiles { here: &here, policy: &scripts };
    let arguments: Vec<_> = args.arguments.iter().map(|it| files.resolved(it)).collect();
    let run = call(
        &tool_name(&runtime, "skills.run"),
        json!({ "skill": id, "path": script, "args": arguments }),
    );
    let explained = |turn: Turn| {
        let (scripts, configured) = (scripts.clone(), &configured.scripts);
        Explained { turn, call: &run, args, arguments: &arguments, scripts, configured }
    };
    if args.explain {
        remark_on_closed(&files, args, output);
        return explained(conversation.turn()?).print(output);
    }
    let mut answer = None;
    let mut interrupt = None;
    if can_ask(output) && conversation.turn()?.decide(&run.name, &run.arguments)?.is_ask() {
        let asked = conversation.turn()?.call_as_user(&run);
        match &asked.approval {
            None => answer = Some(asked),
            Some(id) => {
                // A signal withdraws the request: nothing waits for an answer then.
                let watch = interrupt.insert(Interrupt::watch_at_terminal());
                output.error_text(&explained(conversation.turn()?).shown()?);
                let said = is_confirmed_unless(watch, output, "Run it once?");
                record_answer(id, said, global, output)?;
                if said != Some(true) {
                    let end = if said.is_none() { "\n" } else { "" };
                    output.remark(&format!("{end}nothing was run\n"));
                    return Ok(if said.is_none() { INTERRUPTED } else { NOT_STARTED }.into());
                }
            }
        }
    }
    let interrupt = interrupt.unwrap_or_else(Interrupt::watch);
    let printed = |event: ProgressEvent<'_>| print(output, event);
    // One JSON document has the output already.
    let progress = if output.is_text() { Progress::new(&printed) } else { Progress::default() };
    let cancel = Some(&interrupt.cancel);
    let options = CallOptions { caller: Caller::User, cancel, progress, ..CallOptions::default() };
    let answer = match answer {
        Some(answer) => answer,
        None => conversation.turn()?.call_with(&run, options),
    };
    let result = answer.result;
    if let Some(approval) = &answer.approval {
        let message = "the script was not run: a person has to approve it first";
        let failure = Failure::new(APPROVAL_REQUIRED, message, next_step_of_later("run", approval));
        output.failure(&failure);
        return Ok(NOT_STARTED.into());
    }
    if result.is_error && !interrupt.is_requested() {
        let code = result.code.as_ref().map_or("script-not-started", |code| code.as_str());
        let words = words(&result);
        let words = words.split("; follow the skill's instructions").next().unwrap_or_default();
        let help = match code {
            "interpreter-missing" => with_interpreter(words),
            "interpreter-unknown" => {
                "begin it with such a line, or set `scripts.interpreters`".into()
            }
            _ => format!("see the scripts of the skill by `prowess run {}`", shell_word(id)),
        };
        output.failure(&for_person(code, words, &help));
        return Ok(NOT_STARTED.into());
    }
    let ended: Value = serde_json::from_str(&words(&result)).unwrap_or_default();
    if !output.is_text() {
        output.json(&ended)?;
    }
    for refused in ended["network"]["refused"].as_array().into_iter().flatten() {
        let [host, code] = ["host", "code"].map(|key| refused[key].as_str().unwrap_or_default());
        let host = plain(host);
        output.remark(&format!("{DIM}refused: {host} ({code}); see `--host`{DIM:#}\n"));
    }
    if interrupt.is_requested() {
        output.remark(&format!("{DIM}interrupted: the script was ended{DIM:#}\n"));
        return Ok(INTERRUPTED.into());
    }
    if ended["timed_out"] == true {
        output.remark(&format!("{DIM}ended after {} s{DIM:#}\n", args.seconds));
    }
    // A person who was asked knows. A script may end without an error although a file is missing.
    if ended["exit_code"] != 0 || !can_ask(output) {
        remark_on_closed(&files, args, output);
    }
    if let Some(signal) = ended["signal"].as_u64().filter(|_| ended["timed_out"] != true) {
        output.remark(&format!("{DIM}ended by signal {signal}{DIM:#}\n"));
    }
    if has_input() {
        output.remark(&format!(
            "{DIM}standard input is not passed to the script: write it to a file, and name that \
             with `--read`{DIM:#}\n"
        ));
    }
    let mut named = BTreeSet::new();
    for name in files.not_writable(&args.arguments) {
        let directory = Path::new(name).parent().filter(|it| !it.as_os_str().is_empty());
        let directory = directory.unwrap_or(Path::new("."));
        // A script may succeed with a path that leads to a directory of its own.
        let is_likely = ended["exit_code"] != 0 || directory != Path::new(".");
        if is_likely && named.len() < MOST_NAMED && named.insert(directory) {
            let (name, directory) = (plain(name), shell_word(directory));
            output.remark(&format!(
                "{DIM}`{name}` does not exist here; if the script is to create it, add `--write \
                 {directory}` before `--`, by which it may change what is there and not hidden{DIM:#}\n"
            ));
        }
    }
    Ok(exit_code(&ended))
}

/// Returns how a script finds its interpreter, which the message names first: people have programs
/// where scripts may not look.
fn with_interpreter(message: &str) -> String {
    let name = message.split('`').nth(1).unwrap_or_default();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let Some(found) = std::env::split_paths(&path).find(|it| it.join(name).is_file()) else {
        return "install it in a directory of `scripts.search_path`, or set `scripts.interpreters`"
            .to_owned();
    };
    let command = adding("scripts.search_path", &[in_yaml(&found.to_string_lossy())]);
    format!("it is in {}: `{command}`", found.display())
}

/// Names the files here that the script may not read, with the option that grants each.
fn remark_on_closed(files: &CallerFiles<'_>, args: &Run, output: &Output) {
    for (name, kind, path) in files.closed(&args.arguments) {
        let is_away = leads_away(files.here, Path::new(name)).is_some();
        let granted = if is_away { shell_word(&path) } else { shell_word(name) };
        output.remark(&format!(
            "{DIM}`{}` is {kind} that the script may not read: add `--read {granted}` \
             before `--`{DIM:#}\n",
            plain(name)
        ));
    }
}

/// Returns whether standard input has something that nothing has read.
fn has_input() -> bool {
    let input = std::io::stdin();
    !input.is_terminal() && rustix::io::ioctl_fionread(input).is_ok_and(|bytes| bytes > 0)
}

/// Asks whether the script may read the files that its arguments name.
fn offer(policies: &mut Policies, here: &Path, args: &Run, output: &Output) {
    let closed = CallerFiles { here, policy: &policies.scripts }.closed(&args.arguments);
    for (name, kind, path) in closed {
        if (CallerFiles { here, policy: &policies.scripts }).is_granted(&path) {
            continue;
        }
        let question = format!("May the script read `{}`, which is {kind}?", plain(name));
        // The one that is named after the run is asked for by its own path.
        if leads_away(here, Path::new(name)).is_none() && is_confirmed(output, &question) {
            policies.scripts.read.push(path);
        }
    }
}

/// Returns the pattern of every host with a public address.
fn every_host() -> HostPattern {
    HostPattern::new("*").expect("it is a pattern")
}

/// Adds the rights of the command line to those of the configuration. The user who starts a script
/// has decided that it may run.
fn granted(mut policies: Policies, args: &Run) -> Result<Policies, Failure> {
    let scripts = &mut policies.scripts;
    scripts.exec = ScriptExecution::Tool;
    scripts.trust = scripts.trust.min(Trust::AskFirst);
    scripts.network.extend(args.host.iter().chain(&args.private_host).cloned());
    scripts.private_hosts.extend(args.private_host.iter().cloned());
    if args.network {
        scripts.network.push(every_host());
    }
    let here: PathBuf = working_directory()?;
    let granted = |path: &PathBuf| {
        let missing = || {
            let message = format!("`{}` does not exist", path.display());
            Failure::usage("path-not-found", message, "name what exists, or create it first")
        };
        if let Some(real) = leads_away(&here, path) {
            let [path, real] = [path, &*real].map(|it| it.display());
            let message = format!("`{path}` leads to `{real}`");
            let help = format!("if the script may reach that, name `{real}` itself");
            return Err(Failure::usage("path-invalid", message, help));
        }
        absolute(path).and_then(|path| if path.exists() { Ok(path) } else { Err(missing()) })
    };
    for path in &args.read {
        scripts.read.push(granted(path)?);
    }
    for path in &args.write {
        scripts.write.push(granted(path)?);
    }
    let is_granted = scripts.read.iter().chain(&scripts.write).any(|path| here.starts_with(path));
    // Relative paths in the arguments are relative to it.
    scripts.directory = scripts.directory.take().or(is_granted.then_some(here));
    policies.tools.script_seconds = args.seconds;
    Ok(policies)
}

/// Prints a line of the script's output at once. A closed pipe means that the reader has read
/// enough; the script goes on.
fn print(output: &Output, event: ProgressEvent<'_>) {
    let ProgressEvent::Output { stream, line } = event else { return };
    match stream {
        OutputStream::Stdout => drop(output.data(&plain_lines(line))),
        OutputStream::Stderr => output.error_text(&plain_lines(line)),
    }
}

fn exit_code(ended: &Value) -> ExitCode {
    if ended["timed_out"] == true {
        return TIMED_OUT.into();
    }
    // As shells have it.
    let signal = || SIGNALLED + ended["signal"].as_u64().unwrap_or_default();
    let code = ended["exit_code"].as_u64().unwrap_or_else(signal);
    u8::try_from(code).unwrap_or(u8::MAX).into()
}
