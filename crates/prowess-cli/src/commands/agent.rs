//! The agent of `prowess prompt --agent`.

use std::path::Path;
use std::sync::Arc;

use prowess::format::agent;
use prowess::{Agent, Diagnostic, HostNames, Runtime};

use crate::failure::Failure;
use crate::named_file;
use crate::output::Output;
use crate::terminal::plain;

/// Reads the manifest of an agent, and prints what is wrong with it.
pub(crate) fn agent(
    file: &Path,
    runtime: &Runtime,
    output: &Output,
) -> Result<Arc<Agent>, Failure> {
    let text = named_file::text(file).map_err(|reason| {
        let message = format!("`{}` cannot be read: {reason}", file.display());
        Failure::usage("agent-unreadable", message, "name the manifest of an agent (YAML)")
    })?;
    let parsed = agent::parse(text.as_bytes());
    let place = file.to_string_lossy();
    let findings: Vec<Diagnostic> =
        parsed.diagnostics.into_iter().map(|found| found.in_file(&*place)).collect();
    output.diagnostics(&findings);
    let Some(manifest) = parsed.manifest else {
        let message = format!("`{}` is not the manifest of an agent", file.display());
        return Err(Failure::new("agent-invalid", message, "correct the findings above"));
    };
    let template = file.with_file_name("prompt.jinja2");
    if template.is_file() {
        let template = plain(&template.to_string_lossy()).into_owned();
        output
            .remark(&format!("`{template}` is not rendered: the agent's own program does that\n"));
    }
    let agent = Agent { manifest, template: String::new() };
    // Of the host's own tools and services, this program knows none.
    let unknown = runtime.check_agent(&agent, &HostNames::default()).into_iter();
    let unknown: Vec<Diagnostic> = unknown.map(|found| found.in_file(&*place)).collect();
    output.diagnostics(&unknown);
    Ok(Arc::new(agent))
}
