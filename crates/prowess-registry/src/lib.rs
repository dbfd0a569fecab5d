//! Builds catalogs from sources and layers, and swaps them atomically.
//!
//! ```
//! use std::sync::Arc;
//! use prowess_registry::Registry;
//! use prowess_registry::prowess_core::{CatalogProvider, Layer, MemorySource, Trust};
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
//!
//! # A reload
//!
//! Each source gets the stamps of its last scan, so an unchanged package is not read again. A
//! source that fails keeps its last good scan and adds a diagnostic, and a version that cannot be
//! used never replaces one that can: a skill is removed when its directory is, not when it cannot
//! be read. A background reload confirms a missing or broken skill 50 ms later before it accepts
//! the change.
//!
//! The next record set shares unchanged texts with the previous one. After an edit of a
//! description, version or body, the next catalog shares everything else, so the cost depends on
//! the edit and not on the number of skills. If there was a search before, the ranker indexes the
//! next catalog before it is published. Subscribers are notified after it is visible, and a slow
//! one blocks no other. `cargo xtask loom` tries every interleaving of the threads.
//!
//! # Rules
//!
//! - An untrusted layer never shadows a trusted one, whatever weights, priorities and policies
//!   say, even where the trusted skill is disabled or not ready. It cannot take an alias of the
//!   host, or an id that is spelled like a trusted skill's qualified id.
//! - Skills of an untrusted project are listed with the reason, never offered, and shadow nothing.
//!   A turn starts after skills whose trust was revoked are gone.
//! - The meaning of an id depends on scopes, on what the machine offers and on the host's rules,
//!   never on the files being worked on or on the caller: a skill that is hidden from a model
//!   keeps its id.
//! - A view for one audience is never served to another: views are cached by the whole audience,
//!   and a skill out of scope has no name in them.
//!
//! The types of other crates in these signatures are re-exported with their crate, as in each
//! library of this workspace, so that a host of this one needs no other.
//!
//! With the feature `tracing`, each reload is a span with its causes and results. Without the
//! default feature `sha2`, copies of a skill are compared by the slower digests of `prowess-core`.
#![forbid(unsafe_code)]

mod agent_skills;
mod auditor;
mod body_cache;
mod builder;
mod cause;
mod change;
mod changes;
pub mod codes;
mod collect;
mod copies;
mod error;
mod first_scans;
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
#[cfg_attr(not(feature = "tracing"), path = "trace_off.rs")]
mod trace;
mod visibility;

pub use builder::RegistryBuilder;
pub use cause::ReloadCause;
pub use change::{CatalogChange, IdList};
pub use changes::Changes;
pub use error::RegistryError;
pub use folder::HiddenProject;
pub use policy::{Collision, IdFrom, OnBroken, PriorityBounds, RegistryPolicy, UnknownLayer};
pub use prowess_core;
pub use prowess_format::{self, NameMismatch, SkillMdCase};
pub use refresh::{RefreshMode, RefreshPolicy, Refresher};
pub use registry::{Registry, Reload};
pub use subscribe::{Notice, Subscription};
pub use visibility::{MissingTools, Show, SkillRule, VisibilityPolicy};
