//! The policy of a proxy.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::HostPattern;

/// Headers that are for one connection, or that the proxy sets itself.
#[rustfmt::skip]
pub(crate) const NOT_PASSED: [&str; 12] = [
    "connection", "expect", "host", "http2-settings", "keep-alive", "proxy-authenticate",
    "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
];
/// Headers that ask for a part of an answer, or for one in which a secret would not be found.
pub(crate) const HIDES_SECRETS: [&str; 6] =
    ["a-im", "accept-charset", "accept-encoding", "if-range", "range", "request-range"];

/// Returns whether a secret may be in a header of this name: it is one that neither the proxy sets
/// itself nor decides how a request or its answer is read.
pub fn may_have_secret(header: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    let reserved = NOT_PASSED.iter().chain(&HIDES_SECRETS).chain(&["content-length"]);
    let is_reserved = reserved.into_iter().any(|name| name.eq_ignore_ascii_case(header));
    !header.is_empty() && header.bytes().all(is_name) && !is_reserved
}

/// The hosts that a proxy connects to, and its limits.
#[derive(Clone, Debug, Default)]
pub struct EgressPolicy {
    /// The hosts that may be reached. By default, none.
    pub hosts: Vec<HostPattern>,
    /// Hosts that may have an address of a private network. Each has to be granted as well. By
    /// default, none.
    pub private_hosts: Vec<HostPattern>,
    /// The certificates of authorities, in PEM, that servers are checked with where the proxy sends
    /// a secret. By default those of Mozilla's list, which they replace.
    pub authorities: Option<Vec<u8>>,
    /// The limits of the traffic.
    pub limits: TrafficLimits,
}

/// The limits of the traffic of one process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrafficLimits {
    /// Connections at the same time. By default 16.
    pub concurrent: usize,
    /// Connections in all. By default 1,000.
    pub connections: u64,
    /// Bytes in both directions, in all. By default 268,435,456 (256 MiB).
    pub bytes: u64,
    /// Seconds after which a connection ends on which nothing is sent. By default 30.
    pub idle_seconds: u64,
}

impl Default for TrafficLimits {
    fn default() -> Self {
        Self { concurrent: 16, connections: 1_000, bytes: 256 << 20, idle_seconds: 30 }
    }
}

/// A header with a secret, which the proxy adds to requests for a host.
#[derive(Clone, Debug)]
pub struct SecretHeader {
    /// The host. A pattern of several hosts gets no secret.
    pub host: HostPattern,
    /// The name of the header, such as `authorization`. It replaces one of the process.
    pub header: String,
    /// The text in front of the secret, such as `Bearer `.
    pub prefix: String,
    /// The secret.
    pub value: SecretValue,
}

/// A secret. Its value is in no debug output.
#[derive(Clone)]
pub struct SecretValue(Arc<str>);

impl SecretValue {
    /// Creates a secret.
    pub fn new(value: impl Into<Arc<str>>) -> Self {
        Self(value.into())
    }

    /// Returns the value.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SecretValue")
    }
}

#[cfg(feature = "proxy")]
impl EgressPolicy {
    pub(crate) fn grants(&self, host: &str, port: u16) -> bool {
        self.hosts.iter().any(|pattern| pattern.matches(host, port))
    }

    pub(crate) fn may_be_private(&self, host: &str, port: u16) -> bool {
        self.private_hosts.iter().any(|pattern| pattern.matches(host, port))
    }
}

#[cfg(feature = "proxy")]
impl SecretHeader {
    /// Returns whether the header belongs into a request for this host.
    pub(crate) fn is_for(&self, host: &str, port: u16) -> bool {
        self.host.is_one_host() && self.host.matches(host, port)
    }
}
