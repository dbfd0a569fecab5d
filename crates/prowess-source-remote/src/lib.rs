//! Places that skill packages are installed from: sites with an index of skills, archives and
//! single `SKILL.md` files behind a URL, repositories of git, OCI registries, S3-compatible buckets
//! (feature `s3`), and local folders and files.
//!
//! ```
//! # let place = tempfile::tempdir()?;
//! # std::fs::write(place.path().join("SKILL.md"), "---\nname: pdf\n---\n")?;
//! # let folder = place.path().to_string_lossy();
//! use prowess_archive::{Limits, read};
//! use prowess_core::{Cancel, Remote, RemoteRequest};
//! use prowess_source_remote::{AnyRemote, HttpOptions};
//!
//! let remote = AnyRemote::new(HttpOptions::default());
//! let artifacts = remote.resolve(&RemoteRequest::latest(folder), &Cancel::default())?;
//! let bytes = remote.fetch(&artifacts[0], 1024 * 1024, &Cancel::default())?;
//! assert_eq!(read(&bytes, &Limits::default())?.files()[0].path, "SKILL.md");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A remote returns bytes and unpacks nothing; what the bytes may be is decided by their reader.
//! Servers are untrusted: every answer has a limit of size and of time, a redirect leads from
//! `https` to `https` only, the user's credentials go to the server that they belong to, and an
//! address of a private network is refused unless the user has named its host.
//!
//! This crate reads no environment: the host passes in credentials and names.
#![forbid(unsafe_code)]

mod address;
mod any;
mod artifact;
mod client;
mod git_error;
mod git_options;
mod git_page;
mod git_program;
mod git_reference;
mod git_remote;
mod git_source;
mod http_answer;
mod http_endpoint;
mod http_options;
mod http_remote;
mod local_remote;
mod netrc;
mod oci_challenge;
mod oci_manifest;
mod oci_publish;
mod oci_reference;
mod oci_referrers;
mod oci_registries;
mod oci_remote;
mod oci_signatures;
mod repository;
#[cfg(feature = "s3")]
mod s3_options;
#[cfg(feature = "s3")]
mod s3_remote;
mod signature_files;
mod site;
mod site_files;
mod url;
mod written_source;

pub use any::AnyRemote;
pub use git_options::{GIT_VARIABLES, GitOptions};
pub use git_remote::GitRemote;
pub use http_answer::HttpAnswer;
pub use http_endpoint::{HttpEndpoint, HttpPost};
pub use http_options::{Credentials, HttpOptions};
pub use http_remote::HttpRemote;
pub use local_remote::LocalRemote;
pub use netrc::{Netrc, basic};
pub use oci_publish::Annotations;
pub use oci_referrers::Referrer;
pub use oci_remote::OciRemote;
#[cfg(feature = "s3")]
pub use s3_options::{S3Keys, S3Options};
#[cfg(feature = "s3")]
pub use s3_remote::S3Remote;
pub use written_source::WrittenSource;
