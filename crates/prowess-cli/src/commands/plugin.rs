//! `prowess plugin`: lists, inspects, checks and creates plugins. Only `check` executes plugin
//! code.

mod check;
mod inspect;
mod list;
mod new;
mod trust;

use std::process::ExitCode;
use std::sync::Arc;

use prowess::plugin_host::{Placement, PluginError, TrustStore, run_process};
use serde::Serialize;

use crate::args::{Global, Plugin};
use crate::failure::Failure;
use crate::output::Output;
use crate::plugins::{PluginPaths, Remarks, untrusted};

pub(crate) fn run(global: &Global, command: &Plugin, output: &Output) -> Result<ExitCode, Failure> {
    match command {
        Plugin::Process => return Ok(run_process(Arc::new(Remarks(output.clone())))),
        Plugin::CheckProcess => return Ok(check::run_process()),
        Plugin::New(args) => return new::run(args, output),
        _ => {}
    }
    let paths = PluginPaths::of_this_user()?;
    let policy = crate::plugins::policy(global, &paths)?;
    match command {
        Plugin::Process | Plugin::CheckProcess | Plugin::New(_) => {}
        Plugin::Check(args) => return check::run(args, policy, &paths, output),
        Plugin::List => list::run(global, &policy, &paths, output)?,
        Plugin::Inspect { file } => inspect::run(file, &policy, &paths, output)?,
        Plugin::Trust(what) => trust::run(what, &policy, &paths, global, output)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The decision whether a plugin would run, and where.
#[derive(Serialize)]
struct Verdict {
    /// `in-process`, `process` or `refused`.
    verdict: &'static str,
    /// The reason, on one line.
    reason: String,
    /// The code of a refusal.
    code: Option<&'static str>,
    /// The next step after a refusal.
    help: Option<String>,
}

impl Verdict {
    fn new(verdict: &Result<Placement, PluginError>) -> Self {
        let allowed =
            |verdict, reason: &str| Self { verdict, reason: reason.into(), code: None, help: None };
        match verdict {
            Ok(Placement::InProcess) => allowed("in-process", "may run in this process"),
            Ok(Placement::Process) => allowed("process", "may run in a process of its own"),
            Err(error) => Self {
                verdict: "refused",
                reason: error.to_string(),
                code: Some(error.kind.as_str()),
                help: Some(error.help.clone()),
            },
        }
    }
}

/// Reads the trust store. An unreadable store is a failure, not an empty store.
fn trusted(paths: &PluginPaths) -> Result<TrustStore, Failure> {
    TrustStore::read(&paths.trust_file).map_err(|error| untrusted(&error))
}
