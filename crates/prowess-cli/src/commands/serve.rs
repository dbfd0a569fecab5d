//! `prowess serve`: skills and tools over the Model Context Protocol.

mod http;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess::registry::RefreshMode;
use prowess::registry::codes::SOURCE_NOT_WATCHED;
use prowess::{Catalog, Diagnostic, Policies, Runtime, ShowLocation};
use prowess_mcp::{ApprovalChannel, HttpServer, ServeError, StdioServer};

use crate::args::{Approvers, Global, Serve};
use crate::commands::approvals::next_step;
use crate::failure::Failure;
use crate::output::{Output, counted};
use crate::{plugins, policies, runtime};

pub(crate) use http::TOKEN_VARIABLE;

pub(crate) fn run(args: &Serve, global: &Global, output: &Output) -> Result<ExitCode, Failure> {
    // Created first: before that, `SIGHUP` would end the process.
    let server = Server::create(args, output)?;
    let mut policies = prowess_mcp::adapt(policies::policies(global)?);
    // Skills may change while a server runs.
    policies.refresh.mode.get_or_insert(RefreshMode::Watch);
    server.adapt(&mut policies);
    let loaded = plugins::load(global, &policies)?;
    let builder = runtime::builder_with(global, policies.clone(), &loaded)?;
    let runtime = builder.keep_script_stage_ready().build()?;
    let _following = plugins::follow(&policies, &loaded, output)?;
    let skills = counted(runtime.catalog().len(), "skill");
    let place = server.place();
    output.remark(&format!("prowess: {skills}, serving {place}\n"));
    let _reporting = Reporting::start(&runtime, output);
    server.serve(runtime)?;
    Ok(ExitCode::SUCCESS)
}

/// A server that is not connected yet.
enum Server {
    Stdio(StdioServer),
    Http { server: Box<HttpServer>, address: SocketAddr, scheme: &'static str },
}

impl Server {
    fn create(args: &Serve, output: &Output) -> Result<Self, Failure> {
        let Some(address) = args.http else {
            let server = StdioServer::new().map_err(|error| failed(&error))?;
            let server = server.approvals(approval_channel(args));
            return Ok(Self::Stdio(server.approval_hint(next_step)));
        };
        let options = http::options(args, approval_channel(args), output)?;
        let server = HttpServer::bind(address, options).map_err(|error| match error {
            ServeError::TokenRequired(_) => {
                let help = "write a random token to a file that only you can read, and name it \
                            with `--token-file`; or name an authorization server with \
                            `--oauth-issuer`";
                Failure::usage("serve-failed", error.to_string(), help)
            }
            ServeError::OAuth(_) => http::oauth_failed(&error),
            _ => failed(&error),
        })?;
        let address = server.address().map_err(|error| failed(&error))?;
        let server = Box::new(server.approval_hint(next_step));
        let scheme = if args.tls_cert.is_some() { "https" } else { "http" };
        Ok(Self::Http { server, address, scheme })
    }

    /// Hides the paths of this machine from the clients of others.
    fn adapt(&self, policies: &mut Policies) {
        let Self::Http { address, .. } = self else { return };
        let show = &mut policies.delivery.show_location;
        if !address.ip().is_loopback() && *show == ShowLocation::Absolute {
            *show = ShowLocation::Virtual;
        }
    }

    fn place(&self) -> String {
        match self {
            Self::Stdio(_) => "on standard input and output".to_owned(),
            Self::Http { address, scheme, .. } => format!("at {scheme}://{address}/mcp"),
        }
    }

    fn serve(self, runtime: Runtime) -> Result<(), Failure> {
        let served = match self {
            Self::Stdio(server) => server.serve(runtime),
            Self::Http { server, .. } => server.serve(runtime),
        };
        served.map_err(|error| failed(&error))
    }
}

/// Returns the people who decide on calls. The users of a server that other machines can reach are
/// not the ones who started it.
fn approval_channel(args: &Serve) -> ApprovalChannel {
    let is_shared = args.http.is_some_and(|address| !address.ip().is_loopback());
    match args.approvals {
        Some(Approvers::Client) => ApprovalChannel::Client,
        Some(Approvers::Host) => ApprovalChannel::Host,
        None if is_shared => ApprovalChannel::Host,
        None => ApprovalChannel::Client,
    }
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
