//! The files of a site with skills, by version 0.2 of the discovery draft.

use prowess_archive::File;
use prowess_core::{ArtifactKind as Kind, Digest, RemoteArtifact, RemoteRequest};
use prowess_format::index::{ArtifactKind, IndexEntry, SkillIndex, WELL_KNOWN_PATH};
use prowess_signature::{PublicKey, SignatureError};

use crate::candidate::{Candidate, document, packages};
use crate::error::InstallError;

/// The end of the name of a signature, after the name of its artifact, as minisign names it.
const SIGNATURE_END: &str = ".minisig";

/// The name of the public key next to the index.
const KEY_FILE: &str = "minisign.pub";

/// A package that is published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedPackage {
    /// The name of the skill.
    pub name: String,
    /// The description of the skill.
    pub description: String,
    /// The package as a `.tar.gz`.
    pub bytes: Vec<u8>,
}

/// Returns the signature of the bytes in a file of this name.
pub type SignFile<'s> = &'s dyn Fn(&str, &[u8]) -> Result<String, SignatureError>;

/// Returns the files of a site with the packages of an archive: an index, and an archive of each
/// package. Equal packages give equal files.
///
/// # Errors
///
/// The archive is refused, or one of its skills is not valid.
pub fn publish(archive: &[u8]) -> Result<Vec<File>, InstallError> {
    files(archive, None)
}

/// Returns the files that [`publish`] returns, with a signature of each package, and the public key
/// of the signer.
///
/// # Errors
///
/// As [`publish`], or one of the packages cannot be signed.
pub fn publish_signed(
    archive: &[u8],
    key: &PublicKey,
    sign: SignFile<'_>,
) -> Result<Vec<File>, InstallError> {
    let mut files = files(archive, Some(sign))?;
    let directory = WELL_KNOWN_PATH.trim_start_matches('/').trim_end_matches("index.json");
    files.insert(0, File::new(format!("{directory}{KEY_FILE}"), key.to_text()));
    Ok(files)
}

/// Returns the packages of an archive, each as an archive of its own. Equal packages give equal
/// bytes.
///
/// # Errors
///
/// As [`publish`].
pub fn publish_packages(archive: &[u8]) -> Result<Vec<PublishedPackage>, InstallError> {
    let mut packages = Vec::new();
    for Candidate { id, package, .. } in candidates(archive)? {
        let description = document(&package, &id)?.description;
        packages.push(PublishedPackage { name: id, description, bytes: package.to_tar_gz() });
    }
    Ok(packages)
}

fn candidates(archive: &[u8]) -> Result<Vec<Candidate>, InstallError> {
    let digest = Digest::of(archive);
    let artifact =
        RemoteArtifact { digest: Some(digest), ..RemoteArtifact::new("", Kind::Archive) };
    let fetched = packages(&RemoteRequest::latest(""), &artifact, archive, digest)?;
    if let Some(left_out) = fetched.left_out.into_iter().next() {
        return Err(left_out.error);
    }
    let candidates = fetched.candidates;
    if let Some(link) = candidates.iter().find_map(|it| it.left_out.first()) {
        return Err(InstallError::SkillInvalid(link.clone()));
    }
    if candidates.is_empty() {
        return Err(InstallError::NoSkill("there is no `SKILL.md` in the folder".to_owned()));
    }
    Ok(candidates)
}

fn files(archive: &[u8], sign: Option<SignFile<'_>>) -> Result<Vec<File>, InstallError> {
    let index_path = WELL_KNOWN_PATH.trim_start_matches('/');
    let directory = index_path.trim_end_matches("index.json");
    let mut index = SkillIndex::default();
    let mut files = Vec::new();
    for Candidate { id, package, .. } in candidates(archive)? {
        let bytes = package.to_tar_gz();
        let url = format!("{id}.tar.gz");
        let signature = sign.map(|sign| sign(&url, &bytes)).transpose();
        let signature =
            signature.map_err(|error| InstallError::SignatureInvalid(error.to_string()))?;
        let signature = signature.map(|text| File::new(format!("{url}{SIGNATURE_END}"), text));
        index.skills.push(IndexEntry {
            description: document(&package, &id)?.description,
            name: id,
            kind: ArtifactKind::Archive,
            url: url.clone(),
            digest: Digest::of(&bytes).to_string(),
            signature: signature.as_ref().map(|file| file.path.clone()),
        });
        files.push(File::new(format!("{directory}{url}"), bytes));
        files
            .extend(signature.map(|File { path, content, .. }| {
                File::new(format!("{directory}{path}"), content)
            }));
    }
    let read = SkillIndex::read(index.to_json().as_bytes());
    let left_out = read.map_err(|error| InstallError::SkillInvalid(error.to_string()))?.left_out;
    if let Some(bad) = left_out.first() {
        return Err(InstallError::SkillInvalid(format!("skill {}: {}", bad.at, bad.reason)));
    }
    files.push(File::new(index_path, index.to_json()));
    Ok(files)
}
