//! The options of requests.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Returns the value of the header `Authorization` for an origin such as `https://example.com`.
pub type Credentials = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The limits and the rights of requests.
#[derive(Clone)]
pub struct HttpOptions {
    /// The maximum duration of one request, redirects included. By default a minute. The server of
    /// a catalog may be silent for a twentieth of it, in which its pointer has to come.
    pub timeout: Duration,
    /// The hosts that may have an address of a private network, and may be reached by plain `http`:
    /// a name, or a name with a port. By default none.
    pub named_hosts: Vec<String>,
    /// How the user names a host, for messages. By default with `--host HOST`.
    pub naming: Option<String>,
    /// The certificates of authorities that servers are checked with, in PEM. By default those of
    /// Mozilla's list, which they replace.
    pub roots: Option<Vec<u8>>,
    /// The user's credentials. By default there are none.
    pub credentials: Option<Credentials>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        let timeout = Duration::from_secs(60);
        Self { timeout, named_hosts: Vec::new(), naming: None, roots: None, credentials: None }
    }
}

/// Shows everything but the credentials.
impl fmt::Debug for HttpOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HttpOptions")
            .field("timeout", &self.timeout)
            .field("named_hosts", &self.named_hosts)
            .finish_non_exhaustive()
    }
}

impl HttpOptions {
    /// Returns how the user names this host.
    pub(crate) fn way_to_name(&self, host: &str) -> String {
        self.naming.clone().unwrap_or_else(|| format!("`--host {host}`"))
    }

    /// Returns whether the user has named this host, with this port.
    pub(crate) fn is_named(&self, host: &str, port: u16) -> bool {
        let with_port = format!("{host}:{port}");
        self.named_hosts
            .iter()
            .any(|name| name.eq_ignore_ascii_case(host) || name.eq_ignore_ascii_case(&with_port))
    }
}
