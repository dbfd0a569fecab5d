//! What a script may do, for people.

use std::ffi::OsString;
use std::path::PathBuf;

use prowess_core::Trust;
use prowess_sandbox::{DemandedLevel, Limits, Plan};
use serde::Serialize;

use crate::ScriptPolicy;

/// The directory of the package in an explanation: each run has a copy of its own.
pub(crate) const PACKAGE: &str = "<package>";
/// The script's own directory in an explanation.
pub(crate) const SCRATCH: &str = "<scratch>";

/// What a script may do, as a run would start it. `<package>` is the copy of the package, and
/// `<scratch>` the script's own directory, which is removed after the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ScriptExplanation {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The directory in which it starts.
    pub directory: PathBuf,
    /// The isolation level that is demanded.
    pub level: DemandedLevel,
    /// Files and directories that it may read, besides libraries of the system.
    pub read: Vec<PathBuf>,
    /// Directories in which it may create, change and delete files.
    pub write: Vec<PathBuf>,
    /// The hidden files and directories in those that it may not change.
    pub keep: Vec<PathBuf>,
    /// Directories whose programs it may start.
    pub execute: Vec<PathBuf>,
    /// The hosts that it may reach.
    pub network: Vec<String>,
    /// The purposes that the operator's secrets are granted for, without the secrets.
    pub secrets: Vec<String>,
    /// The names of its environment variables.
    pub environment: Vec<String>,
    /// What it may consume.
    pub limits: Limits,
    /// The bytes that are kept of each output stream.
    pub output_bytes: usize,
    /// Why a person has to approve the run; `None` if the run needs no approval.
    pub consent: Option<String>,
}

impl ScriptExplanation {
    pub(crate) fn of(plan: &Plan, policy: &ScriptPolicy, trust: Trust) -> Self {
        let text = |text: &OsString| text.to_string_lossy().into_owned();
        let program = plan.exec.iter();
        let command = program.flat_map(|program| {
            let path = program.path.to_string_lossy().into_owned();
            std::iter::once(path).chain(program.arguments.iter().map(text))
        });
        let rights = &plan.confinement.rights;
        Self {
            command: command.collect(),
            directory: plan.directory.clone(),
            level: plan.confinement.level,
            read: rights.read.clone(),
            write: rights.write.clone(),
            keep: rights.keep.clone(),
            execute: rights.execute.clone(),
            network: policy.network.iter().map(ToString::to_string).collect(),
            secrets: Vec::new(),
            environment: plan.environment.iter().map(|(name, _)| text(name)).collect(),
            limits: plan.confinement.limits.clone(),
            output_bytes: policy.output_bytes,
            consent: policy.consent(trust),
        }
    }
}
