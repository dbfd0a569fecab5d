//! Packages that were fetched and checked, before they are installed.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use prowess_archive::{Archive, File, Limits, Package, read, read_packages};
use prowess_core::{
    ArtifactKind, Cancel, Digest, Remote, RemoteArtifact, RemoteError, RemoteErrorKind,
    RemotePackage, RemoteRequest, SKILL_MD_FILES, Want,
};
use prowess_format::{Frontmatter, Profile, Rules, is_skill, parse};
use prowess_text::{enumerated, quoted};

use crate::error::InstallError;
use crate::lock::{Lock, is_id, is_named};
use crate::locked_skill::LockedSkill;
use crate::signer::SignerRules;
use crate::signers::{Signatures, check_signer};
use crate::surface::{of_lock, surface};
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
    /// What was left out of the package, such as links that lead out of the source.
    pub(crate) left_out: Vec<String>,
    /// Why it may be a step back from the installed version.
    pub(crate) steps_back: Vec<String>,
    /// The artifact, for the quarantine; `None` for a package that was fetched alone.
    pub(crate) bytes: Option<Arc<[u8]>>,
}

impl Candidate {
    /// Returns the bytes that are kept in quarantine.
    pub(crate) fn artifact(&self) -> Arc<[u8]> {
        self.bytes.clone().unwrap_or_else(|| self.package.to_tar_gz().into())
    }
}

/// A skill that was asked for and is not installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The name or, if the `SKILL.md` cannot be read, the directory in the source.
    pub name: String,
    /// The reason.
    pub error: InstallError,
}

impl LeftOut {
    /// Returns whether one of these names may mean this skill.
    fn is_meant(&self, names: &[String]) -> bool {
        let last = self.name.rsplit('/').next().unwrap_or_default();
        names.is_empty() || names.iter().any(|name| is_named(&self.name, name) || name == last)
    }
}

/// What was fetched of a source: the skills that can be installed, and the others.
#[derive(Debug, Default)]
pub(crate) struct Fetched {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) left_out: Vec<LeftOut>,
    /// Every name that was seen and can be installed, and its description.
    pub(crate) found: BTreeMap<String, String>,
    /// The names that were seen in several directories.
    pub(crate) several: BTreeSet<String>,
}

/// Which skills of a source are wanted.
#[derive(Clone, Copy)]
pub(crate) enum Wanted<'n> {
    /// Those of these names; all if there are none. Of several with one name, that in the directory
    /// of the lock is meant, or else those in the directories of this name nearest to the root.
    Named(&'n [String]),
    /// Each one of these names.
    Each(&'n [String]),
}

/// Fetches the wanted packages of a source.
pub(crate) fn fetch(
    remote: &dyn Remote,
    request: &RemoteRequest,
    wanted: Wanted<'_>,
    signatures: &Signatures<'_>,
    lock: &Lock,
    cancel: &Cancel,
) -> Result<Fetched, InstallError> {
    let (names, first) = match wanted {
        Wanted::Named(names) => (names, names),
        Wanted::Each(names) => (names, &[][..]),
    };
    let locked = |id: &str| {
        let known = lock.skills.get(id).filter(|known| known.source == request.source);
        known.map(|known| known.path.clone())
    };
    let place = |name: &String| locked(name).flatten().unwrap_or_else(|| name.clone());
    let mut artifacts = remote.resolve(request, cancel)?;
    for artifact in &mut artifacts {
        artifact.first = first.iter().map(place).collect();
    }
    let is_wanted = |id: &str| names.is_empty() || names.iter().any(|name| is_named(id, name));
    let wanted = |id: &str| if is_wanted(id) { Want::Files } else { Want::Nothing };
    let mut fetched = Fetched::default();
    for artifact in &artifacts {
        if let Some(name) = &artifact.name {
            fetched.found.entry(name.clone()).or_default();
            if !is_wanted(name) {
                continue;
            }
        }
        match fetch_artifact(remote, request, artifact, &wanted, signatures, cancel) {
            Ok(further) => {
                fetched.candidates.extend(further.candidates);
                fetched.left_out.extend(further.left_out);
                fetched.found.extend(further.found);
            }
            Err(error) if artifacts.len() == 1 => return Err(error),
            Err(error) => {
                let name = artifact.name.clone().unwrap_or_else(|| artifact.location.clone());
                fetched.left_out.push(LeftOut { name, error });
            }
        }
    }
    fetched.left_out.retain(|left_out| left_out.is_meant(names));
    for LeftOut { error, .. } in &mut fetched.left_out {
        if let (InstallError::NotAlone(reason), false) = (&*error, names.is_empty()) {
            *error = reason.clone().into();
        }
    }
    fetched.keep_one_of_each(&locked, !first.is_empty());
    fetched.keep_meant(names);
    fetched.check_names(names, request);
    if fetched.candidates.is_empty() && fetched.left_out.is_empty() {
        return Err(no_skill(request));
    }
    Ok(fetched)
}

/// Returns the error of a source without skills.
pub(crate) fn no_skill(request: &RemoteRequest) -> InstallError {
    InstallError::NoSkill(format!("there is no `SKILL.md` in {}", quoted(&request.source)))
}

/// Fetches the packages of these names. A name that no artifact has is missing from the result; the
/// error of an artifact is that of each name that may be in it. Signatures are verified if a signer
/// is required; else the locked digests of the files say more.
pub(crate) fn fetch_each<'n>(
    remote: &dyn Remote,
    request: &RemoteRequest,
    artifacts: &[RemoteArtifact],
    names: &[&'n str],
    signers: &SignerRules,
    lock: &Lock,
    cancel: &Cancel,
) -> BTreeMap<&'n str, Result<Candidate, InstallError>> {
    let signatures = Signatures::required(signers, lock);
    let mut found: BTreeMap<_, Result<Candidate, InstallError>> = BTreeMap::new();
    for artifact in artifacts {
        let mut wanted = names.to_vec();
        wanted.retain(|name| artifact.name.as_deref().is_none_or(|own| own == *name));
        if wanted.is_empty() {
            continue;
        }
        let want = |id: &str| if wanted.contains(&id) { Want::Files } else { Want::Nothing };
        let path = |id: &str| lock.skills.get(id).map(|known| known.path.clone());
        let place = |id: &&str| path(id).flatten().unwrap_or_else(|| (*id).to_owned());
        let first = wanted.iter().map(place).collect();
        let artifact = &RemoteArtifact { first, ..artifact.clone() };
        match fetch_artifact(remote, request, artifact, &want, &signatures, cancel) {
            Ok(mut fetched) => {
                fetched.keep_one_of_each(&path, false);
                for LeftOut { name, error } in fetched.left_out {
                    let is_meant = |id: &&&str| {
                        let path = path(id).flatten();
                        **id == name || path.is_some_and(|path| path == name)
                    };
                    if let Some(&name) = wanted.iter().find(is_meant) {
                        found.entry(name).or_insert(Err(error));
                    }
                }
                for candidate in fetched.candidates {
                    if let Some(&name) = wanted.iter().find(|name| **name == candidate.id) {
                        let signed = check_signer(name, &candidate.skill, None, signers);
                        found.insert(name, signed.map(|()| candidate));
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

impl Fetched {
    /// Keeps one of several packages with a name: that in the directory of the lock, the nearest in
    /// directories of this name if that is wanted, or any of those with equal files. Otherwise none
    /// is kept, as nothing says which one is meant.
    pub(crate) fn keep_one_of_each(
        &mut self,
        locked: &dyn Fn(&str) -> Option<Option<String>>,
        is_nearest: bool,
    ) {
        let mut named: BTreeMap<String, Vec<Candidate>> = BTreeMap::new();
        for candidate in std::mem::take(&mut self.candidates) {
            named.entry(candidate.id.clone()).or_default().push(candidate);
        }
        for (id, mut same) in named {
            let path = |it: &Candidate| it.skill.path.clone().unwrap_or_default();
            // Directories with a dot are copies for one client, and short paths are the usual ones.
            let is_hidden = |path: &str| path.split('/').any(|part| part.starts_with('.'));
            same.sort_by_key(|it| (is_hidden(&path(it)), path(it).matches('/').count(), path(it)));
            if let Some(at) =
                locked(&id).and_then(|path| same.iter().position(|it| it.skill.path == path))
            {
                self.candidates.push(same.swap_remove(at));
                continue;
            }
            let own = |it: &Candidate| path(it).rsplit('/').next() == Some(&*id);
            let depth = |it: &Candidate| path(it).matches('/').count();
            let nearest = same.iter().filter(|it| own(it)).map(depth).min();
            if let Some(nearest) = nearest.filter(|_| is_nearest) {
                same.retain(|it| own(it) && depth(it) == nearest);
            }
            if same.iter().all(|it| it.skill.tree == same[0].skill.tree) {
                self.candidates.push(same.swap_remove(0));
            } else {
                let directories = same.iter().map(path).collect();
                let error = InstallError::SeveralSkills { id: id.clone(), directories };
                self.left_out.push(LeftOut { name: id, error });
            }
        }
    }

    /// Keeps of the skills that a name may mean that with exactly this name. If there is none, the
    /// user has to say which one is meant.
    fn keep_meant(&mut self, names: &[String]) {
        for name in names {
            let meant = self.found.keys().filter(|id| is_named(id, name) && *id != name);
            let meant: Vec<_> = meant.filter(|id| !names.contains(id)).cloned().collect();
            let is_exact = self.found.contains_key(name);
            if meant.len() + usize::from(is_exact) < 2 {
                continue;
            }
            self.candidates.retain(|candidate| !meant.contains(&candidate.id));
            if !is_exact {
                let ids = enumerated(meant.iter().map(String::as_str), "or");
                let message = format!("{} may mean {ids}: write one of them", quoted(name));
                let error = InstallError::NoSkill(message);
                self.left_out.push(LeftOut { name: name.clone(), error });
            }
        }
    }

    /// Adds the names that nothing has.
    fn check_names(&mut self, names: &[String], request: &RemoteRequest) {
        for name in names {
            let is_known = self.candidates.iter().any(|it| is_named(&it.id, name))
                || self.left_out.iter().any(|it| it.is_meant(std::slice::from_ref(name)));
            if is_known {
                continue;
            }
            let others = match self.found.len() {
                1..=MAX_NAMES => {
                    let found = self.found.keys().map(String::as_str);
                    format!("; it has {}", enumerated(found, "and"))
                }
                _ => String::new(),
            };
            let source = quoted(&request.source);
            let message = format!("there is no skill {} in {source}{others}", quoted(name));
            let error = InstallError::NoSkill(message);
            self.left_out.push(LeftOut { name: name.clone(), error });
        }
    }

    /// Adds a package, or the error of one, with what was left out of it.
    fn add(
        &mut self,
        from: (&RemoteRequest, &RemoteArtifact),
        directory: String,
        package: Result<(Archive, Digest), InstallError>,
        left_out: Vec<String>,
    ) {
        let known = self.candidates.len();
        match package {
            Ok((package, digest)) => self.add_package(from, directory, package, digest),
            Err(error) => self.left_out.push(LeftOut { name: directory, error }),
        }
        if let Some(candidate) = self.candidates.get_mut(known) {
            let pointers =
                candidate.package.files().iter().filter(|file| is_pointer(&file.content));
            candidate.left_out =
                pointers.map(|file| format!("`{}` {POINTER}", file.path)).collect();
            candidate.left_out.extend(left_out);
        }
    }

    fn add_package(
        &mut self,
        (request, artifact): (&RemoteRequest, &RemoteArtifact),
        directory: String,
        package: Archive,
        digest: Digest,
    ) {
        let frontmatter = match document(&package, &directory) {
            Ok(frontmatter) => frontmatter,
            Err(error) => return self.left_out.push(LeftOut { name: directory, error }),
        };
        let surface = of_lock(surface(package.files()));
        let version = version(&frontmatter).map(Cow::into_owned);
        let id = frontmatter.name;
        if let Some(named) = artifact.name.as_ref().filter(|named| **named != id) {
            let message =
                format!("the index names {} and the skill {}", quoted(named), quoted(&id));
            let error = InstallError::SkillInvalid(message);
            return self.left_out.push(LeftOut { name: named.clone(), error });
        }
        let revision = artifact.revision.clone().unwrap_or_else(|| digest.to_string());
        let skill = LockedSkill {
            reference: request.reference.clone(),
            reference_is_tag: artifact.is_tag,
            path: Some(directory.clone()).filter(|directory| !directory.is_empty()),
            surface,
            version,
            ..LockedSkill::new(&request.source, &revision, digest, tree_digest(&package))
        };
        if self.found.insert(id.clone(), frontmatter.description).is_some() {
            self.several.insert(id.clone());
        }
        let (unverified, left_out, steps_back) = Default::default();
        let candidate =
            Candidate { id, package, skill, unverified, left_out, steps_back, bytes: None };
        self.candidates.push(candidate);
    }
}

/// Fetches an artifact, and returns what is wanted of the packages in it.
pub(crate) fn fetch_artifact(
    remote: &dyn Remote,
    request: &RemoteRequest,
    artifact: &RemoteArtifact,
    want: &dyn Fn(&str) -> Want,
    signatures: &Signatures<'_>,
    cancel: &Cancel,
) -> Result<Fetched, InstallError> {
    let limit = Limits::default().bytes;
    let (mut found, mut invalid) = (BTreeMap::new(), BTreeMap::new());
    let mut wanted = |directory: &str, text: &[u8]| match frontmatter(text, directory) {
        Ok(frontmatter) => {
            let wanted = want(&frontmatter.name);
            found.insert(directory.to_owned(), (frontmatter.name, frontmatter.description));
            wanted
        }
        Err(error) => {
            invalid.insert(directory.to_owned(), error);
            Want::Nothing
        }
    };
    // A signature is that of a whole artifact.
    let alone = match artifact.signature {
        None => remote.fetch_packages(artifact, &mut wanted, limit, cancel)?,
        Some(_) => None,
    };
    if let Some(packages) = alone {
        let mut fetched = fetched_alone(request, artifact, packages);
        let invalid = invalid.into_iter().map(|(name, error)| LeftOut { name, error });
        for left_out in &fetched.left_out {
            found.remove(&left_out.name);
        }
        fetched.left_out.extend(invalid);
        fetched.found.clear();
        for (name, description) in found.into_values() {
            if fetched.found.insert(name.clone(), description).is_some() {
                fetched.several.insert(name);
            }
        }
        return Ok(fetched);
    }
    let bytes: Arc<[u8]> = remote.fetch(artifact, limit, cancel)?.into();
    let digest = Digest::of(&bytes);
    if let Some(expected) = artifact.digest.filter(|stated| *stated != digest) {
        return Err(InstallError::ArtifactChanged { expected, found: digest });
    }
    // Nothing is unpacked before it is verified.
    let signer = signatures.signer(remote, artifact, &bytes, cancel)?;
    let mut fetched = packages(request, artifact, &bytes, digest)?;
    fetched.candidates.retain(|candidate| want(&candidate.id) == Want::Files);
    for candidate in &mut fetched.candidates {
        candidate.skill.signer.clone_from(&signer.name);
        candidate.unverified.clone_from(&signer.unverified);
        candidate.bytes = Some(Arc::clone(&bytes));
    }
    Ok(fetched)
}

/// Reads packages that were fetched one by one.
fn fetched_alone(
    request: &RemoteRequest,
    artifact: &RemoteArtifact,
    packages: Vec<RemotePackage>,
) -> Fetched {
    let mut fetched = Fetched::default();
    for RemotePackage { directory, bytes, left_out } in packages {
        let not_alone = |error: RemoteError| match error.kind {
            RemoteErrorKind::Unsupported => InstallError::NotAlone(error),
            _ => error.into(),
        };
        let package = bytes.map_err(not_alone).and_then(|bytes| {
            let digest = artifact.digest.unwrap_or_else(|| Digest::of(&bytes));
            Ok((read(&bytes, &Limits::default())?, digest))
        });
        fetched.add((request, artifact), directory, package, left_out);
    }
    fetched
}

/// Returns the packages of an artifact that was fetched as a whole.
pub(crate) fn packages(
    request: &RemoteRequest,
    artifact: &RemoteArtifact,
    bytes: &[u8],
    digest: Digest,
) -> Result<Fetched, InstallError> {
    let packages = match artifact.kind {
        ArtifactKind::SkillMd => {
            let archive = Archive::new(vec![File::new(SKILL_MD_FILES[0], bytes)])?;
            let (directory, left_out, is_inside) = Default::default();
            vec![Package { directory, archive: Ok(archive), left_out, is_inside }]
        }
        ArtifactKind::Archive => {
            read_packages(bytes, &Limits::default(), &SKILL_MD_FILES, &is_skill)?
        }
    };
    let mut fetched = Fetched::default();
    for Package { directory, archive, left_out, is_inside } in packages {
        let refused = |reason| match is_inside {
            true => InstallError::NotAlone(RemoteError::new(RemoteErrorKind::Unsupported, reason)),
            false => RemoteError::new(RemoteErrorKind::Invalid, reason).into(),
        };
        let package = archive.map(|package| (package, digest)).map_err(refused);
        fetched.add((request, artifact), directory, package, left_out);
    }
    Ok(fetched)
}

/// Returns the version of a skill, in `metadata` or, as many authors write it, next to it.
pub(crate) fn version(frontmatter: &Frontmatter) -> Option<Cow<'_, str>> {
    let field = frontmatter.fields.get("version").and_then(|it| it.value.as_text());
    match (field, frontmatter.version()) {
        // Neither of two may go back.
        (Some(field), Some(version)) if *field != version => {
            Some(format!("{field}, {version}").into())
        }
        (field, version) => version.or(field.map(Cow::Borrowed)),
    }
}

/// Returns the frontmatter of a package.
pub(crate) fn document(package: &Archive, directory: &str) -> Result<Frontmatter, InstallError> {
    let file = |name: &&str| package.files().iter().find(|file| file.path == **name);
    let content = SKILL_MD_FILES.iter().find_map(file).map(|file| &*file.content);
    frontmatter(content.unwrap_or_default(), directory)
}

fn frontmatter(content: &[u8], directory: &str) -> Result<Frontmatter, InstallError> {
    let mut parsed = parse(content, Profile::Lenient);
    if let Some(document) = &mut parsed.document
        && let name = &mut document.frontmatter.name
        && !is_id(name)
        // What is written as a path that leads elsewhere is no name.
        && !name.contains(['/', '\\'])
        && !name.starts_with('.')
    {
        *name = Rules::of(Profile::Lenient).id_of(name).into_owned();
    }
    let first = parsed.diagnostics.iter().find(|found| found.is_error());
    let found = || first.map_or("", |found| &*found.message);
    let reason = match &parsed.document {
        _ if is_pointer(content) => format!("its `SKILL.md` {POINTER}"),
        Some(document) if is_id(&document.frontmatter.name) => String::new(),
        Some(document) => {
            format!("{} cannot be the name of a locked skill", quoted(&document.frontmatter.name))
        }
        None => found().to_owned(),
    };
    let document = parsed.document.filter(|_| reason.is_empty());
    document.map(|document| document.frontmatter).ok_or_else(|| {
        let place = if directory.is_empty() { "the root".into() } else { quoted(directory) };
        InstallError::SkillInvalid(format!("the skill in {place} is invalid: {reason}"))
    })
}

/// The start of a pointer, which Git LFS leaves in place of a file, and the remark about one.
const POINTER_START: &[u8] = b"version https://git-lfs.github.com/spec/";
const POINTER: &str = "is a pointer of Git LFS, whose file is not fetched";

fn is_pointer(content: &[u8]) -> bool {
    content.starts_with(POINTER_START)
}
