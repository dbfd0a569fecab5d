//! The entries of an archive, and the packages in them.

use std::collections::{BTreeMap, HashMap};

use crate::file::File;
use crate::name::EntryName;
use crate::names::Names;
use crate::{
    Archive, Limits, ListedFile, ListedPackage, Listing, Node, Packages, Refusal, RefusalKind,
};

/// A package of an archive of several ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The directory in the archive; empty for its root.
    pub directory: String,
    /// The files, with paths relative to the directory, or the reason why the package is refused.
    pub archive: Result<Archive, String>,
    /// The links that are left out, as sentences.
    pub left_out: Vec<String>,
    /// Whether it is a part of another package, and has no files for that reason.
    pub is_inside: bool,
}

impl Package {
    fn new(directory: String, archive: Result<Archive, String>) -> Self {
        Self { directory, archive, left_out: Vec::new(), is_inside: false }
    }
}

/// How many times the size of an archive its packages may have, because a link stands for a copy.
const MAX_COPIES: usize = 2;

/// The entries that were read so far.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    names: Names,
    files: Vec<File>,
    /// Links, and what no package may have.
    others: BTreeMap<String, Node>,
    /// The first reason against the archive as one package.
    refusal: Option<Refusal>,
}

impl Entries {
    /// Returns a name, or `None` if its entry costs the package that it is in.
    pub(crate) fn name(
        &mut self,
        name: &[u8],
        limits: &Limits,
    ) -> Result<Option<EntryName>, RefusalKind> {
        match EntryName::check(name, limits) {
            Ok(name) => Ok(Some(name)),
            Err(kind) => self.refuse(kind, name).map(|()| None),
        }
    }

    pub(crate) fn add_file(&mut self, file: File) -> Result<(), RefusalKind> {
        let added = self.names.add_file(&file.path);
        self.known(added, &file.path)?;
        self.files.push(file);
        Ok(())
    }

    pub(crate) fn add_directory(&mut self, path: &str) -> Result<(), RefusalKind> {
        let added = if path.is_empty() { Ok(()) } else { self.names.add_directory(path) };
        self.known(added, path)
    }

    pub(crate) fn add_link(&mut self, path: String, target: &[u8]) -> Result<(), RefusalKind> {
        let added = self.names.add_file(&path);
        self.known(added, &path)?;
        self.note(RefusalKind::Link, path.as_bytes());
        let node = match str::from_utf8(target) {
            Ok(target) => Node::Link(target.to_owned()),
            Err(_) => Node::Refused("is a link with a target that cannot be read"),
        };
        self.others.insert(path, node);
        Ok(())
    }

    /// Records an entry that costs the package that it is in; returns the kind if it costs the
    /// whole archive, because readers could differ in what they unpack, or it is an attack.
    pub(crate) fn refuse(&mut self, kind: RefusalKind, name: &[u8]) -> Result<(), RefusalKind> {
        use RefusalKind::{InvalidName, Mode, SpecialFile, TooDeep};
        if !matches!(kind, InvalidName | Mode | SpecialFile | TooDeep) {
            return Err(kind);
        }
        self.note(kind, name);
        // However the path is written, it belongs to a package.
        let name = String::from_utf8_lossy(name);
        let parts = name.split(['/', '\\']).filter(|part| !matches!(*part, "" | "."));
        let path = parts.collect::<Vec<_>>().join("/");
        self.others.insert(path, Node::Refused(kind.predicate()));
        Ok(())
    }

    /// Records a reason that is none against a package.
    pub(crate) fn note(&mut self, kind: RefusalKind, name: &[u8]) {
        self.refusal.get_or_insert_with(|| kind.of(name));
    }

    /// A package that has names which clash is refused when its files are put together.
    fn known(&mut self, added: Result<(), RefusalKind>, path: &str) -> Result<(), RefusalKind> {
        match added {
            Err(kind @ RefusalKind::Clash) => {
                self.note(kind, path.as_bytes());
                Ok(())
            }
            added => added,
        }
    }

    /// Returns the archive as one package.
    pub(crate) fn into_archive(self) -> Result<Archive, Refusal> {
        self.refusal.map_or_else(|| Archive::from_checked(self.files), Err)
    }

    /// Returns the packages, which have a file of one of these names.
    pub(crate) fn into_packages(
        self,
        names: &[&str],
        limits: &Limits,
        is_package: &dyn Fn(&[u8]) -> bool,
    ) -> Result<Vec<Package>, Refusal> {
        let is_root = |file: &File| names.contains(&&*file.path) && is_package(&file.content);
        if self.refusal.is_none() && self.files.iter().any(is_root) {
            // The usual case needs no copy of the files.
            let node = |file: &File| (file.path.clone(), Node::File { is_executable: false });
            let listing = Listing::new(self.files.iter().map(node).collect());
            let inside = parts(listing.packages("", names, &|_| true));
            let whole = Package::new(String::new(), Ok(Archive::from_checked(self.files)?));
            return Ok([whole].into_iter().chain(inside).collect());
        }
        let refusal = self.refusal.clone();
        let (listing, files) = self.listing()?;
        let mut left = limits.bytes.saturating_mul(MAX_COPIES);
        let is_package = |directory: &str| {
            listing.file(directory, names).is_ok_and(|file| is_package(&files[&file].content))
        };
        let package = |(directory, is_whole): (String, bool)| {
            let listed = listing.file(&directory, names).and_then(|file| match is_whole {
                true => listing.package(&directory, limits.entries),
                false => Ok(ListedPackage::of_file(names[0], file)),
            });
            match listed {
                Ok(listed) => {
                    let archive = copied(&listed, &files, &mut left);
                    Package { left_out: listed.left_out, ..Package::new(directory, archive) }
                }
                Err(reason) => Package::new(directory, Err(reason)),
            }
        };
        let mut all = listing.packages("", names, &is_package);
        let mut packages: Vec<_> =
            std::mem::take(&mut all.found).into_iter().map(package).collect();
        packages.extend(parts(all));
        // A bad name is a better reason than the lack of a package.
        refusal.filter(|_| packages.is_empty()).map_or(Ok(packages), Err)
    }

    /// Returns the names of everything but the files of git, and the files by path.
    fn listing(self) -> Result<(Listing, HashMap<String, File>), Refusal> {
        let mut nodes = self.others;
        nodes.retain(|path, _| !path.split('/').any(|part| part == ".git"));
        let mut files = HashMap::new();
        for file in self.files {
            let node = Node::File { is_executable: file.is_executable };
            if nodes.insert(file.path.clone(), node).is_some() {
                return Err(RefusalKind::Duplicate.of(file.path.as_bytes()));
            }
            files.insert(file.path.clone(), file);
        }
        // Other readers unpack a path below a file or a link elsewhere.
        let is_below = |path: &&String| {
            path.match_indices('/').any(|(end, _)| nodes.contains_key(&path[..end]))
        };
        match nodes.keys().find(is_below) {
            Some(path) => Err(RefusalKind::Clash.of(path.as_bytes())),
            None => Ok((Listing::new(nodes), files)),
        }
    }
}

/// Returns the packages that are a part of another one.
fn parts(packages: Packages) -> impl Iterator<Item = Package> {
    let part =
        |(directory, reason)| Package { is_inside: true, ..Package::new(directory, Err(reason)) };
    packages.inside.into_iter().map(part)
}

/// Copies the files of a package, which may have this number of bytes.
fn copied(
    listed: &ListedPackage,
    files: &HashMap<String, File>,
    left: &mut usize,
) -> Result<Archive, String> {
    let file = |listed: &ListedFile| {
        let file = &files[&listed.content];
        *left = left.checked_sub(file.content.len()).ok_or("has too many copies behind links")?;
        Ok(File { path: listed.path.clone(), ..file.clone() })
    };
    let copied: Result<Vec<_>, &str> = listed.files.iter().map(file).collect();
    Archive::new(copied?).map_err(|refusal| refusal.to_string())
}
