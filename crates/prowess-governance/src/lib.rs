//! Proposals for updates of skills, as files, and their review.
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
//! any, the evidence. No skill changes. A proposal that comes with the package of its skill is kept
//! only if it applies to the files, and its result is one that can be accepted: it passes the check
//! of the host, each file system can store it, and no other skill has its id. One that waits
//! already is answered with its name.
//!
//! # Review
//!
//! [`FileProposals::accept`] prepares the change that a [`Review`] accepts, and
//! [`Acceptance::apply`] makes it: all files of the [`SkillPackage`], or none. A review has the
//! digest of the proposal that was shown. If any file of the package is another than it was, the
//! answer is a [`Conflict`] with the three texts of a merge, or, if the caller agrees, the same
//! change in the one place where its lines are now. A person reviews, or an agent that the policy
//! names, and never the proposer; an agent that calls itself by the name of a person is none. A
//! [`Channel`] delivers each proposal to its reviewers once.
//!
//! # Untrusted text
//!
//! A proposal is a model's text. Each part of it is in a block of code whose end it cannot imitate,
//! without invisible characters, so that a reviewer sees all that would be accepted. A file that
//! differs in a byte from what was written is never applied. The number of proposals of one agent,
//! of all agents and of people, of files of a diff and the length of each part are limited, no path
//! leaves the skill, and no existing proposal is replaced.
//!
//! This crate reads no clock and no configuration, and accepts nothing on its own.
#![forbid(unsafe_code)]

mod base;
pub mod codes;
mod delivery;
mod document;
mod error;
mod file_name;
mod file_proposals;
mod outlook;
mod package;
mod patch;
mod policy;
mod review;
pub mod review_codes;

pub use delivery::{Channel, Delivery};
pub use document::{PackageBase, StoredProposal};
pub use error::ReviewError;
pub use file_proposals::{CheckedPackage, FileProposals, PackageCheck};
pub use outlook::Outlook;
pub use package::{SkillPackage, package_digest};
pub use patch::{Conflict, package_diff};
pub use policy::ProposalPolicy;
pub use prowess_core;
pub use prowess_dir;
pub use review::{Acceptance, Decision, Review};
