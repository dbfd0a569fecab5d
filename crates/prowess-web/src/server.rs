//! The server on a port of this machine.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};

use crate::check::Names;
use crate::connection::{Connection, Connections};
use crate::door::Door;
use crate::route::{PATIENCE, Site, answer};
use crate::{Desk, WebError};

/// The maximum size of a request's head, in bytes.
const HEAD_BYTES: usize = 16 << 10;

/// A server that listens, and has no desk yet.
pub struct WebServer {
    listener: std::net::TcpListener,
    address: SocketAddr,
    hosts: Vec<String>,
    door: Door,
    /// The path that opens the door.
    entrance: String,
}

impl WebServer {
    /// Opens the port. Port 0 stands for any free one.
    ///
    /// # Errors
    ///
    /// The address is not a loopback address, or the operating system refuses the port.
    pub fn bind(address: SocketAddr) -> Result<Self, WebError> {
        if !address.ip().is_loopback() {
            return Err(WebError::NotLoopback(address));
        }
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (door, entrance) = Door::new(address.port())?;
        Ok(Self { listener, address, hosts: Vec::new(), door, entrance })
    }

    /// Adds names under which browsers reach the server, such as those of a proxy, with their ports
    /// if they have one. By default, there are the address and `localhost`.
    #[must_use]
    pub fn allow_hosts(self, hosts: Vec<String>) -> Self {
        Self { hosts, ..self }
    }

    /// Returns the address with the actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL to open. It works once, for the browser that is first.
    pub fn entrance(&self) -> String {
        format!("http://{}{}", self.address, self.entrance)
    }

    /// Serves until `end` is ready, and then completes the decisions that have begun.
    ///
    /// # Errors
    ///
    /// The operating system has no threads, or the port fails.
    pub fn serve_until(
        self,
        desk: Arc<dyn Desk>,
        end: impl Future<Output = ()>,
    ) -> Result<(), WebError> {
        let executor = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let site =
            Arc::new(Site { desk, names: Names::of(self.address, self.hosts), door: self.door });
        executor.block_on(async {
            let listener = TcpListener::from_std(self.listener)?;
            tokio::select! {
                () = accept(&listener, &site) => {}
                () = end => {}
            }
            Ok(())
        })
    }
}

async fn accept(listener: &TcpListener, site: &Arc<Site>) {
    let mut connections = Connections::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let site = Arc::clone(site);
                let (connection, place) = connections.open().await;
                tokio::spawn(async move {
                    tokio::select! {
                        () = serve(stream, &site, &connection) => {}
                        () = connection.ended() => {}
                    }
                    drop(place);
                });
            }
            // Errors are those of one connection, or of a lack of files, which passes.
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

/// Serves one connection until the browser closes it, or until no request arrives in time.
async fn serve(stream: TcpStream, site: &Arc<Site>, connection: &Connection) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| {
        let site = Arc::clone(site);
        async move { Ok::<_, Infallible>(answer(site, connection, request).await) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(PATIENCE).max_buf_size(HEAD_BYTES);
    // A broken connection concerns its browser alone.
    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
}
