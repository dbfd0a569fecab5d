//! `prowess`: find, check, show, load and serve Agent Skills.
//!
//! ```console
//! $ prowess new pdf-forms          # create a skill
//! $ prowess validate .agents/skills
//! $ prowess list
//! $ prowess serve                  # offer the skills over the Model Context Protocol
//! $ prowess config set --add discovery.also acme  # change your configuration
//! ```
//!
//! Data goes to standard output, everything else to standard error. The exit code is 0 for success,
//! 1 for a failure or an invalid skill, 2 for a wrong command line, 3 if a part of what was asked
//! for was left out. `serve` logs to standard error: `--log json` for machines,
//! `PROWESS_LOG=info` for each request.
//!
//! ## Configuration
//!
//! `prowess config init` writes a file with the keys that people set and what each is for, and
//! `prowess config show` prints their values; with `--all`, those for operators too.
//!
//! - `preset`, `aliases`
//! - `discovery`: `client`, `shared`, `only`, `also`, `user`, `project`, `project_trust`,
//!   `organization`, `gitignore`, `skip`, `roots`
//! - `registry`: `profile`, `name_rule`, `name_mismatch`, `collision`
//! - `refresh`: `mode`, `poll_seconds`
//! - `visibility`: `skills`, `agents`
//! - `session`: `max_active`
//! - `delivery`: `bodies`, `show_location`
//! - `prompt`: `catalog_format`, `max_tokens`, `model_family`
//! - `tools`: `surfaces`, `script_seconds`
//! - `scripts`: `exec`, `interpreters`, `read`, `write`, `network`, `environment`
//! - `gate`: `tool_semantics`, `ungranted`, `grant`, `ceiling.only`, `ceiling.deny`
//! - `audit`: `log`
//! - `plugins`: `directories`, `load`
#![forbid(unsafe_code)]

mod args;
#[cfg(target_os = "linux")]
mod as_owner;
mod audit_log;
mod bounded;
mod catalog_root;
mod command_session;
mod commands;
mod credentials;
mod drift;
mod failure;
mod features;
mod git;
mod install_place;
mod interrupt;
mod lock_place;
mod log;
#[cfg(feature = "mcp-sources")]
mod mcp_sources;
mod named_file;
mod output;
mod package;
mod paths;
mod plugins;
mod policies;
mod question;
mod running;
mod runtime;
mod secrets;
mod snippet;
mod store;
mod terminal;
mod text_edit;
mod user;

use std::process::ExitCode;

use output::Output;

fn main() -> ExitCode {
    interrupt::begin_server();
    // The command line of a person takes longer to read than a stage takes to confine itself.
    if std::env::args_os().nth(1).is_some_and(|first| first == runtime::STAGE) {
        return prowess::sandbox::run_stage();
    }
    #[cfg(feature = "virtual-shell")]
    if std::env::args_os().nth(1).is_some_and(|first| first == runtime::SHELL_WORKER) {
        return prowess::shell::run_worker();
    }
    let args = match args::parse() {
        Ok(args) => args,
        Err(error) => return failure::usage(&error),
    };
    let output = Output::new(&args.global);
    let entered = args.global.start.as_deref().map_or(Ok(()), paths::enter);
    #[cfg(target_os = "linux")]
    as_owner::begin(args.command.as_ref());
    let code = match entered.and_then(|()| commands::run(&args, &output)) {
        Ok(code) => code,
        Err(failure) => output.failure(&failure),
    };
    log::finish();
    code
}
