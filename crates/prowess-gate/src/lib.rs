//! Decides whether a tool call may run, and says why.
//!
//! ```
//! use prowess_core::{AllowedTools, SessionId, Timestamp, Trust};
//! use prowess_gate::{GateInput, GatePolicy, GatedSkill, GatedTool, ToolKind, decide};
//! use serde_json::json;
//!
//! let rules = AllowedTools::parse("Bash(git:*) Read")?;
//! let skill = GatedSkill {
//!     id: "release",
//!     location: "/skills/release/SKILL.md",
//!     trust: Trust::Trusted,
//!     allowed_tools: &rules,
//!     positions: &[],
//!     package: None,
//! };
//! let kind = ToolKind::Shell { command: "command", harmless: &["description"] };
//! let decide_on = |command: &str| {
//!     decide(&GateInput {
//!         policy: &GatePolicy::default(),
//!         tool: GatedTool { name: "Bash", aliases: &[], kind },
//!         arguments: &json!({ "command": command }),
//!         files: None,
//!         skills: &[skill],
//!         approvals: &[],
//!         session: &SessionId::new("session").expect("a valid id"),
//!         tenant: None,
//!         now: Timestamp(0),
//!         consent: None,
//!     })
//! };
//! assert!(decide_on("git add . && git commit -m 'a; b'").is_allowed());
//! assert!(decide_on("git log > file").is_ask());
//! assert!(decide_on("git log; rm file").is_ask());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A **grant** lets a call run without asking; a **limit** excludes calls whatever grants them. The
//! `allowed-tools` of a skill is a grant by default, as agentskills.io has it, and a limit where
//! the [policy](GatePolicy) says so. The operator's own limits are the [`Ceiling`].
//!
//! A rule covers a call only if that can be shown: a shell command has to consist of literal words
//! ([`shell_commands`]), and a path must not lead elsewhere than it reads. A person is asked about
//! anything else, or it is refused under a limit. What a covered program does is not limited:
//! `Bash(git:*)` covers everything that git can do.
//!
//! With the [files of the host](HostFiles), a rule about paths covers the file that a path leads to
//! and not the link, and the list of a skill reaches no file outside of its package and the working
//! directory: only the operator's [grant](GatePolicy::grant) does. A command has to show that it
//! stays there: a path anywhere in a word, a text for an interpreter and `sudo` ask.
//!
//! A denied command is refused behind the programs that run it, such as `sudo`, and asked about
//! behind those whose work cannot be read, such as `python` or a script of the project. What
//! remains: a program of the machine that runs it unseen under a name that is not known here.
//!
//! Everything here is a pure function: no file, no clock, nothing is run. The host stores approvals
//! and spends the one that [`Grounds::approval`] names.
#![forbid(unsafe_code)]

mod approvals;
mod arguments;
mod behind;
mod call;
pub mod codes;
mod decide;
mod decision;
mod diagnostics;
mod explain;
mod files;
mod gap;
mod grounds;
mod input;
mod pattern;
mod policy;
mod reach;
mod refusal;
mod restriction;
mod rules;
mod shell;
mod tool_arguments;

pub use approvals::arguments_digest;
pub use decide::decide;
pub use decision::{Decision, Grounds, Reason, Refusal, RuleOrigin, RuleReference};
pub use diagnostics::check_rules;
pub use files::{FileReference, HostFiles};
pub use input::{Consent, GateInput, GatedSkill, GatedTool, ToolKind};
pub use policy::{
    Ceiling, Combine, EmptyList, GatePolicy, GrantFrom, ToolMatchCase, ToolSemantics, Ungranted,
};
pub use prowess_core;
pub use prowess_format;
pub use prowess_format::tool_pattern::{CommandPattern, PathPattern, PatternError};
pub use restriction::allowed_tool_names;
pub use rules::ToolRules;
pub use shell::{
    MAX_COMMAND_BYTES, MAX_SIMPLE_COMMANDS, SimpleCommand, Unreadable, UnreadableKind,
    shell_commands,
};
pub use tool_arguments::{GatedArguments, ToolArguments};
