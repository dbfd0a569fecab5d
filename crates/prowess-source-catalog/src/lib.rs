//! One immutable file for the catalog of many skills, for hosts that cannot scan them: a file with
//! 10^6 skills is opened in milliseconds and mebibytes.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let place = tempfile::tempdir()?;
//! # let skill = "---\nname: pdf\n---\n";
//! # let source = prowess_core::MemorySource::builder("m").file("pdf/SKILL.md", skill).build()?;
//! # let skills = [("pdf", "Fills in forms.", &[][..])];
//! # let catalog = prowess_testkit::catalog_over(std::sync::Arc::new(source), skills);
//! # use prowess_testkit::ManualClock;
//! use std::sync::Arc;
//!
//! use prowess_core::{Cancel, Clock as _};
//! use prowess_source_catalog::{CatalogPlace, CatalogSource, PublishOptions, publish};
//!
//! // Where the skills are written:
//! let clock = Arc::new(ManualClock::default());
//! let options = PublishOptions::new("team", clock.now());
//! let published = publish(&catalog, place.path(), &options, &Cancel::default())?;
//! assert_eq!(published.offered, 1);
//!
//! // On each host:
//! let published = CatalogPlace::directory(place.path());
//! let source = CatalogSource::new("team", published, Vec::new(), clock);
//! let file = source.poll(&Cancel::default())?;
//! assert_eq!(file.search("fill in a form", 5)?[0].0.id, "pdf");
//! assert_eq!(file.get("pdf")?.map(|skill| skill.description), Some("Fills in forms.".to_owned()));
//! # Ok(())
//! # }
//! ```
//!
//! A published directory has three kinds of files. `catalog-DIGEST.prowess` has the records, the
//! lists of the ranker and the frontmatter of each skill. `files` has the files of the packages,
//! each under its own digest. `catalog.json`, the [`Pointer`], names the newest catalog file; it is
//! written last, by an atomic exchange, and may be signed. Nothing but the pointer ever changes, so
//! any store of files serves all of it, and the rest can be verified from the pointer.
//!
//! **Why files are not in the catalog file:** bodies are ten times as large as what is searched.
//! A host that reads few of a million skills would fetch gigabytes for one that has changed. Under
//! their digests, unchanged files are neither written nor fetched again, and a body is read when a
//! skill is loaded.
//!
//! **Why a table and no finite state transducer:** the first id of every 32 is enough to find each
//! of them with one read, in a tenth of the memory. Besides, a transducer is walked without checks,
//! and this file may come from a hostile server.
//!
//! The digest that names a catalog file is that of its header, which has the digest of its index,
//! which has those of the parts. So opening it reads the header and the index, and each part is
//! verified when it is read for the first time. It is read by `pread`: a file that shrinks under a
//! map would end the process.
//!
//! **Limits of a server:** a host fetches 4 KiB for a pointer, at most 4 GiB for a catalog file,
//! in parts and only behind a header that the pointer names, and for a file of a skill what the
//! catalog says, at most 64 MiB. With keys, what none of them has signed is refused; the number of
//! a catalog has to grow, and is at most a day ahead of the host's time. A server that fails is
//! asked again later.
//!
//! [`CatalogSource`] is a [`SkillSource`](prowess_core::SkillSource) whose scan polls the pointer
//! and reads no body, and a [`CatalogProvider`](prowess_core::CatalogProvider). A catalog that
//! cannot be used leaves the last good one in place. [`CatalogFile`] searches and reads skills
//! without a catalog in memory; a scan or a provided catalog holds each record, about 240 bytes for
//! one of a usual length.
#![forbid(unsafe_code)]

mod bytes;
pub mod codes;
mod details;
mod directory;
mod error;
mod file;
mod header;
mod index;
mod pages;
mod place;
mod pointer;
mod publish;
mod record;
mod remote_place;
mod source;
mod whole;
mod writer;

pub use error::CatalogFileError;
pub use file::CatalogFile;
pub use place::CatalogPlace;
pub use pointer::Pointer;
pub use prowess_core;
pub use prowess_signature;
pub use publish::{PublishOptions, Published, Sign, publish};
pub use record::CatalogEntry;
pub use source::CatalogSource;
pub use writer::{LeftOut, StoreFile, write_catalog};
