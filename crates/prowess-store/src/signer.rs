//! Signers as a lock names them.

use std::fmt;
use std::sync::Arc;

use prowess_signature::{Identity, PublicKey, SignatureError};

/// The starts of the names of signers in a lock.
const MINISIGN: &str = "minisign:";
pub(crate) const SIGSTORE: &str = "sigstore:";

/// The signer of an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signer {
    /// A key of minisign.
    Key(PublicKey),
    /// An identity of sigstore.
    Identity(Identity),
}

impl Signer {
    /// Parses the name of a signer, as a lock has it.
    ///
    /// # Errors
    ///
    /// The text names no key and no identity.
    pub fn parse(name: &str) -> Result<Self, SignatureError> {
        match name.strip_prefix(SIGSTORE) {
            Some(identity) => Identity::parse(identity).map(Self::Identity),
            None => PublicKey::parse(name.strip_prefix(MINISIGN).unwrap_or(name)).map(Self::Key),
        }
    }

    /// Returns the identity of a signer that has one.
    pub(crate) fn into_identity(self) -> Option<Identity> {
        match self {
            Self::Identity(identity) => Some(identity),
            Self::Key(_) => None,
        }
    }

    /// Returns the key of a signer that has one.
    pub(crate) fn key(&self) -> Option<&PublicKey> {
        match self {
            Self::Key(key) => Some(key),
            Self::Identity(_) => None,
        }
    }
}

/// Writes the name, as a lock has it.
impl fmt::Display for Signer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => write!(formatter, "{MINISIGN}{key}"),
            Self::Identity(identity) => write!(formatter, "{SIGSTORE}{identity}"),
        }
    }
}

/// Verifies that a text is a sigstore bundle for these bytes, or a signature of cosign as
/// [`ArtifactSignature::bundle`](prowess_core::ArtifactSignature) has it, and returns the identity
/// that signed. The feature `sigstore` of `prowess-signature` has such a function.
///
/// [`SignatureError::OtherKind`] says that the text is no signature. It takes nothing away from
/// others, and an artifact with nothing else counts as unsigned.
pub type VerifyBundle = Arc<dyn Fn(&[u8], &str) -> Result<Identity, SignatureError> + Send + Sync>;

/// The signers that are accepted.
#[derive(Clone, Default)]
pub struct SignerRules {
    /// The signer that has to have signed each new version, whatever signed the installed one. By
    /// default, the signer of a skill stays the one of its first version.
    pub required: Option<Signer>,
    /// Verifies bundles of sigstore. By default, an artifact with such a bundle alone is refused by
    /// [`InstallError::MissingFeature`](crate::InstallError), and so is one that an identity has to
    /// have signed.
    pub bundles: Option<VerifyBundle>,
}

impl fmt::Debug for SignerRules {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("SignerRules");
        shown.field("required", &self.required).field("bundles", &self.bundles.is_some());
        shown.finish()
    }
}
