//! URLs of servers, which need no encryption on this machine alone.

use std::net::IpAddr;

use hyper::Uri;
use prowess::text::quoted;

/// A URL with the scheme `https`, or with `http` and a loopback address, without a query and
/// without a fragment.
#[derive(Clone, Debug)]
pub(super) struct ServerUrl {
    text: String,
    uri: Uri,
}

impl ServerUrl {
    /// Parses a URL. The error is a sentence.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let invalid = |reason: &str| format!("{} {reason}", quoted(text));
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_plain || text.contains(['"', '\\', '#', '?', '@']) {
            return Err(invalid("has characters that the URL of a server cannot have"));
        }
        let uri: Uri = text.parse().map_err(|_| invalid("is not a URL"))?;
        let url = Self { text: text.to_owned(), uri };
        match url.uri.scheme_str() {
            Some("https") => Ok(url),
            Some("http") if url.is_loopback() => Ok(url),
            Some("http") => {
                Err(invalid("needs the scheme `https`, because other machines transport it"))
            }
            _ => Err(invalid("needs the scheme `https`")),
        }
    }

    /// Returns the URL as it was written.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the host, with its port if it has one.
    pub(super) fn authority(&self) -> &str {
        self.uri.authority().map_or("", |authority| authority.as_str())
    }

    /// Returns the scheme and the authority.
    pub(super) fn origin(&self) -> String {
        format!("{}://{}", self.uri.scheme_str().unwrap_or_default(), self.authority())
    }

    /// Returns the path, which is empty for the root.
    pub(super) fn path(&self) -> &str {
        let path = self.uri.path();
        if path == "/" { "" } else { path }
    }

    fn is_loopback(&self) -> bool {
        let host = self.uri.host().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
    }
}
