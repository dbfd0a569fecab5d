//! The product as its users meet it: the binary itself, its streams and its exit codes.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod approvals;
mod audit;
mod bad_input;
mod calls;
#[cfg(feature = "catalog-file")]
mod catalog_file;
mod configuration;
mod contract;
mod credentials;
mod doctor;
mod documents;
mod drift;
mod dynamic;
mod explain;
mod features;
mod frozen;
mod help;
mod history;
mod install;
mod install_crashes;
mod install_text;
mod lock_files;
#[cfg(all(feature = "http", feature = "mcp-sources"))]
mod mcp_call;
mod mcp_install;
#[cfg(all(feature = "http", feature = "mcp-sources"))]
mod mcp_sources;
mod new;
#[cfg(target_os = "linux")]
mod night;
mod peers;
mod placement;
mod places;
mod plugin;
mod plugin_check;
mod plugin_new;
mod probe;
mod program;
mod progress;
mod project_lock;
mod prompt;
mod proposals;
#[cfg(feature = "real-servers")]
mod real;
#[cfg(feature = "remotes")]
mod repackaged;
mod run;
#[cfg(feature = "proxy")]
mod script_network;
mod search;
mod secrets;
mod serve;
mod serve_documents;
#[cfg(feature = "http")]
mod serve_http;
mod serve_log;
#[cfg(feature = "web")]
mod serve_web;
#[cfg(feature = "virtual-shell")]
mod shell;
#[cfg(feature = "remotes")]
mod signers;
mod terminal;
mod tour;
mod trust;
mod validate;
mod workflows;

use std::path::Path;

use program::Ran;

/// A skill's file with this frontmatter.
fn skill_md(frontmatter: &str) -> String {
    format!("---\n{frontmatter}\n---\nThe instructions of {frontmatter:.40}\n")
}

/// A plain skill's file.
fn plain_skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Helps with {name}.\n---\n# How to use {name}\n")
}

/// Runs the program over one root of the user's.
fn run(root: &Path, args: &[&str]) -> Ran {
    program::Program::new().root("user", root).run(args)
}
