//! Detached signatures of plugins and of skill packages, in the format of minisign and, by a
//! feature, as bundles of sigstore.
//!
//! ```
//! use prowess_signature::{PublicKey, Signature};
//!
//! let key = PublicKey::parse("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3")?;
//! assert_eq!(key.id(), "E7620F1842B4E81F");
//!
//! let text = "untrusted comment: signature from minisign secret key\n\
//!     RUQf6LRCGA9i559r3g7V1qNyJDApGip8MfqcadIgT9CuhV3EMhHoN1mGTkUidF/z7SrlQgXdy8ofjb7b\
//!     NJJylDOocrCo8KLzZwo=\n\
//!     trusted comment: timestamp:1633700835\tfile:test\tprehashed\n\
//!     wLMDjy9FLAuxZ3q4NlEvkgtyhrr0gtTu6KC4KBJdITbbOeAi1zBIYo0v4iTgt8jJpIidRJnp94ABQkJA\
//!     gAooBQ==";
//! let signature = Signature::parse(text)?;
//! assert!(key.has_signed(b"test", &signature));
//! assert!(!key.has_signed(b"Test", &signature));
//! # Ok::<(), prowess_signature::SignatureError>(())
//! ```
//!
//! Which keys are trusted, and what a signature has to be made for, is decided by the caller. Old
//! signatures that are not prehashed are refused: minisign no longer makes them.
//!
//! The feature `sign` adds `SecretKey` for publishers, and `sigstore` adds `SigstoreRoot`, which
//! verifies bundles of sigstore, and signatures of cosign in registries, without the network.
//! `webhook` adds `WebhookSecret`, which signs messages to a receiver. By default all are off.
#![forbid(unsafe_code)]

mod error;
mod identity;
mod key_id;
mod public_key;
#[cfg(feature = "sigstore")]
mod public_sigstore;
#[cfg(feature = "sign")]
mod secret_key;
mod signature;
#[cfg(feature = "sigstore")]
mod sigstore_root;
#[cfg(feature = "sigstore")]
mod simple_signing;
#[cfg(feature = "webhook")]
mod webhook;

pub use error::SignatureError;
pub use identity::Identity;
pub use public_key::PublicKey;
#[cfg(feature = "sigstore")]
pub use public_sigstore::public_sigstore;
#[cfg(feature = "sign")]
pub use secret_key::SecretKey;
pub use signature::Signature;
#[cfg(feature = "sigstore")]
pub use sigstore_root::SigstoreRoot;
#[cfg(feature = "webhook")]
pub use webhook::WebhookSecret;
