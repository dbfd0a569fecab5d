//! Requests within limits.

use std::io::Read as _;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use prowess_core::{Cancel, FetchedParts, ReceivePart, RemoteError, RemoteErrorKind};
use ureq::http::{HeaderMap, Method, Request, Response, StatusCode};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, AsSendBody, Body, Error};

use crate::address::PrivateAddress;
use crate::cancel::check;
use crate::http::answer::HttpAnswer;
use crate::http::resolver::{KeptAddresses, PublicResolver};
use crate::http_options::HttpOptions;
use crate::url::Url;

/// The maximum number of redirects of one request.
const MOST_REDIRECTS: usize = 5;

/// The number of bytes after which the host's cancellation is checked.
const CHUNK: usize = 16 * 1024;

/// A catalog is fetched in parts, and the first answer of a host waits for it. Its server may be
/// silent for this part of the time, in which all of an answer of at most this size has to come.
const PARTS: u32 = 20;
const SMALL: usize = 16 * 1024;

/// The maximum size of the header of an answer, in bytes.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// The maximum length of an `ETag` that is kept.
const MAX_TAG: usize = 1024;

/// Makes requests by the rules of [`HttpOptions`].
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) options: HttpOptions,
    agent: OnceLock<Agent>,
    addresses: KeptAddresses,
}

/// One request.
#[derive(Clone, Copy)]
pub(crate) struct Call<'c> {
    pub(crate) method: &'c Method,
    pub(crate) url: &'c Url,
    /// Further headers. One named `authorization` replaces the user's credentials.
    pub(crate) headers: &'c [(&'c str, String)],
    pub(crate) body: Option<&'c [u8]>,
}

impl<'c> Call<'c> {
    pub(crate) fn get(url: &'c Url, headers: &'c [(&'c str, String)]) -> Self {
        Self { method: &Method::GET, url, headers, body: None }
    }
}

/// How long a request may take, and how long its server may send nothing.
#[derive(Clone, Copy)]
struct Times {
    whole: Duration,
    silence: Duration,
}

/// The answer to a request, whatever its status.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// The URL that has answered, behind all redirects.
    pub(crate) url: Url,
}

impl Answer {
    /// Returns a header that is text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Returns the body of an answer with the status 200.
    pub(crate) fn content(self, url: &Url) -> Result<Vec<u8>, RemoteError> {
        check_status(self.status, url)?;
        Ok(self.body)
    }
}

impl Client {
    pub(crate) fn new(options: HttpOptions) -> Self {
        Self { options, agent: OnceLock::new(), addresses: KeptAddresses::default() }
    }

    /// Returns the agent, which is created for the first request: the user's certificates take
    /// longer to read than a whole call without the network.
    fn agent(&self) -> &Agent {
        self.agent.get_or_init(|| self.new_agent())
    }

    fn new_agent(&self) -> Agent {
        let options = &self.options;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // Redirects are followed here, where the next URL is checked.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_response_header_size(MAX_HEADER_BYTES)
            // A proxy would come from the environment, and would resolve names without a check.
            .proxy(None)
            .tls_config(TlsConfig::builder().root_certs(roots(options)).build())
            .user_agent(concat!("prowess/", env!("CARGO_PKG_VERSION")))
            .build();
        let resolver = PublicResolver::new(options.clone(), self.addresses.clone());
        Agent::with_parts(config, DefaultConnector::default(), resolver)
    }

    /// Returns the content at a URL, as it is served.
    pub(crate) fn get(
        &self,
        url: &Url,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, RemoteError> {
        self.send(&Call::get(url, &[]), limit, cancel)?.content(url)
    }

    /// Passes on the content that a call gets, unless its `ETag` is the known one.
    pub(crate) fn get_parts(
        &self,
        call: &Call<'_>,
        known: Option<&str>,
        limit: usize,
        receive: ReceivePart<'_>,
        cancel: &Cancel,
    ) -> Result<FetchedParts, RemoteError> {
        let mut headers = call.headers.to_vec();
        headers.extend(known.map(|tag| ("if-none-match", tag.to_owned())));
        let call = &Call { headers: &headers, ..*call };
        let silence = self.options.timeout / PARTS;
        let whole = if limit > SMALL { self.options.timeout } else { silence };
        let times = Times { whole, silence };
        let answer = self.receive(call, limit, times, receive, cancel)?;
        if known.is_some() && answer.status == StatusCode::NOT_MODIFIED {
            return Ok(FetchedParts::Unchanged);
        }
        check_status(answer.status, call.url)?;
        let version = answer.header("etag").filter(|tag| tag.len() <= MAX_TAG).map(str::to_owned);
        Ok(FetchedParts::Changed { version })
    }

    /// Makes a request, and follows redirects if it only reads.
    pub(crate) fn send(
        &self,
        call: &Call<'_>,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Answer, RemoteError> {
        let mut body = Vec::new();
        let mut receive = |part: &[u8]| {
            body.extend(part);
            ControlFlow::Continue(())
        };
        let answer = self.receive(call, limit, self.times(), &mut receive, cancel)?;
        Ok(Answer { body, ..answer })
    }

    /// Makes a request as [`Self::send`] does, redirects included in its time, and passes on the
    /// body of its answer.
    fn receive(
        &self,
        call: &Call<'_>,
        limit: usize,
        times: Times,
        receive: ReceivePart<'_>,
        cancel: &Cancel,
    ) -> Result<Answer, RemoteError> {
        let mut current = call.url.clone();
        let begun = Instant::now();
        for _ in 0..=MOST_REDIRECTS {
            check(cancel)?;
            let whole = times.whole.saturating_sub(begun.elapsed());
            let response = self.request(call, &current, Times { whole, ..times })?;
            let status = response.status();
            let leads_on = status.is_redirection() && status != StatusCode::NOT_MODIFIED;
            if !leads_on || call.method != Method::GET {
                let limit = if call.method == Method::HEAD { None } else { Some(limit) };
                return answer(response, &current, limit, receive, cancel);
            }
            let location = response.headers().get("location").and_then(|it| it.to_str().ok());
            let location = location.ok_or_else(|| {
                RemoteError::new(RemoteErrorKind::Invalid, "the server redirects to nowhere")
            })?;
            current = current.join(location, &self.options)?;
        }
        let message = format!("`{}` redirects more than {MOST_REDIRECTS} times", call.url.host());
        Err(RemoteError::new(RemoteErrorKind::Unavailable, message))
    }

    /// Makes one request, and reads its answer until `receive` has enough.
    pub(crate) fn exchange(
        &self,
        call: &Call<'_>,
        limit: usize,
        receive: &mut dyn FnMut(&HttpAnswer) -> ControlFlow<()>,
        cancel: &Cancel,
    ) -> Result<HttpAnswer, RemoteError> {
        check(cancel)?;
        let response = self.request(call, call.url, self.times())?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let mut answer = HttpAnswer { status, headers, body: Vec::new() };
        read(response.into_body(), call.url, limit, cancel, &mut |chunk| {
            answer.body.extend(chunk);
            receive(&answer)
        })?;
        Ok(answer)
    }

    /// Makes one request, and returns the head of its answer.
    pub(crate) fn head_of(&self, call: &Call<'_>) -> Result<HttpAnswer, RemoteError> {
        let response = self.request(call, call.url, self.times())?;
        let status = response.status().as_u16();
        Ok(HttpAnswer { status, headers: response.headers().clone(), body: Vec::new() })
    }

    fn times(&self) -> Times {
        Times { whole: self.options.timeout, silence: self.options.timeout }
    }

    fn request(
        &self,
        call: &Call<'_>,
        url: &Url,
        times: Times,
    ) -> Result<Response<Body>, RemoteError> {
        let mut request = Request::builder().method(call.method).uri(url.as_str());
        let mut own = None;
        for (name, value) in call.headers {
            if *name == "authorization" {
                own = Some(value.clone());
            } else {
                request = request.header(*name, value);
            }
        }
        // A server must not lead the credentials of its user to another one.
        if url.origin() == call.url.origin() {
            let credentials = own.or_else(|| self.options.credentials.as_ref()?(&url.origin()));
            if let Some(value) = credentials.filter(|value| !value.is_empty()) {
                request = request.header("authorization", value);
            }
        }
        let invalid = |_| RemoteError::new(RemoteErrorKind::Unsupported, "the request is invalid");
        let answered = match call.body {
            Some(body) => run(self.agent(), request.body(body).map_err(invalid)?, times),
            None => run(self.agent(), request.body(()).map_err(invalid)?, times),
        };
        answered.map_err(|error| {
            self.addresses.clear();
            failed(&error, url)
        })
    }
}

fn run(
    agent: &Agent,
    request: Request<impl AsSendBody>,
    Times { whole, silence }: Times,
) -> Result<Response<Body>, Error> {
    let request = agent.configure_request(request).timeout_global(Some(whole));
    agent.run(request.timeout_per_read(Some(silence)).build())
}

/// Returns the certificates that servers are checked with.
fn roots(options: &HttpOptions) -> RootCerts {
    let Some(pem) = &options.roots else { return RootCerts::WebPki };
    let certificates = parse_pem(pem).filter_map(|item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    });
    RootCerts::Specific(Arc::new(certificates.collect()))
}

/// Reads an answer and passes on its body, if there is a limit for that.
fn answer(
    response: Response<Body>,
    url: &Url,
    limit: Option<usize>,
    receive: ReceivePart<'_>,
    cancel: &Cancel,
) -> Result<Answer, RemoteError> {
    let status = response.status();
    let headers = response.headers().clone();
    // The text of an error is not used, and may be larger than what was asked for.
    if let Some(limit) = limit.filter(|_| status.is_success()) {
        read(response.into_body(), url, limit, cancel, receive)?;
    }
    Ok(Answer { status, headers, body: Vec::new(), url: url.clone() })
}

/// Reads a body in parts, until it ends or `receive` has enough.
fn read(
    body: Body,
    url: &Url,
    limit: usize,
    cancel: &Cancel,
    receive: ReceivePart<'_>,
) -> Result<(), RemoteError> {
    let too_large = || {
        let message = format!("the answer of `{}` has more than {limit} bytes", url.host());
        RemoteError::new(RemoteErrorKind::TooLarge, message)
    };
    if body.content_length().is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    let mut reader = body.into_reader();
    let mut chunk = [0; CHUNK];
    let mut total = 0;
    loop {
        check(cancel)?;
        let count = reader.read(&mut chunk).map_err(|error| {
            let message = format!("the answer of `{}` ends early: {error}", url.host());
            RemoteError::new(RemoteErrorKind::Unavailable, message)
        })?;
        total += count;
        if total > limit {
            return Err(too_large());
        }
        if count == 0 || receive(&chunk[..count]).is_break() {
            return Ok(());
        }
    }
}

/// Returns the error of a status that is not 200.
pub(crate) fn check_status(status: StatusCode, url: &Url) -> Result<(), RemoteError> {
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
        // The reader has a limit of 128, whose error is of a crate that is none of this one's.
        Error::Protocol(error) if error.to_string().contains("too many headers") => {
            RemoteErrorKind::TooLarge
        }
        _ => RemoteErrorKind::Unavailable,
    };
    let what = if kind == RemoteErrorKind::TooLarge { "is not read" } else { "cannot be reached" };
    RemoteError::new(kind, format!("`{}` {what}: {error}", url.host()))
}
