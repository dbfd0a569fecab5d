//! Builds catalogs from sources and layers, and swaps them atomically.
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
//! A reload builds the next catalog and replaces the current one atomically, so a reader never
//! waits and never sees a mixture of both. A separate policy decides when to reload: a
//! [`Refresher`] keeps a registry fresh by age, by polling or by notifications of its sources.
#![forbid(unsafe_code)]

mod auditor;
mod body_cache;
mod builder;
mod cause;
mod change;
mod changes;
pub mod codes;
mod collect;
mod duplicates;
mod error;
mod folder;
#[cfg(all(test, loom))]
mod loom_tests;
mod policy;
mod precedence;
mod previous;
mod published;
mod readiness;
mod reasons;
mod refresh;
mod registry;
mod resolve_input;
mod resolver;
mod scanned;
mod scope;
mod single_flight;
mod subscribe;
mod sync;
mod trace;
mod visibility;

pub use builder::RegistryBuilder;
pub use cause::ReloadCause;
pub use change::{CatalogChange, IdList};
pub use changes::Changes;
pub use error::RegistryError;
pub use policy::{
    Collision, IdFrom, NameMismatch, OnBroken, PriorityBounds, RegistryPolicy, SkillMdCase,
    UnknownLayer,
};
pub use refresh::{RefreshMode, RefreshPolicy, Refresher};
pub use registry::{Registry, Reload};
pub use subscribe::{Notice, Subscription};
pub use visibility::{MissingTools, Show, SkillRule, VisibilityPolicy};
