//! The artifacts that refer to another one, such as its signatures.

use prowess_core::{ArtifactKind, Cancel, RemoteArtifact, RemoteError, RemoteErrorKind};

use crate::oci::manifest::Descriptor;
use crate::oci::reference::OciReference;
use crate::oci::remote::{OciRemote, artifact_of};

/// The maximum number of artifacts that refer to another one: each is a request.
pub(crate) const MAX_REFERRERS: usize = 50;

/// An artifact that refers to another one, such as its signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Referrer {
    /// The type of the artifact, as its publisher has written it.
    pub artifact_type: String,
    /// The artifact, which [`Remote::fetch`](prowess_core::Remote::fetch) of the same remote
    /// returns.
    pub artifact: RemoteArtifact,
}

impl OciRemote {
    /// Reports the artifacts that refer to an artifact, such as signatures: by the interface of the
    /// registry, or by the tag that clients use where there is none.
    ///
    /// # Errors
    ///
    /// The registry cannot be reached, or its answer cannot be read. To have none is no error.
    pub fn referrers(
        &self,
        artifact: &RemoteArtifact,
        cancel: &Cancel,
    ) -> Result<Vec<Referrer>, RemoteError> {
        let (place, _) = OciReference::parse_location(&artifact.location)?;
        self.referring(&place, &|_| true, cancel)
    }

    /// Reports the artifacts that refer to a version, if their descriptors are wanted.
    pub(crate) fn referring(
        &self,
        place: &OciReference,
        is_wanted: &dyn Fn(&Descriptor) -> bool,
        cancel: &Cancel,
    ) -> Result<Vec<Referrer>, RemoteError> {
        let subject = place.version.clone();
        let tag = subject.replace(':', "-");
        let mut found = None;
        for path in [format!("referrers/{subject}"), format!("manifests/{tag}")] {
            match self.registries.manifest(place, &path, cancel) {
                Err(error) if error.kind == RemoteErrorKind::NotFound => {}
                Err(error) => return Err(error),
                Ok((_, index)) => {
                    found = Some(index);
                    break;
                }
            }
        }
        let mut manifests = found.map(|index| index.manifests).unwrap_or_default();
        manifests.retain(is_wanted);
        if manifests.len() > MAX_REFERRERS {
            let message = format!("more than {MAX_REFERRERS} artifacts refer to `{subject}`");
            return Err(RemoteError::new(RemoteErrorKind::TooLarge, message));
        }
        let mut referrers = Vec::new();
        for descriptor in manifests {
            let digest = descriptor.digest()?;
            let (_, manifest) = self.registries.pinned(place, &digest, cancel)?;
            let config = manifest.config.as_ref().map(|config| config.media_type.clone());
            let artifact_type = descriptor.artifact_type.or(manifest.artifact_type.clone());
            for layer in &manifest.layers {
                let artifact = artifact_of(place, &digest, layer, ArtifactKind::Archive)?;
                let artifact_type = artifact_type.clone().or(config.clone()).unwrap_or_default();
                referrers.push(Referrer { artifact_type, artifact });
            }
        }
        Ok(referrers)
    }
}
