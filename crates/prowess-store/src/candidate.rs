//! Packages that were fetched and checked, before they are installed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use prowess_archive::{Archive, File, Limits, read};
use prowess_core::{
    ArtifactKind, Cancel, Digest, Remote, RemoteArtifact, RemoteRequest, SKILL_MD_FILES,
};
use prowess_format::{Frontmatter, Profile, parse};
use prowess_text::{enumerated, quoted};

use crate::error::InstallError;
use crate::locked_skill::LockedSkill;
use crate::signers::Signatures;
use crate::surface::surface_with;
use crate::tree::tree_digest;

/// The maximum number of skills that are named instead of one that is missing.
const MAX_NAMES: usize = 10;

/// A package with the entry that it gets in the lock.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) id: String,
    pub(crate) package: Archive,
    pub(crate) skill: LockedSkill,
    /// The kinds of what was found instead of a signature.
    pub(crate) unverified: Vec<String>,
    /// The artifact, for the quarantine.
    pub(crate) bytes: Arc<[u8]>,
}

/// Fetches the packages of a source, of which only these names are wanted; all if there are none.
pub(crate) fn fetch(
    remote: &dyn Remote,
    request: &RemoteRequest,
    names: &[String],
    signatures: &Signatures<'_>,
    cancel: &Cancel,
) -> Result<Vec<Candidate>, InstallError> {
    let artifacts = remote.resolve(request, cancel)?;
    let is_wanted = |name: &String| names.is_empty() || names.contains(name);
    let mut candidates = Vec::new();
    for artifact in artifacts.iter().filter(|it| it.name.as_ref().is_none_or(is_wanted)) {
        candidates.extend(fetch_artifact(remote, request, artifact, signatures, cancel)?);
    }
    let named = artifacts.iter().filter_map(|artifact| artifact.name.clone());
    let found: BTreeSet<_> = named.chain(candidates.iter().map(|it| it.id.clone())).collect();
    candidates.retain(|candidate| is_wanted(&candidate.id));
    check_names(&candidates, names, &found, request)?;
    Ok(candidates)
}

/// Fetches the packages of these names, without their signatures. A name that no artifact has is
/// missing from the result; the error of an artifact is that of each name that may be in it.
pub(crate) fn fetch_each<'n>(
    remote: &dyn Remote,
    request: &RemoteRequest,
    artifacts: &[RemoteArtifact],
    names: &[&'n str],
    cancel: &Cancel,
) -> BTreeMap<&'n str, Result<Candidate, InstallError>> {
    let mut found: BTreeMap<_, Result<Candidate, InstallError>> = BTreeMap::new();
    for artifact in artifacts {
        let mut wanted = names.to_vec();
        wanted.retain(|name| artifact.name.as_deref().is_none_or(|own| own == *name));
        if wanted.is_empty() {
            continue;
        }
        match fetch_artifact(remote, request, artifact, &Signatures::Skip, cancel) {
            Ok(candidates) => {
                for candidate in candidates {
                    if let Some(&name) = wanted.iter().find(|name| **name == candidate.id) {
                        found.insert(name, Ok(candidate));
                    }
                }
            }
            Err(error) => {
                for name in wanted {
                    found.entry(name).or_insert_with(|| Err(error.clone()));
                }
            }
        }
    }
    found
}

/// Fetches an artifact, and returns the packages in it.
fn fetch_artifact(
    remote: &dyn Remote,
    request: &RemoteRequest,
    artifact: &RemoteArtifact,
    signatures: &Signatures<'_>,
    cancel: &Cancel,
) -> Result<Vec<Candidate>, InstallError> {
    let bytes: Arc<[u8]> = remote.fetch(artifact, Limits::default().bytes, cancel)?.into();
    let found = Digest::of(&bytes);
    if let Some(expected) = artifact.digest.filter(|digest| *digest != found) {
        return Err(InstallError::ArtifactChanged { expected, found });
    }
    // Nothing is unpacked before it is verified.
    let signer = signatures.signer(remote, artifact, &bytes, cancel)?;
    let mut candidates = packages(request, artifact, &bytes, found)?;
    for candidate in &mut candidates {
        candidate.skill.signer.clone_from(&signer.name);
        candidate.unverified.clone_from(&signer.unverified);
    }
    Ok(candidates)
}

/// Returns the packages of an artifact.
pub(crate) fn packages(
    request: &RemoteRequest,
    artifact: &RemoteArtifact,
    bytes: &Arc<[u8]>,
    digest: Digest,
) -> Result<Vec<Candidate>, InstallError> {
    let archive = match artifact.kind {
        ArtifactKind::SkillMd => Archive::new(vec![File::new(SKILL_MD_FILES[0], &**bytes)])?,
        ArtifactKind::Archive => read(bytes, &Limits::default())?,
    };
    let mut candidates = Vec::new();
    for (directory, package) in split(archive) {
        let frontmatter = document(&package, &directory)?;
        let surface = surface_with(&package, &frontmatter.allowed_tools);
        let id = frontmatter.name;
        if let Some(named) = artifact.name.as_ref().filter(|named| **named != id) {
            let message =
                format!("the index names {} and the skill {}", quoted(named), quoted(&id));
            return Err(InstallError::SkillInvalid(message));
        }
        let revision = artifact.revision.clone().unwrap_or_else(|| digest.to_string());
        let skill = LockedSkill {
            reference: request.reference.clone(),
            path: Some(directory).filter(|directory| !directory.is_empty()),
            surface,
            ..LockedSkill::new(&request.source, &revision, digest, tree_digest(&package))
        };
        let (unverified, bytes) = (Vec::new(), Arc::clone(bytes));
        candidates.push(Candidate { id, package, skill, unverified, bytes });
    }
    Ok(candidates)
}

/// Returns the packages of an archive by their directories.
fn split(archive: Archive) -> Vec<(String, Archive)> {
    let directories = package_directories(&archive);
    if directories.as_slice() == [""] {
        // The usual case needs no copy of the files.
        return vec![(String::new(), archive)];
    }
    let below = |directory: String| {
        let package = archive.below(&directory);
        (directory, package)
    };
    directories.into_iter().map(below).collect()
}

/// Returns the directories with a `SKILL.md` that are not inside another package.
fn package_directories(archive: &Archive) -> Vec<String> {
    let [first, second] = SKILL_MD_FILES;
    let all = &archive.directories_with(first) | &archive.directories_with(second);
    let outermost = all.iter().filter(|it| !all.iter().any(|other| is_inside(it, other)));
    outermost.map(|&it| it.to_owned()).collect()
}

fn is_inside(directory: &str, other: &str) -> bool {
    let rest = directory.strip_prefix(other);
    other != directory && (other.is_empty() || rest.is_some_and(|rest| rest.starts_with('/')))
}

/// Returns the frontmatter of a package.
pub(crate) fn document(package: &Archive, directory: &str) -> Result<Frontmatter, InstallError> {
    let file = |name: &&str| package.files().iter().find(|file| file.path == **name);
    let content = SKILL_MD_FILES.iter().find_map(file).map(|file| &*file.content);
    let parsed = parse(content.unwrap_or_default(), Profile::Lenient);
    parsed.document.map(|document| document.frontmatter).ok_or_else(|| {
        let reason = parsed.diagnostics.first().map_or("", |found| &*found.message);
        let place = if directory.is_empty() { "the package" } else { directory };
        InstallError::SkillInvalid(format!("the skill in {} is invalid: {reason}", quoted(place)))
    })
}

/// Checks that each wanted skill was found, and none twice.
fn check_names(
    candidates: &[Candidate],
    names: &[String],
    found: &BTreeSet<String>,
    request: &RemoteRequest,
) -> Result<(), InstallError> {
    let source = quoted(&request.source);
    if candidates.is_empty() && names.is_empty() {
        return Err(InstallError::NoSkill(format!("there is no `SKILL.md` in {source}")));
    }
    let missing = names.iter().find(|&name| candidates.iter().all(|it| it.id != *name));
    if let Some(missing) = missing {
        let others = match found.len() {
            1..=MAX_NAMES => {
                format!("; it has {}", enumerated(found.iter().map(String::as_str), "and"))
            }
            _ => String::new(),
        };
        let message = format!("there is no skill {} in {source}{others}", quoted(missing));
        return Err(InstallError::NoSkill(message));
    }
    check_unique(candidates)
}

/// Checks that no skill was found twice.
pub(crate) fn check_unique(candidates: &[Candidate]) -> Result<(), InstallError> {
    let mut found: Vec<_> = candidates.iter().collect();
    found.sort_unstable_by(|one, other| one.id.cmp(&other.id));
    match found.windows(2).find(|pair| pair[0].id == pair[1].id) {
        Some(pair) => {
            let [one, other] = [pair[0], pair[1]].map(|it| quoted(&it.skill.source));
            let places = if one == other { one } else { format!("{one} and {other}") };
            let message = format!("{places} have two skills {}", quoted(&pair[0].id));
            Err(InstallError::SkillInvalid(message))
        }
        None => Ok(()),
    }
}
