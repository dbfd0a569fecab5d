//! Proposals for updates of skills, as files for a reviewer.
//!
//! ```
//! use prowess_core::{Digest, Proposal, ProposalStore, Timestamp};
//! use prowess_governance::{FileProposals, ProposalPolicy};
//!
//! # let place = tempfile::tempdir()?;
//! let directory = place.path().join("proposals");
//! let proposals = FileProposals::new(&directory, ProposalPolicy::default());
//! let name = proposals.submit(&Proposal {
//!     skill: "pdf",
//!     base: Digest::of(b"the SKILL.md that the diff is against"),
//!     diff: "-Fill the form.\n+Fill the form, then check it.\n",
//!     justification: "Two forms of three had a wrong date.",
//!     evidence: None,
//!     time: Timestamp(1_790_000_000_000),
//! })?;
//! assert_eq!(name, "pdf-20260921T141320Z.md");
//! assert!(directory.join(name).exists());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`FileProposals`] implements [`ProposalStore`](prowess_core::ProposalStore): each proposal
//! becomes a file of Markdown in one directory, with the diff, the justification and, if there is
//! any, the evidence. No skill changes.
//!
//! # Untrusted text
//!
//! A proposal is a model's text. Each part of it is in a block of code whose end it cannot imitate,
//! without invisible characters, so that a reviewer sees all that would be accepted. The number of
//! files in the directory and the length of each part are limited, and no existing file is
//! replaced.
//!
//! This crate does not read a clock, and it does not decide who may review.
#![forbid(unsafe_code)]

pub mod codes;
mod document;
mod file_name;
mod file_proposals;
mod policy;

pub use file_proposals::FileProposals;
pub use policy::ProposalPolicy;
pub use prowess_core;
