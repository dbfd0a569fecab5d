//! Traces: the spans and events that the crates emit.
//!
//! They have the target `prowess` and cost one atomic load each without a subscriber. Their names
//! and fields are a contract, which tests read with a real subscriber. No field holds text of a
//! skill or arguments of a call.
//!
//! # Spans
//!
//! - `reload` (info): from the first scan to the notification of subscribers. Fields: `cause`:
//!   `start`, `manual`, `signal`, `ttl`, `poll`, `watch`, `confirm`, `trust` or `finding`.
//! - `scan` (debug): in `reload`: the scan of one source. Fields: `source`; `added`, `changed`,
//!   `removed`, `unchanged`, `rejected`, or `error`.
//! - `resolve` (debug): in `reload`: which skill has which id. Fields: `generation`.
//! - `turn` (info): from the start of a turn to its drop; entered by each of its calls. Fields:
//!   `session`, `generation`, `skills`.
//! - `call` (info): in `turn`: from the check of the arguments to the audit. Fields: `tool` unless
//!   unknown, `caller`, `outcome`, `code`.
//! - `plugin_call` (debug): a call of a plugin, from the wait for a thread or a slot to the
//!   answer. Fields: `plugin`, `isolation`: `in-process` or `process`, `operation`; `error` if
//!   there is no answer.
//!
//! # Events
//!
//! - `swap` (info): in `reload`: readers have the next catalog. Fields: `before`, `generation`,
//!   `skills`.
//! - `finding` (warn): in `reload`: the new catalog has a warning or an error that the one before
//!   has not, such as a file over the soft limit. Fields: `code`, `path`.
//! - `watch` (debug): a watched source reports a change. Fields: `source`; `packages`, or `error`
//!   if the watch is lost.
//! - `task_end` (info; error if skills stay loaded): the end of a task unloads the skills of its
//!   session. Fields: `session`; `skills`, or `error`.
//! - `hook_not_run` (info): a skill with a hook `post` ends with its task, its session or its
//!   trust instead of by a call. Fields: `session`, `skill`, `hook`; `cause`: `TaskCompleted`,
//!   `SessionClosed`, `SessionExpired`, `SessionEvicted` or `Revoked`.
//! - `deprecated_tool` (warn): a function tool is called by an alias. Fields: `alias`, `tool`.
//! - `host_refused` (warn): the end of a script: each connection that was refused to it. Fields:
//!   `skill`, `host`, `code`.
//!
//! `Reload::cause` is the cause of a reload for a host. Where several requests share one reload,
//! it is the cause of the first.
//!
//! # Events of the audit
//!
//! With the feature `audit`, a runtime emits these as well (`TracedAudit`). `skill` is the id of
//! the skill, and `correlation` ties the run of one skill together.
//!
//! - `skill_activated` (info): a skill was loaded. Fields: `session`, `correlation`, `skill`.
//! - `skill_deactivated` (info): a skill is no longer loaded. Fields: `session`, `correlation`,
//!   `skill`, `seconds`, `cause`, such as `on task completion`.
//! - `tool_restriction_violated` (warn): the gate denied a call. Fields: `session`, `correlation`,
//!   `skill`, `tool`.
//! - `tool_execution` (debug): any other call has ended. Fields: `session`, `correlation`,
//!   `skill`.
//! - `hook_failed` (warn): a hook of a skill failed that stops nothing: `post`, `PostToolUse` or
//!   `Stop`; without `audit` too. Fields: `skill`, `code`.
//! - `audit_failed` (warn): an audit sink failed or panicked. Fields: `error`.
