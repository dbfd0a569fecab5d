//! `prowess serve`: skills and tools over the Model Context Protocol.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess::registry::RefreshMode;
use prowess::registry::codes::SOURCE_NOT_WATCHED;
use prowess::{Catalog, Diagnostic, Runtime};
use prowess_mcp::ServeError;

use crate::args::Global;
use crate::commands::approvals::next_step;
use crate::failure::Failure;
use crate::output::Output;
use crate::{plugins, policies, runtime};

pub(crate) fn run(global: &Global, output: &Output) -> Result<ExitCode, Failure> {
    // Created first: before that, `SIGHUP` would end the process.
    let server = prowess_mcp::StdioServer::new().map_err(|error| failed(&error))?;
    let server = server.approval_hint(next_step);
    let mut policies = prowess_mcp::adapt(policies::policies(global)?);
    // Skills may change while a server runs.
    policies.refresh.mode.get_or_insert(RefreshMode::Watch);
    let loaded = plugins::load(global, &policies)?;
    let runtime = runtime::builder_with(global, policies.clone(), &loaded)?.build()?;
    let _following = plugins::follow(&policies, &loaded, output)?;
    let catalog = runtime.catalog();
    output.remark(&format!(
        "prowess: {} skills, serving on standard input and output\n",
        catalog.len()
    ));
    let _reporting = Reporting::start(&runtime, output);
    server.serve(runtime).map_err(|error| failed(&error))?;
    Ok(ExitCode::SUCCESS)
}

fn failed(error: &ServeError) -> Failure {
    Failure::new("serve-failed", error.to_string(), "check the messages that the client sends")
}

/// Reports findings on standard error: those at the start and those that appear later. Dropping
/// this ends it.
struct Reporting(Arc<Mutex<Option<Runtime>>>);

impl Reporting {
    fn start(runtime: &Runtime, output: &Output) -> Self {
        let changes = runtime.subscribe();
        let shared = Arc::new(Mutex::new(Some(runtime.clone())));
        let observed = Arc::clone(&shared);
        let output = output.clone();
        let mut reported = Vec::new();
        report(&runtime.catalog(), &mut reported, &output);
        std::thread::spawn(move || {
            while changes.recv().is_some() {
                let current = lock(&observed).as_ref().map(Runtime::catalog);
                let Some(catalog) = current else { return };
                report(&catalog, &mut reported, &output);
            }
        });
        Self(shared)
    }
}

impl Drop for Reporting {
    fn drop(&mut self) {
        // Without the last handle of the runtime, the thread's subscription ends.
        lock(&self.0).take();
    }
}

fn lock(runtime: &Mutex<Option<Runtime>>) -> MutexGuard<'_, Option<Runtime>> {
    runtime.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints the errors of a catalog and the roots that are polled, unless they were printed before.
fn report(catalog: &Catalog, reported: &mut Vec<Diagnostic>, output: &Output) {
    for found in catalog.diagnostics() {
        let is_relevant = found.is_error() || found.code == SOURCE_NOT_WATCHED;
        if is_relevant && !reported.contains(found) {
            output.diagnostics([found]);
            reported.push(found.clone());
        }
    }
}
