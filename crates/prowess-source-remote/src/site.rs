//! Sites with an index of skills, by version 0.2 of the discovery draft.

use prowess_core::{
    ArtifactKind, ArtifactSignature, Cancel, RemoteArtifact, RemoteError, RemoteErrorKind,
};
use prowess_format::index::{self, IndexEntry, MAX_INDEX_BYTES, SkillIndex, WELL_KNOWN_PATH};

use crate::client::Client;
use crate::signature_files::KEY_FILE;
use crate::url::Url;

/// Reports the skills of the index of a site, or of an index at a URL.
pub(crate) fn resolve(
    client: &Client,
    url: &Url,
    cancel: &Cancel,
) -> Result<Vec<RemoteArtifact>, RemoteError> {
    let is_index = url.path().ends_with(".json");
    let index = if is_index { url.clone() } else { url.join(WELL_KNOWN_PATH, &client.options)? };
    let bytes = client.get(&index, MAX_INDEX_BYTES, cancel)?;
    let invalid = |reason: String| {
        let message = format!("the index of `{}` is invalid: {reason}", url.host());
        RemoteError::new(RemoteErrorKind::Invalid, message)
    };
    let read = SkillIndex::read(&bytes).map_err(|error| invalid(error.to_string()))?;
    if let Some(bad) = read.left_out.first() {
        // A skill that is left out would be taken for one that was removed.
        return Err(invalid(format!("entry {}: {}", bad.at, bad.reason)));
    }
    let entries = read.index.skills.iter();
    entries.map(|entry| artifact(client, &index, entry)).collect()
}

fn artifact(
    client: &Client,
    index: &Url,
    entry: &IndexEntry,
) -> Result<RemoteArtifact, RemoteError> {
    let location = index.join(&entry.url, &client.options)?;
    let digest = entry.digest.parse().ok();
    let kind = match entry.kind {
        index::ArtifactKind::SkillMd => ArtifactKind::SkillMd,
        index::ArtifactKind::Archive => ArtifactKind::Archive,
    };
    let name = Some(entry.name.clone());
    let signature = match &entry.signature {
        Some(signature) => Some(ArtifactSignature {
            location: index.join(signature, &client.options)?.as_str().to_owned(),
            key: index.join(KEY_FILE, &client.options)?.as_str().to_owned(),
        }),
        None => None,
    };
    Ok(RemoteArtifact { name, digest, signature, ..RemoteArtifact::new(location.as_str(), kind) })
}
