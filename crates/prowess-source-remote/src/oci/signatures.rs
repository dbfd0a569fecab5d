//! The signatures of an artifact in a registry, as documents one after the other.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prowess_core::{ArtifactKind, Cancel, Digest, Remote as _, RemoteError, RemoteErrorKind};

use crate::oci::manifest::{Descriptor, invalid};
use crate::oci::reference::OciReference;
use crate::oci::referrers::{MAX_REFERRERS, Referrer};
use crate::oci::remote::{OciRemote, artifact_of};

/// The start of the type of bundles of sigstore.
const BUNDLE: &str = "application/vnd.dev.sigstore.bundle";

/// The type of what cosign has signed under the tag `.sig`. The signature is in the annotations.
const SIMPLE_SIGNING: &str = "application/vnd.dev.cosign.simplesigning.v1+json";

/// Documents that fit into a limit.
struct Documents {
    text: Vec<u8>,
    limit: usize,
}

impl Documents {
    fn rest(&self) -> usize {
        self.limit - self.text.len()
    }

    fn push(&mut self, document: &[u8]) -> Result<(), RemoteError> {
        if document.len() + 1 > self.rest() {
            let message = format!("the signatures have more than {} bytes", self.limit);
            return Err(RemoteError::new(RemoteErrorKind::TooLarge, message));
        }
        self.text.extend(document);
        self.text.push(b'\n');
        Ok(())
    }
}

impl OciRemote {
    /// Returns the signatures of a version: the bundles of sigstore that refer to it, and then the
    /// layers under the tag of cosign.
    pub(crate) fn signatures(
        &self,
        place: &OciReference,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, RemoteError> {
        let mut documents = Documents { text: Vec::new(), limit };
        self.bundles(place, &mut documents, cancel)?;
        self.simple_signing(place, &mut documents, cancel)?;
        if documents.text.is_empty() {
            let message = "the registry has no signature of the artifact";
            return Err(RemoteError::new(RemoteErrorKind::NotFound, message));
        }
        Ok(documents.text)
    }

    fn bundles(
        &self,
        place: &OciReference,
        documents: &mut Documents,
        cancel: &Cancel,
    ) -> Result<(), RemoteError> {
        // An index need not have the types.
        let may_be = |descriptor: &Descriptor| {
            descriptor.artifact_type.as_ref().is_none_or(|kind| kind.starts_with(BUNDLE))
        };
        for Referrer { artifact_type, artifact } in self.referring(place, &may_be, cancel)? {
            if artifact_type.starts_with(BUNDLE) {
                documents.push(&self.fetch(&artifact, documents.rest(), cancel)?)?;
            }
        }
        Ok(())
    }

    /// Adds the layers under the tag `sha256-….sig`, where cosign stores signatures that are no
    /// bundles. Each is a descriptor with its content in `data`, by the OCI image specification.
    fn simple_signing(
        &self,
        place: &OciReference,
        documents: &mut Documents,
        cancel: &Cancel,
    ) -> Result<(), RemoteError> {
        let path = format!("manifests/{}.sig", place.version.replace(':', "-"));
        let (manifest, layers) = match self.registries.manifest(place, &path, cancel) {
            Err(error) if error.kind == RemoteErrorKind::NotFound => return Ok(()),
            found => found.map(|(digest, manifest)| (digest, manifest.layers))?,
        };
        let signed = layers.into_iter().filter(|layer| layer.media_type == SIMPLE_SIGNING);
        for (number, layer) in signed.enumerate() {
            if number == MAX_REFERRERS {
                let message = format!("the artifact has more than {MAX_REFERRERS} signatures");
                return Err(RemoteError::new(RemoteErrorKind::TooLarge, message));
            }
            let layer = self.with_data(place, &manifest, layer, documents.rest(), cancel)?;
            let text = serde_json::to_vec(&layer).map_err(|error| invalid(&error.to_string()))?;
            documents.push(&text)?;
        }
        Ok(())
    }

    /// Returns a layer with its content.
    fn with_data(
        &self,
        place: &OciReference,
        manifest: &Digest,
        layer: Descriptor,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Descriptor, RemoteError> {
        let artifact = artifact_of(place, manifest, &layer, ArtifactKind::Archive)?;
        let content = self.fetch(&artifact, limit, cancel)?;
        Ok(Descriptor { data: Some(STANDARD.encode(content)), ..layer })
    }
}
