//! The options of a server for HTTP clients, and the files that they name.

use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use prowess::{
    AuditSink, Cancel, CostTracker, Policies, Remote as _, RemoteArtifact, Runtime, ShowLocation,
};
use prowess_mcp::{
    ApprovalChannel, FetchDocument, HttpLimits, HttpOptions, HttpServer, HttpTls, HttpToken,
    OAuthOptions, ServeError,
};
use prowess_source_remote::HttpRemote;

use super::{TOKEN_VARIABLE, failed};
use crate::args::Serve;
use crate::commands::approvals::{next_step, next_step_in_store};
use crate::failure::Failure;
use crate::install_place;
use crate::named_file;
use crate::output::Output;

/// The maximum size of a token's file, in bytes.
const MOST_TOKEN_BYTES: u64 = 4096;

/// The maximum size of a file with certificates or a key, in bytes.
const MOST_PEM_BYTES: u64 = 1 << 20;

/// The maximum size of a document of an authorization server, in bytes.
const MOST_DOCUMENT_BYTES: usize = 1 << 20;

/// The time that an authorization server has for an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The number of seconds in which a proxy finds out that one of the servers of a database ends.
const LEAVE_SECONDS: u64 = 3;

/// A server that listens at an address.
pub(super) struct Bound {
    server: Box<HttpServer>,
    address: SocketAddr,
    scheme: &'static str,
}

impl Bound {
    pub(super) fn new(
        address: SocketAddr,
        args: &Serve,
        approvals: ApprovalChannel,
        output: &Output,
    ) -> Result<Self, Failure> {
        let options = options(args, approvals, output)?;
        let server = HttpServer::bind(address, options).map_err(|error| match error {
            ServeError::TokenRequired(_) => {
                let help = "write a random token to a file that only you can read, and name it \
                            with `--token-file`; or name an authorization server with \
                            `--oauth-issuer`";
                Failure::usage("serve-failed", error.to_string(), help)
            }
            ServeError::OAuth(_) => oauth_failed(&error),
            ServeError::System(error) => unbound(address, &error),
            _ => failed(&error),
        })?;
        let address = server.address();
        let hint = if args.store.is_some() { next_step_in_store } else { next_step };
        let server = Box::new(server.approval_hint(hint));
        let scheme = if args.tls_cert.is_some() { "https" } else { "http" };
        Ok(Self { server, address, scheme })
    }

    /// Hides the paths of this machine from clients, which may be on others even behind a loopback
    /// address, unless the operator shows them to those of this machine.
    pub(super) fn adapt(&self, policies: &mut Policies, is_chosen: bool) {
        let show = &mut policies.delivery.show_location;
        let is_wanted = is_chosen && self.address.ip().is_loopback();
        if *show == ShowLocation::Absolute && !is_wanted {
            *show = ShowLocation::Virtual;
        }
    }

    /// Returns the sink that counts for `/metrics`.
    pub(super) fn counters(&self) -> Arc<dyn AuditSink> {
        self.server.counters()
    }

    /// Returns the tracker that counts tokens for `/metrics`.
    pub(super) fn costs(&self) -> Arc<dyn CostTracker> {
        self.server.costs()
    }

    pub(super) fn place(&self) -> String {
        format!("at {}://{}/mcp", self.scheme, self.address)
    }

    pub(super) fn remember_signals(self) -> Result<Self, ServeError> {
        Ok(Self { server: Box::new(self.server.remember_signals()?), ..self })
    }

    pub(super) fn serve(self, runtime: Runtime) -> Result<(), ServeError> {
        self.server.serve(runtime)
    }
}

/// Returns the options of the command line.
fn options(
    args: &Serve,
    approvals: ApprovalChannel,
    output: &Output,
) -> Result<HttpOptions, Failure> {
    Ok(HttpOptions {
        token: token(args.token_file.as_deref())?,
        oauth: oauth(args, output)?,
        tls: tls(args)?,
        hosts: args.allow_host.clone(),
        origins: args.allow_origin.clone(),
        approvals,
        keeps_conversations: args.store.is_some(),
        limits: limits(args),
        ..HttpOptions::default()
    })
}

fn limits(args: &Serve) -> HttpLimits {
    let default = HttpLimits::default();
    let or_default =
        |given: Option<NonZeroUsize>, default| given.map_or(default, NonZeroUsize::get);
    HttpLimits {
        requests_per_second: args.rate.map(NonZeroU32::get),
        connections_per_client: or_default(args.client_connections, default.connections_per_client),
        sessions_per_client: or_default(args.client_sessions, default.sessions_per_client),
        leave_seconds: if args.store.is_some() { LEAVE_SECONDS } else { 0 },
        ..default
    }
}

/// Returns the token of the file, or else of the environment.
fn token(file: Option<&Path>) -> Result<Option<HttpToken>, Failure> {
    let text = match file {
        Some(file) => {
            let read = read(file, MOST_TOKEN_BYTES)
                .and_then(|bytes| String::from_utf8(bytes).map_err(|error| error.to_string()));
            let help = "name a file with a token";
            Some(read.map_err(|error| Failure::usage("token-unreadable", error, help))?)
        }
        None => std::env::var(TOKEN_VARIABLE).ok().filter(|token| !token.is_empty()),
    };
    let token = text.map(|text| HttpToken::new(&text)).transpose();
    token.map_err(|error| {
        let help = "make one with `openssl rand -hex 32`";
        Failure::usage("token-invalid", error.to_string(), help)
    })
}

/// Returns the authorization server, after one attempt to reach it. If it cannot be reached now,
/// that is a remark: it may start later.
fn oauth(args: &Serve, output: &Output) -> Result<Option<OAuthOptions>, Failure> {
    let Some(issuer) = &args.oauth_issuer else { return Ok(None) };
    let mut options = OAuthOptions::new(issuer, documents(issuer)?);
    options.resource.clone_from(&args.oauth_resource);
    options.scopes.clone_from(&args.oauth_scope);
    if let Err(error) = options.probe() {
        output.remark(&format!("warning: {error}; clients get 503 until it can\n"));
    }
    Ok(Some(options))
}

/// Returns how documents of an issuer are fetched. Its host was named by the user, so it may have a
/// private address. None of the user's credentials are sent.
fn documents(issuer: &str) -> Result<FetchDocument, Failure> {
    let mut options = install_place::http_options(&[install_place::host_of(issuer)])?;
    options.credentials = None;
    options.timeout = PATIENCE;
    let remote = HttpRemote::new(options);
    Ok(Arc::new(move |url| {
        let document = RemoteArtifact::plain(url);
        let fetched = remote.fetch(&document, MOST_DOCUMENT_BYTES, &Cancel::default());
        fetched.map_err(|error| error.to_string())
    }))
}

fn oauth_failed(error: &ServeError) -> Failure {
    let help = "name the issuer as its metadata does, with `https`, and the URL of this server \
                with `--oauth-resource`";
    Failure::usage("oauth-invalid", error.to_string(), help)
}

fn unbound(address: SocketAddr, error: &std::io::Error) -> Failure {
    use std::io::ErrorKind::{AddrInUse, AddrNotAvailable, PermissionDenied};
    let help = match error.kind() {
        AddrInUse => "end the program that listens there, or name another port; 0 is any free one",
        PermissionDenied => "name a port from 1024 on: lower ones need more rights",
        AddrNotAvailable => "name an address of this machine, 127.0.0.1 for its own clients alone",
        _ => "name another address",
    };
    Failure::new("serve-failed", format!("`{address}` cannot be used: {error}"), help)
}

fn tls(args: &Serve) -> Result<Option<HttpTls>, Failure> {
    let Some((certificate, key)) = args.tls_cert.as_deref().zip(args.tls_key.as_deref()) else {
        return Ok(None);
    };
    let help = "name files in PEM, such as those of `certbot`";
    let invalid = |message: String| Failure::usage("certificate-invalid", message, help);
    let certificate = read(certificate, MOST_PEM_BYTES).map_err(invalid)?;
    let key = read(key, MOST_PEM_BYTES).map_err(invalid)?;
    HttpTls::from_pem(&certificate, &key).map(Some).map_err(|error| invalid(error.to_string()))
}

/// Reads a file up to a limit. The error is a sentence.
fn read(file: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let read = named_file::bytes(file, limit);
    read.map_err(|reason| format!("`{}` cannot be read: {reason}", file.display()))
}
