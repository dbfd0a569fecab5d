//! Keys that sign plugins, in the form of minisign.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minisign_verify::{PublicKey, Signature};
use prowess_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::time;

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
    /// Who trusted it.
    pub trusted_by: String,
    /// When.
    #[serde(with = "time")]
    pub trusted_at: Timestamp,
    /// Since when it is no longer trusted.
    #[serde(with = "time::option", default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
}

/// The text is no public key of minisign.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is no public key of minisign: {0}")]
pub struct KeyError(String);

impl Key {
    /// Reads a key from the text of a `.pub` file, or from its line in base64.
    ///
    /// # Errors
    ///
    /// The text is no public key of minisign.
    pub fn parse(text: &str, witness: &super::Witness) -> Result<Self, KeyError> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let line = lines.next_back().unwrap_or_default();
        PublicKey::from_base64(line).map_err(|error| KeyError(error.to_string()))?;
        let id = id_in(line).ok_or_else(|| KeyError("it has no number".into()))?;
        Ok(Self {
            id,
            key: line.to_owned(),
            trusted_by: witness.who.clone(),
            trusted_at: witness.when,
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

    /// What the signer says that it is.
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
