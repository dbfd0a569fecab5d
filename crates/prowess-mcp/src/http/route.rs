//! From a request to its answer.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{
    CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER, TRANSFER_ENCODING, WWW_AUTHENTICATE,
};
use hyper::{Method, Request, Response, StatusCode};
use prowess::Runtime;
use rmcp::ErrorData;
use rmcp::model::{ClientRequest, JsonRpcMessage};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::watch;

use super::access::{Access, Caller, Rejected};
use super::calls::Calls;
use super::check::Checks;
use super::exposition::Exposition;
use super::metrics::Metrics;
use super::options::{HttpLimits, HttpOptions};
use super::phase::Phase;
use super::priming;
use super::rate::Rates;
use super::readiness::Readiness;
use super::sessions::Sessions;
use super::status::Status;
use crate::approval_hint::ApprovalHint;
use crate::conversations::{ClientName, Conversations};
use crate::logged::Logged;
use crate::transport::message::{self, Received};
use crate::{ServeError, SkillServer};

/// The body of an answer.
type Body = BoxBody<Bytes, Infallible>;

const SESSION_ID: &str = "mcp-session-id";

/// The path of the protocol.
const ENDPOINT: &str = "/mcp";

/// The media type of streams of messages.
const EVENT_STREAM: &str = "text/event-stream";

/// The length of the longest answer that is read to see whether its request could begin.
const MOST_ERROR_BYTES: u64 = 4096;

/// The media type of metrics.
const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Answers a request of any phase. Probes are answered at once and need no token; before there is a
/// catalog, other requests wait for it.
pub(super) async fn answer(
    router: &OnceLock<Router>,
    mut phase: watch::Receiver<Phase>,
    client: IpAddr,
    request: Request<Incoming>,
) -> Response<Body> {
    let now = *phase.borrow();
    if request.method() == Method::GET {
        match request.uri().path() {
            "/healthz" => return text(StatusCode::OK, "ok\n"),
            "/readyz" if now == Phase::Serving => {
                let is_ready = router.get().is_none_or(Router::is_ready);
                let ready = || text(StatusCode::OK, "ready\n");
                return if is_ready { ready() } else { unavailable("without its store") };
            }
            "/readyz" if now == Phase::Starting => return unavailable("starting"),
            "/readyz" => return unavailable("ending"),
            _ => {}
        }
    }
    if now >= Phase::Draining {
        return unavailable("ending");
    }
    let _ = phase.wait_for(|phase| *phase >= Phase::Serving).await;
    let Some(router) = router.get() else { return unavailable("ending") };
    let mut answer = router.answer(client, request).await;
    if *phase.borrow() >= Phase::Leaving {
        answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    answer
}

fn unavailable(state: &str) -> Response<Body> {
    let mut response = text(StatusCode::SERVICE_UNAVAILABLE, format!("the server is {state}\n"));
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// Answers the requests of all connections.
pub(super) struct Router {
    service: StreamableHttpService<Logged, LocalSessionManager>,
    sessions: Sessions,
    checks: Checks,
    access: Access,
    rates: Rates,
    limits: HttpLimits,
    metrics: Arc<Metrics>,
    status: Arc<Status>,
    /// The state of the store, if other servers have it too.
    readiness: Option<Arc<Readiness>>,
}

impl Router {
    /// Returns the router of a server at this address.
    pub(super) fn new(
        runtime: Arc<Runtime>,
        approval_hint: ApprovalHint,
        options: HttpOptions,
        address: SocketAddr,
        (metrics, calls, started): (Arc<Metrics>, Arc<Calls>, Instant),
    ) -> Result<Self, ServeError> {
        let scheme = options.scheme();
        let checks = Checks::new(&options, scheme, address);
        let own_url = format!("{scheme}://{address}{ENDPOINT}");
        let access = Access::new(&options, &own_url)?;
        let checks = access.accept_names(checks);
        let HttpOptions { limits, clock, approvals, keeps_conversations, .. } = options;
        let manager = Arc::new(LocalSessionManager::default());
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(checks.hosts().iter().cloned())
            .with_allowed_origins(checks.origins().iter().cloned())
            .enforce_origin_validation()
            .with_json_response(true)
            .with_max_request_body_bytes(limits.body_bytes);
        let readiness = Readiness::new(Arc::clone(&runtime), Arc::clone(&clock));
        let readiness = keeps_conversations.then(|| Arc::new(readiness));
        let status = Status { runtime: Arc::clone(&runtime), calls, started };
        let conversations = Arc::new(Conversations::new(runtime, true).kept(keeps_conversations));
        let create = move || {
            let server = SkillServer::sharing(Arc::clone(&conversations));
            Ok(Logged(server.approval_hint(approval_hint).approvals(approvals)))
        };
        Ok(Self {
            service: StreamableHttpService::new(create, Arc::clone(&manager), config),
            sessions: Sessions::new(manager, limits.sessions, limits.sessions_per_client),
            checks,
            access,
            rates: Rates::new(clock, limits.requests_per_second),
            limits,
            metrics,
            status: Arc::new(status),
            readiness,
        })
    }

    /// Returns whether another server would answer no better.
    fn is_ready(&self) -> bool {
        self.readiness.as_ref().is_none_or(Readiness::probe)
    }

    async fn answer(&self, client: IpAddr, request: Request<Incoming>) -> Response<Body> {
        let running = self.metrics.run_request();
        let is_call = request.method() == Method::POST;
        let is_chunked = request.headers().contains_key(TRANSFER_ENCODING);
        let mut response = self.respond(client, request).await;
        self.metrics.answered(response.status().as_u16());
        if is_chunked {
            // A proxy that ignores the encoding sees another end of the request, so what follows is
            // not read as a request.
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        // A body of known length is there already. Without its length it would be sent in chunks.
        if !is_call || response.body().size_hint().exact().is_some() {
            return response;
        }
        // The answer to a call may be a stream, which ends with the call.
        let keep = move |frame| {
            let _running = &running;
            frame
        };
        response.map(|body| body.map_frame(keep).boxed())
    }

    /// Returns when no request is running.
    pub(super) async fn answered(&self) {
        self.metrics.idle().await;
    }

    /// Ends every stream of notifications.
    pub(super) fn end_streams(&self) {
        self.service.config.cancellation_token.cancel();
    }

    async fn respond(&self, client: IpAddr, request: Request<Incoming>) -> Response<Body> {
        let path = request.uri().path();
        if !self.rates.admit(client) {
            return self.busy(StatusCode::TOO_MANY_REQUESTS, client, "rate", "too many requests");
        }
        if let Err(refused) = self.checks.check(request.uri(), request.headers()) {
            return self.reject(client, refused.into());
        }
        if request.method() == Method::GET
            && let Some(metadata) = self.access.metadata(path)
        {
            return json(StatusCode::OK, &metadata);
        }
        let caller = match self.access.check(client, request.headers()).await {
            Ok(caller) => caller,
            Err(rejected) => return self.reject(client, rejected),
        };
        if let Some(id) = request.headers().get(SESSION_ID).and_then(|id| id.to_str().ok()) {
            // The protocol's library ends a session that was never open without a word.
            let is_end = request.method() == Method::DELETE;
            if !self.sessions.is_open_to(id, &caller) || (is_end && !self.sessions.has(id).await) {
                return text(StatusCode::NOT_FOUND, "there is no such session\n");
            }
        }
        match path {
            ENDPOINT if request.method() == Method::POST => {
                self.post(client, caller, request).await
            }
            ENDPOINT => self.handle(request, None).await,
            "/metrics" if request.method() == Method::GET => self.report_metrics().await,
            "/status" if request.method() == Method::GET => self.report_status().await,
            _ => text(StatusCode::NOT_FOUND, "not found; the protocol is at /mcp\n"),
        }
    }

    async fn report_metrics(&self) -> Response<Body> {
        let mut exposition = Exposition::default();
        self.metrics.write(&mut exposition, self.sessions.count().await);
        let status = Arc::clone(&self.status);
        let write = move || {
            status.write(&mut exposition);
            exposition.into_text()
        };
        match tokio::task::spawn_blocking(write).await {
            Ok(metrics) => with_type(StatusCode::OK, METRICS_TYPE, metrics.into()),
            Err(_) => text(StatusCode::INTERNAL_SERVER_ERROR, "the metrics cannot be read\n"),
        }
    }

    async fn report_status(&self) -> Response<Body> {
        let sessions = self.sessions.count().await;
        let status = Arc::clone(&self.status);
        match tokio::task::spawn_blocking(move || status.json(sessions)).await {
            Ok(status) => json(StatusCode::OK, &status),
            Err(_) => text(StatusCode::INTERNAL_SERVER_ERROR, "the status cannot be read\n"),
        }
    }

    fn reject(&self, client: IpAddr, rejected: Rejected) -> Response<Body> {
        let Rejected { refused, challenge } = rejected;
        self.metrics.refused(refused.reason, client);
        let mut response = text(refused.status, format!("{}\n", refused.message));
        let challenge = challenge.and_then(|challenge| HeaderValue::try_from(challenge).ok());
        if let Some(challenge) = challenge {
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        response
    }

    fn busy(
        &self,
        status: StatusCode,
        client: IpAddr,
        reason: &'static str,
        message: &str,
    ) -> Response<Body> {
        self.metrics.refused(reason, client);
        let mut response = text(status, format!("{message}; try again later\n"));
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        response
    }

    /// Answers a message. One that is not JSON-RPC is answered here as it is on other transports.
    async fn post(
        &self,
        client: IpAddr,
        caller: Caller,
        request: Request<Incoming>,
    ) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let is_json = parts.headers.get(CONTENT_TYPE).is_some_and(is_json);
        if !is_json {
            let message = "the header Content-Type must be application/json\n";
            return text(StatusCode::UNSUPPORTED_MEDIA_TYPE, message);
        }
        let bytes = match self.read(body).await {
            Ok(bytes) => bytes,
            Err((status, message)) => return text(status, message),
        };
        let message = match message::parse(&bytes) {
            Received::Message(message) => message,
            Received::Rejected(error) => return json(StatusCode::BAD_REQUEST, &error),
            Received::Ignored if bytes.trim_ascii().is_empty() => {
                let error = ErrorData::parse_error("the body is empty", None);
                let error: TxJsonRpcMessage<RoleServer> = JsonRpcMessage::error(error, None);
                return json(StatusCode::BAD_REQUEST, &error);
            }
            Received::Ignored => return text(StatusCode::ACCEPTED, ""),
        };
        let revision = requested_revision(&message);
        let is_handshake = revision.is_some() && !parts.headers.contains_key(SESSION_ID);
        let mut request = Request::from_parts(parts, Full::new(bytes));
        request.extensions_mut().insert(ClientName(caller.name()));
        if !is_handshake {
            return self.handle(request, revision.as_deref()).await;
        }
        let Some(reservation) = self.sessions.reserve(&caller).await else {
            let status = StatusCode::SERVICE_UNAVAILABLE;
            let HttpLimits { sessions, sessions_per_client, .. } = self.limits;
            let message = format!(
                "too many sessions: {sessions} may be open, {sessions_per_client} of one client"
            );
            return self.busy(status, client, "sessions", &message);
        };
        let response = self.handle(request, revision.as_deref()).await;
        let id = response.headers().get(SESSION_ID).and_then(|id| id.to_str().ok());
        if let Some(id) = id {
            reservation.opened(id);
        }
        response
    }

    /// Answers a request by the protocol's library, as clients expect it.
    async fn handle<B>(&self, request: Request<B>, revision: Option<&str>) -> Response<Body>
    where
        B: hyper::body::Body + Send + 'static,
        B::Error: std::fmt::Display,
    {
        let is_end = request.method() == Method::DELETE;
        let is_primed = priming::is_understood(revision, request.headers());
        let mut response = self.service.handle(request).await;
        if is_end && response.status() == StatusCode::ACCEPTED {
            // The session has ended. Clients of the Python SDK take 202 as a failure.
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        // Any other body has a known length, which must stay known.
        let is_stream = response.headers().get(CONTENT_TYPE).is_some_and(|it| it == EVENT_STREAM);
        if !is_stream {
            return self.referred(response).await;
        }
        if is_primed {
            return response;
        }
        response.map(|body| body.map_frame(priming::without).boxed())
    }

    /// Returns 503 for a request that could not begin without the store, so that a proxy repeats it
    /// on another server.
    async fn referred(&self, response: Response<Body>) -> Response<Body> {
        let is_short = |length| length <= MOST_ERROR_BYTES;
        let is_message = response.headers().get(CONTENT_TYPE).is_some_and(is_json)
            && response.body().size_hint().exact().is_some_and(is_short);
        let Some(readiness) = self.readiness.as_ref().filter(|_| is_message) else {
            return response;
        };
        let (mut head, body) = response.into_parts();
        let Ok(body) = body.collect().await;
        let bytes = body.to_bytes();
        if let Some(seconds) = readiness.retry_after(&bytes) {
            head.status = StatusCode::SERVICE_UNAVAILABLE;
            head.headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        Response::from_parts(head, Full::new(bytes).boxed())
    }

    async fn read(&self, body: Incoming) -> Result<Bytes, (StatusCode, &'static str)> {
        let whole = Limited::new(body, self.limits.body_bytes).collect();
        let patience = Duration::from_secs(self.limits.body_seconds);
        match tokio::time::timeout(patience, whole).await {
            Ok(Ok(whole)) => Ok(whole.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                Err((StatusCode::PAYLOAD_TOO_LARGE, "the message is too long\n"))
            }
            Ok(Err(_)) => Err((StatusCode::BAD_REQUEST, "the body is not complete\n")),
            Err(_) => Err((StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time\n")),
        }
    }
}

fn is_json(value: &HeaderValue) -> bool {
    let essence = value.to_str().ok().and_then(|value| value.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

/// Returns the revision of the protocol that a handshake asks for.
fn requested_revision(message: &RxJsonRpcMessage<RoleServer>) -> Option<String> {
    let JsonRpcMessage::Request(request) = message else { return None };
    let ClientRequest::InitializeRequest(handshake) = &request.request else { return None };
    Some(handshake.params.protocol_version.to_string())
}

fn text(status: StatusCode, text: impl Into<Bytes>) -> Response<Body> {
    with_type(status, "text/plain; charset=utf-8", text.into())
}

fn json(status: StatusCode, value: &impl serde::Serialize) -> Response<Body> {
    let bytes = serde_json::to_vec(value).unwrap_or_default();
    with_type(status, "application/json", bytes.into())
}

fn with_type(status: StatusCode, media_type: &'static str, bytes: Bytes) -> Response<Body> {
    let mut response = Response::new(Full::new(bytes).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}
