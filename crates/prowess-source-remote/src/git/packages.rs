//! Packages of a repository, without the rest of it.
//!
//! The trees come first, without any file: those on the way to what is named, or all of the commit.
//! Then come the `SKILL.md` files, and then the files of the wanted packages. A server that cannot
//! leave anything out sends everything at once, and the same steps find what they need.

mod trees;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use prowess_archive::{
    Archive, DIRECTORY_NOT_UTF8, File, Limits, ListedFile, ListedPackage, Listing, NOT_UTF8, Node,
    Packages,
};
use prowess_core::{
    RemoteError, RemoteErrorKind, RemotePackage, SKILL_MD_FILES, Want, WantedPackage,
};
use prowess_format::is_skill;
use prowess_text::{quoted, shell_word};

use crate::artifact::MAX_ALL;
use crate::git::program::{GitCall, MAX_LIST};
use crate::local_remote::without_withheld_links;
use crate::repository::{GitSource, unsupported};
use trees::is_called;
pub(crate) use trees::{NO_FILES, NOTHING_ELSE};

/// The maximum size of the list of all files, in bytes.
const MAX_TREES: u64 = 64 * 1024 * 1024;

/// The maximum size of a `SKILL.md`, in bytes: that of a document that is read.
const MAX_SKILL_MD: usize = 2 * 1024 * 1024;

/// The maximum size of the target of a link, in bytes.
const MAX_TARGET: usize = 4096;

/// The size of contents that are read at once, in bytes, unless one package has more.
const AT_ONCE: usize = 32 * 1024 * 1024;

/// The modes of git.
const LINK: &str = "120000";
const EXECUTABLE: &str = "100755";
const SUBMODULE: &str = "160000";
const DIRECTORY: &str = "40000";

/// The file that names other directories with objects.
const ALTERNATES: &str = "objects/info/alternates";

/// The file with the configuration of the repository.
const CONFIGURATION: &str = "config";

/// The reason for a submodule: only its commit is in the repository.
const NOT_FETCHED: &str = "is a submodule, which is not fetched";

/// A repository with a part of its objects.
pub(crate) struct Partial<'c> {
    call: &'c GitCall<'c>,
    url: &'c str,
    upload_pack: Option<String>,
    /// The configuration of the new repository.
    configuration: Vec<u8>,
    known: Known,
    /// Whether what cannot be fetched costs the packages that it is in, and no others.
    is_each: bool,
    /// Whether a fetch of something that was left out has failed.
    has_failed: Cell<bool>,
}

/// What is known of a commit.
#[derive(Default)]
struct Known {
    /// The objects of files and links, by path.
    objects: BTreeMap<String, String>,
    /// The objects of directories, by path.
    trees: BTreeMap<String, String>,
    modes: BTreeMap<String, String>,
    /// The directories whose entries are not known.
    unread: BTreeSet<String>,
    /// The length of all paths and their objects, in bytes.
    length: u64,
}

/// The numbers of commits of a history that are fetched, until the one that is looked for is
/// there.
const DEPTHS: [u32; 3] = [64, 1_024, 16_384];

/// A wanted package: its directory, and its files or the reason why it has none.
struct Wanted {
    directory: String,
    listed: Result<ListedPackage, RemoteError>,
    size: usize,
}

impl<'c> Partial<'c> {
    /// Fetches a commit, with what the filter leaves of it.
    pub(crate) fn open(
        call: &'c GitCall<'c>,
        source: &'c GitSource,
        commit: &str,
        filter: Option<&str>,
        is_each: bool,
    ) -> Result<Self, RemoteError> {
        let mut partial = Self { is_each, ..Self::empty(call, source, commit)? };
        let options: Vec<&str> = ["--depth=1"].into_iter().chain(filter).collect();
        partial.fetch(&options, [commit])?;
        // It begins with `tree`, a space and an object of the same length.
        let text = call.run(&["cat-file", "commit", commit], MAX_LIST)?;
        let root = text.get(5..5 + commit.len()).unwrap_or_default();
        let root = String::from_utf8_lossy(root).into_owned();
        partial.known.trees.insert(String::new(), root);
        partial.known.unread.insert(String::new());
        if filter != Some(NOTHING_ELSE) {
            partial.read_below("")?;
        }
        Ok(partial)
    }

    /// Returns whether the history of a commit has another one, of which commits alone are
    /// fetched.
    ///
    /// # Errors
    ///
    /// The history cannot be fetched, or is longer than is looked at.
    pub(crate) fn follows(
        call: &'c GitCall<'c>,
        source: &'c GitSource,
        earlier: &str,
        commit: &str,
    ) -> Result<bool, RemoteError> {
        let partial = Self::empty(call, source, commit)?;
        for depth in DEPTHS {
            partial.fetch(&[&format!("--depth={depth}"), NOTHING_ELSE], [commit])?;
            // Nothing else is fetched, so a commit that is there belongs to the history.
            if !partial.sizes(&BTreeSet::from([earlier]))?.is_empty() {
                return Ok(true);
            }
            let is_cut = call.run(&["rev-parse", "--is-shallow-repository"], MAX_LIST)?;
            if !is_cut.starts_with(b"true") {
                return Ok(false);
            }
        }
        let [.., depth] = DEPTHS;
        Err(invalid(&format!("the installed commit is not among the last {depth}")))
    }

    /// Creates a repository without objects.
    fn empty(
        call: &'c GitCall<'c>,
        source: &'c GitSource,
        commit: &str,
    ) -> Result<Self, RemoteError> {
        let format = if commit.len() == 64 { "sha256" } else { "sha1" };
        let format = format!("--object-format={format}");
        call.run(&["init", "--quiet", "--bare", "--template=", &format, "."], MAX_LIST)?;
        let configuration = call.read(CONFIGURATION)?;
        // A repository of this machine leaves something out only if its program is asked to.
        let upload_pack = (source.scheme() == "file").then(|| {
            let program = shell_word(&call.program()).into_owned();
            let allow = "-c uploadpack.allowFilter=true -c uploadpack.allowAnySHA1InWant=true";
            format!("--upload-pack={program} {allow} upload-pack")
        });
        let (url, known, is_each, has_failed) =
            (&*source.url, Known::default(), false, Cell::default());
        Ok(Self { call, url, upload_pack, configuration, known, is_each, has_failed })
    }

    /// Fetches the wanted packages below the directory of the source. Those in directories of these
    /// names, if each has one, are meant; otherwise all are looked at.
    pub(crate) fn packages(
        &mut self,
        source: &GitSource,
        names: &[String],
        wanted: WantedPackage<'_>,
        limit: usize,
    ) -> Result<Vec<RemotePackage>, RemoteError> {
        let only =
            if self.known.unread.is_empty() { None } else { self.find(&source.directory, names)? };
        let packages = match &only {
            Some(only) => self.chosen(source, Some((only, names)), wanted, limit)?,
            None => None,
        };
        let mut packages = match packages {
            Some(packages) => packages,
            None => {
                if only.is_some() {
                    self.read_below("")?;
                }
                self.chosen(source, None, wanted, limit)?.unwrap_or_default()
            }
        };
        self.fetch_files(&packages, limit)?;
        self.check_sizes(&mut packages, limit, MAX_ALL)?;
        self.archives(&packages)
    }

    /// Returns the wanted packages; `None` if not each of the names has one in `only` these
    /// directories.
    fn chosen(
        &self,
        source: &GitSource,
        only: Option<(&[String], &[String])>,
        wanted: WantedPackage<'_>,
        limit: usize,
    ) -> Result<Option<Vec<Wanted>>, RemoteError> {
        // A directory that is a link is known once the links are.
        let below = Some(&*source.directory).filter(|it| self.known.trees.contains_key(*it));
        let is_below = |path: &str| is_in(path, below.unwrap_or_default());
        // What is around a package may be one that it belongs to.
        let is_near = |directory: &str| {
            let is_near = |it: &String| it == directory || is_in(it, directory);
            only.is_none_or(|(only, _)| only.iter().any(is_near))
        };
        let is_first = |path: &String| {
            let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
            let is_skill = SKILL_MD_FILES.contains(&name) && is_below(path) && is_near(directory);
            is_skill || self.known.modes[path] == LINK
        };
        self.fetch_objects(self.known.objects.keys().filter(|path| is_first(path)))?;
        let listing = self.listing()?;
        let directory = self.directory(&listing, &source.directory)?;
        let all = listing.packages(&directory, &SKILL_MD_FILES, &|_| false).found;
        let near = all.keys().filter(|directory| is_near(directory));
        let file = |directory: &str| listing.file(directory, &SKILL_MD_FILES);
        let paths: Vec<_> = near.filter_map(|directory| file(directory).ok()).collect();
        self.fetch_objects(paths.iter())?;
        let texts = self.contents_within(paths.iter(), MAX_SKILL_MD)?;
        let text = |directory: &str| {
            let path = file(directory)?;
            let text = texts.get(&path);
            let text = text.ok_or_else(|| format!("`{path}` {}has more than 2 MiB", self.lost()));
            text.map(|text| (path, text))
        };
        let is_package = |it: &str| text(it).is_ok_and(|(_, text)| is_skill(text));
        let Packages { found, inside } = listing.packages(&directory, &SKILL_MD_FILES, &is_package);
        let (mut packages, mut checked, mut met) = (Vec::new(), Vec::new(), Vec::new());
        let is_meant = |it: &String| only.is_none_or(|(only, _)| only.contains(it));
        for (directory, is_whole) in found.iter().filter(|(directory, _)| is_meant(directory)) {
            let text = text(directory);
            let want = text.as_ref().map_or(Want::Files, |(_, text)| wanted(directory, text));
            met.extend(Some(directory).filter(|_| want != Want::Nothing && text.is_ok()));
            let listed = text.and_then(|(path, _)| match is_whole {
                true => listing.package(directory, Limits::default().entries),
                false => Ok(ListedPackage::of_file(SKILL_MD_FILES[0], path)),
            });
            if want == Want::Nothing && listed.is_ok() {
                continue;
            }
            let listed = listed.map(|listed| without_withheld_links(listed, directory));
            let listed = listed.map_err(|reason| invalid(&reason));
            let package = Wanted { directory: directory.clone(), listed, size: 0 };
            match want {
                Want::Check => checked.push(package),
                _ => packages.push(package),
            }
        }
        if let Some((_, names)) = only {
            let is_met = |name: &String| met.iter().any(|path| is_called(path, name));
            return Ok(names.iter().all(is_met).then_some(packages));
        }
        packages.extend(self.refused(checked, limit)?);
        packages.extend(self.submodules(&directory, &found));
        packages.extend(inside.into_iter().map(|(directory, reason)| {
            let listed = Err(unsupported(&reason));
            Wanted { directory, listed, size: 0 }
        }));
        packages.sort_by(|one, other| one.directory.cmp(&other.directory));
        Ok(Some(packages))
    }

    /// Returns all files below the directory of the source as one archive.
    pub(crate) fn whole(&self, source: &GitSource, limit: usize) -> Result<Vec<u8>, RemoteError> {
        let listing = self.listing()?;
        let directory = self.directory(&listing, &source.directory)?;
        let mut listed = listing
            .package(&directory, Limits::default().entries)
            .map_err(|reason| unsupported(&reason))?;
        // The artifact is whole, or none.
        if let Some(reason) = listed.left_out.first() {
            return Err(unsupported(reason));
        }
        for file in listed.files.iter_mut().filter(|_| !directory.is_empty()) {
            file.path = format!("{directory}/{}", file.path);
        }
        let mut packages = [Wanted { directory: String::new(), listed: Ok(listed), size: 0 }];
        self.check_sizes(&mut packages, limit, MAX_ALL)?;
        let bytes = self.archives(&packages)?.remove(0).bytes?;
        match bytes.len() > limit {
            true => Err(RemoteError::new(
                RemoteErrorKind::TooLarge,
                format!("the archive has more than {limit} bytes"),
            )),
            false => Ok(bytes),
        }
    }

    /// Returns the directory that is meant, without links on its path.
    fn directory(&self, listing: &Listing, wanted: &str) -> Result<String, RemoteError> {
        listing.directory(wanted).ok_or_else(|| {
            let mut submodules = self.known.modes.iter().filter(|(_, mode)| *mode == SUBMODULE);
            let around = submodules.find(|(path, _)| *path == wanted || is_in(wanted, path));
            let none = || format!("the repository has no directory `{wanted}`");
            let message = around.map_or_else(none, |(path, _)| submodule(path));
            RemoteError::new(RemoteErrorKind::NotFound, message)
        })
    }

    /// Returns the submodules below a directory that are in none of the packages, each with the
    /// reason why nothing of it is a package: it may hold skills.
    fn submodules(
        &self,
        below: &str,
        found: &BTreeMap<String, bool>,
    ) -> impl Iterator<Item = Wanted> {
        let submodules = self.known.modes.iter().filter(|(_, mode)| *mode == SUBMODULE);
        let submodules = submodules.filter(move |(path, _)| {
            is_in(path, below)
                && !found.iter().any(|(package, is_whole)| *is_whole && is_in(path, package))
        });
        submodules.map(|(path, _)| {
            let error = RemoteError::new(RemoteErrorKind::Unsupported, submodule(path));
            Wanted { directory: path.clone(), listed: Err(error), size: 0 }
        })
    }

    fn listing(&self) -> Result<Listing, RemoteError> {
        let links = self.known.objects.keys().filter(|path| self.known.modes[*path] == LINK);
        let targets = self.contents_within(links, MAX_TARGET)?;
        let node = |(path, mode): (&String, &String)| {
            let target = targets.get(path).and_then(|it| str::from_utf8(it).ok());
            let node = match (&**mode, target) {
                (LINK, Some(target)) => Node::Link(target.to_owned()),
                (LINK, None) => Node::Refused("is a link with a target that cannot be read"),
                (SUBMODULE, _) => Node::Refused(NOT_FETCHED),
                ("", _) => Node::Refused(NOT_UTF8),
                (DIRECTORY, _) => Node::Refused(DIRECTORY_NOT_UTF8),
                (mode, _) => Node::File { is_executable: mode == EXECUTABLE },
            };
            (path.clone(), node)
        };
        Ok(Listing::new(self.known.modes.iter().map(node).collect()))
    }

    /// Fetches the objects at paths that are not there.
    fn fetch_objects<'p>(
        &self,
        paths: impl Iterator<Item = &'p String>,
    ) -> Result<(), RemoteError> {
        self.fetch_missing(paths.map(|path| &*self.known.objects[path]).collect(), NO_FILES)
    }

    /// Fetches the objects that are not there, without those that the filter leaves out.
    fn fetch_missing(&self, objects: BTreeSet<&str>, filter: &str) -> Result<(), RemoteError> {
        let there = self.sizes(&objects)?;
        let missing: Vec<_> = objects.into_iter().filter(|it| !there.contains_key(*it)).collect();
        let fetch = |some: &[&str]| match some {
            [] => Ok(()),
            some => self.fetch(&[filter], some.iter().copied()),
        };
        if self.is_each { self.fetch_parts(&missing, &fetch) } else { fetch(&missing) }
    }

    /// Fetches several things at once. If they are too large together, or one of them cannot be
    /// fetched, halves are tried, so that each costs itself alone, which is missing then.
    fn fetch_parts<T>(
        &self,
        all: &[T],
        fetch: &dyn Fn(&[T]) -> Result<(), RemoteError>,
    ) -> Result<(), RemoteError> {
        if all.is_empty() {
            return Ok(());
        }
        match fetch(all) {
            Err(RemoteError { kind, .. })
                if kind == RemoteErrorKind::TooLarge
                    || (self.is_each && kind != RemoteErrorKind::Cancelled) =>
            {
                if all.len() < 2 {
                    return Ok(());
                }
                let (one, other) = all.split_at(all.len() / 2);
                self.fetch_parts(one, fetch)?;
                self.fetch_parts(other, fetch)
            }
            fetched => fetched,
        }
    }

    /// The start of the reason against a file that is not there.
    fn lost(&self) -> &'static str {
        if self.is_each { "is lost, or " } else { "" }
    }

    /// Returns the objects of the files of a package.
    fn objects_of<'w>(&'w self, package: &'w Wanted) -> impl Iterator<Item = &'w str> {
        let files = package.listed.iter().flat_map(|listed| &listed.files);
        files.map(|file| &*self.known.objects[&file.content])
    }

    /// Fetches the files of packages by their trees, because a server can leave out large files
    /// of a tree, and what links lead to elsewhere.
    fn fetch_files(&self, packages: &[Wanted], limit: usize) -> Result<(), RemoteError> {
        let there = self.sizes(&packages.iter().flat_map(|it| self.objects_of(it)).collect())?;
        let lacks = |object: &str| !there.contains_key(object);
        let needed: Vec<_> = packages.iter().filter(|it| self.objects_of(it).any(lacks)).collect();
        let trees: BTreeSet<_> =
            needed.iter().filter_map(|it| self.known.trees.get(&it.directory)).collect();
        let filter = format!("--filter=blob:limit={}", limit.saturating_add(1));
        self.fetch_parts(&trees.into_iter().collect::<Vec<_>>(), &|some| {
            self.fetch(&["--refetch", &filter], some.iter().map(|tree| tree.as_str()))
        })?;
        let elsewhere = needed.iter().flat_map(|it| {
            let files = it.listed.iter().flat_map(|listed| &listed.files);
            files.map(|file| &file.content).filter(|path| !is_in(path, &it.directory))
        });
        match self.fetch_objects(elsewhere) {
            Err(error) if error.kind == RemoteErrorKind::TooLarge => Ok(()),
            fetched => fetched,
        }
    }

    /// Returns those of the packages that would be refused. A repository of this machine has the
    /// sizes of its files; those of a server are not known before they are fetched.
    fn refused(&self, mut packages: Vec<Wanted>, limit: usize) -> Result<Vec<Wanted>, RemoteError> {
        if let Some(path) = self.url.strip_prefix("file://") {
            let objects = [".git/objects", "objects"].map(|end| Path::new(path).join(end));
            let objects = objects.iter().find(|objects| objects.is_dir());
            let objects = objects.map(|objects| objects.to_string_lossy().into_owned() + "\n");
            self.call.write(ALTERNATES, objects.unwrap_or_default())?;
            let all = packages.iter().flat_map(|it| self.objects_of(it)).collect();
            let sizes = self.sizes(&all)?;
            let is_known = |it: &Wanted| self.objects_of(it).all(|it| sizes.contains_key(it));
            packages.retain(is_known);
            self.check_sizes(&mut packages, limit, usize::MAX)?;
            self.call.write(ALTERNATES, "")?;
        }
        for Wanted { listed, .. } in &mut packages {
            let Ok(package) = listed else { continue };
            let file = |file: &ListedFile| File::new(&file.path, Vec::new());
            if let Err(refusal) = Archive::new(package.files.iter().map(file).collect()) {
                *listed = Err(invalid(&refusal.to_string()));
            }
        }
        packages.retain(|package| package.listed.is_err());
        Ok(packages)
    }

    /// Refuses packages that are too large, alone or `together`, and leaves out links to files
    /// that are.
    fn check_sizes(
        &self,
        packages: &mut [Wanted],
        limit: usize,
        together: usize,
    ) -> Result<(), RemoteError> {
        let sizes = self.sizes(&packages.iter().flat_map(|it| self.objects_of(it)).collect())?;
        let mut all = 0;
        for Wanted { directory, listed, size } in packages {
            let Ok(package) = listed else { continue };
            let size_of = |content: &String| {
                sizes.get(&self.known.objects[content]).copied().filter(|size| *size <= limit)
            };
            let (mut lost, mut left_out) = (None, Vec::new());
            package.files.retain(|file| match size_of(&file.content) {
                Some(bytes) => {
                    *size += bytes;
                    true
                }
                None if is_in(&file.content, directory) => {
                    lost = Some(file.content.clone());
                    true
                }
                None => {
                    left_out.push(format!("`{}` is a link to a large file", file.path));
                    false
                }
            });
            package.left_out.extend(left_out);
            let limit_text = format!("a skill may have {} MiB", limit >> 20);
            let reason = match lost {
                Some(file) => format!("`{file}` {}is too large: {limit_text}", self.lost()),
                None if *size > limit => format!("it has {} MiB, and {limit_text}", *size >> 20),
                None if all + *size > together => {
                    "the skills are too large together; name it alone".to_owned()
                }
                None => {
                    all += *size;
                    continue;
                }
            };
            *listed = Err(RemoteError::new(RemoteErrorKind::TooLarge, reason));
        }
        Ok(())
    }

    /// Reads the files of packages, several packages at once.
    fn archives(&self, packages: &[Wanted]) -> Result<Vec<RemotePackage>, RemoteError> {
        let mut fetched = Vec::new();
        for Range { start, end } in groups(packages) {
            let group = &packages[start..end];
            let files = group.iter().flat_map(|it| it.listed.iter()).flat_map(|it| &it.files);
            let objects: Vec<_> = files.map(|file| &*self.known.objects[&file.content]).collect();
            let mut contents = self.contents(&objects)?.into_iter();
            for Wanted { directory, listed, .. } in group {
                let (bytes, left_out) = match listed {
                    Err(error) => (Err(error.clone()), Vec::new()),
                    Ok(listed) => {
                        let files = listed.files.iter().zip(contents.by_ref());
                        let file = |(file, content): (&ListedFile, _)| File {
                            path: file.path.clone(),
                            is_executable: file.is_executable,
                            content,
                        };
                        let archive = Archive::new(files.map(file).collect());
                        let bytes = archive.map(|archive| archive.to_tar());
                        let bytes = bytes.map_err(|refusal| invalid(&refusal.to_string()));
                        (bytes, listed.left_out.clone())
                    }
                };
                fetched.push(RemotePackage { directory: directory.clone(), bytes, left_out });
            }
        }
        Ok(fetched)
    }

    fn fetch<'o>(
        &self,
        options: &[&str],
        objects: impl IntoIterator<Item = &'o str>,
    ) -> Result<(), RemoteError> {
        let mut arguments = vec!["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
        arguments.extend(["--no-recurse-submodules", "--no-auto-maintenance", "--stdin"]);
        arguments.extend(self.upload_pack.as_deref());
        arguments.extend(options);
        arguments.extend(["--", self.url]);
        let known = self.call.packs();
        let fetched = self.call.run_with(&arguments, lines(objects).as_bytes(), MAX_LIST);
        let is_limit = |it: &RemoteError| {
            matches!(it.kind, RemoteErrorKind::Cancelled | RemoteErrorKind::TooLarge)
        };
        // A fetch notes that the server has what is missing. Git before 2.44 would then fetch it
        // when asked whether it is there.
        self.call.write(CONFIGURATION, &self.configuration)?;
        self.has_failed.set(fetched.as_ref().is_err_and(|error| !is_limit(error)));
        if fetched.is_err() {
            self.call.keep_packs(&known)?;
        }
        fetched.map(drop)
    }

    /// Returns whether the server or an old program cannot send a part of what was left out.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed.get()
    }

    /// Returns the sizes of the objects that are there.
    fn sizes(&self, objects: &BTreeSet<&str>) -> Result<BTreeMap<String, usize>, RemoteError> {
        if objects.is_empty() {
            return Ok(BTreeMap::new());
        }
        let input = lines(objects.iter().copied());
        let arguments = ["cat-file", "--batch-check"];
        let output = self.call.run_with(&arguments, input.as_bytes(), MAX_TREES)?;
        let text = String::from_utf8_lossy(&output);
        let size = |line: &str| {
            let mut words = line.split(' ');
            Some((words.next()?.to_owned(), words.nth(1)?.parse().ok()?))
        };
        Ok(text.lines().filter_map(size).collect())
    }

    /// Returns the contents at paths that are not larger than a limit.
    fn contents_within<'p>(
        &self,
        paths: impl Iterator<Item = &'p String>,
        limit: usize,
    ) -> Result<BTreeMap<String, Vec<u8>>, RemoteError> {
        let paths: Vec<_> = paths.collect();
        let sizes = self.sizes(&paths.iter().map(|path| &*self.known.objects[*path]).collect())?;
        let is_within = |path: &&&String| {
            sizes.get(&self.known.objects[**path]).is_some_and(|size| *size <= limit)
        };
        let paths: Vec<_> = paths.iter().filter(is_within).map(|path| (*path).clone()).collect();
        let objects: Vec<_> = paths.iter().map(|path| &*self.known.objects[path]).collect();
        Ok(paths.iter().cloned().zip(self.contents(&objects)?).collect())
    }

    /// Returns the contents of objects, in their order.
    fn contents(&self, objects: &[&str]) -> Result<Vec<Vec<u8>>, RemoteError> {
        if objects.is_empty() {
            return Ok(Vec::new());
        }
        let input = lines(objects.iter().copied());
        let output =
            self.call.run_with(&["cat-file", "--batch"], input.as_bytes(), 2 * MAX_ALL as u64)?;
        let mut rest = &output[..];
        let mut content = |_: &&str| {
            let end = rest.iter().position(|&byte| byte == b'\n')?;
            let size = str::from_utf8(&rest[..end]).ok()?.rsplit(' ').next()?.parse().ok()?;
            let found = rest.get(end + 1..)?.get(..size)?.to_vec();
            rest = rest.get(end + 2 + size..)?;
            Some(found)
        };
        let contents: Option<Vec<_>> = objects.iter().map(&mut content).collect();
        contents.ok_or_else(|| invalid("git reports files that cannot be read"))
    }
}

/// Returns ranges of packages whose contents are read at once.
fn groups(packages: &[Wanted]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut size = 0;
    for (at, package) in packages.iter().enumerate() {
        size += package.size;
        match groups.last_mut() {
            Some(group) if size <= AT_ONCE => group.end = at + 1,
            _ => {
                size = package.size;
                groups.push(at..at + 1);
            }
        }
    }
    groups
}

fn submodule(path: &str) -> String {
    format!("{} {NOT_FETCHED}", quoted(path))
}

fn is_in(path: &str, directory: &str) -> bool {
    directory.is_empty() || path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

fn lines<'o>(objects: impl IntoIterator<Item = &'o str>) -> String {
    objects.into_iter().flat_map(|object| [object, "\n"]).collect()
}

fn invalid(reason: &str) -> RemoteError {
    RemoteError::new(RemoteErrorKind::Invalid, reason)
}
