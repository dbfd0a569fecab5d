//! Sites with an index of skills, by version 0.2 of the discovery draft, and by version 0.1 where
//! there is no other.

use prowess_core::{Cancel, RemoteArtifact, RemoteError, RemoteErrorKind};
pub(crate) use prowess_format::index::MAX_INDEX_BYTES;
use prowess_format::index::WELL_KNOWN_PATH;

use crate::http::client::{Call, Client};
use crate::http::site_files;
pub(crate) use crate::site_index::artifacts;
use crate::url::Url;

/// Reports the skills of the index of a site, or of an index at a URL.
pub(crate) fn resolve(
    client: &Client,
    url: &Url,
    cancel: &Cancel,
) -> Result<Vec<RemoteArtifact>, RemoteError> {
    let is_index = url.path().ends_with(".json");
    let index = if is_index { url.clone() } else { url.join(WELL_KNOWN_PATH, &client.options)? };
    let answer = client.send(&Call::get(&index, &[]), MAX_INDEX_BYTES, cancel)?;
    // References of a document are relative to where it is, by RFC 3986.
    let index = answer.url.clone();
    match answer.content(&index) {
        Ok(bytes) => artifacts(&bytes, url.host(), |location| {
            Ok(index.join(location, &client.options)?.as_str().to_owned())
        }),
        Err(error) if error.kind == RemoteErrorKind::NotFound && !is_index => {
            // The error of the newer path is the one to show.
            // A page of a repository is one, too, at a host that is not known to have them.
            let message = format!("{error}; of a repository, write `git+` and its URL for git");
            let error = RemoteError { message, ..error };
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
