//! Signatures.

use crate::error::SignatureError;
use crate::key_id::id_in;

/// A signature as it is written in a `.minisig` file.
#[derive(Clone)]
pub struct Signature {
    key_id: String,
    pub(crate) inner: minisign_verify::Signature,
}

impl Signature {
    /// Parses the text of the file.
    ///
    /// # Errors
    ///
    /// The text is not a minisign signature.
    pub fn parse(text: &str) -> Result<Self, SignatureError> {
        let inner = minisign_verify::Signature::decode(text)
            .map_err(|error| SignatureError::Signature(error.to_string()))?;
        let line = text.lines().nth(1).unwrap_or_default();
        let key_id =
            id_in(line).ok_or_else(|| SignatureError::Signature("it has no key id".to_owned()))?;
        Ok(Self { key_id, inner })
    }

    /// Returns the id of the signing key, according to the signature.
    pub fn key_id(&self) -> &str {
        &self.key_id
    }

    /// Returns the comment that is signed together with the bytes.
    pub fn trusted_comment(&self) -> &str {
        self.inner.trusted_comment()
    }
}
