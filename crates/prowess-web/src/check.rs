//! The names in a request: those of this server alone.

use std::net::SocketAddr;

use hyper::header::{HOST, HeaderName, ORIGIN};
use hyper::{HeaderMap, Method, Uri};

/// The names under which the server is reached.
pub(crate) struct Names {
    own: Vec<String>,
    /// Those of proxies, which may send another one in `Host`.
    others: Vec<String>,
}

impl Names {
    /// Returns the names of an address, and further ones, such as those of a proxy.
    pub(crate) fn of(address: SocketAddr, others: Vec<String>) -> Self {
        let mut own = Vec::new();
        for port in [format!(":{}", address.port()), String::new()] {
            // Browsers leave out the default port.
            if !port.is_empty() || address.port() == 80 {
                let ip = SocketAddr::new(address.ip(), 0).to_string();
                let ip = ip.strip_suffix(":0").unwrap_or_default();
                own.extend([format!("{ip}{port}"), format!("localhost{port}")]);
            }
        }
        Self { own, others }
    }

    /// Returns whether a request is meant for this server, and does not come from a page of another
    /// one. A page that reaches the server under a name of its own (DNS rebinding) is refused, and
    /// so is a form of unknown origin.
    pub(crate) fn accept(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> bool {
        let is_in =
            |names: &[String], name: &str| names.iter().any(|it| it.eq_ignore_ascii_case(name));
        let is_own = |name: &str| is_in(&self.own, name) || is_in(&self.others, name);
        let host = only(headers, &HOST).filter(|host| is_own(host));
        // An absolute request target replaces the header.
        let target = uri.authority().is_none_or(|authority| is_own(authority.as_str()));
        // The page is opened under one name, of which its forms come.
        let is_here = |name: &str| {
            is_in(&self.others, name) || host.is_some_and(|host| host.eq_ignore_ascii_case(name))
        };
        let is_from_here = match headers.contains_key(&ORIGIN) {
            false => method != Method::POST,
            true => only(headers, &ORIGIN)
                .and_then(|origin| origin.split_once("://"))
                .filter(|(scheme, _)| ["http", "https"].contains(scheme))
                .is_some_and(|(_, name)| is_here(name)),
        };
        host.is_some() && target && is_from_here
    }
}

/// Returns the value of a header that must occur once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(first)
}
