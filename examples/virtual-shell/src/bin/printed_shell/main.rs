//! A `VirtualShell` of the host: each command of a model is printed before it runs in another
//! shell.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use extension_points::kitchen;
use prowess::shell::{InMemoryShell, ShellPolicy};
use prowess::tools::Surface;
use prowess::{
    Cancel, Catalog, Error, Policies, Record, ShellError, ShellOutcome, ShellRequest, ToolCall,
    VirtualShell,
};
use serde_json::json;

/// Prints commands, and leaves the rest to a shell over files in memory.
struct Printed(InMemoryShell);

impl VirtualShell for Printed {
    fn mount_path(&self, catalog: &Catalog, record: Record<'_>) -> Result<String, ShellError> {
        self.0.mount_path(catalog, record)
    }

    fn execute(
        &self,
        request: &ShellRequest<'_>,
        cancel: &Cancel,
    ) -> Result<ShellOutcome, ShellError> {
        println!("$ {}", request.command);
        self.0.execute(request, cancel)
    }
}

fn main() -> Result<(), Error> {
    let mut policies = Policies::default();
    policies.tools.surfaces = vec![Surface::GetSkill, Surface::Shell];
    let shell = Printed(InMemoryShell::new(ShellPolicy::default()));
    let runtime = kitchen().policies(policies).virtual_shell(Arc::new(shell)).build()?;
    let turn = runtime.turn(&runtime.open_session()?)?;
    let command = json!({ "command": "cat /.sandbox/skills/bread/scripts/timer.count" });
    let result = turn.call(&ToolCall::new("sandbox_execute", command)).result;
    println!("{}", result.structured.unwrap_or_default()["output"]);
    Ok(())
}

#[cfg(test)]
mod tests;
