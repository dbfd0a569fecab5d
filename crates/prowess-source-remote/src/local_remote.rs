//! Local folders and files.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use prowess_archive::{Archive, File, Limits, ListedFile, ListedPackage, Listing, Node, Refusal};
use prowess_core::{
    ArtifactKind, ArtifactSignature, Cancel, Digest, MAY_HOLD_CREDENTIALS, MachineDirectories,
    Remote, RemoteArtifact, RemoteError, RemoteErrorKind, RemotePackage, RemoteRequest,
    ResourcePath, SKILL_MD_FILES, Want, WantedPackage, secret_in, withheld_content,
    withheld_directory, withheld_path,
};
use prowess_dir::{Dir, ErrorKind, Kind, Links, Stillness, WalkBounds, Walked};
use prowess_format::index::{MAX_INDEX_BYTES, WELL_KNOWN_PATH};
use prowess_text::{enumerated, quoted};

use crate::artifact::{MAX_ALL, MAX_BYTES, kind_of};
use crate::cancel::check;
use crate::signature_files::{BUNDLE_END, KEY_FILE, SIGNATURE_END};
use crate::site_index::artifacts;

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

/// The maximum number of names in a folder that is searched for packages.
const MAX_NAMES: usize = 200_000;

/// A folder that is packed for other people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedFolder {
    /// The packages as one archive.
    pub bytes: Vec<u8>,
    /// The files and directories that are withheld, each with the reason.
    pub withheld: Vec<(String, &'static str)>,
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
    /// [`RemoteErrorKind::Unsupported`]: the folder has no skills, a `SKILL.md` has a
    /// credential, or a skill has a link to another directory.
    pub fn packed_for_others(
        path: &Path,
        included: &[String],
        cancel: &Cancel,
    ) -> Result<PackedFolder, RemoteError> {
        let folder = Dir::open(path).map_err(|error| unreadable(&error))?;
        let filter = Filter { included, ..Filter::default() };
        let packages =
            packages(path, &folder, Some(&filter), &mut |_, _| Want::Files, MAX_BYTES, cancel)?;
        let mut files = Vec::new();
        for mut package in packages.into_iter().filter(|package| !package.is_inside) {
            if let Some(reason) = package.left_out.pop() {
                return Err(RemoteError::new(RemoteErrorKind::Invalid, reason));
            }
            let path = |file: &File| join(&package.directory, &file.path);
            let archive = filter.for_others(&package.directory, package.archive)?;
            files.extend(archive.files().iter().map(|it| File { path: path(it), ..it.clone() }));
        }
        // A name that means one file publishes no other one.
        let several = |(_, paths): &(&String, &BTreeSet<String>)| paths.len() > 1;
        if let Some((name, paths)) = filter.taken.borrow().iter().find(several) {
            let paths = paths.iter().map(|path| format!("./{path}")).collect::<Vec<_>>();
            let paths = enumerated(paths.iter().map(String::as_str), "or");
            let message = format!("{} may mean {paths}; include one of these", quoted(name));
            return Err(RemoteError::new(RemoteErrorKind::NotFound, message));
        }
        let bytes = Archive::new(files).map_err(|refusal| refused(&refusal))?.to_tar_gz();
        Ok(PackedFolder { bytes, withheld: filter.withheld.into_inner().into_iter().collect() })
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

/// Returns the directory of a path of a `SKILL.md`.
fn parent_of_skill(path: &str) -> Option<&str> {
    SKILL_MD_FILES.iter().find_map(|name| path.strip_suffix(name)?.strip_suffix('/'))
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

/// Decides which files are packed for other people; without it, all are.
#[derive(Default)]
struct Filter<'i> {
    included: &'i [String],
    withheld: RefCell<BTreeMap<String, &'static str>>,
    /// The paths that each of the included names has meant.
    taken: RefCell<BTreeMap<String, BTreeSet<String>>>,
}

impl Filter<'_> {
    fn withholds(&self, path: &str, reason: Option<&'static str>) -> bool {
        let is_meant = |written: &String| {
            let included = written.trim_start_matches("./").trim_end_matches('/');
            let mut ends = path.match_indices(included).map(|(at, _)| (at, at + included.len()));
            let is_part = |(start, end): &(usize, usize)| {
                (*start == 0 || (path[..*start].ends_with('/') && !written.starts_with("./")))
                    && (*end == path.len() || path[*end..].starts_with('/'))
            };
            let found = ends.find(is_part).filter(|_| !included.is_empty());
            if let Some((_, end)) = found {
                let mut taken = self.taken.borrow_mut();
                taken.entry(written.clone()).or_default().insert(path[..end].to_owned());
            }
            found.is_some()
        };
        let reason = reason.filter(|_| !self.included.iter().any(is_meant));
        if let Some(reason) = reason {
            self.withheld.borrow_mut().insert(path.to_owned(), reason);
        }
        reason.is_some()
    }

    /// A skill is nothing without its `SKILL.md`, so that one with a secret is an error.
    fn withholds_content(&self, path: &str, content: &[u8]) -> Result<bool, RemoteError> {
        if !is_skill_md(path) {
            return Ok(self.withholds(path, withheld_content(path, content)));
        }
        match secret_in(content) {
            Some((at, reason)) if self.withholds(path, Some(reason)) => {
                let line = 1 + content[..at].iter().filter(|&&byte| byte == b'\n').count();
                let message = format!("`{path}` {reason} in line {line}");
                Err(RemoteError::new(RemoteErrorKind::Unsupported, message))
            }
            _ => Ok(false),
        }
    }

    /// Returns a package without the files whose contents are withheld.
    fn for_others(
        &self,
        directory: &str,
        archive: Result<Archive, RemoteError>,
    ) -> Result<Archive, RemoteError> {
        let mut files = Vec::new();
        for file in archive?.files() {
            if !self.withholds_content(&join(directory, &file.path), &file.content)? {
                files.push(file.clone());
            }
        }
        Archive::new(files).map_err(|refusal| refused(&refusal))
    }

    /// Returns whether a directory of this name is searched.
    fn enters(&self, name: &str) -> bool {
        let is_meant = |included: &String| included.split('/').any(|part| part == name);
        // A link to a file of credentials is known by that file.
        let reason = withheld_directory(name).filter(|reason| *reason != MAY_HOLD_CREDENTIALS);
        let reason = reason.filter(|_| !self.included.iter().any(is_meant));
        if let Some(reason) = reason {
            self.withheld.borrow_mut().insert(format!("{name}/"), reason);
        }
        reason.is_none()
    }
}

/// A package of a folder.
struct Packed {
    directory: String,
    archive: Result<Archive, RemoteError>,
    left_out: Vec<String>,
    /// Whether it is a part of another package, and has no files for that reason.
    is_inside: bool,
}

/// Packs the wanted packages of a folder, each with its own error.
fn packages(
    path: &Path,
    folder: &Dir,
    filter: Option<&Filter<'_>>,
    wanted: WantedPackage<'_>,
    limit: usize,
    cancel: &Cancel,
) -> Result<Vec<Packed>, RemoteError> {
    let Limits { entries, depth, .. } = Limits::default();
    let bounds = WalkBounds { depth, entries: MAX_NAMES };
    let enters = |name: &str| name != ".git" && filter.is_none_or(|filter| filter.enters(name));
    let walk = folder.walk(bounds, enters).map_err(|error| unreadable(&error))?;
    let listing = listing(folder, &walk.found, filter);
    let incomplete = || {
        let message = format!(
            "`{}` cannot be listed: a name in it is not UTF-8, or there are too many",
            path.display()
        );
        RemoteError::new(RemoteErrorKind::TooLarge, message)
    };
    let (mut packages, mut left) = (Vec::new(), MAX_ALL);
    for directory in listing.packages("", &SKILL_MD_FILES) {
        check(cancel)?;
        let invalid = |reason: String| RemoteError::new(RemoteErrorKind::Invalid, reason);
        let own = join(&directory, SKILL_MD_FILES[0]);
        if filter.is_some_and(|filter| filter.withholds(&own, withheld_path(&own))) {
            continue;
        }
        let skill_md = listing.file(&directory, &SKILL_MD_FILES).map_err(invalid);
        let text = skill_md.and_then(|file| read(folder, &file, MAX_BYTES));
        let want = text.as_ref().map_or(Want::Files, |file| wanted(&directory, &file.content));
        let is_complete = || {
            let below = folder.open_dir(&directory, Links::Refuse);
            let below = below.and_then(|below| below.walk(bounds, enters));
            below.is_ok_and(|below| below.is_complete)
        };
        let listed = text.and_then(|_| listing.package(&directory, entries).map_err(invalid));
        if want == Want::Nothing && listed.is_ok() {
            continue;
        }
        let most = if want == Want::Files { limit.min(left) } else { limit };
        let listed = match listed {
            Ok(_) if !walk.is_complete && !is_complete() => Err(incomplete()),
            listed => listed,
        };
        let (archive, left_out) =
            match listed.map(|listed| without_withheld(listed, &directory, filter)) {
                Ok(listed) => (pack(folder, &listed, most, cancel), listed.left_out),
                Err(error) => (Err(error), Vec::new()),
            };
        if want == Want::Check && archive.is_ok() {
            continue;
        }
        let bytes = archive.iter().flat_map(Archive::files).map(|file| file.content.len());
        left -= bytes.sum::<usize>();
        packages.push(Packed { directory, archive, left_out, is_inside: false });
    }
    packages.extend(listing.inside("", &SKILL_MD_FILES).map(|(directory, reason)| {
        let archive = Err(RemoteError::new(RemoteErrorKind::Unsupported, reason));
        Packed { directory, archive, left_out: Vec::new(), is_inside: true }
    }));
    packages.sort_by(|one, other| one.directory.cmp(&other.directory));
    if !walk.is_complete {
        let (archive, left_out) = (Err(incomplete()), Vec::new());
        packages.push(Packed { directory: String::new(), archive, left_out, is_inside: false });
    }
    Ok(packages)
}

/// Leaves out what is withheld from other people, by its own path or that of the file that a link
/// leads to. A user installs all files, but no such link, whose name does not show it.
fn without_withheld(
    mut listed: ListedPackage,
    directory: &str,
    filter: Option<&Filter<'_>>,
) -> ListedPackage {
    let Some(filter) = filter else { return without_withheld_links(listed, directory) };
    listed.files.retain(|file| {
        let reason = withheld_path(&file.path).or_else(|| withheld_below(directory, &file.content));
        !filter.withholds(&join(directory, &file.path), reason)
    });
    listed
}

/// Returns why a file is withheld: in a package by its path there, whose own name says nothing.
fn withheld_below(directory: &str, path: &str) -> Option<&'static str> {
    let own = path.strip_prefix(directory).and_then(|path| path.strip_prefix('/'));
    withheld_path(own.unwrap_or(path))
}

/// Leaves out links to files that may hold credentials.
pub(crate) fn without_withheld_links(mut listed: ListedPackage, directory: &str) -> ListedPackage {
    let (files, left_out) = (&mut listed.files, &mut listed.left_out);
    files.retain(|ListedFile { path, content, .. }| {
        let is_link = join(directory, path) != *content && withheld_path(path).is_none();
        let reason =
            withheld_below(directory, content).filter(|it| is_link && *it == MAY_HOLD_CREDENTIALS);
        left_out.extend(reason.map(|it| format!("`{path}` is a link to `{content}`, which {it}")));
        reason.is_none()
    });
    listed
}

fn listing(folder: &Dir, found: &[Walked], filter: Option<&Filter<'_>>) -> Listing {
    let identity = |path: &str| {
        let stat = folder.stat(path, Links::Refuse).ok().filter(|stat| stat.links > 1)?;
        Some((stat.device, stat.inode))
    };
    let is_file = |walked: &&Walked| walked.kind == Kind::File;
    let paths = || found.iter().filter(is_file).map(|walked| &*walked.path);
    let withheld = paths().filter(|path| withheld_path(path) == Some(MAY_HOLD_CREDENTIALS));
    let withheld: BTreeMap<_, _> =
        withheld.filter_map(|path| Some((identity(path)?, path))).collect();
    // A hard link to such a file is the same as a symbolic one.
    let link = |path: &str| {
        let may_be = !withheld.is_empty() && withheld_path(path).is_none();
        let original = withheld.get(&may_be.then(|| identity(path)).flatten()?)?;
        let up = "../".repeat(path.matches('/').count());
        Some(Node::Link(format!("{up}{original}")))
    };
    let node = |walked: &Walked| {
        let target = || String::from_utf8(folder.read_link(&walked.path).ok()?).ok();
        let unreadable = "is a link with a target that cannot be read";
        let node = match walked.kind {
            // Whether it is executable is seen when it is read.
            Kind::File => link(&walked.path).unwrap_or(Node::File { is_executable: false }),
            Kind::Link => target().map_or(Node::Refused(unreadable), Node::Link),
            _ => Node::Refused("is a special file"),
        };
        (walked.path.clone(), node)
    };
    let machine = MachineDirectories::of(found.iter().map(|walked| &*walked.path));
    let skills = found.iter().filter_map(|it| parent_of_skill(&it.path));
    let skills: BTreeSet<&str> = skills.collect();
    // A work tree of git has a file of that name.
    let is_own = |walked: &&Walked| {
        let path = &walked.path;
        let withholds_all = |filter: &Filter<'_>| {
            let around = machine.around(path);
            around.is_some_and(|(it, reason)| filter.withholds(&format!("{it}/"), Some(reason)))
        };
        if filter.is_some_and(withholds_all) {
            return false;
        }
        let mut parents = path.match_indices('/').map(|(at, _)| &path[..at]);
        let skill = parents.find(|it| skills.contains(it)).unwrap_or_default();
        let withholds = |it: &Filter<'_>| it.withholds(path, withheld_below(skill, path));
        path.rsplit('/').next() != Some(".git")
            && (walked.kind == Kind::File || !filter.is_some_and(withholds))
    };
    Listing::new(found.iter().filter(is_own).map(node).collect())
}

/// Reads the files of a package.
fn pack(
    folder: &Dir,
    listed: &ListedPackage,
    limit: usize,
    cancel: &Cancel,
) -> Result<Archive, RemoteError> {
    let mut left = limit;
    let mut files = Vec::new();
    for ListedFile { path, content, .. } in &listed.files {
        check(cancel)?;
        let file = read(folder, content, left)?;
        left -= file.content.len();
        files.push(File { path: path.clone(), ..file });
    }
    Archive::new(files).map_err(|refusal| refused(&refusal))
}

fn read(folder: &Dir, path: &str, limit: usize) -> Result<File, RemoteError> {
    let failed = |error: prowess_dir::Error| match error.kind() {
        ErrorKind::TooLarge => {
            let (one, all) = (MAX_BYTES >> 20, MAX_ALL >> 20);
            let message = format!(
                "`{path}` is too large: a skill may have {one} MiB, and those of a folder {all}"
            );
            RemoteError::new(RemoteErrorKind::TooLarge, message)
        }
        _ => unreadable(&error),
    };
    // A part of a file that is being saved would be installed as the whole.
    let (content, is_executable) =
        Stillness::default().read_in(folder, path, Links::Refuse, limit).map_err(failed)?;
    Ok(File { path: path.to_owned(), is_executable, content })
}

/// Returns the packages that can be packed as one archive.
fn together(packages: Vec<Packed>) -> Result<Archive, Refusal> {
    let files = packages.into_iter().filter_map(|it| Some((it.directory, it.archive.ok()?)));
    let files = files.flat_map(|(directory, archive)| {
        let path = |file: &File| join(&directory, &file.path);
        let files = archive.files().iter();
        files.map(|file| File { path: path(file), ..file.clone() }).collect::<Vec<_>>()
    });
    Archive::new(files.collect())
}

fn join(directory: &str, path: &str) -> String {
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
