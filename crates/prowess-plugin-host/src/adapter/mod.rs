//! Adapts the objects of a plugin in this process to the core's traits.

pub(crate) mod convert;
mod lease;
pub(crate) mod named;
mod sink;
mod source;
mod tools;

pub use convert::{ToolDescription, parse_tools};
pub(crate) use sink::found_unsized;
pub(crate) use source::PluginSource;
pub use tools::check_result;
pub(crate) use tools::{PluginTool, PluginTools};
