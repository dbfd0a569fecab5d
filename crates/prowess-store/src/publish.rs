//! The files of a site with skills, by version 0.2 of the discovery draft.

use std::sync::Arc;

use prowess_archive::File;
use prowess_core::{ArtifactKind as Kind, Digest, RemoteArtifact, RemoteRequest};
use prowess_format::index::{ArtifactKind, IndexEntry, SkillIndex, WELL_KNOWN_PATH};

use crate::candidate::{Candidate, document, packages};
use crate::install_error::InstallError;

/// Returns the files of a site with the packages of an archive: an index, and an archive of each
/// package. Equal packages give equal files.
///
/// # Errors
///
/// The archive is refused, or one of its skills is not valid.
pub fn publish(archive: &[u8]) -> Result<Vec<File>, InstallError> {
    let digest = Digest::of(archive);
    let artifact = RemoteArtifact {
        location: String::new(),
        name: None,
        kind: Kind::Archive,
        revision: None,
        digest: Some(digest),
    };
    let bytes: Arc<[u8]> = archive.into();
    let candidates = packages(&RemoteRequest::latest(""), &artifact, &bytes, digest)?;
    if candidates.is_empty() {
        return Err(InstallError::NoSkill("there is no `SKILL.md` in the folder".to_owned()));
    }
    let index_path = WELL_KNOWN_PATH.trim_start_matches('/');
    let directory = index_path.trim_end_matches("index.json");
    let mut index = SkillIndex::default();
    let mut files = Vec::new();
    for Candidate { id, package, .. } in &candidates {
        let bytes = package.to_tar_gz();
        let url = format!("{id}.tar.gz");
        index.skills.push(IndexEntry {
            name: id.clone(),
            kind: ArtifactKind::Archive,
            description: document(package, id)?.description,
            url: url.clone(),
            digest: Digest::of(&bytes).to_string(),
        });
        files.push(File::new(format!("{directory}{url}"), bytes));
    }
    let read = SkillIndex::read(index.to_json().as_bytes());
    let left_out = read.map_err(|error| InstallError::SkillInvalid(error.to_string()))?.left_out;
    if let Some(bad) = left_out.first() {
        return Err(InstallError::SkillInvalid(format!("skill {}: {}", bad.at, bad.reason)));
    }
    files.push(File::new(index_path, index.to_json()));
    Ok(files)
}
