//! The routes. Every call that may read a file or a store runs in `spawn_blocking`.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post, put};
use axum::{Json, Router};
use prowess::{Cancel, Code, Runtime, SessionId, ToolCall, ToolResult, Turn};
use tokio::net::TcpStream;
use tokio::task::spawn_blocking;

/// A status and a message for the client.
type Failure = (StatusCode, String);

/// Returns the routes over `runtime`.
pub(crate) fn router(runtime: Runtime) -> Router {
    Router::new()
        .route("/chats/{id}", put(open).delete(close))
        .route("/chats/{id}/prompt", get(prompt))
        .route("/chats/{id}/calls", post(call))
        .with_state(runtime)
}

/// Opens a session under the id that the client chose.
async fn open(State(runtime): State<Runtime>, Path(id): Path<String>) -> Result<(), Failure> {
    blocking(move || {
        let id = SessionId::new(id).map_err(|error| failure(StatusCode::BAD_REQUEST, &error))?;
        let session = runtime.open_session_with(id);
        session.map(drop).map_err(|error| failure(StatusCode::CONFLICT, &error))
    })
    .await
}

async fn close(State(runtime): State<Runtime>, Path(id): Path<String>) -> Result<(), Failure> {
    blocking(move || {
        let id = SessionId::new(id).map_err(|error| failure(StatusCode::BAD_REQUEST, &error))?;
        let is_closed = runtime.close_session(&id).map_err(|error| not_found(&error))?;
        is_closed.then_some(()).ok_or((StatusCode::NOT_FOUND, "no such chat".to_owned()))
    })
    .await
}

async fn prompt(State(runtime): State<Runtime>, Path(id): Path<String>) -> Result<String, Failure> {
    in_turn(runtime, id, |turn| turn.prompt().text.clone()).await
}

/// Runs one call of the model. A refusal is a result too, so the status is 200.
async fn call(
    State(runtime): State<Runtime>,
    Path(id): Path<String>,
    Json(call): Json<ToolCall>,
) -> Result<Json<ToolResult>, Failure> {
    if call.name == CONNECT {
        return connect(runtime, id, call).await.map(Json);
    }
    let cancel = CancelOnDrop::default();
    let until = cancel.0.clone();
    let result = in_turn(runtime, id, move |turn| turn.call_until(&call, &until).result).await?;
    Ok(Json(result))
}

/// The tool of this server.
const CONNECT: &str = "connect";
const UNREACHABLE: Code = Code::new("unreachable");

/// Runs the tool of this server behind the gate. No thread waits for the connection. When the
/// client disconnects, the permit is dropped, and the audit has a cancelled call.
async fn connect(runtime: Runtime, id: String, call: ToolCall) -> Result<ToolResult, Failure> {
    let address = call.arguments["address"].as_str().unwrap_or_default().to_owned();
    let permit = match in_turn(runtime, id, move |turn| turn.admit(&call)).await? {
        Ok(permit) => permit,
        Err(refused) => return Ok(refused.result),
    };
    let result = match TcpStream::connect(&address).await {
        Ok(_) => ToolResult::text(format!("{address} can be reached")),
        Err(error) => ToolResult::error(UNREACHABLE, format!("{address}: {error}")),
    };
    Ok(permit.finish(result).result)
}

/// Starts a turn of the chat and runs `work` in it, on a thread that may block.
async fn in_turn<T: Send + 'static>(
    runtime: Runtime,
    id: String,
    work: impl FnOnce(&Turn) -> T + Send + 'static,
) -> Result<T, Failure> {
    blocking(move || {
        let id = SessionId::new(id).map_err(|error| failure(StatusCode::BAD_REQUEST, &error))?;
        let session = runtime.resume_session(&id).map_err(|error| not_found(&error))?;
        let turn = runtime.turn(&session).map_err(|error| not_found(&error))?;
        Ok(work(&turn))
    })
    .await
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let done = spawn_blocking(work).await;
    done.map_err(|error| (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?
}

fn failure(status: StatusCode, error: &dyn std::error::Error) -> Failure {
    (status, error.to_string())
}

fn not_found(error: &prowess::Error) -> Failure {
    failure(StatusCode::NOT_FOUND, error)
}

/// Cancels a call when the client disconnects: the request's future is dropped, and this with it.
#[derive(Default)]
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
