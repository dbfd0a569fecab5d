//! Storing conversations or approvals elsewhere.
//!
//! By default sessions and approvals are in memory and end with the program. With the feature
//! `database`, `prowess-state` has stores for both in a file that several programs may share. A
//! host with a database of its own implements [`SessionStore`](crate::SessionStore) or
//! [`ApprovalStore`](crate::ApprovalStore).
//!
//! # The rules that matter
//!
//! - **Compare and set.** `SessionStore::put` names the operation that the writer read, and stores
//!   nothing if another one came between. The caller reads again and repeats its change. In SQL
//!   that is one `UPDATE … WHERE id = ? AND operation = ?`, and the count of changed rows is the
//!   answer.
//! - **Lost answers.** Each put has an id of its own. After an error, the caller reads the session:
//!   if it has that id, the put succeeded.
//! - **Bodies once.** The texts of loaded skills are stored under their digest, separate from the
//!   state, so that a turn writes a few hundred bytes however long the skills are.
//! - **Last use apart.** `touch` records the last use without a new version of the state.
//! - **Spent once.** An approval for one call is spent by `ApprovalStore::replace`, of which
//!   exactly one racing call succeeds.
//!
//! # Testing
//!
//! ```
//! use prowess::session::MemoryStore;
//!
//! let report = prowess_testkit::check_store(&MemoryStore::default());
//! assert!(report.is_passed(), "{report}");
//! ```
//!
//! The report has a row for each rule. `check_approval_store` does the same for approvals. The
//! programs `session_store` and `approval_store` of the example `extension-points` wrap a store of
//! the library, which is enough for counts, notifications or a prefix for each tenant.
