//! Sources and layers to a catalog, and the atomic swap by which readers get the next one.
//!
//! ```
//! use std::sync::Arc;
//! use prowess_core::{CatalogProvider, Layer, MemorySource, Trust};
//! use prowess_registry::Registry;
//!
//! let source = MemorySource::builder("notes")
//!     .file("pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\nBody\n")
//!     .build()?;
//! let registry = Registry::builder()
//!     .layer(Layer::new("user", Trust::Trusted))
//!     .source("user", Arc::new(source))
//!     .build()?;
//! registry.reload();
//!
//! let catalog = registry.catalog();
//! assert_eq!(catalog.get("pdf").map(|skill| skill.description()), Some("Fills forms."));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A reload builds the next catalog beside the running one and stores it with one atomic write, so a
//! reader never waits and never sees a mixture. When to reload is a policy of its own: a [`Refresher`] keeps a registry fresh by
//! age, by polling or by what its sources tell.
#![forbid(unsafe_code)]

mod auditor;
mod bodies;
mod builder;
mod cause;
mod change;
mod changes;
mod coalesce;
pub mod codes;
mod collect;
mod copies;
mod folder;
#[cfg(all(test, loom))]
mod models;
mod policy;
mod precedence;
mod previous;
mod published;
mod readiness;
mod reasons;
mod refresh;
mod registry;
mod resolve_input;
mod scope;
mod settler;
mod subscribe;
mod sync;
mod trace;
mod visibility;

pub use builder::{RegistryBuilder, RegistryError};
pub use cause::ReloadCause;
pub use change::{CatalogChange, IdList};
pub use changes::Changes;
pub use policy::{
    Collision, IdFrom, NameMismatch, OnBroken, PriorityBounds, RegistryPolicy, SkillMdCase,
    UnknownLayer,
};
pub use refresh::{RefreshMode, RefreshPolicy, Refresher};
pub use registry::{Registry, Reload};
pub use subscribe::{Notice, Subscription};
pub use visibility::{MissingTools, Show, SkillRule, VisibilityPolicy};
