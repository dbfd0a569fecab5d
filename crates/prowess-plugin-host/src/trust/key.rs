//! Public keys for plugin signatures, in the format of minisign.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minisign_verify::{PublicKey, Signature};
use prowess_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::time;
use crate::regular_file::read_text;

/// The maximum size of a key file.
const MAX_KEY_BYTES: u64 = 4096;

/// The position of the key id in the bytes of a key and of a signature.
const ID: std::ops::Range<usize> = 2..10;

/// A public key. Plugins that its owner signs are trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// The key id: 16 hexadecimal digits, as minisign prints it.
    pub id: String,
    /// The key in base64.
    pub key: String,
    /// The user that added the key.
    pub trusted_by: String,
    /// The time at which it was added.
    #[serde(with = "time")]
    pub trusted_at: Timestamp,
    /// The time of the revocation, if it was revoked.
    #[serde(with = "time::option", default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
}

/// A public key could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// The text is not a minisign public key.
    #[error("it is not a minisign public key: {0}")]
    Invalid(String),
}

impl Key {
    /// Reads a key from a `.pub` file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or is not a minisign public key.
    pub fn read(file: &Path, signed_off_by: &super::SignedOffBy) -> Result<Self, KeyError> {
        let text = read_text(file, MAX_KEY_BYTES);
        let text = text.map_err(|error| KeyError::Unreadable(error.to_string()))?;
        Self::parse(&text, signed_off_by)
    }

    /// Parses the text of a `.pub` file, or only its base64 line.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a minisign public key.
    pub fn parse(text: &str, signed_off_by: &super::SignedOffBy) -> Result<Self, KeyError> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let line = lines.next_back().unwrap_or_default();
        PublicKey::from_base64(line).map_err(|error| KeyError::Invalid(error.to_string()))?;
        let id = id_in(line).ok_or_else(|| KeyError::Invalid("it has no key id".into()))?;
        Ok(Self {
            id,
            key: line.to_owned(),
            trusted_by: signed_off_by.who.clone(),
            trusted_at: signed_off_by.when,
            revoked_at: None,
        })
    }

    /// Returns whether the signature of these bytes was made with this key.
    pub(crate) fn has_signed(&self, bytes: &[u8], signature: &SignatureFile) -> bool {
        let Ok(key) = PublicKey::from_base64(&self.key) else {
            return false;
        };
        // Legacy signatures, which are not prehashed, are no longer made by minisign.
        key.verify(bytes, &signature.signature, false).is_ok()
    }
}

/// A `.minisig` file.
pub(crate) struct SignatureFile {
    /// The id of the signing key, according to the signature.
    pub(crate) key: String,
    signature: Signature,
}

impl SignatureFile {
    /// Parses the text of the file.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let signature = Signature::decode(text).map_err(|error| error.to_string())?;
        let line = text.lines().nth(1).unwrap_or_default();
        let key = id_in(line).ok_or("it has no key id")?;
        Ok(Self { key, signature })
    }

    /// Returns the trusted comment of the signature.
    pub(crate) fn trusted_comment(&self) -> &str {
        self.signature.trusted_comment()
    }
}

/// Returns the key id in a base64 line. As minisign does, prints the bytes as a little-endian
/// number.
fn id_in(line: &str) -> Option<String> {
    let bytes = STANDARD.decode(line.trim()).ok()?;
    let id = bytes.get(ID)?.try_into().ok()?;
    Some(format!("{:016X}", u64::from_le_bytes(id)))
}
