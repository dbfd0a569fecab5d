//! One connection of a client.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::watch;

use super::options::HttpLimits;
use super::route::Router;

/// The parts that connections share.
#[derive(Clone)]
pub(super) struct Connections {
    pub(super) router: Arc<Router>,
    pub(super) limits: HttpLimits,
    /// Whether the server is ending.
    pub(super) draining: watch::Receiver<bool>,
    #[cfg(feature = "tls")]
    pub(super) acceptor: Option<tokio_rustls::TlsAcceptor>,
}

impl Connections {
    /// Returns whether connections begin with a handshake of TLS.
    #[cfg(feature = "tls")]
    pub(super) fn is_encrypted(&self) -> bool {
        self.acceptor.is_some()
    }

    /// Without TLS, no connection is encrypted.
    #[cfg(not(feature = "tls"))]
    pub(super) const fn is_encrypted(&self) -> bool {
        false
    }

    /// Serves one connection until the client closes it, or until its request is answered if the
    /// server is draining.
    pub(super) async fn serve(self, stream: TcpStream, peer: SocketAddr) {
        // Answers are short, and clients wait for them.
        let _ = stream.set_nodelay(true);
        let router = Arc::clone(&self.router);
        let _open = router.metrics.open_connection();
        #[cfg(feature = "tls")]
        if let Some(acceptor) = self.acceptor.clone() {
            let time = Duration::from_secs(self.limits.header_seconds);
            let mut draining = self.draining.clone();
            let handshake = tokio::select! {
                handshake = tokio::time::timeout(time, acceptor.accept(stream)) => handshake,
                _ = draining.wait_for(|is_draining| *is_draining) => return,
            };
            match handshake {
                Ok(Ok(stream)) => self.serve_stream(stream, peer).await,
                _ => router.metrics.refused("handshake"),
            }
            return;
        }
        self.serve_stream(stream, peer).await;
    }

    async fn serve_stream<S>(mut self, stream: S, peer: SocketAddr)
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let router = self.router;
        let service = service_fn(|request| {
            let router = Arc::clone(&router);
            async move { Ok::<_, Infallible>(router.answer(peer.ip(), request).await) }
        });
        let mut builder = http1::Builder::new();
        builder
            .timer(TokioTimer::new())
            .header_read_timeout(Duration::from_secs(self.limits.header_seconds))
            .max_buf_size(self.limits.header_bytes.max(8 << 10));
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        tokio::pin!(connection);
        tokio::select! {
            // A broken connection concerns its client alone.
            _ = connection.as_mut() => return,
            _ = self.draining.wait_for(|is_draining| *is_draining) => {}
        }
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}
