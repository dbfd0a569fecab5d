//! Sessions: the loaded skills of each conversation.
//!
//! ```
//! use std::sync::Arc;
//!
//! use prowess_core::Unload;
//! use prowess_session::{MemoryStore, SessionPolicy, Sessions};
//! # use prowess_testkit::ManualClock as HostClock;
//!
//! // The clock is the host's, such as `prowess::SystemClock`.
//! let store = Arc::new(MemoryStore::new());
//! let sessions = Sessions::new(store, Arc::new(HostClock::default()), SessionPolicy::default());
//! let session = sessions.open()?;
//! assert!(session.state()?.active.is_empty());
//!
//! // Another process with the same store continues where this one stopped.
//! let again = sessions.resume(session.id())?;
//! again.unload(&Unload::All)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A change is a pure function from a list of active skills to the next one ([`operations`]),
//! applied to the store by compare-and-swap: it is atomic, also with other threads and other hosts,
//! and no lock is held while it is computed.
//!
//! The messages of a conversation stay with the host, so the memory of this crate does not grow
//! with a conversation's length.
#![forbid(unsafe_code)]

mod approvals;
mod boundaries;
mod encoded;
mod error;
mod fork;
mod handle;
mod identity;
pub mod ledger;
#[cfg(all(test, loom))]
mod loom_tests;
mod memory;
pub mod operations;
mod policy;
mod record;
mod refreshed;
mod runs;
mod sessions;
mod shared;
mod task;
mod transfer;

pub use approvals::{
    ApprovalPolicy, ApprovedCall, AskAnswer, AuditedApprovals, CallApprovals, MemoryApprovals,
};
pub use boundaries::Boundaries;
pub use error::{ImportError, OpenError};
pub use fork::ForkRequest;
pub use handle::SessionHandle;
pub use identity::{random_id, random_operation};
pub use memory::MemoryStore;
pub use policy::{OnChange, OnLimit, OnReload, SessionPolicy};
pub use prowess_core;
pub use prowess_core::Discipline;
pub use refreshed::{Refreshed, ReplacedSkill};
pub use runs::{EndedSkills, OnEnd};
pub use sessions::Sessions;
pub use task::Task;
pub use transfer::{ExportedSkill, ImportRequest, Imported};
