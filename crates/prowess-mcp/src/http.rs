//! Serving many clients over Streamable HTTP.

mod access;
mod admission;
mod check;
mod connection;
mod metrics;
mod oauth;
mod options;
mod rate;
mod route;
mod sessions;
#[cfg(feature = "tls")]
mod tls;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use prowess::Runtime;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::ServeError;
use crate::approval_hint::{ApprovalHint, decide_in_the_host};
use crate::hangup::Hangup;

pub use oauth::{FetchDocument, OAuthOptions};
pub use options::{HttpLimits, HttpOptions, HttpToken};
#[cfg(feature = "tls")]
pub use tls::HttpTls;

use admission::Admission;
use connection::Connections;
use route::Router;

/// A server on a TCP port that accepts no connections yet.
///
/// The protocol is at `/mcp`. `GET /healthz` answers while the server runs, and `GET /metrics`
/// returns counters as text, with the same checks as `/mcp`. With an authorization server,
/// `GET /.well-known/oauth-protected-resource` returns the metadata of RFC 9728.
pub struct HttpServer {
    executor: tokio::runtime::Runtime,
    listener: std::net::TcpListener,
    hangup: Hangup,
    options: HttpOptions,
    approval_hint: ApprovalHint,
}

impl HttpServer {
    /// Opens the port. Port 0 stands for any free one.
    ///
    /// # Errors
    ///
    /// The address is not a loopback address and there is neither a token nor an authorization
    /// server, a URL of the latter cannot be used, or the operating system refuses the port.
    pub fn bind(address: SocketAddr, options: HttpOptions) -> Result<Self, ServeError> {
        options.check(address)?;
        let executor = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let hangup = {
            let _context = executor.enter();
            Hangup::install()?
        };
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Self { executor, listener, hangup, options, approval_hint: decide_in_the_host })
    }

    /// Sets the next step that results name if a person has to approve a call. See
    /// [`SkillServer::approval_hint`](crate::SkillServer::approval_hint).
    #[must_use]
    pub fn approval_hint(self, approval_hint: ApprovalHint) -> Self {
        Self { approval_hint, ..self }
    }

    /// Returns the address with the actual port.
    ///
    /// # Errors
    ///
    /// The operating system does not report it.
    pub fn address(&self) -> Result<SocketAddr, ServeError> {
        Ok(self.listener.local_addr()?)
    }

    /// Serves clients until the process is asked to end, by `SIGINT` or `SIGTERM`. Then requests
    /// that are still running get [`HttpLimits::drain_seconds`] to finish.
    ///
    /// # Errors
    ///
    /// The runtime delivers bodies in instructions, or the port fails.
    pub fn serve(self, runtime: Runtime) -> Result<(), ServeError> {
        self.serve_until(runtime, asked_to_end())
    }

    /// As [`Self::serve`], until `end` is ready.
    ///
    /// # Errors
    ///
    /// As for [`Self::serve`].
    pub fn serve_until(
        self,
        runtime: Runtime,
        end: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let Self { executor, listener, hangup, options, approval_hint } = self;
        let runtime = Arc::new(runtime);
        crate::server::check_delivery(&runtime)?;
        executor.block_on(async {
            let address = listener.local_addr()?;
            let listener = TcpListener::from_std(listener)?;
            hangup.reload(Arc::clone(&runtime));
            let draining = watch::Sender::new(false);
            let limits = options.limits.clone();
            #[cfg(feature = "tls")]
            let acceptor = options.tls.as_ref().map(HttpTls::acceptor);
            let connections = Connections {
                router: Arc::new(Router::new(runtime, approval_hint, options, address)?),
                limits,
                draining: draining.subscribe(),
                #[cfg(feature = "tls")]
                acceptor,
            };
            accept(listener, &connections, &draining, end).await;
            Ok(())
        })
    }
}

/// Accepts connections until `end` is ready, and drains them.
async fn accept(
    listener: TcpListener,
    connections: &Connections,
    draining: &watch::Sender<bool>,
    end: impl Future<Output = ()>,
) {
    let admission = Admission::new(&connections.limits);
    let mut open = JoinSet::new();
    tokio::pin!(end);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = open.join_next() => continue,
            () = &mut end => break,
        };
        // Errors are those of one connection, or of a lack of files, which passes.
        let Ok((stream, peer)) = accepted else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        match admission.admit(peer.ip()) {
            Ok(slot) => {
                let serving = connections.clone().serve(stream, peer);
                open.spawn(async move {
                    serving.await;
                    drop(slot);
                });
            }
            Err(full) => {
                connections.router.metrics.refused(full.reason());
                // An encrypted connection has no answer before its handshake.
                if !connections.is_encrypted()
                    && let Some(refusal) = admission.refuse(full, stream)
                {
                    open.spawn(refusal);
                }
            }
        }
    }
    drop(listener);
    draining.send_replace(true);
    drain(open, connections).await;
}

/// Waits for the running requests, then ends streams and what is left.
async fn drain(mut open: JoinSet<()>, connections: &Connections) {
    let Connections { router, limits, .. } = connections;
    let all_closed = async { while open.join_next().await.is_some() {} };
    let answered = async {
        router.answered().await;
        // Streams of notifications never end by themselves.
        router.end_streams();
        all_closed.await;
    };
    let _ = tokio::time::timeout(Duration::from_secs(limits.drain_seconds), answered).await;
    router.end_streams();
}

/// Returns when the process is asked to end.
async fn asked_to_end() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupted => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = interrupted.await;
}
