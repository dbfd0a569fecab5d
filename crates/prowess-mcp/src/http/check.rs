//! The checks of each request before anything else is done for it.

use std::net::SocketAddr;

use hyper::header::{HOST, ORIGIN};
use hyper::{HeaderMap, StatusCode, Uri};

use super::options::HttpOptions;

/// A reason to refuse a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) status: StatusCode,
    /// The label in the metrics.
    pub(super) reason: &'static str,
    pub(super) message: &'static str,
}

const WRONG_HOST: Refused = Refused {
    status: StatusCode::FORBIDDEN,
    reason: "host",
    message: "the header Host does not name this server",
};
const WRONG_ORIGIN: Refused = Refused {
    status: StatusCode::FORBIDDEN,
    reason: "origin",
    message: "pages of this origin may not use this server",
};

/// The names under which a server accepts requests.
pub(super) struct Checks {
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Checks {
    /// Returns the checks of a server at this address, whose own origins have this scheme.
    pub(super) fn new(options: &HttpOptions, scheme: &str, address: SocketAddr) -> Self {
        let mut own = vec![address.to_string()];
        if address.ip().is_loopback() {
            own.push(format!("localhost:{}", address.port()));
        }
        let origins = own.iter().map(|host| format!("{scheme}://{host}"));
        Self {
            origins: lower(origins.chain(options.origins.iter().cloned())),
            hosts: lower(own.iter().chain(&options.hosts).cloned()),
        }
    }

    /// Returns the accepted values of `Host`.
    pub(super) fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Returns the accepted values of `Origin`.
    pub(super) fn origins(&self) -> &[String] {
        &self.origins
    }

    pub(super) fn accepting(mut self, host: &str, origin: &str) -> Self {
        self.hosts.push(host.to_ascii_lowercase());
        self.origins.push(origin.to_ascii_lowercase());
        self
    }

    /// Checks the names, against pages that reach the server under another name (DNS rebinding) or
    /// from another origin.
    pub(super) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refused> {
        let host = only(headers, &HOST).ok_or(WRONG_HOST)?;
        let is_known = |name: &str| self.hosts.contains(&name.to_ascii_lowercase());
        // An absolute request target replaces the header.
        let target = uri.authority().map_or(host, |authority| authority.as_str());
        if !is_known(host) || !is_known(target) {
            return Err(WRONG_HOST);
        }
        if headers.contains_key(&ORIGIN) {
            let origin = only(headers, &ORIGIN).ok_or(WRONG_ORIGIN)?.to_ascii_lowercase();
            if !self.origins.contains(&origin) {
                return Err(WRONG_ORIGIN);
            }
        }
        Ok(())
    }
}

/// Returns the value of a header that must occur once.
pub(super) fn only<'h>(
    headers: &'h HeaderMap,
    name: &hyper::header::HeaderName,
) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(first)
}

fn lower(texts: impl Iterator<Item = String>) -> Vec<String> {
    texts.map(|text| text.to_ascii_lowercase()).collect()
}
