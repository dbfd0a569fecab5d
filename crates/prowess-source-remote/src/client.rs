//! Requests within limits.

use std::io::Read as _;

use prowess_core::{Cancel, RemoteError, RemoteErrorKind};
use ureq::http::{Response, StatusCode};
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Body, Error};

use crate::address::{PrivateAddress, PublicResolver};
use crate::http_options::HttpOptions;
use crate::url::Url;

/// The maximum number of redirects of one request.
const MOST_REDIRECTS: usize = 5;

/// The number of bytes after which the host's cancellation is checked.
const CHUNK: usize = 16 * 1024;

/// The maximum size of the header of an answer, in bytes.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// Makes requests by the rules of [`HttpOptions`].
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) options: HttpOptions,
    agent: Agent,
}

impl Client {
    pub(crate) fn new(options: HttpOptions) -> Self {
        let config = Agent::config_builder()
            .timeout_global(Some(options.timeout))
            .http_status_as_error(false)
            // Redirects are followed here, where the next URL is checked.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_response_header_size(MAX_HEADER_BYTES)
            // A proxy would come from the environment, and would resolve names without a check.
            .proxy(None)
            .user_agent(concat!("prowess/", env!("CARGO_PKG_VERSION")))
            .build();
        let resolver = PublicResolver { options: options.clone() };
        let agent = Agent::with_parts(config, DefaultConnector::default(), resolver);
        Self { options, agent }
    }

    /// Returns the content at a URL, as it is served.
    pub(crate) fn get(
        &self,
        url: &Url,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, RemoteError> {
        let mut current = url.clone();
        for _ in 0..=MOST_REDIRECTS {
            check(cancel)?;
            let response = self.request(&current, url)?;
            if !response.status().is_redirection() {
                return body(response, &current, limit, cancel);
            }
            let location = response.headers().get("location").and_then(|it| it.to_str().ok());
            let location = location.ok_or_else(|| {
                RemoteError::new(RemoteErrorKind::Invalid, "the server redirects to nowhere")
            })?;
            current = current.join(location, &self.options)?;
        }
        let message = format!("`{}` redirects more than {MOST_REDIRECTS} times", url.host());
        Err(RemoteError::new(RemoteErrorKind::Unavailable, message))
    }

    fn request(&self, url: &Url, first: &Url) -> Result<Response<Body>, RemoteError> {
        let mut request = self.agent.get(url.as_str());
        // A server must not lead the credentials of its user to another one.
        if let Some(credentials) = &self.options.credentials
            && url.origin() == first.origin()
            && let Some(value) = credentials(&url.origin())
        {
            request = request.header("authorization", value);
        }
        request.call().map_err(|error| failed(&error, url))
    }
}

/// Reads the body of an answer.
fn body(
    response: Response<Body>,
    url: &Url,
    limit: usize,
    cancel: &Cancel,
) -> Result<Vec<u8>, RemoteError> {
    check_status(response.status(), url)?;
    let too_large = || {
        let message = format!("the answer of `{}` has more than {limit} bytes", url.host());
        RemoteError::new(RemoteErrorKind::TooLarge, message)
    };
    let body = response.into_body();
    if body.content_length().is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    let mut reader = body.into_reader();
    let mut bytes = Vec::new();
    let mut chunk = [0; CHUNK];
    loop {
        check(cancel)?;
        let count = reader.read(&mut chunk).map_err(|error| {
            let message = format!("the answer of `{}` ends early: {error}", url.host());
            RemoteError::new(RemoteErrorKind::Unavailable, message)
        })?;
        if count == 0 {
            return Ok(bytes);
        }
        if bytes.len() + count > limit {
            return Err(too_large());
        }
        bytes.extend(&chunk[..count]);
    }
}

fn check_status(status: StatusCode, url: &Url) -> Result<(), RemoteError> {
    let kind = match status.as_u16() {
        200 => return Ok(()),
        404 | 410 => RemoteErrorKind::NotFound,
        401 | 403 => RemoteErrorKind::Denied,
        _ => RemoteErrorKind::Unavailable,
    };
    let message = format!("`{}{}` answers {status}", url.host(), url.path());
    Err(RemoteError::new(kind, message))
}

fn failed(error: &Error, url: &Url) -> RemoteError {
    if let Error::Other(other) = error
        && let Some(private) = other.downcast_ref::<PrivateAddress>()
    {
        return RemoteError::new(RemoteErrorKind::Denied, private.to_string());
    }
    let kind = match error {
        Error::LargeResponseHeader(..) => RemoteErrorKind::TooLarge,
        _ => RemoteErrorKind::Unavailable,
    };
    RemoteError::new(kind, format!("`{}` cannot be reached: {error}", url.host()))
}

/// Ends the call if the host has cancelled it.
pub(crate) fn check(cancel: &Cancel) -> Result<(), RemoteError> {
    if cancel.is_cancelled() {
        return Err(RemoteError::new(RemoteErrorKind::Cancelled, "the call was cancelled"));
    }
    Ok(())
}
