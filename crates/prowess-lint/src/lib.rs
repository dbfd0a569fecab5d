//! Checks whole packages, for authors: what stands in the instructions, where their links lead,
//! which files lie beside them, and which descriptions a model would confuse.
//!
//! ```
//! use prowess_core::{Cancel, MemorySource};
//! use prowess_lint::{LintOptions, NoProgress, check_tree};
//!
//! let source = MemorySource::builder("notes")
//!     .file("pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\nSee [x](gone.md).\n")
//!     .build()?;
//! let checked = check_tree(&source, &LintOptions::default(), &NoProgress, &Cancel::default())?;
//! let codes: Vec<_> = checked.packages[0].diagnostics.iter().map(|it| it.code.as_str()).collect();
//! assert!(codes.contains(&"link-broken"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A package comes from any [`SkillSource`](prowess_core::SkillSource): nothing here opens a file.
//! A scan for a catalog reads heads of files and asks only whether a skill can be used; a check
//! reads all of them and gives advice too. [`fix`] fixes what has exactly one right answer, as a
//! text to look at; writing it is the host's.
//!
//! With the feature `reference`, which is off by default, the module `reference` has the output of
//! the reference tool `skills-ref`, and the profile of that name reports it.
#![forbid(unsafe_code)]

mod across;
mod alike;
mod body;
mod check;
pub mod codes;
mod dependency;
mod description;
mod drift;
mod files;
mod findings;
mod fix;
mod hooks;
mod links;
mod mention;
mod options;
mod package;
mod paths;
mod progress;
#[cfg(feature = "reference")]
pub mod reference;
mod report;
mod template;
mod tree;
mod when;
mod words;
mod write;

pub use alike::{Alike, Likeness};
pub use codes::severity;
pub use dependency::{Dependency, DependencyKind, Fact};
pub use fix::{Fixed, fix};
pub use hooks::hooks_of_a_shell;
pub use options::LintOptions;
pub use progress::{NoProgress, Progress};
pub use prowess_core;
pub use prowess_format;
pub use report::{Checked, PackageReport};
pub use tree::{check_tree, check_trees};
pub use write::{github, sarif};
