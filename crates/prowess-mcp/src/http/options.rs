//! The options of a server on a TCP port.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use prowess::{Clock, Digest, SystemClock};

use super::oauth::OAuthOptions;
#[cfg(feature = "tls")]
use super::tls::HttpTls;
use crate::{ApprovalChannel, ServeError};

/// The options of an [`HttpServer`](super::HttpServer).
#[derive(Clone)]
pub struct HttpOptions {
    /// The token that clients send as `Authorization: Bearer TOKEN`. By default none; an address
    /// that other machines reach needs one, or an authorization server.
    pub token: Option<HttpToken>,
    /// The authorization server whose tokens clients may send. By default none. If there is a token
    /// as well, either is enough.
    pub oauth: Option<OAuthOptions>,
    /// The certificate of encrypted connections. By default none, and connections are plain.
    #[cfg(feature = "tls")]
    pub tls: Option<HttpTls>,
    /// More values of the header `Host` that are accepted, with the port if it is not the scheme's
    /// own. By default only the server's address, and for a loopback address also `localhost`.
    pub hosts: Vec<String>,
    /// More values of the header `Origin` that are accepted, such as `https://app.example`. By
    /// default only the server's own; a client that is no browser sends none.
    pub origins: Vec<String>,
    /// Where calls are approved. By default also by the users of clients.
    pub approvals: ApprovalChannel,
    /// Whether other servers over the same store of sessions continue the conversations of clients
    /// that name them. By default they do not, and a conversation ends with its server. With it,
    /// the policy of sessions needs a limit of idle time.
    pub keeps_conversations: bool,
    /// The limits.
    pub limits: HttpLimits,
    /// The clock of rates. By default the system's.
    pub clock: Arc<dyn Clock>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            token: None,
            oauth: None,
            #[cfg(feature = "tls")]
            tls: None,
            hosts: Vec::new(),
            origins: Vec::new(),
            approvals: ApprovalChannel::default(),
            keeps_conversations: false,
            limits: HttpLimits::default(),
            clock: Arc::new(SystemClock::default()),
        }
    }
}

impl HttpOptions {
    /// Returns an error if the options cannot be used at this address.
    pub(super) fn check(&self, address: SocketAddr) -> Result<(), ServeError> {
        if let Some(oauth) = &self.oauth {
            return oauth.check(address);
        }
        if address.ip().is_loopback() || self.token.is_some() {
            return Ok(());
        }
        Err(ServeError::TokenRequired(address))
    }

    /// Returns the scheme of the server's URL.
    pub(super) fn scheme(&self) -> &'static str {
        #[cfg(feature = "tls")]
        if self.tls.is_some() {
            return "https";
        }
        "http"
    }
}

/// The limits of an [`HttpServer`](super::HttpServer).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// The maximum size of a request's body, in bytes. By default 1 MiB.
    pub body_bytes: usize,
    /// The number of seconds in which a body has to arrive. By default 30.
    pub body_seconds: u64,
    /// The maximum size of a request's headers, in bytes, at least 8 KiB. By default 32 KiB.
    pub header_bytes: usize,
    /// The number of seconds in which headers have to arrive, also on a connection that is reused,
    /// and before them the handshake of an encrypted connection. By default 30.
    pub header_seconds: u64,
    /// The maximum number of connections. By default 512. A further one is refused with 503.
    pub connections: usize,
    /// The maximum number of connections of one client address, such as that of a reverse proxy. By
    /// default 384. A further one is refused with 429.
    pub connections_per_client: usize,
    /// The maximum number of sessions, which revisions before 2026-07-28 have. By default 1,024.
    pub sessions: usize,
    /// The maximum number of sessions of one user of an authorization server, or else of one client
    /// address. By default 512.
    pub sessions_per_client: usize,
    /// The maximum number of requests per second of one client address; `None` for no limit, which
    /// is the default.
    pub requests_per_second: Option<u32>,
    /// The number of seconds in which a server that is asked to end still answers, while `/readyz`
    /// is 503 and each answer closes its connection, so that a proxy turns to other servers and no
    /// request is lost. By default 0.
    pub leave_seconds: u64,
    /// The number of seconds that running requests get when the server ends. By default 10.
    pub drain_seconds: u64,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            body_bytes: 1 << 20,
            body_seconds: 30,
            header_bytes: 32 << 10,
            header_seconds: 30,
            connections: 512,
            connections_per_client: 384,
            sessions: 1_024,
            sessions_per_client: 512,
            requests_per_second: None,
            leave_seconds: 0,
            drain_seconds: 10,
        }
    }
}

/// A secret that clients know, kept as its digest.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpToken(Digest);

impl HttpToken {
    /// The minimum length of a token, in bytes.
    pub const LEAST_BYTES: usize = 16;

    /// Checks a token. White space around it is ignored.
    ///
    /// # Errors
    ///
    /// It is shorter than [`Self::LEAST_BYTES`], or it has characters that a header cannot have.
    pub fn new(token: &str) -> Result<Self, ServeError> {
        let token = token.trim();
        let is_header = token.bytes().all(|byte| byte.is_ascii_graphic());
        if token.len() < Self::LEAST_BYTES || !is_header {
            return Err(ServeError::WeakToken);
        }
        Ok(Self(Digest::of(token.as_bytes())))
    }

    /// Returns whether a client has sent this token. The comparison is of digests, so its duration
    /// reveals nothing about the token.
    pub(super) fn is(&self, sent: &[u8]) -> bool {
        self.0 == Digest::of(sent)
    }
}

impl fmt::Debug for HttpToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("HttpToken")
    }
}
