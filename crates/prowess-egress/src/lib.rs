//! A proxy through which a confined process reaches granted hosts, and no others.
//!
//! The process has no other way out: it runs in a network of its own, whose only listener is this
//! proxy. The proxy resolves names, so the process needs no server of names, and it connects to
//! exactly the addresses that it has checked.
//!
//! ```
//! # #[cfg(feature = "proxy")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::net::TcpListener;
//!
//! use prowess_egress::{EgressPolicy, HostPattern, Proxy, is_public};
//!
//! let hosts = vec![HostPattern::new("api.example.com")?];
//! let policy = EgressPolicy { hosts, ..EgressPolicy::default() };
//! let proxy = Proxy::start(TcpListener::bind("127.0.0.1:0")?, policy, Vec::new())?;
//! // The process runs, and then:
//! let traffic = proxy.end();
//! assert!(traffic.refusals.is_empty());
//! assert!(!is_public("169.254.169.254".parse()?));
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "proxy"))]
//! # fn main() {}
//! ```
//!
//! # Passed on
//!
//! - `CONNECT host:port`, if the host is granted and what follows is the first message of TLS with
//!   the name of that host. Then the proxy relays bytes, and does not see what they say.
//! - Requests for `http://host/`, if the host is granted. Each connection has one request.
//! - Requests for `http://host/` to a host with a [`SecretHeader`] are sent by `https`, with the
//!   header. So the process uses the secret without holding it. The request asks for a whole and
//!   plain answer; one that is compressed or partial is refused. The parts of an answer are put
//!   together, and the secret in it is replaced by asterisks in the forms that [`Mask`] lists,
//!   before it is passed on without its trailers.
//!
//! An address of a private network is refused, also where the name of a granted host leads to it,
//! unless the policy names the host. Everything that is refused is listed in [`Traffic`].
//!
//! The rule which addresses are public ([`is_public`]) is the only one: `prowess-source-remote`
//! uses it, too.
//!
//! # Limits of the proxy
//!
//! It does not look into TLS: a server behind a granted name may pass requests on to other hosts.
//! It serves neither SOCKS nor HTTP/2 nor requests whose length is unknown when they begin.
//! The lookup of a name has a thread that ends with it, because the system's lookup cannot be
//! interrupted.
#![forbid(unsafe_code)]

mod address;
#[cfg(feature = "proxy")]
mod body;
#[cfg(feature = "proxy")]
mod connect;
mod error;
#[cfg(feature = "proxy")]
mod forward;
#[cfg(feature = "proxy")]
mod hello;
mod host;
mod mask;
mod policy;
#[cfg(feature = "proxy")]
mod proxy;
#[cfg(feature = "proxy")]
mod refusal;
#[cfg(feature = "proxy")]
mod request;
#[cfg(feature = "proxy")]
mod shared;
mod spelling;
#[cfg(feature = "proxy")]
mod stream;
#[cfg(feature = "proxy")]
mod tls;
#[cfg(feature = "proxy")]
mod tunnel;

pub use address::is_public;
pub use error::HostPatternError;
pub use host::HostPattern;
pub use mask::{Mask, can_be_masked};
pub use policy::{EgressPolicy, SecretHeader, SecretValue, TrafficLimits, may_have_secret};
#[cfg(feature = "proxy")]
pub use proxy::{Proxy, Traffic};
#[cfg(feature = "proxy")]
pub use refusal::{Refusal, RefusalKind};
