//! Tests of the core's types.

mod approval;
mod cancel;
mod catalog;
mod codes;
mod digest;
mod hook_command;
mod path;
mod record_set;
mod result_texts;
mod run_preference;
mod session_id;
mod skill_error;
mod tokens;
mod tool;
mod vectors;
mod withheld;
