//! Bundles of sigstore and signatures of cosign, verified without the network.

use std::fmt;

use sigstore_verify::trust_root::{SigstoreInstance, TrustedRoot};
use sigstore_verify::types::{Bundle, SignatureContent, Statement};
use sigstore_verify::{VerificationPolicy, Verifier};

use crate::error::SignatureError;
use crate::identity::Identity;
use crate::simple_signing::SimpleSigning;

/// The types of statements that say where an artifact comes from. Others may say anything about
/// it, such as a list of its parts, and are no signatures.
const ORIGINS: [&str; 2] = ["https://slsa.dev/provenance/", "https://sigstore.dev/cosign/sign/"];

/// The authorities and logs that bundles of sigstore are verified with.
pub struct SigstoreRoot {
    verifier: Verifier,
}

impl SigstoreRoot {
    /// Returns the authorities and logs of the public sigstore, as they were when the crate
    /// `sigstore-verify` was released.
    ///
    /// # Errors
    ///
    /// They cannot be used, which a test excludes.
    pub fn public() -> Result<Self, SignatureError> {
        Self::parse(SigstoreInstance::PublicGood.embedded_trusted_root_json())
    }

    /// Parses a `trusted_root.json`, as sigstore distributes it.
    ///
    /// # Errors
    ///
    /// The text is not such a file, or one of its keys or certificates cannot be used.
    pub fn parse(text: &str) -> Result<Self, SignatureError> {
        let invalid = |reason: String| SignatureError::TrustedRoot(reason);
        let root = TrustedRoot::from_json(text).map_err(|error| invalid(error.to_string()))?;
        let verifier = Verifier::new(&root).map_err(|error| invalid(error.to_string()))?;
        Ok(Self { verifier })
    }

    /// Verifies that a bundle is a signature of these bytes, and returns the signer.
    ///
    /// That is the signature itself, the certificate at the time when it was used, its entry in a
    /// log of certificates, and the proof that the signature is in a transparency log. Nothing is
    /// fetched, and which identity may sign is decided by the caller.
    ///
    /// Instead of a bundle, the text may be a layer of the tag `.sig`, where cosign stores
    /// signatures of manifests: a descriptor of the OCI image specification with its content in
    /// `data`. Its log has signed a promise instead of a proof.
    ///
    /// # Errors
    ///
    /// The text is not a bundle, or one of these does not match. If its statement does not say
    /// where bytes come from, or cosign has signed it with a key instead of an identity, that is
    /// [`SignatureError::OtherKind`]. Such a text can also be left away, so the caller may treat
    /// the bytes as unsigned.
    pub fn signer(&self, bytes: &[u8], bundle: &str) -> Result<Identity, SignatureError> {
        if let Some(signed) = SimpleSigning::read(bundle) {
            let identity = self.verify(signed.payload(), &signed.bundle()?)?;
            signed.check_manifest(bytes)?;
            return Ok(identity);
        }
        let bundle = Bundle::from_json(bundle).map_err(|error| invalid(error.to_string()))?;
        check_content(&bundle.content)?;
        self.verify(bytes, &bundle)
    }

    fn verify(&self, bytes: &[u8], bundle: &Bundle) -> Result<Identity, SignatureError> {
        let policy = VerificationPolicy::any_identity();
        let verified = self.verifier.verify(bytes, bundle, &policy);
        let verified = verified.map_err(|error| invalid(error.to_string()))?;
        let is_complete =
            verified.certificate_verified() && verified.sct_verified() && verified.tlog_verified();
        match (verified.issuer(), verified.identity()) {
            (Some(issuer), Some(subject)) if is_complete => Identity::new(issuer, subject.as_str()),
            _ => Err(invalid("its certificate has no identity or no issuer".to_owned())),
        }
    }
}

fn invalid(reason: String) -> SignatureError {
    SignatureError::Bundle(reason)
}

/// Checks that what was signed are the bytes themselves, or a statement about an origin.
fn check_content(content: &SignatureContent) -> Result<(), SignatureError> {
    let other = || SignatureError::Bundle("it has no statement that can be read".to_owned());
    match content {
        SignatureContent::MessageSignature(_) => Ok(()),
        SignatureContent::DsseEnvelope(envelope) => {
            let statement: Statement =
                serde_json::from_slice(envelope.payload.as_bytes()).map_err(|_| other())?;
            let is_origin = ORIGINS.iter().any(|start| statement.predicate_type.starts_with(start));
            if is_origin {
                Ok(())
            } else {
                Err(SignatureError::OtherKind(statement.predicate_type))
            }
        }
        _ => Err(other()),
    }
}

impl fmt::Debug for SigstoreRoot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SigstoreRoot").finish_non_exhaustive()
    }
}
