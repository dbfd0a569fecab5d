//! From a request to its answer.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue,
    LOCATION, REFERRER_POLICY, REFRESH, SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use prowess_text::terminal_json;
use serde_json::{Value, json};

use crate::check::Names;
use crate::connection::Connection;
use crate::door::Door;
use crate::form::Form;
use crate::pages::{self, Answer, Context};
use crate::{Desk, Refusal, RefusalKind};

/// The maximum size of a form, in bytes.
const FORM_BYTES: usize = 64 << 10;

/// The time in which the head of a request, and then its body, has to arrive.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// The headers of each answer. With the policy `no-referrer`, browsers send forms without their
/// origin.
const HEADERS: [(HeaderName, &str); 6] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; \
         base-uri 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "same-origin"),
    (CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

const STYLE: &str = include_str!("style.css");

/// The parts that all connections share.
pub(crate) struct Site {
    pub(crate) desk: Arc<dyn Desk>,
    pub(crate) names: Names,
    pub(crate) door: Door,
}

type Body = Full<Bytes>;

/// Returns the answer to a request of a connection, which is known once it has sent the cookie of
/// the session.
pub(crate) async fn answer(
    site: Arc<Site>,
    connection: &Connection,
    request: Request<Incoming>,
) -> Response<Body> {
    if site.door.form_token(request.headers()).is_some() {
        connection.is_known.store(true, Ordering::Relaxed);
    }
    connection.is_busy.store(true, Ordering::Relaxed);
    let mut response = respond(site, request).await;
    connection.is_busy.store(false, Ordering::Relaxed);
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn respond(site: Arc<Site>, request: Request<Incoming>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let (method, headers) = (&parts.method, &parts.headers);
    if !site.names.accept(method, &parts.uri, headers) {
        let text = "open the URL that `prowess serve --web` has printed, under that name\n";
        return with_type(StatusCode::FORBIDDEN, "text/plain; charset=utf-8", text);
    }
    // A path outside is that of no page.
    let path = site.door.inside(parts.uri.path()).unwrap_or_default().to_owned();
    let query = Form::read(parts.uri.query().unwrap_or_default());
    let is_json = wants_json(headers, &query);
    let is_read = method == Method::GET || method == Method::HEAD;
    if is_read && parts.uri.path().ends_with("/style.css") {
        return with_type(StatusCode::OK, "text/css; charset=utf-8", STYLE);
    }
    // Browsers ask for it, whatever the page says.
    if is_read && parts.uri.path() == "/favicon.ico" {
        return with_type(StatusCode::NO_CONTENT, "image/x-icon", "");
    }
    let token = site.door.form_token(headers).filter(|_| !path.is_empty());
    let Some(token) = token.map(str::to_owned) else {
        let entered = (method == Method::GET && path == "/enter")
            .then(|| site.door.enter(query.get("token")))
            .flatten();
        return entered.map_or_else(|| written(refused(), is_json), |cookie| welcome(&cookie));
    };
    let form = match *method {
        Method::GET | Method::HEAD => None,
        Method::POST => match read(headers, body).await {
            Some(form) if form.get("form") == token => Some(form),
            // A form of an earlier server, or of another page.
            _ => return written(pages::refusal(&stranger()), is_json),
        },
        _ => return with_type(StatusCode::METHOD_NOT_ALLOWED, "text/plain", "not allowed\n"),
    };
    // An opened URL that is opened again.
    if path == "/enter" {
        return redirect("/");
    }
    let work = move || {
        let context = Context { desk: &*site.desk, token: &token, is_json };
        match form {
            None => context.show(&path, &query),
            Some(form) => context.decide(&path, &form),
        }
    };
    let answer = tokio::task::spawn_blocking(work).await;
    written(answer.unwrap_or_else(|_| pages::refusal(&broken())), is_json)
}

fn wants_json(headers: &HeaderMap, query: &Form) -> bool {
    let accept = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    query.get("format") == "json" || accept.trim().eq_ignore_ascii_case("application/json")
}

/// Reads a form; `None` if it is none, too long, or does not arrive in time.
async fn read(headers: &HeaderMap, body: Incoming) -> Option<Form> {
    let kind = headers.get(CONTENT_TYPE)?.to_str().ok()?.split(';').next()?;
    if !kind.trim().eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return None;
    }
    let whole = Limited::new(body, FORM_BYTES).collect();
    let bytes = tokio::time::timeout(PATIENCE, whole).await.ok()?.ok()?.to_bytes();
    Some(Form::read(std::str::from_utf8(&bytes).ok()?))
}

fn refused() -> Answer {
    let mut answer = pages::refusal(&Refusal {
        kind: RefusalKind::Invalid,
        code: "web-session-missing".to_owned(),
        message: "this browser has not opened the page".to_owned(),
        help: "open the URL that `prowess serve --web` has printed; it works once, so start the \
               command again if it was used"
            .to_owned(),
    });
    answer.status = StatusCode::FORBIDDEN;
    answer
}

fn stranger() -> Refusal {
    Refusal {
        kind: RefusalKind::Conflict,
        code: "web-form-unknown".to_owned(),
        message: "nothing was done: the form is not one of this session".to_owned(),
        help: "go back, reload the page, and decide again".to_owned(),
    }
}

fn broken() -> Refusal {
    Refusal {
        kind: RefusalKind::Failed,
        code: "web-page-failed".to_owned(),
        message: "the page could not be made".to_owned(),
        help: "look at the messages of `prowess serve --web`, and report this".to_owned(),
    }
}

fn written(answer: Answer, is_json: bool) -> Response<Body> {
    let Answer { status, value, page, location, next, as_of } = answer;
    if let Some(location) = location.filter(|_| !is_json) {
        return redirect(&location);
    }
    if !is_json {
        let mut response = with_type(status, "text/html; charset=utf-8", page);
        if status == StatusCode::SERVICE_UNAVAILABLE {
            // It is there in a moment, so the browser looks again.
            response.headers_mut().insert(REFRESH, HeaderValue::from_static("1"));
        }
        return response;
    }
    let mut response = with_type(status, "application/json", document(&value));
    let headers = response.headers_mut();
    headers.extend(next.map(|next| (HeaderName::from_static("x-next"), next.into())));
    let time = as_of.and_then(|time| HeaderValue::try_from(time).ok());
    headers.extend(time.map(|time| (HeaderName::from_static("x-as-of"), time)));
    response
}

/// Returns a value as the commands print it.
fn document(value: &Value) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_else(|_| json!(null).to_string());
    terminal_json(&text).into_owned() + "\n"
}

fn welcome(cookie: &str) -> Response<Body> {
    let mut response = redirect("/");
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}

fn redirect(location: &str) -> Response<Body> {
    let mut response = with_type(StatusCode::SEE_OTHER, "text/plain; charset=utf-8", "");
    // All pages are in one directory.
    if let Ok(location) = HeaderValue::try_from(format!(".{location}")) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

fn with_type(
    status: StatusCode,
    media_type: &'static str,
    bytes: impl Into<Bytes>,
) -> Response<Body> {
    let mut response = Response::new(Full::new(bytes.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}
