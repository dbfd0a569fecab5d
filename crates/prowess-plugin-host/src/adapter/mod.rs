//! A plugin's objects as the core's traits, which behave as linked ones do.

pub(crate) mod convert;
mod lease;
pub(crate) mod named;
mod sink;
mod source;
mod tools;

pub use convert::{Described, described};
pub(crate) use sink::found_unsized;
pub(crate) use source::PluginSource;
pub use tools::is_answer;
pub(crate) use tools::{PluginTool, PluginTools};
