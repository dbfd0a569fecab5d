//! Adapts the objects of a plugin in this process to the core's traits.

pub(crate) mod convert;
mod lease;
mod named;
mod sink;
mod source;
mod tool;
mod tools;

pub(crate) use convert::ToolDescription;
pub(crate) use sink::found_unsized;
pub(crate) use source::PluginSource;
pub(crate) use tool::{Answered, DescribedTool, PluginTool, ToolPlugin};
pub(crate) use tools::{LocalTool, PluginTools};
#[cfg(feature = "check")]
pub(crate) use {convert::parse_tools, tools::check_result};
