//! A page for the operator of Agent Skills: what waits for a decision, the catalog, the audit.
//!
//! The page has no logic that the command line lacks. A host implements [`Desk`], whose values are
//! those that its commands print as JSON; each URL returns such a value as HTML or, with the header
//! `Accept: application/json` or the parameter `format=json`, as the same JSON.
//!
//! ```
//! use std::net::{Ipv4Addr, SocketAddr};
//! use std::sync::Arc;
//!
//! use prowess_web::{Decision, Desk, Refusal, Shown, View, WebServer};
//! use serde_json::{Value, json};
//!
//! struct Empty;
//!
//! impl Desk for Empty {
//!     fn view(&self, _: &View<'_>) -> Result<Shown, Refusal> {
//!         Ok(Shown { value: json!({}), ..Shown::default() })
//!     }
//!
//!     fn decide(&self, _: &Decision<'_>) -> Result<Value, Refusal> {
//!         Ok(json!({}))
//!     }
//! }
//!
//! let server = WebServer::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
//! println!("open {}", server.entrance());
//! server.serve_until(Arc::new(Empty), async {})?;
//! # Ok::<(), prowess_web::WebError>(())
//! ```
//!
//! Texts of skills, models and logs are shown to the person that decides by them, and a page that
//! they could change would decide instead. So there is no script at all, and the headers of each
//! answer forbid it; every text passes [`prowess_text::html`] in the one type that writes pages; a
//! page has at most [`PAGE_BYTES`], and what is longer has a next one. A decision names the digest
//! of what was shown: if that has changed, nothing is done, and the answer shows the difference.
//!
//! Only this machine can reach the page. The printed URL has a token that works once and becomes a
//! cookie for a path that no other server knows; the names in each request must be the server's
//! own, and each form has a token of the session.
//!
//! It is not a dashboard: nothing moves, and a page is as old as its last request. Nothing is folded
//! away in `<details>` either: what a person decides on is in sight, and what is longer has a next page.
#![forbid(unsafe_code)]

mod check;
mod connection;
mod desk;
mod door;
mod error;
mod form;
mod html;
mod pages;
mod route;
mod server;

pub use desk::{Decision, Desk, Refusal, RefusalKind, Scope, Shown, View};
pub use error::WebError;
pub use server::WebServer;

/// The maximum size of a page, in bytes.
pub const PAGE_BYTES: usize = 16 << 10;
