//! The artifacts of an index of skills, by version 0.2 of the discovery draft.

use prowess_core::{ArtifactKind, ArtifactSignature, RemoteArtifact, RemoteError, RemoteErrorKind};
use prowess_format::index::{self, IndexEntry, SkillIndex};

use crate::signature_files::KEY_FILE;

/// Reports the artifacts of an index, whose URLs are resolved by `locate`.
pub(crate) fn artifacts(
    index: &[u8],
    site: &str,
    locate: impl Fn(&str) -> Result<String, RemoteError>,
) -> Result<Vec<RemoteArtifact>, RemoteError> {
    let invalid = |reason: String| {
        let message = format!("the index of `{site}` is invalid: {reason}");
        RemoteError::new(RemoteErrorKind::Invalid, message)
    };
    let read = SkillIndex::read(index).map_err(|error| invalid(error.to_string()))?;
    if let Some(bad) = read.left_out.first() {
        // A skill that is left out would be taken for one that was removed.
        return Err(invalid(format!("entry {}: {}", bad.at, bad.reason)));
    }
    read.index.skills.iter().map(|entry| artifact(entry, &locate)).collect()
}

fn artifact(
    entry: &IndexEntry,
    locate: &dyn Fn(&str) -> Result<String, RemoteError>,
) -> Result<RemoteArtifact, RemoteError> {
    let kind = match entry.kind {
        index::ArtifactKind::SkillMd => ArtifactKind::SkillMd,
        index::ArtifactKind::Archive => ArtifactKind::Archive,
    };
    let signature = match &entry.signature {
        Some(signature) => Some(ArtifactSignature {
            location: Some(locate(signature)?),
            key: Some(locate(KEY_FILE)?),
            ..ArtifactSignature::default()
        }),
        None => None,
    };
    let name = Some(entry.name.clone());
    let digest = entry.digest.parse().ok();
    Ok(RemoteArtifact {
        name,
        digest,
        signature,
        ..RemoteArtifact::new(&locate(&entry.url)?, kind)
    })
}
