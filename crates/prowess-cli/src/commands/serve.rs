//! `prowess serve`: skills and tools over the Model Context Protocol.

use std::process::ExitCode;

use prowess::BodyDelivery;
use prowess::registry::RefreshMode;

use crate::args::Global;
use crate::failure::Failure;
use crate::output::Output;
use crate::{place, plugins};

pub(crate) fn run(global: &Global, output: &Output) -> Result<ExitCode, Failure> {
    let mut policies = place::policies(global)?.with_body_delivery(BodyDelivery::ToolResult);
    // A server lives long enough to see its skills change.
    policies.refresh.mode.get_or_insert(RefreshMode::Watch);
    let plugins = plugins::load(global, &policies)?;
    let runtime = place::builder_with(global, policies.clone(), &plugins)?.build()?;
    let _following = plugins::follow(&policies, &plugins, output)?;
    let catalog = runtime.catalog();
    output.remark(&format!(
        "prowess: {} skills, serving on standard input and output\n",
        catalog.len()
    ));
    output.diagnostics(catalog.diagnostics().filter(|diagnostic| diagnostic.is_error()));
    prowess_mcp::serve_stdio(runtime).map_err(|error| {
        Failure::new("serve-failed", error.to_string(), "see what the client sent")
    })?;
    Ok(ExitCode::SUCCESS)
}
