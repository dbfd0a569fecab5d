//! Tests of the core's types.

mod approval;
mod approval_model;
mod cancel;
mod catalog;
mod codes;
mod digest;
mod path;
mod record_set;
mod run_preference;
mod session_id;
mod skill_error;
mod tokens;
mod tool;
