//! Sites with an index of skills, by version 0.2 of the discovery draft, and by version 0.1 where
//! there is no other.

use prowess_core::{
    ArtifactKind, ArtifactSignature, Cancel, RemoteArtifact, RemoteError, RemoteErrorKind,
};
pub(crate) use prowess_format::index::MAX_INDEX_BYTES;
use prowess_format::index::{self, IndexEntry, SkillIndex, WELL_KNOWN_PATH};

use crate::http::client::Client;
use crate::http::site_files;
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
    match client.get(&index, MAX_INDEX_BYTES, cancel) {
        Ok(bytes) => artifacts(&bytes, url.host(), |location| {
            Ok(index.join(location, &client.options)?.as_str().to_owned())
        }),
        Err(error) if error.kind == RemoteErrorKind::NotFound && !is_index => {
            // The error of the newer path is the one to show.
            site_files::resolve(client, url, cancel).map_err(|older| {
                if older.kind == RemoteErrorKind::NotFound { error } else { older }
            })
        }
        Err(error) => Err(error),
    }
}

/// Returns where the index of a site below a path is.
#[cfg(feature = "s3")]
pub(crate) fn index_below(source: &str) -> String {
    let is_index = source.ends_with(".json");
    if is_index { source.to_owned() } else { format!("{source}{WELL_KNOWN_PATH}") }
}

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
