//! Sessions, approvals, the audit and proposals of many hosts in one PostgreSQL database.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use prowess_core::{SessionId, SessionStore};
//! use prowess_postgres::Database;
//!
//! let database = Arc::new(Database::open("postgres://prowess@localhost/prowess")?);
//! // A host passes it to its runtime as the store of sessions, of approvals and of proposals.
//! let sessions: Arc<dyn SessionStore> = database;
//! assert!(sessions.load(&SessionId::new("s1")?)?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A change is one statement or one transaction, which compares what is stored with what the caller
//! expects: of racing hosts one wins, and a call that is repeated with its operation after an
//! answer was lost changes nothing twice. An approval and the row that records its change are
//! stored together. Each call ends after a few seconds, also if the server answers nothing at all;
//! the error then names when to try again, and no other store takes its place.
//!
//! The connections are tasks of one thread, which sleeps without work; the callers wait on threads
//! of their own and need no async runtime. The host chooses the database and the kind of TLS:
//! nothing here reads the environment.
#![forbid(unsafe_code)]

mod approvals;
mod audit;
mod connection;
mod database;
mod driver;
mod error;
mod proposals;
mod schema;
mod sessions;

pub use audit::{AuditProblem, HostLog, PostgresAudit, host_of_log};
pub use database::Database;
pub use error::PostgresError;
pub use prowess_audit;
pub use prowess_core;
