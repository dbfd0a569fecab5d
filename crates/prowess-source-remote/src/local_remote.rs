//! Local folders and files.

mod filter;
mod packing;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use prowess_archive::{Archive, File, Limits, Refusal};
use prowess_core::{
    ArtifactKind, ArtifactSignature, Cancel, Digest, Remote, RemoteArtifact, RemoteError,
    RemoteErrorKind, RemotePackage, RemoteRequest, ResourcePath, SKILL_MD_FILES, Want,
    WantedPackage, withheld_path,
};
use prowess_dir::{Dir, ErrorKind, Links, Stillness, WalkBounds};
use prowess_format::index::{MAX_INDEX_BYTES, WELL_KNOWN_PATH};
use prowess_text::{enumerated, quoted};

use crate::artifact::{MAX_BYTES, kind_of};
use crate::cancel::check;
use crate::signature_files::{BUNDLE_END, KEY_FILE, SIGNATURE_END};
use crate::site_index::artifacts;
use filter::Filter;
pub(crate) use packing::without_withheld_links;
use packing::{Packed, packages, together};

/// Installs from folders, archives and `SKILL.md` files of this machine.
///
/// The skills of a folder are packed as archives, so that each is held to the rules of one. A link
/// stands for a copy if it leads to something in the folder, and is left out if it leads elsewhere,
/// because that may be a secret of the user. Folders named `.git` are left out. A folder without
/// skills that has the index of a site is read as that site.
#[derive(Clone, Debug, Default)]
pub struct LocalRemote {
    /// The folder that paths must not lead out of.
    pub(crate) within: Option<PathBuf>,
    /// Whether what is installed may be committed, and so is packed as for other people.
    pub(crate) is_for_others: bool,
}

/// A folder that is packed for other people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedFolder {
    /// The packages as one archive; empty if there are none.
    pub bytes: Vec<u8>,
    /// The files and directories that are withheld, each with the reason.
    pub withheld: Vec<(String, &'static str)>,
    /// The directories of the skills that are left out, each with the error.
    pub left_out: Vec<(String, RemoteError)>,
}

/// What is at a path.
enum Place {
    Folder(Dir),
    File(ArtifactKind, Vec<u8>),
}

impl LocalRemote {
    /// Creates a remote of what is inside a folder, without links that lead out of it.
    pub fn within(folder: impl Into<PathBuf>) -> Self {
        Self { within: Some(folder.into()), ..Self::default() }
    }

    /// Returns the folder that nothing may be read outside of.
    #[cfg(feature = "s3")]
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.within.as_deref()
    }

    /// Packs the skills of a folder for other people: without files that may hold credentials or
    /// belong to one machine, except those of `included`, which are paths or the ends of paths.
    ///
    /// # Errors
    ///
    /// The folder cannot be read. [`RemoteErrorKind::NotFound`]: one of `included` may mean several
    /// files.
    pub fn packed_for_others(
        path: &Path,
        included: &[String],
        cancel: &Cancel,
    ) -> Result<PackedFolder, RemoteError> {
        let folder = Dir::open(path).map_err(|error| unreadable(&error))?;
        let filter = Filter { included, ..Filter::default() };
        let packages =
            packages(path, &folder, Some(&filter), &mut |_, _| Want::Files, MAX_BYTES, cancel)?;
        let (mut files, mut left_out) = (Vec::new(), Vec::new());
        for mut package in packages.into_iter().filter(|package| !package.is_inside) {
            check(cancel)?;
            // One with a link to another directory would lack a file.
            let link = package
                .left_out
                .pop()
                .map(|it| Err(RemoteError::new(RemoteErrorKind::Invalid, it)));
            let archive = link.unwrap_or(package.archive);
            match filter.for_others(&package.directory, archive) {
                Err(error) => left_out.push((package.directory, error)),
                Ok(archive) => {
                    let path = |file: &File| join(&package.directory, &file.path);
                    let own = archive.files().iter();
                    files.extend(own.map(|it| File { path: path(it), ..it.clone() }));
                }
            }
        }
        if let Some(name) = included.iter().find(|name| !filter.taken.borrow().contains_key(*name))
        {
            let message = format!("nothing that is left out has the name {}", quoted(name));
            return Err(RemoteError::new(RemoteErrorKind::NotFound, message));
        }
        // A name that means one file publishes no other one.
        let several = |(_, paths): &(&String, &BTreeSet<String>)| paths.len() > 1;
        if let Some((name, paths)) = filter.taken.borrow().iter().find(several) {
            let paths = paths.iter().map(|path| format!("./{path}")).collect::<Vec<_>>();
            let paths = enumerated(paths.iter().map(String::as_str), "or");
            let message = format!("{} may mean {paths}; include one of these", quoted(name));
            return Err(RemoteError::new(RemoteErrorKind::NotFound, message));
        }
        let archive = (!files.is_empty()).then(|| Archive::new(files)).transpose();
        let archive = archive.map_err(|refusal| refused(&refusal))?;
        let bytes = archive.map(|archive| archive.to_tar_gz()).unwrap_or_default();
        let mut withheld = filter.withheld.into_inner();
        withheld.retain(|path, _| !is_skill_md(path) || withheld_path(path).is_some());
        Ok(PackedFolder { bytes, withheld: withheld.into_iter().collect(), left_out })
    }

    /// Packs the wanted packages of a folder for the lock that they are installed by.
    fn packages(
        &self,
        path: &Path,
        folder: &Dir,
        wanted: WantedPackage<'_>,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Vec<Packed>, RemoteError> {
        let filter = self.is_for_others.then(Filter::default);
        let mut all = packages(path, folder, filter.as_ref(), wanted, limit, cancel)?;
        let Some(filter) = filter else { return Ok(all) };
        for Packed { directory, archive, left_out, .. } in &mut all {
            let packed = std::mem::replace(archive, Ok(Archive::default()));
            *archive = filter.for_others(directory, packed);
            let withheld = filter.withheld.borrow();
            let own = withheld.iter().filter_map(|(path, reason)| {
                let own = path.strip_prefix(&*directory)?;
                let own = if directory.is_empty() { own } else { own.strip_prefix('/')? };
                Some(format!("`{own}` {reason}"))
            });
            left_out.extend(own);
        }
        Ok(all)
    }

    fn open(&self, path: &Path) -> Result<Place, RemoteError> {
        let failed = |error: prowess_dir::Error| {
            let path = path.display();
            let error = unreadable(&error);
            let message = match error.kind {
                RemoteErrorKind::TooLarge => {
                    let most = MAX_BYTES >> 20;
                    format!("`{path}` has more than {most} MiB; unpack it, and name the folder")
                }
                _ => format!("`{path}`: {}", error.message),
            };
            RemoteError::new(error.kind, message)
        };
        let (parent, name) = match &self.within {
            Some(folder) => {
                let outside = || outside(&format!("`{}` is", path.display()), folder);
                let name = path.strip_prefix(folder).ok().and_then(Path::to_str);
                (Dir::open(folder).map_err(failed)?, name.ok_or_else(outside)?.to_owned())
            }
            None => {
                if let Ok(folder) = Dir::open(path) {
                    return Ok(Place::Folder(folder));
                }
                let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let parent = Dir::open(parent.unwrap_or(Path::new("."))).map_err(failed)?;
                (parent, name.into_owned())
            }
        };
        match parent.open_dir(&name, Links::FollowInside) {
            Ok(folder) => Ok(Place::Folder(folder)),
            Err(error) if error.kind() == ErrorKind::Escape && self.within.is_some() => {
                let folder = self.within.as_deref().unwrap_or(path);
                Err(outside(&format!("`{}` is", path.display()), folder))
            }
            Err(error) if error.kind() != ErrorKind::NotADirectory => Err(failed(error)),
            Err(_) => {
                let file = name.rsplit('/').next().unwrap_or_default();
                let kind = plain_kind(file).or_else(|| kind_of(file)).ok_or_else(|| {
                    let message =
                        format!("`{file}` is neither a folder, an archive nor a `SKILL.md`");
                    RemoteError::new(RemoteErrorKind::Unsupported, message)
                })?;
                Ok(Place::File(
                    kind,
                    Stillness::default()
                        .read_in(&parent, &name, Links::FollowInside, MAX_BYTES)
                        .map_err(failed)?
                        .0,
                ))
            }
        }
    }
}

/// The end of the message about a path outside of a folder that would have to be trusted.
pub const NOT_TRUSTED: &str = "which you have not trusted";

/// Returns the error of a sentence that ends with a folder that something has to be in.
pub(crate) fn outside(what: &str, folder: &Path) -> RemoteError {
    let message = format!("{what} outside of `{}`, {NOT_TRUSTED}", folder.display());
    RemoteError::new(RemoteErrorKind::Denied, message)
}

impl Remote for LocalRemote {
    fn name(&self) -> &str {
        "local"
    }

    fn resolve(
        &self,
        request: &RemoteRequest,
        cancel: &Cancel,
    ) -> Result<Vec<RemoteArtifact>, RemoteError> {
        check(cancel)?;
        if request.reference.is_some() {
            let message = "a folder has one version, so it has no references";
            return Err(RemoteError::new(RemoteErrorKind::Unsupported, message));
        }
        let source = request.source.strip_prefix("file://").unwrap_or(&request.source);
        let path = Path::new(source);
        match self.open(path)? {
            Place::Folder(folder) => {
                if let Some(artifacts) = site(path, &folder)? {
                    return Ok(artifacts);
                }
                // A folder is packed here, so its bytes have no signature of a publisher. What is
                // too large as a whole has a digest for each package alone.
                let packages =
                    self.packages(path, &folder, &mut |_, _| Want::Files, MAX_BYTES, cancel)?;
                let digest = together(packages).ok().map(|it| Digest::of(&it.to_tar_gz()));
                let artifact = RemoteArtifact::new(source, ArtifactKind::Archive);
                Ok(vec![RemoteArtifact { digest, ..artifact }])
            }
            Place::File(kind, bytes) => {
                let signature = Some(ArtifactSignature {
                    location: Some(format!("{source}{SIGNATURE_END}")),
                    key: Some(path.with_file_name(KEY_FILE).to_string_lossy().into_owned()),
                    bundle: Some(format!("{source}{BUNDLE_END}")),
                    subject: None,
                });
                let artifact = RemoteArtifact::new(source, kind);
                Ok(vec![RemoteArtifact { digest: Some(Digest::of(&bytes)), signature, ..artifact }])
            }
        }
    }

    fn fetch(
        &self,
        artifact: &RemoteArtifact,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, RemoteError> {
        check(cancel)?;
        let path = Path::new(&artifact.location);
        let bytes = match self.open(path)? {
            Place::Folder(folder) => {
                let packages =
                    self.packages(path, &folder, &mut |_, _| Want::Files, MAX_BYTES, cancel)?;
                together(packages).map_err(|refusal| refused(&refusal))?.to_tar_gz()
            }
            Place::File(_, bytes) => bytes,
        };
        if bytes.len() > limit {
            let message = format!("`{}` has more than {limit} bytes", artifact.location);
            return Err(RemoteError::new(RemoteErrorKind::TooLarge, message));
        }
        Ok(bytes)
    }

    fn fetch_packages(
        &self,
        artifact: &RemoteArtifact,
        wanted: WantedPackage<'_>,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Option<Vec<RemotePackage>>, RemoteError> {
        check(cancel)?;
        let path = Path::new(&artifact.location);
        let Place::Folder(folder) = self.open(path)? else { return Ok(None) };
        let packages = self.packages(path, &folder, wanted, limit, cancel)?.into_iter();
        let package = |Packed { directory, archive, left_out, .. }: Packed| {
            let bytes = archive.map(|archive| archive.to_tar());
            RemotePackage { directory, bytes, left_out }
        };
        Ok(Some(packages.map(package).collect()))
    }
}

/// Returns the artifacts of a folder that `prowess publish` has written: a site on this machine.
fn site(path: &Path, folder: &Dir) -> Result<Option<Vec<RemoteArtifact>>, RemoteError> {
    let index = WELL_KNOWN_PATH.trim_start_matches('/');
    let read = Stillness::default().read_in(folder, index, Links::FollowInside, MAX_INDEX_BYTES);
    let Ok((bytes, _)) = read else { return Ok(None) };
    let Limits { entries, depth, .. } = Limits::default();
    let walk = folder.walk(WalkBounds { depth, entries }, |name| !name.starts_with('.'));
    if walk.is_ok_and(|walk| walk.found.iter().any(|found| is_skill_md(&found.path))) {
        return Ok(None);
    }
    let directory = path.join(index);
    let directory = directory.parent().unwrap_or(path);
    let locate = |url: &str| {
        if !ResourcePath::new(url).is_ok_and(|normal| normal.as_str() == url) || url.contains(':') {
            let message = format!("the index of `{}` names files elsewhere", path.display());
            return Err(RemoteError::new(RemoteErrorKind::Unsupported, message));
        }
        Ok(directory.join(url).to_string_lossy().into_owned())
    };
    artifacts(&bytes, &path.to_string_lossy(), locate).map(Some)
}

fn is_skill_md(path: &str) -> bool {
    SKILL_MD_FILES.iter().any(|name| path.rsplit('/').next() == Some(name))
}

/// Returns a kind for signatures and keys, which are fetched and never unpacked.
fn plain_kind(name: &str) -> Option<ArtifactKind> {
    let is_plain =
        [SIGNATURE_END, BUNDLE_END].iter().any(|end| name.ends_with(end)) || name == KEY_FILE;
    is_plain.then_some(ArtifactKind::SkillMd)
}

pub(crate) fn join(directory: &str, path: &str) -> String {
    if directory.is_empty() { path.to_owned() } else { format!("{directory}/{path}") }
}

fn refused(refusal: &Refusal) -> RemoteError {
    RemoteError::new(RemoteErrorKind::Invalid, refusal.to_string())
}

fn unreadable(error: &prowess_dir::Error) -> RemoteError {
    let kind = match error.kind() {
        ErrorKind::NotFound => RemoteErrorKind::NotFound,
        ErrorKind::TooLarge => RemoteErrorKind::TooLarge,
        ErrorKind::Denied => RemoteErrorKind::Denied,
        _ => RemoteErrorKind::Unavailable,
    };
    RemoteError::new(kind, error.to_string())
}
