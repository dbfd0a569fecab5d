//! The names in a request: those of this server alone.

use std::net::SocketAddr;

use hyper::header::{HOST, HeaderName, ORIGIN};
use hyper::{HeaderMap, Method, Uri};

/// The names under which the server is reached.
pub(crate) struct Names(Vec<String>);

impl Names {
    pub(crate) fn of(address: SocketAddr) -> Self {
        Self(vec![address.to_string(), format!("localhost:{}", address.port())])
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
                .and_then(|origin| origin.strip_prefix("http://"))
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
