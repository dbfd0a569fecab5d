//! URLs that may be requested.

use fluent_uri::Uri;
use prowess_core::{RemoteError, RemoteErrorKind};

use crate::http_options::HttpOptions;

/// The end of the message about a host that is not named and would be reached without encryption.
pub const ALLOWS_HTTP: &str = "allows `http`";

/// A URL with a host, without credentials and without a fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Url(pub(crate) Uri<String>);

impl Url {
    /// Checks a URL that a user or a server has written.
    ///
    /// # Errors
    ///
    /// It is not a URL of `https` or, for named hosts, of `http`, or it contains credentials. The
    /// message never has the credentials.
    pub(crate) fn new(text: &str, options: &HttpOptions) -> Result<Self, RemoteError> {
        let uri = Uri::parse(text).map_err(|_| unsupported("this is not a URL".to_owned()))?;
        Self::checked(uri.to_owned(), options)
    }

    pub(crate) fn checked(
        mut uri: Uri<String>,
        options: &HttpOptions,
    ) -> Result<Self, RemoteError> {
        uri.set_fragment(None);
        let Some(authority) = uri.authority().filter(|authority| !authority.host().is_empty())
        else {
            return Err(unsupported("the URL has no host".to_owned()));
        };
        if authority.has_userinfo() {
            let message = "the URL contains credentials; keep them in `.netrc` instead";
            return Err(unsupported(message.to_owned()));
        }
        let url = Self(uri);
        let host = url.host();
        let is_named = url.scheme() == "http" && options.is_named(host, url.port());
        if !is_named && !url.is_https() {
            let place = url.place();
            let way = options.way_to_name(&place);
            let message = format!("`{place}` may be reached by `https` only; {way} {ALLOWS_HTTP}");
            return Err(unsupported(message));
        }
        Ok(url)
    }

    /// Returns the scheme, the host and the port, which credentials belong to.
    pub(crate) fn origin(&self) -> String {
        let origin = format!("{}://{}", self.scheme(), self.host().to_ascii_lowercase());
        let is_usual = self.port() == if self.is_https() { 443 } else { 80 };
        if is_usual { origin } else { format!("{origin}:{}", self.port()) }
    }

    pub(crate) fn host(&self) -> &str {
        self.0.authority().map_or("", |authority| authority.host())
    }

    /// Returns the host and the port of a URL, whether or not it may be requested.
    #[cfg(feature = "s3")]
    pub(crate) fn place_of(text: &str) -> Option<String> {
        Some(Self(Uri::parse(text).ok()?.to_owned()).place())
    }

    fn place(&self) -> String {
        format!("{}:{}", self.host(), self.port())
    }

    pub(crate) fn port(&self) -> u16 {
        let written = self.0.authority().and_then(|it| it.port_to_u16().ok().flatten());
        written.unwrap_or(if self.is_https() { 443 } else { 80 })
    }

    fn scheme(&self) -> String {
        self.0.scheme().as_str().to_ascii_lowercase()
    }

    pub(crate) fn is_https(&self) -> bool {
        self.scheme() == "https"
    }
}

pub(crate) fn unsupported(message: String) -> RemoteError {
    RemoteError::new(RemoteErrorKind::Unsupported, message)
}
