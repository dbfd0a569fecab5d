//! The error of this crate.

/// The error of a text that is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureError {
    /// The text is not a public key.
    #[error("it is not a minisign public key: {0}")]
    PublicKey(String),
    /// The text is not a signature.
    #[error("it is not a minisign signature: {0}")]
    Signature(String),
    /// The text is not a secret key, or the password is wrong.
    #[error("it is not a minisign secret key that can be used: {0}")]
    SecretKey(String),
    /// The text is not an identity, or the identity of a certificate cannot be used.
    #[error("it is not an identity of sigstore: {0}")]
    Identity(String),
    /// The text is not a bundle, or does not prove that an identity signed the bytes.
    #[error("the sigstore bundle is refused: {0}")]
    Bundle(String),
    /// The text is a statement of this kind, which is not about an origin, or is signed in a way
    /// that is not supported. It was not verified.
    #[error("it is not a signature that can be verified")]
    OtherKind(String),
    /// The text is not a secret that signs messages.
    #[error("it is not a secret of a webhook: {0}")]
    WebhookSecret(String),
    /// The text is not a root of trust of sigstore.
    #[error("it is not a trusted root of sigstore: {0}")]
    TrustedRoot(String),
}
