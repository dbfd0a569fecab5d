//! Requests to one program that answers over HTTP.

use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;

use prowess_core::{Cancel, RemoteError};
use ureq::http::Method;

use crate::http::answer::HttpAnswer;
use crate::http::client::{Call, Client};
use crate::http_options::HttpOptions;
use crate::url::Url;

/// The URL of a program that answers requests, such as an API, under the rules of [`HttpOptions`]:
/// those of hosts, addresses, credentials and times.
#[derive(Debug)]
pub struct HttpEndpoint {
    client: Client,
    url: Url,
}

/// A request with a body.
#[derive(Clone, Copy)]
pub struct HttpPost<'r> {
    /// The headers, by name in lower case.
    pub headers: &'r [(&'r str, String)],
    /// The body.
    pub body: &'r [u8],
    /// The maximum size of the answer's body, in bytes.
    pub limit: usize,
}

/// Shows neither the headers nor the body, which may have secrets.
impl fmt::Debug for HttpPost<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HttpPost").field("limit", &self.limit).finish_non_exhaustive()
    }
}

impl HttpEndpoint {
    /// Checks a URL that the user has written.
    ///
    /// # Errors
    ///
    /// It is not a URL of `https` or, for named hosts, of `http`, or it contains credentials.
    pub fn new(url: &str, options: HttpOptions) -> Result<Self, RemoteError> {
        let url = Url::new(url, &options)?;
        Ok(Self { client: Client::new(options), url })
    }

    /// Returns the host, for messages.
    pub fn host(&self) -> &str {
        self.url.host()
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.url.port()
    }

    /// Makes a request, without following redirects. `receive` is called after each part of the
    /// body, and may end the answer there.
    ///
    /// # Errors
    ///
    /// The server cannot be reached, is too slow, or answers with more bytes than the limit. A
    /// status is no error.
    pub fn post(
        &self,
        post: &HttpPost<'_>,
        receive: &mut dyn FnMut(&HttpAnswer) -> ControlFlow<()>,
        cancel: &Cancel,
    ) -> Result<HttpAnswer, RemoteError> {
        let HttpPost { headers, body, limit } = *post;
        let call = Call { method: &Method::POST, url: &self.url, headers, body: Some(body) };
        self.client.exchange(&call, limit, receive, cancel)
    }

    /// Returns an endpoint at the same URL with connections of its own, whose requests may take
    /// this long.
    #[must_use]
    pub fn separate(&self, timeout: Duration) -> Self {
        let options = HttpOptions { timeout, ..self.client.options.clone() };
        Self { client: Client::new(options), url: self.url.clone() }
    }

    /// Makes a `DELETE` request, and returns the status of the answer.
    ///
    /// # Errors
    ///
    /// The server cannot be reached, or is too slow.
    pub fn delete(&self, headers: &[(&str, String)]) -> Result<u16, RemoteError> {
        Ok(self.head_of(&Method::DELETE, headers, None)?.status)
    }

    /// Makes a request with a body, without following redirects, and returns the status of the
    /// answer, whose body is not read.
    ///
    /// # Errors
    ///
    /// The server cannot be reached, or is too slow.
    pub fn send(&self, headers: &[(&str, String)], body: &[u8]) -> Result<u16, RemoteError> {
        Ok(self.head_of(&Method::POST, headers, Some(body))?.status)
    }

    /// Makes a `HEAD` request, without following redirects.
    ///
    /// # Errors
    ///
    /// The server cannot be reached, or is too slow. A status is no error.
    pub fn head(&self) -> Result<HttpAnswer, RemoteError> {
        self.head_of(&Method::HEAD, &[], None)
    }

    fn head_of(
        &self,
        method: &Method,
        headers: &[(&str, String)],
        body: Option<&[u8]>,
    ) -> Result<HttpAnswer, RemoteError> {
        let call = Call { method, url: &self.url, headers, body };
        self.client.head_of(&call)
    }
}
