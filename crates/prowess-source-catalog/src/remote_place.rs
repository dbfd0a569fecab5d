//! A published catalog on a server, with a cache on this machine.

use std::fs::File;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prowess_core::{
    Cancel, Digest, FetchedParts, ReceivePart, Remote, RemoteArtifact, RemoteError, RemoteErrorKind,
};
use prowess_dir::{Dir, Permissions, create_directories, locked_file};

use crate::directory::{open_in, other, read, remove_others};
use crate::error::{OTHER_CONTENT, OTHER_FILE};
use crate::header::Header;
use crate::pointer::{MOST_BYTES, POINTER};
use crate::{CatalogFile, CatalogFileError, Pointer};

type Result<T> = std::result::Result<T, CatalogFileError>;

/// The maximum size of a catalog file that is fetched, in bytes: more than three times that of 10^6
/// skills. A server may say any size, and the disk is its user's.
const MOST_CATALOG_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// How long the first answer of a host waits for a server: longer than for a pointer that does not
/// come, and a second longer for so many bytes of a catalog file.
const PATIENCE: Duration = Duration::from_secs(5);
const LEAST_RATE: u64 = 256 * 1024;

/// The names of files in the cache: the catalog file that is being fetched, its lock, and the
/// version by which the server knows the pointer.
const FETCHED: &str = ".catalog.tmp";
const LOCK: &str = ".catalog.lock";
const VERSION: &str = "catalog.version";

pub(crate) struct RemotePlace {
    remote: Arc<dyn Remote>,
    location: String,
    cache: PathBuf,
    /// The last pointer with its version, by which the server says that it has no other one.
    polled: Mutex<Option<(String, Pointer)>>,
    /// The bytes of catalog files that the server has sent.
    received: AtomicU64,
}

impl RemotePlace {
    pub(crate) fn new(remote: Arc<dyn Remote>, location: &str, cache: PathBuf) -> Self {
        let location = location.trim_end_matches('/').to_owned();
        let received = AtomicU64::default();
        Self { remote, location, cache, polled: Mutex::default(), received }
    }

    pub(crate) fn location_of(&self, name: &str) -> String {
        format!("{}/{name}", self.location)
    }

    pub(crate) fn pointer(&self, cancel: &Cancel) -> Result<Pointer> {
        let mut polled = self.polled.lock().unwrap_or_else(PoisonError::into_inner);
        if polled.is_none() {
            *polled = self.kept_version();
        }
        let mut text = Vec::new();
        let mut receive = |part: &[u8]| {
            text.extend(part);
            ControlFlow::Continue(())
        };
        let known = polled.as_ref().map(|(version, _)| version.as_str());
        match (self.parts(POINTER, known, MOST_BYTES, &mut receive, cancel)?, &*polled) {
            (FetchedParts::Unchanged, Some((_, pointer))) => Ok(pointer.clone()),
            (FetchedParts::Unchanged, None) => {
                let message = "the server says that nothing has changed, and was not asked that";
                Err(RemoteError::new(RemoteErrorKind::Invalid, message).into())
            }
            (FetchedParts::Changed { version }, _) => {
                *polled = None;
                let pointer = Pointer::parse(&text)?;
                *polled = version.map(|version| (version, pointer.clone()));
                Ok(pointer)
            }
        }
    }

    /// Returns how long the first answer of a host waits: longer for a server that sends a catalog.
    pub(crate) fn patience(&self) -> Duration {
        PATIENCE + Duration::from_secs(self.received.load(Ordering::Relaxed) / LEAST_RATE)
    }

    pub(crate) fn kept_pointer(&self) -> Option<Pointer> {
        Pointer::parse(&read(&self.cache, POINTER, MOST_BYTES).ok()?).ok()
    }

    /// Returns the kept pointer and its version, which names the pointer that it is of.
    fn kept_version(&self) -> Option<(String, Pointer)> {
        let pointer = self.kept_pointer()?;
        let text = String::from_utf8(read(&self.cache, VERSION, MOST_BYTES).ok()?).ok()?;
        let version = text.strip_prefix(&format!("{}\n", digest_of(&pointer)))?;
        Some((version.to_owned(), pointer))
    }

    pub(crate) fn keep(&self, pointer: &Pointer) -> Result<()> {
        if self.kept_pointer().as_ref() == Some(pointer) {
            return Ok(());
        }
        self.write(POINTER, pointer.to_text().as_bytes())?;
        let polled = self.polled.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((version, _)) = polled.filter(|(_, polled)| polled == pointer) {
            self.write(VERSION, format!("{}\n{version}", digest_of(pointer)).as_bytes())?;
        }
        Ok(remove_others(&self.cache, &[pointer.file()])?)
    }

    pub(crate) fn open(&self, pointer: &Pointer, cancel: &Cancel) -> Result<CatalogFile> {
        let name = pointer.file();
        let kept = || open_in(&self.cache, &name).ok().filter(|file| pointer.names(file));
        if let Some(file) = kept() {
            return Ok(file);
        }
        if pointer.bytes > MOST_CATALOG_BYTES {
            let (bytes, most) = (pointer.bytes, MOST_CATALOG_BYTES);
            return Err(CatalogFileError::TooLarge { bytes, most });
        }
        create_directories(&self.cache, 0o700)?;
        // Several programs fetch it once.
        let _lock = locked_file(&self.cache.join(LOCK))?;
        if let Some(file) = kept() {
            return Ok(file);
        }
        let fetched = self.cache.join(FETCHED);
        let verified = self.fetch_catalog(&fetched, pointer, cancel);
        let moved = verified.and_then(|()| Ok(std::fs::rename(&fetched, self.cache.join(&name))?));
        if moved.is_err() {
            let _ = std::fs::remove_file(&fetched);
        }
        moved?;
        open_in(&self.cache, &name)
    }

    /// Fetches a catalog file in parts, of which the first one has to be the header that the
    /// pointer names, and verifies it.
    fn fetch_catalog(&self, to: &Path, pointer: &Pointer, cancel: &Cancel) -> Result<()> {
        let mut file = File::create(to)?;
        let (mut header, mut written) = (Vec::new(), Ok(()));
        let mut write = |part: &[u8]| -> Result<()> {
            if header.len() < Header::BYTES {
                header.extend(&part[..part.len().min(Header::BYTES - header.len())]);
                if header.len() == Header::BYTES {
                    let (header, digest) = Header::read(&header)?;
                    let is_named = (digest, header.bytes) == (pointer.digest, pointer.bytes);
                    if !is_named {
                        return Err(OTHER_FILE);
                    }
                }
            }
            self.received.fetch_add(part.len() as u64, Ordering::Relaxed);
            Ok(file.write_all(part)?)
        };
        let mut receive = |part: &[u8]| {
            written = write(part);
            if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let limit = usize::try_from(pointer.bytes).unwrap_or(usize::MAX);
        self.parts(&pointer.file(), None, limit, &mut receive, cancel)?;
        written?;
        file.sync_all()?;
        CatalogFile::open(to)?.verify(cancel)
    }

    /// Returns a file of a package, from the cache or the server.
    pub(crate) fn file(
        &self,
        path: &str,
        limit: usize,
        is_it: &dyn Fn(&Vec<u8>) -> bool,
        cancel: &Cancel,
    ) -> Result<Vec<u8>> {
        if let Some(content) = read(&self.cache, path, limit).ok().filter(is_it) {
            return Ok(content);
        }
        let artifact = RemoteArtifact::plain(self.location_of(path));
        let fetched = self.remote.fetch(&artifact, limit, cancel);
        let content = fetched.map_err(|error| failed(error, artifact.location))?;
        if !is_it(&content) {
            return Err(OTHER_CONTENT);
        }
        self.write(path, &content)?;
        Ok(content)
    }

    fn parts(
        &self,
        name: &str,
        known: Option<&str>,
        limit: usize,
        receive: ReceivePart<'_>,
        cancel: &Cancel,
    ) -> Result<FetchedParts> {
        let artifact = RemoteArtifact::plain(self.location_of(name));
        let fetched = self.remote.fetch_parts(&artifact, known, limit, receive, cancel);
        fetched.map_err(|error| failed(error, artifact.location))
    }

    /// Writes a file of the cache, by one step.
    fn write(&self, path: &str, content: &[u8]) -> Result<()> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = self.cache.join(folder);
        create_directories(&folder, 0o700)?;
        // Two programs may fetch the same file.
        let temporary = format!(".{}.tmp", std::process::id());
        let folder = Dir::open(&folder).map_err(other)?;
        Ok(folder.put_file(name, &temporary, content, Permissions::Private).map_err(other)?)
    }
}

fn digest_of(pointer: &Pointer) -> Digest {
    Digest::of(pointer.to_text().as_bytes())
}

fn failed(error: RemoteError, location: String) -> CatalogFileError {
    match error.kind {
        RemoteErrorKind::NotFound => CatalogFileError::NotFound(location),
        RemoteErrorKind::Cancelled => CatalogFileError::Cancelled,
        _ => error.into(),
    }
}
