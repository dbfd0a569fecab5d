//! The toolbox: finds a tool by the name that a model types, checks the arguments, asks the gate,
//! runs the call and writes it down.
//!
//! ```
//! use prowess_core::{Catalog, DeliveryPolicy};
//! use prowess_tools::{SkillTools, ToolNaming, ToolPolicy, Toolbox};
//!
//! let toolbox = Toolbox::builder(ToolNaming::default())
//!     .provider(&SkillTools::new(ToolPolicy::default(), DeliveryPolicy::default()))
//!     .build()?;
//! // Without a skill there is nothing to load, so a model is shown no tool.
//! assert!(toolbox.definitions(&Catalog::empty()).is_empty());
//! # Ok::<(), prowess_tools::BuildError>(())
//! ```
//!
//! [`Toolbox::dispatch`] always answers. An unknown tool, arguments that do not fit, a refusal, a
//! failure and a panic are results with a code and the next step, because a model can only go on
//! from what it can read. Every call takes the same way — schema, [`Gate`], run, audit — whichever
//! provider and whichever [`ToolNaming`] it comes through.
//!
//! [`SkillTools`] are the operations on skills, under the names, schemas and results of each
//! [`Surface`]. They know the core's seams alone: the session
//! is a trait object that the host binds, the catalog is the turn's. No vendor's wire format is
//! known here.
//!
//! After the gate, hooks of loaded skills may still refuse a call. Loading reads bodies from the
//! sources of the turn's catalog, and changes the session completely or not at all. The audit
//! receives the intent of a call just before it runs, and if the policy requires it, nothing runs
//! whose intent is not stored.
#![forbid(unsafe_code)]

mod arguments;
mod audited;
pub mod codes;
mod content;
mod error;
#[cfg(feature = "functions")]
mod function_tool;
mod gate;
mod guarded;
mod hooks;
mod lookup;
mod names;
mod operations;
mod policy;
mod rehearsal;
mod suggestion;
mod surface;
mod surfaces;
mod toolbox;
mod trace;

pub use arguments::{check_schema, remove_unusable};
pub use audited::CallAudit;
pub use error::{BuildError, SchemaError};
#[cfg(feature = "functions")]
pub use function_tool::FunctionTool;
pub use gate::{AllowAll, Gate, GateAnswer, GateRequest, Refusal};
pub use hooks::{EndedRun, SkillHooks, declared_hooks};
pub use lookup::listed_ids::ListedIds;
pub use lookup::newer::changed_active_skills;
pub use lookup::reference::used_file;
pub use lookup::script_reads::{HostPaths, ReadCall, script_read};
pub use lookup::user::{ExplicitActivation, completions, explicit_activation, skill_directories};
pub use lookup::word_filter::WordFilter;
pub use policy::{
    DiscoveryTools, HookPolicy, ReadGate, ReadScope, RequiresMode, ScriptRead, SkillContent,
    SkillLookup, ToolHost, ToolPolicy,
};
pub use prowess_core;
pub use prowess_core::is_script_file;
pub use suggestion::closest;
pub use surface::Surface;
pub use surfaces::{SkillTools, no_runner, unrunnable_script};
pub use toolbox::Toolbox;
pub use toolbox::builder::ToolboxBuilder;
pub use toolbox::dispatched::Dispatched;
pub use toolbox::host_call::AdmittedCall;
pub use toolbox::naming::{NameStyle, ToolNaming};
