//! Installed skill packages: a content-addressed store, the lock file that names what is installed,
//! and a [`SkillSource`](prowess_core::SkillSource) over both.
//!
//! ```
//! # let place = tempfile::tempdir()?;
//! use prowess_archive::{Archive, File};
//! use prowess_core::{Digest, PackagePath, ReadLimit, ResourcePath, SkillSource};
//! use prowess_store::{LockFile, LockedSkill, Store, StoreSource};
//!
//! let package = Archive::new(vec![File::new("SKILL.md", "---\nname: pdf\n---\n")])?;
//! let store = Store::new(place.path().join("store"));
//! let tree = store.begin()?.insert(&[&package])?[0];
//!
//! let lock_file = LockFile::new(place.path().join("prowess.lock"));
//! let mut lock = lock_file.load()?;
//! let artifact = Digest::of(&package.to_tar_gz());
//! let locked = LockedSkill::new("https://example.com", "1.0.0", artifact, tree);
//! lock.skills.insert("pdf".into(), locked);
//! lock_file.save(&lock)?;
//!
//! let source = StoreSource::new(store, lock_file);
//! let skill = ResourcePath::new("SKILL.md")?;
//! let text = source.read(&PackagePath::new("pdf")?, &skill, ReadLimit::default())?;
//! assert_eq!(text, b"---\nname: pdf\n---\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A package is stored under the digest of its files, and nothing changes it afterwards. So an
//! update writes the new package first and then replaces the lock file in one step: a process that
//! is killed leaves the old skills or the new ones. A start with the network and one without it
//! read the same files.
//!
//! A lock file that cannot be read is never an empty one: every operation on it fails until it is
//! repaired, and nothing is installed or removed.
//!
//! A link or a copy of an installed package that somebody has changed belongs to that person: it
//! is neither replaced nor removed.
//!
//! An [`Installer`] joins a store, a lock file and a [`Remote`](prowess_core::Remote). This crate
//! does not use the network; the remote may.
#![forbid(unsafe_code)]

mod author;
mod candidate;
pub mod codes;
mod difference;
mod error;
mod export;
mod folder_hash;
mod foreign;
mod history;
mod import;
mod installer;
mod kept_lock;
mod ledger;
mod live;
mod lock;
mod lock_file;
mod locked_skill;
mod pending;
mod placed;
mod placement;
mod publish;
mod quarantine;
mod signer;
mod signers;
mod source;
mod step_back;
mod store;
mod surface;
mod sync;
mod tree;
mod update;

pub use author::Author;
pub use candidate::LeftOut;
pub use error::{InstallError, LockError, StoreError};
pub use export::to_skills_lock;
pub use folder_hash::folder_hash;
pub use foreign::{ForeignLock, ForeignSigner, ForeignSkill, ForeignSkills};
pub use installer::{Added, Addition, Checked, Installer, Offered, RemoteState};
pub use ledger::Version;
pub use live::{LiveOptions, LiveSource};
pub use lock::Lock;
pub use lock_file::LockFile;
pub use locked_skill::{LockedSkill, UNSIGNED};
pub use placed::{LockedPlace, PlaceForm};
pub use placement::{PlaceState, Placed};
pub use prowess_archive;
pub use prowess_core;
pub use prowess_dir;
pub use prowess_signature;
pub use publish::{
    Published, PublishedPackage, SignFile, publish, publish_packages, publish_signed,
};
pub use quarantine::Quarantined;
pub use signer::{Signer, SignerRules, VerifyBundle};
pub use source::{PartRule, StoreSource};
pub use store::{Change, Store};
pub use surface::{gained, surface};
pub use sync::Synced;
pub use tree::tree_digest;
pub use update::{FileChange, Growth, Update, Updates};
