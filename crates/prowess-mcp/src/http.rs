//! Serving many clients over Streamable HTTP.

mod access;
mod admission;
mod calls;
mod check;
mod connection;
mod exposition;
mod metrics;
mod oauth;
mod options;
mod phase;
mod priming;
mod rate;
mod readiness;
mod route;
mod sessions;
mod status;
#[cfg(feature = "tls")]
mod tls;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use prowess::{AuditSink, CostTracker, Runtime};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::approval_hint::{ApprovalHint, decide_in_the_host};
use crate::ending::Ending;
use crate::hangup::Hangup;
use crate::{ServeError, ending};

pub use oauth::{FetchDocument, OAuthOptions};
pub use options::{HttpLimits, HttpOptions, HttpToken};
#[cfg(feature = "tls")]
pub use tls::HttpTls;

use admission::Admission;
use calls::Calls;
use connection::Connections;
use metrics::Metrics;
use phase::Phase;
use route::Router;

/// A server on a TCP port that has no catalog yet.
///
/// The protocol is at `/mcp`. Without a token, `GET /healthz` answers while the process runs, and
/// `GET /readyz` while requests are answered: it returns 503 until [`Self::serve`] has a catalog,
/// while the server ends, and while a store that it shares with other servers is unavailable. With
/// the same checks as `/mcp`, `GET /metrics` returns counters in the format of Prometheus, which
/// leave out those two, and `GET /status` the state as JSON. With an authorization server,
/// `GET /.well-known/oauth-protected-resource` returns the metadata of RFC 9728.
pub struct HttpServer {
    executor: tokio::runtime::Runtime,
    address: SocketAddr,
    phase: watch::Sender<Phase>,
    router: Arc<OnceLock<Router>>,
    /// The task that accepts connections.
    accepting: JoinHandle<()>,
    metrics: Arc<Metrics>,
    calls: Arc<Calls>,
    started: Instant,
    hangup: Hangup,
    ending: Option<Ending>,
    options: HttpOptions,
    approval_hint: ApprovalHint,
}

impl HttpServer {
    /// Opens the port. Port 0 stands for any free one. From then on probes are answered, and other
    /// requests wait for [`Self::serve`].
    ///
    /// # Errors
    ///
    /// The address is not a loopback address and there is neither a token nor an authorization
    /// server, a URL of the latter cannot be used, or the operating system refuses the port.
    pub fn bind(address: SocketAddr, options: HttpOptions) -> Result<Self, ServeError> {
        options.check(address)?;
        let executor = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let _context = executor.enter();
        let hangup = Hangup::install()?;
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let phase = watch::Sender::new(Phase::Starting);
        let (router, metrics) = (Arc::default(), Arc::new(Metrics::new()));
        let connections = Connections {
            router: Arc::clone(&router),
            metrics: Arc::clone(&metrics),
            limits: options.limits.clone(),
            phase: phase.subscribe(),
            #[cfg(feature = "tls")]
            acceptor: options.tls.as_ref().map(HttpTls::acceptor),
        };
        let accepting = executor.spawn(accept(TcpListener::from_std(listener)?, connections));
        drop(_context);
        Ok(Self {
            executor,
            address,
            phase,
            router,
            accepting,
            metrics,
            calls: Arc::default(),
            started: Instant::now(),
            hangup,
            ending: None,
            options,
            approval_hint: decide_in_the_host,
        })
    }

    /// Sets the next step that results name if a person has to approve a call. See
    /// [`SkillServer::approval_hint`](crate::SkillServer::approval_hint).
    #[must_use]
    pub fn approval_hint(self, approval_hint: ApprovalHint) -> Self {
        Self { approval_hint, ..self }
    }

    /// Installs the handlers of `SIGINT` and `SIGTERM`, which [`Self::serve`] does otherwise. From
    /// then on these signals no longer end the process, and end [`Self::serve`] once it is called.
    ///
    /// # Errors
    ///
    /// The operating system refuses a handler.
    pub fn remember_signals(mut self) -> Result<Self, ServeError> {
        self.ending = Some(Ending::install(&self.executor)?);
        Ok(self)
    }

    /// Returns the address with the actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns an audit sink for the runtime that is served. It counts calls, reloads and scripts
    /// for `/metrics` and `/status`, which have none of them otherwise.
    pub fn counters(&self) -> Arc<dyn AuditSink> {
        Arc::clone(&self.calls) as _
    }

    /// Returns the tracker of a runtime that is served, by which `/metrics` has the tokens of the
    /// calls of each skill.
    pub fn costs(&self) -> Arc<dyn CostTracker> {
        Arc::clone(&self.calls.models) as _
    }

    /// Serves clients until the process is asked to end, by `SIGINT` or `SIGTERM`, and for
    /// [`HttpLimits::leave_seconds`] more. Then running requests get
    /// [`HttpLimits::drain_seconds`].
    ///
    /// # Errors
    ///
    /// The runtime delivers bodies in instructions, or the port fails.
    pub fn serve(mut self, runtime: Runtime) -> Result<(), ServeError> {
        let ending = self.ending.take();
        let ending = ending.map_or_else(|| Ending::install(&self.executor), Ok)?;
        self.serve_until(runtime, async { ending::emit(ending.asked().await) })
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
        let Self { executor, address, phase, router, accepting, hangup, .. } = self;
        let runtime = Arc::new(runtime);
        crate::server::check_delivery(&runtime)?;
        executor.block_on(async {
            hangup.reload(Arc::clone(&runtime));
            runtime.begin_watching()?;
            let limits = &self.options.limits;
            let [leave_time, drain_time] =
                [limits.leave_seconds, limits.drain_seconds].map(Duration::from_secs);
            let counters = (self.metrics, self.calls, self.started);
            let new = Router::new(runtime, self.approval_hint, self.options, address, counters)?;
            let router = router.get_or_init(|| new);
            phase.send_replace(Phase::Serving);
            end.await;
            if !leave_time.is_zero() {
                phase.send_replace(Phase::Leaving);
                tokio::time::sleep(leave_time).await;
            }
            phase.send_replace(Phase::Draining);
            drain(router, &phase, accepting, drain_time).await;
            Ok(())
        })
    }
}

/// Accepts connections until the last phase, and waits for them.
async fn accept(listener: TcpListener, connections: Connections) {
    let admission = Admission::new(&connections.limits);
    let mut phase = connections.phase.clone();
    let mut open = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = open.join_next() => continue,
            _ = phase.wait_for(|phase| *phase == Phase::Ended) => break,
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
                connections.metrics.refused(full.reason(), peer.ip());
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
    while open.join_next().await.is_some() {}
}

/// Waits for the running requests, then ends streams and what is left.
async fn drain(
    router: &Router,
    phase: &watch::Sender<Phase>,
    accepting: JoinHandle<()>,
    time: Duration,
) {
    let answered = async {
        router.answered().await;
        // Streams of notifications never end by themselves.
        router.end_streams();
        phase.send_replace(Phase::Ended);
        let _ = accepting.await;
    };
    let _ = tokio::time::timeout(time, answered).await;
    router.end_streams();
}
