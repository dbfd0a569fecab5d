//! A runtime for Agent Skills: it finds skills, describes them to a model, loads them into
//! conversations and answers the model's tool calls.
//!
//! ```
//! use prowess::{Runtime, ToolCall};
//! use serde_json::json;
//!
//! let runtime = Runtime::builder().default_skills().build()?;
//! let session = runtime.open_session()?;
//!
//! let turn = runtime.turn(&session)?;
//! assert!(turn.prompt().text.contains("<available_skills>"));
//! let call = ToolCall::new("skills_load", json!({"names": ["skill-writing"]}));
//! let answer = turn.call(&call);
//! assert!(!answer.result.is_error);
//!
//! let next = runtime.turn(&session)?;
//! assert!(next.prompt().text.contains("# Writing a skill"));
//! # Ok::<(), prowess::Error>(())
//! ```
//!
//! This crate wires the others together; each can be used alone. A `SKILL.md` goes from source to
//! format, registry, catalog and prompt, a tool call from name to gate, tool and result.
//!
//! A host begins with [`Runtime::for_this_machine`] or [`Runtime::builder`], whose [`Policies`] say
//! what systems disagree about. Types of the extension points are here, and those of a part in the
//! module of its crate, such as [`session`] and [`tools`]. The [`guide`] goes on from here.
#![forbid(unsafe_code)]

mod added_source;
mod agent;
mod agent_names;
mod assembly;
mod auto_load;
mod binding;
mod builder;
mod built_in;
mod clock;
mod compaction;
#[cfg(feature = "config")]
mod config;
mod conversations;
mod default_skills;
#[cfg(feature = "filesystem")]
mod directories;
mod error;
mod faces;
mod facts;
mod feature_need;
mod gate;
pub mod guide;
#[cfg(feature = "filesystem")]
mod home_paths;
#[cfg(feature = "filesystem")]
mod machine;
mod parts;
#[cfg(feature = "plugins")]
mod plugin_tools;
mod policies;
#[cfg(feature = "proposals")]
mod proposals;
#[cfg(feature = "state")]
mod record_cache;
mod runtime;
mod skills_prompt;
mod source_settings;
mod sources;
mod trace;
mod turn;

pub use agent::Agent;
pub use agent_names::HostNames;
pub use builder::{RuntimeBuilder, STANDARD_LAYERS};
pub use clock::SystemClock;
pub use compaction::{ReinjectedSkill, Reinjection};
#[cfg(feature = "config")]
pub use config::{
    ConfigError, ConfigErrorKind, ConfigPart, ConfigPosition, ConfigTier, ConfigValue,
    Configuration, Origin, PresetDifference,
};
pub use default_skills::{default_skills, is_default_skill};
pub use error::{BindError, Error};
pub use facts::SystemFacts;
pub use feature_need::FeatureNeed;
#[cfg(feature = "filesystem")]
pub use machine::this_machine;
#[cfg(all(feature = "filesystem", feature = "state"))]
pub use machine::{folder_trust, trust_file};
pub use policies::{AddedTools, AuditLog, AuditSettings, AutoLoad, ClientPolicy, Policies};
#[cfg(feature = "proposals")]
pub use proposals::file_proposals;
pub use runtime::Runtime;
pub use source_settings::{McpServerSettings, SourceSettings};
pub use turn::{CallOptions, Permit, RequestParts, Turn};

#[cfg(feature = "audit")]
pub use prowess_audit as audit;
pub use prowess_core::*;
pub use prowess_format as format;
pub use prowess_gate as gating;
pub use prowess_gate::{Decision, GatedArguments, ToolArguments};
#[cfg(feature = "proposals")]
pub use prowess_governance as governance;
#[cfg(feature = "lint")]
pub use prowess_lint as lint;
#[cfg(feature = "plugins")]
pub use prowess_plugin_host as plugin_host;
pub use prowess_prompt as prompt;
#[cfg(feature = "exact-tokens")]
pub use prowess_prompt::{ExactTokens, Vocabulary};
pub use prowess_registry as registry;
pub use prowess_registry::HiddenProject;
#[cfg(feature = "scripts")]
pub use prowess_sandbox as sandbox;
#[cfg(feature = "scripts")]
pub use prowess_script as script;
#[cfg(feature = "search")]
pub use prowess_search as search;
pub use prowess_session as session;
pub use prowess_session::{ApprovalPolicy, ForkRequest, SessionHandle};
#[cfg(feature = "virtual-shell")]
pub use prowess_shell as shell;
pub use prowess_source_embedded as source_embedded;
#[cfg(feature = "filesystem")]
pub use prowess_source_fs as source_fs;
#[cfg(feature = "filesystem")]
pub use prowess_source_fs::Surroundings;
#[cfg(feature = "state")]
pub use prowess_state as state;
#[cfg(feature = "state")]
pub use prowess_state::TrustFile;
pub use prowess_text as text;
pub use prowess_tools as tools;
pub use prowess_tools::{Dispatched, Surface};
#[cfg(feature = "vendor")]
pub use prowess_vendor as vendor;

/// The README's example is a program that compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
