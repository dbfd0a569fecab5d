//! URLs that may be requested.

use fluent_uri::{Uri, UriRef};
use prowess_core::{RemoteError, RemoteErrorKind};

use crate::http_options::HttpOptions;

/// Words in the names of parameters that are credentials, such as `access_token` and
/// `X-Amz-Signature`.
const SECRETS: [&str; 11] = [
    "apikey",
    "auth",
    "credential",
    "jwt",
    "key",
    "passwd",
    "password",
    "secret",
    "sig",
    "signature",
    "token",
];

/// A URL with a host, without credentials and without a fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Url(Uri<String>);

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

    fn checked(mut uri: Uri<String>, options: &HttpOptions) -> Result<Self, RemoteError> {
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
            return Err(unsupported(format!("`{host}` may be reached by `https` only")));
        }
        Ok(url)
    }

    /// Checks a source that a user has written, which the lock file repeats.
    ///
    /// # Errors
    ///
    /// As [`Self::new`], or the query contains credentials.
    pub(crate) fn of_source(text: &str, options: &HttpOptions) -> Result<Self, RemoteError> {
        let url = Self::new(text, options)?;
        let query = url.as_str().split_once('?').map_or("", |(_, query)| query);
        if query.split('&').any(is_secret) {
            let message = "the URL contains credentials, which the lock file would repeat; keep \
                           them in a variable or in `.netrc` instead";
            return Err(unsupported(message.to_owned()));
        }
        Ok(url)
    }

    /// Resolves a reference of a document at this URL, by RFC 3986.
    ///
    /// # Errors
    ///
    /// The result may not be requested, or leads from `https` to `http`.
    pub(crate) fn join(&self, reference: &str, options: &HttpOptions) -> Result<Self, RemoteError> {
        let invalid =
            || RemoteError::new(RemoteErrorKind::Invalid, "the server names no valid URL");
        let parsed = UriRef::parse(reference).map_err(|_| invalid())?;
        let joined = parsed.resolve_against(&self.0).map_err(|_| invalid())?;
        let joined = Self::checked(joined, options)?;
        if self.is_https() && !joined.is_https() {
            let message = "the server leads from `https` to `http`";
            return Err(RemoteError::new(RemoteErrorKind::Denied, message));
        }
        Ok(joined)
    }

    pub(crate) fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the URL without the query.
    pub(crate) fn without_query(&self) -> &str {
        self.as_str().split('?').next().unwrap_or_default()
    }

    /// Returns the path without the query.
    pub(crate) fn path(&self) -> &str {
        self.0.path().as_str()
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

    pub(crate) fn port(&self) -> u16 {
        let written = self.0.authority().and_then(|it| it.port_to_u16().ok().flatten());
        written.unwrap_or(if self.is_https() { 443 } else { 80 })
    }

    fn scheme(&self) -> String {
        self.0.scheme().as_str().to_ascii_lowercase()
    }

    fn is_https(&self) -> bool {
        self.scheme() == "https"
    }
}

fn is_secret(parameter: &str) -> bool {
    let name = parameter.split('=').next().unwrap_or_default().to_ascii_lowercase();
    name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| SECRETS.contains(&word))
}

fn unsupported(message: String) -> RemoteError {
    RemoteError::new(RemoteErrorKind::Unsupported, message)
}

#[cfg(test)]
mod tests {
    use super::Url;
    use crate::http_options::HttpOptions;

    #[test]
    fn credentials_in_a_query_are_refused() {
        let check = |url: &str| Url::of_source(url, &HttpOptions::default());
        for query in
            ["token=s3cr3t", "v=1&access_token=s3cr3t", "X-Amz-Signature=s3cr3t", "sig=s3cr3t"]
        {
            let error = check(&format!("https://example.com/a.zip?{query}")).expect_err(query);
            assert!(!error.message.contains("s3cr3t"), "{error}");
        }
        for query in ["", "?v=1.0", "?keyword=token", "?path=a/key"] {
            assert!(check(&format!("https://example.com/a.zip{query}")).is_ok(), "{query}");
        }
    }
}
