//! Using prowess from async code.
//!
//! The library is synchronous: it reads files with plain system calls, and nothing in it needs an
//! executor. [`Runtime`](crate::Runtime), [`SessionHandle`](crate::session::SessionHandle) and
//! [`Turn`](crate::Turn) are `Send`, `Sync` and `'static`, so an async host moves the calls that
//! block to a thread that may block:
//!
//! ```
//! use prowess::session::SessionHandle;
//! use prowess::{Runtime, ToolCall, ToolResult};
//! use serde_json::json;
//! use tokio::task::spawn_blocking;
//!
//! /// Runs one call of the model. The executor's threads never wait for a disk.
//! async fn call(runtime: Runtime, session: SessionHandle, call: ToolCall) -> ToolResult {
//!     let work = move || -> Result<ToolResult, prowess::Error> {
//!         Ok(runtime.turn(&session)?.call(&call).result)
//!     };
//!     spawn_blocking(work).await.expect("no tool panics").expect("the session is open")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), prowess::Error> {
//! let runtime = Runtime::builder().default_skills().build()?;
//! let session = runtime.open_session()?;
//! let load = ToolCall::new("skills_load", json!({"names": ["skill-writing"]}));
//! let result = call(runtime.clone(), session.clone(), load).await;
//! assert!(!result.is_error);
//!
//! // A turn can also be started once and moved: it owns its catalog, session and parts.
//! let turn = runtime.turn(&session)?;
//! let prompt = spawn_blocking(move || turn.prompt()).await.expect("composing does not panic");
//! assert!(prompt.text.contains("# Writing a skill"));
//! # Ok(())
//! # }
//! ```
//!
//! # Blocking calls
//!
//! [`build`](crate::RuntimeBuilder::build) waits for the first scan of every source: about 3 µs per
//! skill with warm caches, 2 to 3 times that without a [record
//! cache](crate::RuntimeBuilder::record_cache). A cold disk or a network mount takes longer.
//!
//! [`reload`](crate::Runtime::reload) and [`refresh`](crate::Runtime::refresh) wait for a scan that
//! reads changed packages only. A second caller waits for the scan that runs. Each takes as long as
//! a second `build`.
//!
//! [`turn`](crate::Runtime::turn) waits for the session store, which takes a microsecond in memory.
//! Under the refresh policy `ttl` it also waits for a reload if the catalog is older than the
//! limit, and under `session.on_change` for one read per loaded skill.
//!
//! [`call`](crate::Turn::call) waits for the tool. `skills_load` and `skills_read` open one file
//! per skill or resource: tens of microseconds for a local file. A tool of the host or of a plugin
//! takes its own time, bounded by [`Cancel`](crate::Cancel).
//!
//! [`prompt`](crate::Turn::prompt) does not wait: it composes text from memory.
//!
//! [`open_session`](crate::Runtime::open_session),
//! [`resume_session`](crate::Runtime::resume_session) and
//! [`close_session`](crate::Runtime::close_session) wait for the session store.
//!
//! [`catalog`](crate::Runtime::catalog), [`view`](crate::Runtime::view),
//! [`tools`](crate::Turn::tools) and [`search`](crate::Turn::search) do not wait, not even for a
//! reload. The first search after a change builds the index.
//!
//! Dropping the last clone of a runtime and its last turn waits for the threads of the refresh
//! policies `poll` and `watch`: as long as the scan that runs.
//!
//! `cargo xtask bench` measures these times and writes them to `benches/README.md`.
//!
//! # Advice
//!
//! - Build the runtime before the executor accepts requests, or in `spawn_blocking`.
//! - Prefer the refresh policies `watch` and `poll` to `ttl`: they reload on a thread of their own,
//!   and a turn then never scans.
//! - Start the turn in the same `spawn_blocking` as the call, as above, unless the session store is
//!   in memory and the policy is not `ttl`.
//! - Pass a [`Cancel`](crate::Cancel) to [`call_until`](crate::Turn::call_until) and cancel it when
//!   the request's future is dropped. A dropped `spawn_blocking` task runs on.
//! - [`subscribe_with`](crate::Runtime::subscribe_with) bridges catalog changes to a task: its
//!   callback may call `tokio::sync::Notify::notify_one`, and the task then empties the
//!   subscription with `try_recv`.
//! - Open a session under the id of the chat in the host's database by
//!   [`open_session_with`](crate::Runtime::open_session_with), so that only one id needs to be
//!   stored.
//!
//! The package `examples/async-host` is a small HTTP server built like this, with tokio and axum.
