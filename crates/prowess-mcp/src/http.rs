//! Serving many clients over Streamable HTTP.

mod check;
mod metrics;
mod options;
mod rate;
mod route;
mod sessions;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use prowess::Runtime;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::ServeError;
use crate::approval_hint::{ApprovalHint, decide_in_the_host};
use crate::hangup::Hangup;

pub use options::{HttpLimits, HttpOptions, HttpToken};

use route::Router;

/// A server on a TCP port that accepts no connections yet.
///
/// The protocol is at `/mcp`. `GET /healthz` answers while the server runs, and `GET /metrics`
/// returns counters as text, with the same checks as `/mcp`.
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
    /// The address is not a loopback address and there is no token, or the operating system refuses
    /// the port.
    pub fn bind(address: SocketAddr, options: HttpOptions) -> Result<Self, ServeError> {
        if !address.ip().is_loopback() && options.token.is_none() {
            return Err(ServeError::TokenRequired(address));
        }
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
            let limits = options.limits.clone();
            let router = Arc::new(Router::new(runtime, approval_hint, options, address));
            accept(listener, &router, &limits, end).await;
            Ok(())
        })
    }
}

/// Accepts connections until `end` is ready, and drains them.
async fn accept(
    listener: TcpListener,
    router: &Arc<Router>,
    limits: &HttpLimits,
    end: impl Future<Output = ()>,
) {
    let slots = Arc::new(Semaphore::new(limits.connections));
    let draining = watch::Sender::new(false);
    let mut connections = JoinSet::new();
    tokio::pin!(end);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
            () = &mut end => break,
        };
        // Errors are those of one connection, or of a lack of files, which passes.
        let Ok((stream, peer)) = accepted else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let Ok(slot) = Arc::clone(&slots).try_acquire_owned() else {
            router.metrics.refused("connections");
            continue;
        };
        let serving = serve_connection(
            stream,
            peer,
            Arc::clone(router),
            limits.clone(),
            draining.subscribe(),
        );
        connections.spawn(async move {
            serving.await;
            drop(slot);
        });
    }
    drop(listener);
    drain(connections, router, limits, &draining).await;
}

/// Serves one connection until the client closes it, or until its request is answered if the
/// server is draining.
async fn serve_connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Arc<Router>,
    limits: HttpLimits,
    mut draining: watch::Receiver<bool>,
) {
    // Answers are short, and clients wait for them.
    let _ = stream.set_nodelay(true);
    let _open = router.metrics.open_connection();
    let service = service_fn(|request| {
        let router = Arc::clone(&router);
        async move { Ok::<_, std::convert::Infallible>(router.answer(peer.ip(), request).await) }
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(limits.header_seconds))
        .max_buf_size(limits.header_bytes.max(8 << 10));
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        // A broken connection concerns its client alone.
        _ = connection.as_mut() => return,
        _ = draining.wait_for(|is_draining| *is_draining) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

/// Waits for the running requests, then ends streams and what is left.
async fn drain(
    mut connections: JoinSet<()>,
    router: &Router,
    limits: &HttpLimits,
    draining: &watch::Sender<bool>,
) {
    draining.send_replace(true);
    let all_closed = async { while connections.join_next().await.is_some() {} };
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
