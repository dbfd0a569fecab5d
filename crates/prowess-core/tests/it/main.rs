//! The types of the core keep what their documentation says.

mod cancel;
mod catalog;
mod digest;
mod path;
mod record_set;
mod session_id;
mod skill_error;
mod tokens;
