//! Local folders and files.

use std::fs;
use std::path::Path;

use prowess_archive::{Archive, File, Limits, Refusal};
use prowess_core::{
    ArtifactKind, ArtifactSignature, Cancel, Digest, Remote, RemoteArtifact, RemoteError,
    RemoteErrorKind, RemoteRequest,
};
use prowess_dir::{Dir, ErrorKind, Kind, Links, WalkBounds};

use crate::artifact::{MAX_BYTES, kind_of};
use crate::cancel::check;
use crate::signature_files::{BUNDLE_END, KEY_FILE, SIGNATURE_END};

/// Installs from folders, archives and `SKILL.md` files of this machine.
///
/// A folder is packed as an archive, so that it is held to the rules of one: a link in it refuses
/// it as a whole, because the link may lead to a secret of the user. Folders named `.git` are left
/// out.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalRemote;

impl Remote for LocalRemote {
    fn name(&self) -> &str {
        "local"
    }

    fn resolve(
        &self,
        request: &RemoteRequest,
        cancel: &Cancel,
    ) -> Result<Vec<RemoteArtifact>, RemoteError> {
        if request.reference.is_some() {
            let message = "a folder has one version, so it has no references";
            return Err(RemoteError::new(RemoteErrorKind::Unsupported, message));
        }
        let (kind, bytes) = load(Path::new(&request.source), cancel)?;
        let path = Path::new(&request.source);
        // A folder is packed here, so its bytes have no signature of a publisher.
        let signature = path.is_file().then(|| ArtifactSignature {
            location: Some(format!("{}{SIGNATURE_END}", request.source)),
            key: Some(path.with_file_name(KEY_FILE).to_string_lossy().into_owned()),
            bundle: Some(format!("{}{BUNDLE_END}", request.source)),
            subject: None,
        });
        let artifact = RemoteArtifact::new(&request.source, kind);
        Ok(vec![RemoteArtifact { digest: Some(Digest::of(&bytes)), signature, ..artifact }])
    }

    fn fetch(
        &self,
        artifact: &RemoteArtifact,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, RemoteError> {
        let (_, bytes) = load(Path::new(&artifact.location), cancel)?;
        if bytes.len() > limit {
            let message = format!("`{}` has more than {limit} bytes", artifact.location);
            return Err(RemoteError::new(RemoteErrorKind::TooLarge, message));
        }
        Ok(bytes)
    }
}

/// Returns the bytes of a file, or a folder as an archive.
fn load(path: &Path, cancel: &Cancel) -> Result<(ArtifactKind, Vec<u8>), RemoteError> {
    check(cancel)?;
    let metadata = fs::metadata(path).map_err(|error| {
        let kind = match error.kind() {
            std::io::ErrorKind::NotFound => RemoteErrorKind::NotFound,
            _ => RemoteErrorKind::Unavailable,
        };
        RemoteError::new(kind, format!("`{}`: {error}", path.display()))
    })?;
    if metadata.is_dir() {
        return Ok((ArtifactKind::Archive, pack(path, cancel)?.to_tar_gz()));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let kind = plain_kind(&name).or_else(|| kind_of(&name)).ok_or_else(|| {
        let message = format!("`{name}` is neither a folder, an archive nor a `SKILL.md`");
        RemoteError::new(RemoteErrorKind::Unsupported, message)
    })?;
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = Dir::open(directory.unwrap_or(Path::new(".")));
    let bytes = directory.and_then(|directory| directory.read(&name, MAX_BYTES));
    Ok((kind, bytes.map_err(|error| unreadable(&error))?))
}

/// Returns a kind for signatures and keys, which are fetched and never unpacked.
fn plain_kind(name: &str) -> Option<ArtifactKind> {
    let is_plain =
        [SIGNATURE_END, BUNDLE_END].iter().any(|end| name.ends_with(end)) || name == KEY_FILE;
    is_plain.then_some(ArtifactKind::SkillMd)
}

fn pack(path: &Path, cancel: &Cancel) -> Result<Archive, RemoteError> {
    let directory = Dir::open(path).map_err(|error| unreadable(&error))?;
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
