//! The toolbox: finds a tool by the name that a model types, checks the arguments, asks the gate, runs
//! the call and writes it down.
//!
//! ```
//! use std::sync::Arc;
//!
//! use prowess_core::{Catalog, NoAudit};
//! use prowess_tools::{SkillTools, Surface, ToolPolicy, Toolbox};
//!
//! let toolbox = Toolbox::builder(Surface::default())
//!     .provider(&SkillTools::new(ToolPolicy::default()))
//!     .audit(Arc::new(NoAudit))
//!     .build()?;
//! // Without a skill there is nothing to load, so a model is shown no tool.
//! assert!(toolbox.definitions(&Catalog::empty()).is_empty());
//! # Ok::<(), prowess_tools::BuildError>(())
//! ```
//!
//! [`Toolbox::dispatch`] always answers. An unknown tool, arguments that do not fit, a refusal, a
//! failure and a panic are results with a code and the next step, because a model can only go on from
//! what it can read. Every call takes the same way — schema, [`Gate`], run, audit — whichever provider
//! and whichever [`Surface`] it comes through.
//!
//! [`SkillTools`] are the three operations on skills. They know the core's seams alone: the session is a
//! trait object that the host binds, the catalog is the turn's. No vendor's wire format is known here.
#![forbid(unsafe_code)]

mod arguments;
mod gate;
mod policy;
mod skill_tools;
mod suggestion;
mod surface;
mod text;
mod toolbox;

pub use gate::{AllowAll, Gate, GateRequest, Refusal};
pub use policy::{ReadGate, ReadScope, ToolPolicy};
pub use skill_tools::SkillTools;
pub use surface::{BuildError, NameStyle, Surface};
pub use toolbox::{Dispatched, Toolbox, ToolboxBuilder};

/// The codes that the toolbox itself answers with, beside those of the tools.
pub mod codes {
    use prowess_core::Code;

    /// No tool has this name.
    pub const UNKNOWN_TOOL: Code = Code::new("unknown-tool");
    /// The arguments do not fit.
    pub const INVALID_ARGUMENTS: Code = Code::new("invalid-arguments");
    /// The tool broke down. The host lives.
    pub const TOOL_FAILED: Code = Code::new("tool-failed");
    /// The gate broke down, so the call was not run.
    pub const GATE_FAILED: Code = Code::new("gate-failed");
    /// The host no longer wants the answer.
    pub const CANCELLED: Code = Code::new("cancelled");
    /// No skill has this name.
    pub const SKILL_NOT_FOUND: Code = Code::new("skill-not-found");
    /// The skill must be loaded first.
    pub const SKILL_NOT_ACTIVE: Code = Code::new("skill-not-active");
    /// The skill is no longer what the catalog or the session knows.
    pub const SKILL_CHANGED: Code = Code::new("skill-changed");
    /// The skill's `SKILL.md` can no longer be used.
    pub const SKILL_INVALID: Code = Code::new("skill-invalid");
    /// One call names more skills than it may.
    pub const TOO_MANY_SKILLS: Code = Code::new("too-many-skills");
    /// The path is none.
    pub const INVALID_PATH: Code = Code::new("invalid-path");
    /// The policy keeps this part of a package from being read.
    pub const PATH_NOT_ALLOWED: Code = Code::new("path-not-allowed");
}
