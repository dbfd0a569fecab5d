//! Local folders and files.

use std::path::{Path, PathBuf};

use prowess_archive::{Archive, File, Limits, Refusal};
use prowess_core::{
    ArtifactKind, ArtifactSignature, Cancel, Digest, Remote, RemoteArtifact, RemoteError,
    RemoteErrorKind, RemoteRequest, ResourcePath, SKILL_MD_FILES,
};
use prowess_dir::{Dir, ErrorKind, Kind, Links, WalkBounds};
use prowess_format::index::{MAX_INDEX_BYTES, WELL_KNOWN_PATH};

use crate::artifact::{MAX_BYTES, kind_of};
use crate::cancel::check;
use crate::signature_files::{BUNDLE_END, KEY_FILE, SIGNATURE_END};
use crate::site_index::artifacts;

/// Installs from folders, archives and `SKILL.md` files of this machine.
///
/// A folder is packed as an archive, so that it is held to the rules of one: a link in it refuses
/// it as a whole, because the link may lead to a secret of the user. Folders named `.git` are left
/// out. A folder without skills that has the index of a site is read as that site.
#[derive(Clone, Debug, Default)]
pub struct LocalRemote {
    /// The folder that paths must not lead out of.
    within: Option<PathBuf>,
}

/// What is at a path.
enum Place {
    Folder(Dir),
    File(ArtifactKind, Vec<u8>),
}

impl LocalRemote {
    /// Creates a remote of what is inside a folder, without links that lead out of it.
    pub fn within(folder: impl Into<PathBuf>) -> Self {
        Self { within: Some(folder.into()) }
    }

    fn open(&self, path: &Path) -> Result<Place, RemoteError> {
        let failed = |error: prowess_dir::Error| {
            let error = unreadable(&error);
            RemoteError::new(error.kind, format!("`{}`: {}", path.display(), error.message))
        };
        let (parent, name) = match &self.within {
            Some(folder) => {
                let outside = || outside(path, folder);
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
                Err(outside(path, self.within.as_deref().unwrap_or(path)))
            }
            Err(error) if error.kind() != ErrorKind::NotADirectory => Err(failed(error)),
            Err(_) => {
                let file = name.rsplit('/').next().unwrap_or_default();
                let kind = plain_kind(file).or_else(|| kind_of(file)).ok_or_else(|| {
                    let message =
                        format!("`{file}` is neither a folder, an archive nor a `SKILL.md`");
                    RemoteError::new(RemoteErrorKind::Unsupported, message)
                })?;
                Ok(Place::File(kind, parent.read(&name, MAX_BYTES).map_err(failed)?))
            }
        }
    }
}

/// Returns the error of a path outside of the folder that it has to be in.
pub(crate) fn outside(path: &Path, folder: &Path) -> RemoteError {
    let message = format!(
        "`{}` is outside of `{}`, which you have not trusted",
        path.display(),
        folder.display()
    );
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
                // A folder is packed here, so its bytes have no signature of a publisher.
                let digest = Some(Digest::of(&pack(path, &folder, cancel)?.to_tar_gz()));
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
            Place::Folder(folder) => pack(path, &folder, cancel)?.to_tar_gz(),
            Place::File(_, bytes) => bytes,
        };
        if bytes.len() > limit {
            let message = format!("`{}` has more than {limit} bytes", artifact.location);
            return Err(RemoteError::new(RemoteErrorKind::TooLarge, message));
        }
        Ok(bytes)
    }
}

/// Returns the artifacts of a folder that `prowess publish` has written: a site on this machine.
fn site(path: &Path, folder: &Dir) -> Result<Option<Vec<RemoteArtifact>>, RemoteError> {
    let index = WELL_KNOWN_PATH.trim_start_matches('/');
    let Ok(bytes) = folder.read(index, MAX_INDEX_BYTES) else { return Ok(None) };
    let Limits { entries, depth, .. } = Limits::default();
    let walk = folder.walk(WalkBounds { depth, entries }, |name| !name.starts_with('.'));
    let is_skill =
        |path: &str| SKILL_MD_FILES.iter().any(|file| path.rsplit('/').next() == Some(file));
    if walk.is_ok_and(|walk| walk.found.iter().any(|found| is_skill(&found.path))) {
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

/// Returns a kind for signatures and keys, which are fetched and never unpacked.
fn plain_kind(name: &str) -> Option<ArtifactKind> {
    let is_plain =
        [SIGNATURE_END, BUNDLE_END].iter().any(|end| name.ends_with(end)) || name == KEY_FILE;
    is_plain.then_some(ArtifactKind::SkillMd)
}

fn pack(path: &Path, directory: &Dir, cancel: &Cancel) -> Result<Archive, RemoteError> {
    let Limits { entries, depth, .. } = Limits::default();
    let walk = directory.walk(WalkBounds { depth, entries }, |name| name != ".git");
    let walk = walk.map_err(|error| unreadable(&error))?;
    if !walk.is_complete {
        let message = format!("`{}` cannot be listed completely", path.display());
        return Err(RemoteError::new(RemoteErrorKind::TooLarge, message));
    }
    let mut files = Vec::new();
    // A work tree of git has a file of that name.
    for walked in walk.found.iter().filter(|walked| !walked.path.ends_with(".git")) {
        check(cancel)?;
        if walked.kind != Kind::File {
            let message = format!("`{}` is a link or a special file", walked.path);
            return Err(RemoteError::new(RemoteErrorKind::Invalid, message));
        }
        let file = directory.open_file(&walked.path, Links::Refuse);
        let file = file.map_err(|error| unreadable(&error))?;
        let content = file.read_whole(MAX_BYTES).map_err(|error| unreadable(&error))?;
        let is_executable = file.stat().is_executable;
        files.push(File { path: walked.path.clone(), is_executable, content });
    }
    Archive::new(files).map_err(|refusal| refused(&refusal))
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
