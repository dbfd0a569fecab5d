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
mod audited;
mod builder;
pub mod codes;
mod dispatched;
mod gate;
mod policy;
mod skill_tools;
mod slot;
mod suggestion;
mod surface;
mod text;
mod toolbox;

pub use arguments::check_schema;
pub use builder::{BuildError, ToolboxBuilder};
pub use dispatched::Dispatched;
pub use gate::{AllowAll, Gate, GateRequest, Refusal};
pub use policy::{ReadGate, ReadScope, ToolPolicy};
pub use skill_tools::{SkillTools, newer_versions};
pub use surface::{NameStyle, Surface};
pub use toolbox::Toolbox;
