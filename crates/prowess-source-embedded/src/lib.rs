//! Skills compiled into the binary.
//!
//! ```
//! use prowess_core::{PackagePath, ReadLimit, ResourcePath, SkillSource};
//! use prowess_source_embedded::{EmbeddedFile, EmbeddedSource};
//!
//! static FILES: &[EmbeddedFile] = &[EmbeddedFile {
//!     path: "pdf/SKILL.md",
//!     bytes: b"---\nname: pdf\ndescription: Fills forms.\n---\nBody\n",
//! }];
//!
//! let source = EmbeddedSource::new("product", FILES)?;
//! assert_eq!(source.root(), "embedded://product");
//! let package = PackagePath::new("pdf")?;
//! let body = source.read(&package, &ResourcePath::new("SKILL.md")?, ReadLimit::default())?;
//! assert!(body.ends_with(b"Body\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The table need not be written by hand: [`build::write_table`] writes it from a directory, called
//! by the host's `build.rs`. As a build dependency this crate has no dependencies with
//! `default-features = false`.
//!
//! The files lie in the program and are not copied when the source is made. What they mean is the
//! in-memory source's business, so that the two cannot drift apart.
#![forbid(unsafe_code)]

pub mod build;
#[cfg(feature = "source")]
mod source;

#[cfg(feature = "source")]
pub use prowess_core;
#[cfg(feature = "source")]
pub use source::{EmbeddedFile, EmbeddedSource};
