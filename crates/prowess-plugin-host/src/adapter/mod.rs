//! A plugin's objects as the core's traits, so that nobody can tell them from linked ones.

pub(crate) mod convert;
mod lease;
mod sink;
mod source;
mod tools;

pub(crate) use source::PluginSource;
pub(crate) use tools::{PluginTools, is_answer};
