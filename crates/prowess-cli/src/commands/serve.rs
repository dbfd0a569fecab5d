//! `prowess serve`: skills and tools over the Model Context Protocol.

#[cfg(feature = "http")]
mod http;
mod reporting;
#[cfg(feature = "web")]
mod web;

use std::process::ExitCode;
use std::time::{Duration, Instant};

#[cfg(feature = "postgres")]
use prowess::AuditLog;
use prowess::registry::RefreshMode;
use prowess::{Cancel, Policies, Runtime, RuntimeBuilder};
use prowess_mcp::{ApprovalChannel, ServeError, StdioServer};
use tracing::Level;

use crate::args::{Approvers, Format, Global, LogFormat, Serve};
use crate::commands::approvals::next_step;
use crate::failure::Failure;
use crate::output::Output;
use crate::policies::Found;
use crate::{features, interrupt, log, plugins, policies, runtime, store};
use reporting::Reporting;

/// The environment variable with the token of HTTP clients.
#[cfg(any(feature = "http", feature = "mcp-sources"))]
pub(crate) const TOKEN_VARIABLE: &str = "PROWESS_HTTP_TOKEN";

/// How long the first answer waits for slow sources, of which the skills come later. A client waits
/// for ten seconds at least.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long a session stays in a database after its last use: a conversation may go on after a week
/// with another server.
const KEPT_SECONDS: u64 = 7 * 24 * 60 * 60;

pub(crate) fn run(args: &Serve, global: &Global, output: &Output) -> Result<ExitCode, Failure> {
    let default = if args.http.is_some() { Level::INFO } else { Level::WARN };
    let is_json = output.format() == Format::Json;
    let format = args.log.unwrap_or(if is_json { LogFormat::Json } else { LogFormat::Text });
    log::open(format, default, output.is_quiet());
    if args.web.is_some() {
        features::require("web", "serve --web")?;
    }
    store::check(args.store.as_ref(), "serve")?;
    let global = &Global { store: args.store.clone(), ..global.clone() };
    #[cfg(feature = "web")]
    if let Some(address) = args.web {
        return web::run(address, args.allow_host.clone(), global, output);
    }
    // Created first: signals that arrive from then on request a reload.
    let server = Server::create(args, output)?;
    let mut policies = prowess_mcp::adapt(policies::policies(global)?);
    // Skills may change while a server runs.
    policies.refresh.mode.get_or_insert(RefreshMode::Watch);
    if args.store.is_some() {
        policies.session.idle_limit_seconds = Some(KEPT_SECONDS);
    }
    server.adapt(&mut policies, policies::is_set(global, "delivery.show_location")?);
    let mut loaded = plugins::load_audited(global, &policies)?;
    server.count(&mut loaded);
    let builder = runtime::builder_with(global, policies.clone(), &loaded)?.watch_later();
    let builder = server.track(builder);
    let deadline = Instant::now() + PATIENCE;
    let builder = builder.wait_until(Cancel::with_poll(move || Instant::now() >= deadline));
    let runtime = runtime::built(global, builder)?;
    let _following = plugins::follow(&policies, &loaded, output)?;
    reporting::configured(Found::of(global)?);
    reporting::started(&runtime.catalog(), server.transport(), &server.place());
    let _reporting = Reporting::start(&runtime);
    let server = server.remember_signals()?;
    interrupt::has_started();
    let served = server.serve(runtime);
    // Entries that wait for the database are stored now, or never.
    #[cfg(feature = "postgres")]
    if let Some(store) = args.store.as_ref().filter(|_| policies.audit.log == AuditLog::Keep) {
        store::audit(store)?.finish();
    }
    served.map(|()| ExitCode::SUCCESS)
}

/// A server that is not connected yet.
enum Server {
    Stdio(StdioServer),
    #[cfg(feature = "http")]
    Http(http::Bound),
}

impl Server {
    #[cfg_attr(not(feature = "http"), expect(unused_variables, reason = "HTTP has remarks"))]
    fn create(args: &Serve, output: &Output) -> Result<Self, Failure> {
        if args.http.is_some() {
            features::require("http", "serve --http")?;
        }
        #[cfg(feature = "http")]
        if let Some(address) = args.http {
            return Ok(Self::Http(http::Bound::new(
                address,
                args,
                approval_channel(args),
                output,
            )?));
        }
        let server = StdioServer::new().map_err(|error| failed(&error))?;
        let server = server.approvals(approval_channel(args));
        Ok(Self::Stdio(server.approval_hint(next_step)))
    }

    /// Hides the paths of this machine from the clients of others.
    #[cfg_attr(not(feature = "http"), expect(unused_variables, reason = "HTTP hides paths"))]
    fn adapt(&self, policies: &mut Policies, is_chosen: bool) {
        match self {
            Self::Stdio(_) => {}
            #[cfg(feature = "http")]
            Self::Http(server) => server.adapt(policies, is_chosen),
        }
    }

    /// Lets the server count what the audit reports.
    #[cfg_attr(not(feature = "http"), expect(unused_variables, reason = "HTTP has metrics"))]
    fn count(&self, loaded: &mut plugins::Loaded) {
        match self {
            Self::Stdio(_) => {}
            #[cfg(feature = "http")]
            Self::Http(server) => {
                let sinks = vec![std::sync::Arc::clone(&loaded.audit), server.counters()];
                loaded.audit = std::sync::Arc::new(prowess_audit::Fanout(sinks));
            }
        }
    }

    /// Lets the server count the tokens of calls.
    fn track(&self, builder: RuntimeBuilder) -> RuntimeBuilder {
        match self {
            Self::Stdio(_) => builder,
            #[cfg(feature = "http")]
            Self::Http(server) => builder.cost_tracker(server.costs()),
        }
    }

    fn transport(&self) -> &'static str {
        match self {
            Self::Stdio(_) => "stdio",
            #[cfg(feature = "http")]
            Self::Http(_) => "http",
        }
    }

    fn place(&self) -> String {
        match self {
            Self::Stdio(_) => "on standard input and output".to_owned(),
            #[cfg(feature = "http")]
            Self::Http(server) => server.place(),
        }
    }

    /// Installs the handlers of the signals that end it.
    fn remember_signals(self) -> Result<Self, Failure> {
        let ready = match self {
            Self::Stdio(server) => server.remember_signals().map(Self::Stdio),
            #[cfg(feature = "http")]
            Self::Http(server) => server.remember_signals().map(Self::Http),
        };
        ready.map_err(|error| failed(&error))
    }

    fn serve(self, runtime: Runtime) -> Result<(), Failure> {
        let served = match self {
            Self::Stdio(server) => server.serve(runtime),
            #[cfg(feature = "http")]
            Self::Http(server) => server.serve(runtime),
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
