//! The files of a site with skills, by version 0.2 of the discovery draft.

use prowess_archive::File;
use prowess_core::{ArtifactKind as Kind, Digest, RemoteArtifact, RemoteRequest};
use prowess_format::index::{ArtifactKind, IndexEntry, SkillIndex, WELL_KNOWN_PATH};
use prowess_signature::{PublicKey, SignatureError};

use crate::candidate::{Candidate, LeftOut, document, packages};
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

/// The files of a site, or the packages, and the skills that are left out.
pub type Published<T> = (Vec<T>, Vec<LeftOut>);

/// Returns the signature of the bytes in a file of this name.
pub type SignFile<'s> = &'s dyn Fn(&str, &[u8]) -> Result<String, SignatureError>;

/// Returns the files of a site with the packages of an archive: an index, and an archive of each
/// package. Equal packages give equal files. A skill that is not valid is left out; without one
/// that is, there are no files.
///
/// # Errors
///
/// The archive is refused.
pub fn publish(archive: &[u8]) -> Result<Published<File>, InstallError> {
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
) -> Result<Published<File>, InstallError> {
    let (mut files, left_out) = files(archive, Some(sign))?;
    let directory = WELL_KNOWN_PATH.trim_start_matches('/').trim_end_matches("index.json");
    if !files.is_empty() {
        files.insert(0, File::new(format!("{directory}{KEY_FILE}"), key.to_text()));
    }
    Ok((files, left_out))
}

/// Returns the packages of an archive, each as an archive of its own. Equal packages give equal
/// bytes.
///
/// # Errors
///
/// As [`publish`].
pub fn publish_packages(archive: &[u8]) -> Result<Published<PublishedPackage>, InstallError> {
    let (entries, left_out) = entries(archive)?;
    let package = |(entry, bytes): (IndexEntry, _)| PublishedPackage {
        name: entry.name,
        description: entry.description,
        bytes,
    };
    Ok((entries.into_iter().map(package).collect(), left_out))
}

/// Returns the package of each skill as an archive, with its entry of the index.
fn entries(archive: &[u8]) -> Result<Published<(IndexEntry, Vec<u8>)>, InstallError> {
    if archive.is_empty() {
        return Ok(Published::default());
    }
    let digest = Digest::of(archive);
    let artifact =
        RemoteArtifact { digest: Some(digest), ..RemoteArtifact::new("", Kind::Archive) };
    let mut fetched = packages(&RemoteRequest::latest(""), &artifact, archive, digest)?;
    fetched.keep_one_of_each(&|_| None, false);
    fetched.left_out.retain(|it| !matches!(it.error, InstallError::NotAlone(_)));
    let (mut entries, mut all_left_out) = (Vec::new(), fetched.left_out);
    for Candidate { id, package, skill, mut left_out, .. } in fetched.candidates {
        let bytes = package.to_tar_gz();
        let entry = IndexEntry {
            description: document(&package, &id)?.description,
            url: format!("{id}.tar.gz"),
            name: id.clone(),
            kind: ArtifactKind::Archive,
            digest: Digest::of(&bytes).to_string(),
            signature: None,
        };
        // A host would refuse the whole index.
        let index = SkillIndex { skills: vec![entry.clone()] }.to_json();
        let read = SkillIndex::read(index.as_bytes()).map(|read| read.left_out);
        let read = read.map_err(|error| InstallError::SkillInvalid(error.to_string()))?;
        left_out.extend(read.into_iter().map(|bad| bad.reason.to_string()));
        match left_out.pop() {
            Some(reason) => {
                let error = InstallError::SkillInvalid(reason);
                all_left_out.push(LeftOut { name: skill.path.unwrap_or(id), error });
            }
            None => entries.push((entry, bytes)),
        }
    }
    Ok((entries, all_left_out))
}

fn files(archive: &[u8], sign: Option<SignFile<'_>>) -> Result<Published<File>, InstallError> {
    let index_path = WELL_KNOWN_PATH.trim_start_matches('/');
    let directory = index_path.trim_end_matches("index.json");
    let mut index = SkillIndex::default();
    let mut files = Vec::new();
    let (entries, left_out) = entries(archive)?;
    for (mut entry, bytes) in entries {
        let url = &entry.url;
        let signature = sign.map(|sign| sign(url, &bytes)).transpose();
        let signature =
            signature.map_err(|error| InstallError::SignatureInvalid(error.to_string()))?;
        let signature = signature.map(|text| File::new(format!("{url}{SIGNATURE_END}"), text));
        entry.signature = signature.as_ref().map(|file| file.path.clone());
        files.push(File::new(format!("{directory}{url}"), bytes));
        files
            .extend(signature.map(|File { path, content, .. }| {
                File::new(format!("{directory}{path}"), content)
            }));
        index.skills.push(entry);
    }
    if !files.is_empty() {
        files.push(File::new(index_path, index.to_json()));
    }
    Ok((files, left_out))
}
