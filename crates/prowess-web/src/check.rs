//! The names in a request: those of this server alone.

use std::net::SocketAddr;

use hyper::header::{HOST, HeaderName, ORIGIN};
use hyper::{HeaderMap, Method, Uri};

/// The names under which the server is reached.
pub(crate) struct Names(Vec<String>);

impl Names {
    /// Returns the names of an address, and further ones, such as those of a proxy.
    pub(crate) fn of(address: SocketAddr, others: Vec<String>) -> Self {
        let mut names = others;
        for port in [format!(":{}", address.port()), String::new()] {
            // Browsers leave out the default port.
            if !port.is_empty() || address.port() == 80 {
                let ip = SocketAddr::new(address.ip(), 0).to_string();
                let ip = ip.strip_suffix(":0").unwrap_or_default();
                names.extend([format!("{ip}{port}"), format!("localhost{port}")]);
            }
        }
        Self(names)
    }

    /// Returns whether a request is meant for this server, and does not come from a page of another
    /// one. A page that reaches the server under a name of its own (DNS rebinding) is refused, and
    /// so is a form of unknown origin.
    pub(crate) fn accept(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> bool {
        let is_own = |name: &str| self.0.iter().any(|own| own.eq_ignore_ascii_case(name));
        let host = only(headers, &HOST).is_some_and(is_own);
        // An absolute request target replaces the header.
        let target = uri.authority().is_none_or(|authority| is_own(authority.as_str()));
        let is_from_here = match headers.contains_key(&ORIGIN) {
            false => method != Method::POST,
            true => only(headers, &ORIGIN)
                .and_then(|origin| origin.split_once("://"))
                .filter(|(scheme, _)| ["http", "https"].contains(scheme))
                .map(|(_, name)| name)
                .is_some_and(is_own),
        };
        host && target && is_from_here
    }
}

/// Returns the value of a header that must occur once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(first)
}
