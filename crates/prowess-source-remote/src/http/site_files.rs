//! Sites with an index of files, by version 0.1 of the discovery draft. They are read only.

use prowess_archive::{Archive, File, Limits};
use prowess_core::{ArtifactKind, Cancel, Digest, RemoteArtifact, RemoteError, RemoteErrorKind};
use prowess_format::index::MAX_INDEX_BYTES;
use prowess_format::{NameRule, SkillName};
use prowess_text::quoted;
use serde::Deserialize;

use crate::cancel::check;
use crate::http::client::{Call, Client};
use crate::url::Url;

/// Where a site has its index of files, from its root.
const PATH: &str = "/.well-known/skills/index.json";

/// The maximum number of files of all skills of a site: each is a request.
const MAX_FILES: usize = 1_000;

#[derive(Deserialize)]
struct Index {
    skills: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    files: Vec<String>,
}

/// Returns whether a location is a skill of an index of files.
pub(crate) fn is_location(location: &str) -> bool {
    location.contains(&format!("{PATH}#"))
}

/// Reports the skills of a site. The index has no digests, so the files are fetched.
pub(crate) fn resolve(
    client: &Client,
    site: &Url,
    cancel: &Cancel,
) -> Result<Vec<RemoteArtifact>, RemoteError> {
    let index = site.join(PATH, &client.options)?;
    let (place, entries) = entries(client, &index, cancel)?;
    let mut artifacts = Vec::new();
    for entry in &entries {
        let archive = packed(client, &place, entry, Limits::default().bytes, cancel)?;
        artifacts.push(RemoteArtifact {
            name: Some(entry.name.clone()),
            digest: Some(Digest::of(&archive)),
            ..RemoteArtifact::new(
                format!("{}#{}", index.as_str(), entry.name),
                ArtifactKind::Archive,
            )
        });
    }
    Ok(artifacts)
}

/// Fetches the files of a skill, packed as an archive.
pub(crate) fn fetch(
    client: &Client,
    location: &str,
    limit: usize,
    cancel: &Cancel,
) -> Result<Vec<u8>, RemoteError> {
    let (index, name) = location.split_once('#').unwrap_or_default();
    let index = Url::new(index, &client.options)?;
    let (index, entries) = entries(client, &index, cancel)?;
    let entry = entries.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let message = format!("the index of `{}` has no skill {}", index.host(), quoted(name));
        RemoteError::new(RemoteErrorKind::NotFound, message)
    })?;
    let archive = packed(client, &index, entry, Limits::default().bytes, cancel)?;
    if archive.len() > limit {
        let message = format!("the skill {} has more than {limit} bytes", quoted(name));
        return Err(RemoteError::new(RemoteErrorKind::TooLarge, message));
    }
    Ok(archive)
}

/// Returns where an index is, behind all redirects, and its entries.
fn entries(
    client: &Client,
    index: &Url,
    cancel: &Cancel,
) -> Result<(Url, Vec<Entry>), RemoteError> {
    let answer = client.send(&Call::get(index, &[]), MAX_INDEX_BYTES, cancel)?;
    let index = answer.url.clone();
    let bytes = answer.content(&index)?;
    let index = &index;
    let read: Index = serde_json::from_slice(&bytes).map_err(|error| invalid(index, &error))?;
    let mut names: Vec<_> = read.skills.iter().map(|entry| &entry.name).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(invalid(index, &"two skills have one name"));
    }
    for entry in &read.skills {
        let name = SkillName::with_rule(&entry.name, NameRule::AgentSkills);
        name.map_err(|error| invalid(index, &error))?;
    }
    let count: usize = read.skills.iter().map(|entry| entry.files.len()).sum();
    if count > MAX_FILES {
        let message = format!("the index of `{}` has more than {MAX_FILES} files", index.host());
        return Err(RemoteError::new(RemoteErrorKind::TooLarge, message));
    }
    Ok((index.clone(), read.skills))
}

fn packed(
    client: &Client,
    index: &Url,
    entry: &Entry,
    limit: usize,
    cancel: &Cancel,
) -> Result<Vec<u8>, RemoteError> {
    // Names are checked before anything is requested by them.
    let empty = entry.files.iter().map(|path| File::new(path.clone(), Vec::new()));
    Archive::new(empty.collect()).map_err(|refusal| invalid(index, &refusal))?;
    let mut files = Vec::new();
    let mut rest = limit;
    for path in &entry.files {
        check(cancel)?;
        if path.contains(['%', '?', '#', '\\', ' ']) {
            return Err(invalid(index, &format!("the path {} is not a URL", quoted(path))));
        }
        let url = index.join(&format!("{}/{path}", entry.name), &client.options)?;
        let content = client.get(&url, rest, cancel)?;
        rest -= content.len();
        files.push(File::new(path.clone(), content));
    }
    let archive = Archive::new(files).map_err(|refusal| invalid(index, &refusal))?;
    Ok(archive.to_tar_gz())
}

fn invalid(index: &Url, reason: &dyn std::fmt::Display) -> RemoteError {
    let message = format!("the index of `{}` is invalid: {reason}", index.host());
    RemoteError::new(RemoteErrorKind::Invalid, message)
}
