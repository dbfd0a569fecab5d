//! The skills of a server that publishes their files as resources, without the extension.
//!
//! Each `SKILL.md` under the scheme `skill` is a skill. Its files are those of the resource
//! `_manifest` in its directory, which has sizes and digests, or else those that are listed.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use prowess_core::{Digest, ResourcePath, SKILL_MD_FILES, virtual_uri};
use prowess_text::counted;
use serde_json::Value;

use crate::call::Call;
use crate::codes;
use crate::connection::Connection;
use crate::contents::read;
use crate::entry::{Reason, Rejected, digest, rejected};
use crate::error::CallError;
use crate::listing::ListingBuilder;
use crate::pages::{Extent, Pages};
use crate::place::Place;
use crate::skill::{File, MAX_BYTES, MOST_FILES, Skill};

/// The start of the URIs of files of skills.
const SCHEME: &str = "skill://";

/// The name of the resource that lists the files of a skill.
const MANIFEST: &str = "_manifest";

/// The maximum size of a manifest, in bytes.
const MAX_MANIFEST_BYTES: usize = 1 << 20;

/// The maximum number of resources of a server.
const MOST_RESOURCES: usize = 100_000;

/// The listed resources of skills, by URI, with their sizes.
type Resources = BTreeMap<String, Option<u64>>;

/// Adds the skills that the resources of a server make up.
pub(crate) fn list(
    connection: &mut Connection,
    builder: &mut ListingBuilder<'_>,
    call: &Call<'_>,
) -> Result<(), CallError> {
    let mut found = Resources::new();
    let mut add = |resource: &Value| {
        if let Some(uri) = resource["uri"].as_str().filter(|uri| uri.starts_with(SCHEME)) {
            found.insert(uri.to_owned(), resource["size"].as_u64());
        }
        if found.len() < MOST_RESOURCES {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let pages = Pages { method: "resources/list", key: "resources" };
    let mut extent = pages.read(connection, &mut add, call)?;
    for (place, file) in places(&found) {
        let added = match skill(connection, &found, place, file, call)? {
            Ok(skill) => builder.add(skill),
            Err(rejected) => builder.reject(rejected),
        };
        if added.is_break() {
            extent = Extent::Truncated;
            break;
        }
    }
    if extent == Extent::Truncated {
        builder.truncate();
    }
    Ok(())
}

/// Returns the location of each skill, with the name of the file that makes it one.
fn places(found: &Resources) -> Vec<(Place, &'static str)> {
    let mut places = Vec::new();
    for uri in found.keys() {
        for (index, file) in SKILL_MD_FILES.into_iter().enumerate() {
            let Some(place) = Place::of(uri, file) else { continue };
            let preferred = format!("{}{}", place.directory, SKILL_MD_FILES[0]);
            if index == 0 || !found.contains_key(&preferred) {
                places.push((place, file));
            }
        }
    }
    places
}

/// Describes a skill. An error of the server about it is a report, so that the others are listed.
fn skill(
    connection: &mut Connection,
    found: &Resources,
    place: Place,
    file: &'static str,
    call: &Call<'_>,
) -> Result<Result<Skill, Rejected>, CallError> {
    let uri = format!("{}{file}", place.directory);
    let package = Some(place.package.clone());
    let described = files(connection, found, &place, file, call)?;
    Ok(match described {
        Ok(files) => Ok(Skill::new(place, file, files, None)),
        Err(reason) => Err(rejected(package, &uri, reason)),
    })
}

/// Returns the files of a skill, or the reason why it cannot be used.
fn files(
    connection: &mut Connection,
    found: &Resources,
    place: &Place,
    file: &str,
    call: &Call<'_>,
) -> Result<Result<BTreeMap<ResourcePath, File>, Reason>, CallError> {
    let manifest = format!("{}{MANIFEST}", place.directory);
    let files = if found.contains_key(&manifest) {
        match readable(read(connection, &manifest, MAX_MANIFEST_BYTES, call))? {
            Ok(bytes) => of_manifest(&bytes, place),
            Err(reason) => return Ok(Err(reason)),
        }
    } else {
        let instructions = format!("{}{file}", place.directory);
        match readable(read(connection, &instructions, MAX_BYTES, call))? {
            Ok(bytes) => Ok(of_list(found, place, &instructions, &bytes)),
            Err(reason) => return Ok(Err(reason)),
        }
    };
    Ok(files.and_then(within_limits).and_then(|files| {
        let is_there = files.keys().any(|path| path.as_str() == file);
        is_there.then_some(files).ok_or_else(|| invalid("its manifest lacks its `SKILL.md`"))
    }))
}

/// Returns the reason of a failure that is about one file.
fn readable(read: Result<Vec<u8>, CallError>) -> Result<Result<Vec<u8>, Reason>, CallError> {
    match read {
        Ok(bytes) => Ok(Ok(bytes)),
        Err(error @ (CallError::Refused { .. } | CallError::BadFile(_))) => {
            Ok(Err((codes::MCP_SKILL_UNREADABLE, error.to_string())))
        }
        Err(error @ CallError::FileTooLarge(_)) => {
            Ok(Err((codes::MCP_SKILL_TOO_LARGE, error.to_string())))
        }
        Err(error) => Err(error),
    }
}

fn of_manifest(bytes: &[u8], place: &Place) -> Result<BTreeMap<ResourcePath, File>, Reason> {
    let manifest: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let listed =
        manifest["files"].as_array().ok_or_else(|| invalid("its manifest has no files"))?;
    let mut files = BTreeMap::new();
    for file in listed {
        let written = file["path"].as_str().unwrap_or_default();
        let path = ResourcePath::new(written).ok().filter(|path| path.as_str() == written);
        let path = path.ok_or_else(|| invalid("its manifest has a file outside of it"))?;
        let digest = file["hash"].as_str().and_then(digest);
        let (Some(size), Some(digest)) = (file["size"].as_u64(), digest) else {
            return Err(invalid("its manifest has a file without size or digest"));
        };
        let encoded = virtual_uri("", written);
        let encoded = encoded.strip_prefix("skill:///").unwrap_or(&encoded);
        let uri = format!("{}{encoded}", place.directory);
        let file = File { uri, size: Some(size), digest: Some(digest) };
        if files.insert(path, file).is_some() {
            return Err(invalid("its manifest has a file twice"));
        }
    }
    Ok(files)
}

/// Returns the listed files below a directory, with the digest of the one that was read.
fn of_list(
    found: &Resources,
    place: &Place,
    instructions: &str,
    bytes: &[u8],
) -> BTreeMap<ResourcePath, File> {
    let below = found.range(place.directory.clone()..);
    let below = below.take_while(|(uri, _)| uri.starts_with(&place.directory));
    let file = |(uri, size): (&String, &Option<u64>)| {
        let path = place.resource(uri)?;
        let file = if uri == instructions {
            let size = Some(bytes.len() as u64);
            File { uri: uri.clone(), size, digest: Some(Digest::of(bytes)) }
        } else {
            File { uri: uri.clone(), size: *size, digest: None }
        };
        Some((path, file))
    };
    below.filter_map(file).collect()
}

fn within_limits(
    files: BTreeMap<ResourcePath, File>,
) -> Result<BTreeMap<ResourcePath, File>, Reason> {
    let total = files.values().filter_map(|file| file.size).fold(0, u64::saturating_add);
    if files.len() > MOST_FILES || total > MAX_BYTES as u64 {
        let reason = format!("it has {} of {total} bytes", counted(files.len(), "file"));
        return Err((codes::MCP_SKILL_TOO_LARGE, reason));
    }
    Ok(files)
}

fn invalid(reason: &str) -> Reason {
    (codes::MCP_SKILL_INVALID, reason.to_owned())
}
