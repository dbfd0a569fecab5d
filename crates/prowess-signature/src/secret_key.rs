//! Secret keys.

use std::fmt;
use std::io::Cursor;

use crate::error::SignatureError;
use crate::public_key::PublicKey;

/// A secret key, which is never shown.
pub struct SecretKey {
    secret: minisign::SecretKey,
    public: PublicKey,
}

impl SecretKey {
    /// Parses the text of a key file that `minisign -G` wrote. A key with a password asks for it on
    /// the terminal, without showing it.
    ///
    /// # Errors
    ///
    /// The text is not a minisign secret key, the password is wrong, or there is no terminal to ask
    /// on.
    pub fn parse(text: &str) -> Result<Self, SignatureError> {
        let parsed = || minisign::SecretKeyBox::from_string(text).map_err(invalid);
        let secret = match parsed()?.into_unencrypted_secret_key() {
            Ok(secret) => secret,
            Err(_) => parsed()?.into_secret_key(None).map_err(invalid)?,
        };
        let public = minisign::PublicKey::from_secret_key(&secret).map_err(invalid)?;
        Ok(Self { secret, public: PublicKey::parse(&public.to_base64())? })
    }

    /// Returns the public key.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// Returns the text of a `.minisig` file, with this trusted comment: one line.
    ///
    /// # Errors
    ///
    /// The key cannot sign.
    pub fn sign(&self, bytes: &[u8], trusted_comment: &str) -> Result<String, SignatureError> {
        let bytes = Cursor::new(bytes);
        let signed = minisign::sign(None, &self.secret, bytes, Some(trusted_comment), None);
        Ok(signed.map_err(invalid)?.into_string())
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SecretKey").field("public", &self.public).finish_non_exhaustive()
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it is passed to `map_err`")]
fn invalid(error: minisign::PError) -> SignatureError {
    SignatureError::SecretKey(error.to_string())
}
