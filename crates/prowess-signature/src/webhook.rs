//! Signatures of messages to a receiver that has the same secret.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::SignatureError;

/// The start that a secret may have.
const ENCODED: &str = "whsec_";

/// The fewest bytes of a secret. A shorter one could be guessed from a signature.
const FEWEST_BYTES: usize = 16;

/// A secret that signs messages to a webhook, as [Standard Webhooks] has it.
///
/// [Standard Webhooks]: https://www.standardwebhooks.com
#[derive(Clone)]
pub struct WebhookSecret(Vec<u8>);

impl WebhookSecret {
    /// Reads a secret in base64, with or without `whsec_` in front of it, as the libraries of
    /// receivers do. Blanks around it are dropped.
    ///
    /// # Errors
    ///
    /// Returns [`SignatureError::WebhookSecret`] if it has fewer than 16 bytes, or is no base64.
    pub fn parse(text: &str) -> Result<Self, SignatureError> {
        let invalid = |reason: String| SignatureError::WebhookSecret(reason);
        let text = text.trim();
        let encoded = text.strip_prefix(ENCODED).unwrap_or(text);
        let bytes = STANDARD.decode(encoded).map_err(|error| invalid(error.to_string()))?;
        if bytes.len() < FEWEST_BYTES {
            return Err(invalid(format!("it has fewer than {FEWEST_BYTES} bytes")));
        }
        Ok(Self(bytes))
    }

    /// Returns the headers of a message: its id, by which a receiver drops a repetition, the time
    /// in seconds since 1970, and the signature of both and of the body.
    pub fn headers(&self, id: &str, seconds: u64, body: &[u8]) -> [(&'static str, String); 3] {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key has any length");
        mac.update(format!("{id}.{seconds}.").as_bytes());
        mac.update(body);
        let signature = STANDARD.encode(mac.finalize().into_bytes());
        [
            ("webhook-id", id.to_owned()),
            ("webhook-timestamp", seconds.to_string()),
            ("webhook-signature", format!("v1,{signature}")),
        ]
    }
}

/// Shows nothing of the secret.
impl fmt::Debug for WebhookSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("WebhookSecret").finish_non_exhaustive()
    }
}
