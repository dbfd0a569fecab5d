//! Public keys.

use std::fmt;

use crate::error::SignatureError;
use crate::key_id::id_in;
use crate::signature::Signature;

/// A public key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PublicKey {
    id: String,
    line: String,
}

impl PublicKey {
    /// Parses the text of a `.pub` file, or only its base64 line.
    ///
    /// # Errors
    ///
    /// The text is not a minisign public key.
    pub fn parse(text: &str) -> Result<Self, SignatureError> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let line = lines.next_back().unwrap_or_default();
        let invalid = |reason: String| SignatureError::PublicKey(reason);
        minisign_verify::PublicKey::from_base64(line)
            .map_err(|error| invalid(error.to_string()))?;
        let id = id_in(line).ok_or_else(|| invalid("it has no key id".to_owned()))?;
        Ok(Self { id, line: line.to_owned() })
    }

    /// Returns the key id: 16 hexadecimal digits, as minisign prints it. It is a name and no proof:
    /// anyone can create a key with a given id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the key in base64.
    pub fn as_base64(&self) -> &str {
        &self.line
    }

    /// Returns the text of a `.pub` file.
    pub fn to_text(&self) -> String {
        format!("untrusted comment: minisign public key {}\n{}\n", self.id, self.line)
    }

    /// Returns whether the signature of these bytes was made with this key.
    pub fn has_signed(&self, bytes: &[u8], signature: &Signature) -> bool {
        let key = minisign_verify::PublicKey::from_base64(&self.line);
        key.is_ok_and(|key| key.verify(bytes, &signature.inner, false).is_ok())
    }
}

/// Writes the key in base64.
impl fmt::Display for PublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.line)
    }
}
