//! Places that skill packages are installed from: sites with an index of skills, archives and
//! single `SKILL.md` files behind a URL and OCI registries (feature `http`, a default),
//! repositories of git, S3-compatible buckets (feature `s3`), and local folders and files.
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
mod cancel;
mod git;
#[cfg(feature = "http")]
mod http;
mod http_options;
mod local_remote;
mod local_source;
mod lock_remote;
mod netrc;
#[cfg(feature = "http")]
mod oci;
mod repository;
#[cfg(feature = "s3")]
mod s3;
mod schemes;
mod signature_files;
mod site_index;
mod spelling;
mod url;
mod written_source;

pub use any::AnyRemote;
pub use git::options::{GIT_VARIABLES, GitOptions};
pub use git::remote::GitRemote;
#[cfg(feature = "http")]
pub use http::answer::HttpAnswer;
#[cfg(feature = "http")]
pub use http::endpoint::{HttpEndpoint, HttpPost};
#[cfg(feature = "http")]
pub use http::remote::HttpRemote;
pub use http_options::{Credentials, HttpOptions};
pub use local_remote::{LocalRemote, NOT_TRUSTED, PackedFolder};
pub use local_source::LocalSource;
pub use lock_remote::LockRemote;
pub use netrc::{Netrc, basic};
#[cfg(feature = "http")]
pub use oci::publish::Annotations;
#[cfg(feature = "http")]
pub use oci::referrers::Referrer;
#[cfg(feature = "http")]
pub use oci::remote::OciRemote;
pub use prowess_core;
#[cfg(feature = "s3")]
pub use s3::options::{S3Keys, S3Options};
#[cfg(feature = "s3")]
pub use s3::remote::S3Remote;
pub use url::ALLOWS_HTTP;
pub use written_source::WrittenSource;
