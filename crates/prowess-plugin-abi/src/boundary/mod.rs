//! The boundary types. The files here only refer to this module, so that a copy of it can be
//! compiled next to a later version.
#![allow(
    missing_docs,
    non_camel_case_types,
    non_local_definitions,
    unreachable_pub,
    unused_braces,
    unused_qualifications,
    clippy::all,
    clippy::undocumented_unsafe_blocks,
    clippy::cast_possible_truncation,
    clippy::needless_pass_by_value,
    clippy::semicolon_if_nothing_returned,
    reason = "the macros of abi_stable write such code; the items written by hand are documented"
)]

mod blob;
mod call;
mod error;
mod host;
mod module;
mod numbers;
mod scan;
mod source;
mod tools;

pub use blob::{Blob, contain};
pub use call::CallCtx;
pub use error::AbiError;
pub use host::{Change, HostApi, HostApi_TO, HostBox};
pub use module::{
    Exports, InitRequest, PluginModule, PluginModule_Prefix, PluginModule_Ref, SourceBox, ToolsBox,
};
pub use numbers::{changes, codes, coverage, flags, levels, severities};
pub use scan::{Found, Problem, ScanSinkAbi, ScanSinkAbi_TO, ScanSinkMut};
pub use source::{
    ListPage, ListRequest, ReadRequest, Resource, SkillSourceAbi, SkillSourceAbi_TO, SourceInfo,
};
pub use tools::{ToolProviderAbi, ToolProviderAbi_TO};

/// The minor version of the ABI.
pub const MINOR: u32 = 1;
/// The major version of the ABI.
pub const MAJOR: u32 = 1;
