//! URLs of sources, and references of documents at a URL.

use fluent_uri::UriRef;
use prowess_core::{RemoteError, RemoteErrorKind, has_credentials};

use crate::http_options::HttpOptions;
use crate::url::{Url, unsupported};

impl Url {
    /// Checks a source that a user has written, which the lock file repeats.
    ///
    /// # Errors
    ///
    /// As [`Self::new`], or the query contains credentials.
    pub(crate) fn of_source(text: &str, options: &HttpOptions) -> Result<Self, RemoteError> {
        let url = Self::new(text, options)?;
        if has_credentials(url.as_str()) {
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
}

#[cfg(test)]
mod tests {
    use super::*;

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
