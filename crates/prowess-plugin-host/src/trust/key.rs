//! Keys that sign plugins, in the form of minisign.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minisign_verify::{PublicKey, Signature};
use prowess_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::time;
use crate::regular_file::read_text;

/// The most bytes that the file of a key may have.
const MAX_KEY_BYTES: u64 = 4096;

/// Where the number of a key stands in its bytes and in those of a signature.
const ID: std::ops::Range<usize> = 2..10;

/// A key whose owner may say what runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// Its number, 16 hexadecimal digits as minisign prints them.
    pub id: String,
    /// The key in base64.
    pub key: String,
    /// The user that trusted it.
    pub trusted_by: String,
    /// When.
    #[serde(with = "time")]
    pub trusted_at: Timestamp,
    /// Since when it is no longer trusted.
    #[serde(with = "time::option", default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
}

/// Why there is no key to trust.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// The text is not a public key of minisign.
    #[error("it is not a public key of minisign: {0}")]
    Invalid(String),
}

impl Key {
    /// Reads a key from a `.pub` file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not a public key of minisign.
    pub fn read(file: &Path, signed_off_by: &super::SignedOffBy) -> Result<Self, KeyError> {
        let text = read_text(file, MAX_KEY_BYTES);
        let text = text.map_err(|error| KeyError::Unreadable(error.to_string()))?;
        Self::parse(&text, signed_off_by)
    }

    /// Reads a key from the text of a `.pub` file, or from its line in base64.
    ///
    /// # Errors
    ///
    /// The text is not a public key of minisign.
    pub fn parse(text: &str, signed_off_by: &super::SignedOffBy) -> Result<Self, KeyError> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let line = lines.next_back().unwrap_or_default();
        PublicKey::from_base64(line).map_err(|error| KeyError::Invalid(error.to_string()))?;
        let id = id_in(line).ok_or_else(|| KeyError::Invalid("it has no number".into()))?;
        Ok(Self {
            id,
            key: line.to_owned(),
            trusted_by: signed_off_by.who.clone(),
            trusted_at: signed_off_by.when,
            revoked_at: None,
        })
    }

    /// Whether this key's owner signed these bytes.
    pub(crate) fn has_signed(&self, bytes: &[u8], signature: &SignatureFile) -> bool {
        let Ok(key) = PublicKey::from_base64(&self.key) else {
            return false;
        };
        // Signatures of the old kind, which are not over a hash, are made by no minisign of today.
        key.verify(bytes, &signature.signature, false).is_ok()
    }
}

/// A `.minisig` file.
pub(crate) struct SignatureFile {
    /// The number of the key that made it, as it says.
    pub(crate) key: String,
    signature: Signature,
}

impl SignatureFile {
    /// Reads the text of the file.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let signature = Signature::decode(text).map_err(|error| error.to_string())?;
        let line = text.lines().nth(1).unwrap_or_default();
        let key = id_in(line).ok_or("it has no number of a key")?;
        Ok(Self { key, signature })
    }

    /// Returns the trusted comment of the signature.
    pub(crate) fn trusted_comment(&self) -> &str {
        self.signature.trusted_comment()
    }
}

/// minisign prints the number as one of little-endian bytes.
fn id_in(line: &str) -> Option<String> {
    let bytes = STANDARD.decode(line.trim()).ok()?;
    let id = bytes.get(ID)?.try_into().ok()?;
    Some(format!("{:016X}", u64::from_le_bytes(id)))
}
