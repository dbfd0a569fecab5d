//! The sandbox that this machine offers, for plugins in processes of their own and for scripts.

use std::fmt::Write as _;

use prowess::Policies;
use prowess::plugin_host::{LimitKeepers, SandboxLevel, SandboxProbe, probe_sandbox};
use prowess::script::{DemandedLevel, ScriptExecution};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::HEADING;
use crate::plugins::this_program;
use crate::runtime::STAGE;
use crate::terminal::{columns_behind, plain, wrapped};

/// The layers of the sandbox, each of which was just tried.
#[derive(Serialize)]
pub(super) struct Sandbox {
    /// The highest level; `null` if not even the lowest can be built.
    level: Option<SandboxLevel>,
    /// The parts of the kernel that keep limits of all processes; `null` if there is no level.
    limits: Option<LimitKeepers>,
    missing: Vec<String>,
    /// The level that `scripts.level` demands for scripts; `null` where they are not run.
    scripts: Option<DemandedLevel>,
}

impl Sandbox {
    /// Tries every layer around a process of this program.
    pub(super) fn probe(policies: &Policies) -> Result<Self, Failure> {
        let scripts = &policies.scripts;
        let scripts = (scripts.exec != ScriptExecution::Off).then_some(scripts.level);
        // Reading a command line would take longer than all of the rest.
        let arguments = vec![STAGE.into()];
        Ok(match probe_sandbox(this_program()?, arguments) {
            Ok(SandboxProbe { level, limits, missing, .. }) => {
                let missing = missing.iter().map(|one| format!("{}: {}", one.layer, one.reason));
                let missing = missing.collect();
                Self { level: Some(level), limits: Some(limits), missing, scripts }
            }
            Err(error) => {
                Self { level: None, limits: None, missing: vec![error.to_string()], scripts }
            }
        })
    }

    pub(super) fn write(&self, text: &mut String) {
        let level = self.level.map_or("not available", SandboxLevel::as_str);
        let _ = writeln!(
            text,
            "\n{HEADING}Sandbox{HEADING:#} for plugins in own processes and scripts"
        );
        let _ = writeln!(text, "  {level}");
        if let Some(LimitKeepers { processes, memory }) = self.limits {
            let (processes, memory) = (processes.as_str(), memory.as_str());
            let _ = writeln!(text, "  limits: processes by {processes}, memory by {memory}");
        }
        if self.scripts == Some(DemandedLevel::Unconfined) {
            let warning = "scripts run with every right of this user, because `scripts.level` is \
                           `unconfined`";
            let _ = writeln!(text, "  {}", wrapped(warning, columns_behind(2), 2));
        }
        for missing in &self.missing {
            let missing = wrapped(&plain(missing), columns_behind(11), 11);
            let _ = writeln!(text, "  missing: {missing}");
        }
    }
}
