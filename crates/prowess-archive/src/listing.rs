//! The names of a tree of files before their contents are read, and where the links in it lead.

use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of links on the way to one file.
const MAX_LINKS: usize = 40;

/// The maximum number of linked directories inside each other.
const MAX_NESTED: usize = 8;

/// What is at a path of a [`Listing`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A regular file.
    File {
        /// Whether someone may execute it.
        is_executable: bool,
    },
    /// A symbolic link with this target.
    Link(String),
    /// Something that no package may have, as the rest of a sentence: "is a submodule".
    Refused(&'static str),
}

/// The reason against something whose path cannot be written.
pub const NOT_UTF8: &str = "has a name that is not UTF-8";

/// The reason against such a directory.
pub const DIRECTORY_NOT_UTF8: &str = "is a directory with a name that is not UTF-8";

/// The files of a repository or a folder, by path. Directories are known by the files in them.
///
/// A link leads to something of the same listing, or to nothing: what is outside of it is never
/// read.
#[derive(Clone, Debug, Default)]
pub struct Listing(BTreeMap<String, Node>);

/// A file of a package, and the file of the listing that has its content: another one for a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFile {
    /// The path in the package.
    pub path: String,
    /// The path in the listing, without links on it.
    pub content: String,
    /// Whether someone may execute it.
    pub is_executable: bool,
}

/// The files of a package, and the links that lead to nothing that may be copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedPackage {
    /// The files.
    pub files: Vec<ListedFile>,
    /// The links that are left out, as sentences.
    pub left_out: Vec<String>,
}

/// The directories of a listing that have a file of a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packages {
    /// The packages, each with whether what is below its directory belongs to it. Of another one
    /// only the file itself is read, to see what is wrong with it.
    pub found: BTreeMap<String, bool>,
    /// Those that belong to another package, or have a wrong name, each with the reason.
    pub inside: Vec<(String, String)>,
}

impl ListedPackage {
    /// Returns the package of nothing but a file, whose content is at another path.
    pub fn of_file(path: &str, content: String) -> Self {
        let file = ListedFile { path: path.to_owned(), content, is_executable: false };
        Self { files: vec![file], left_out: Vec::new() }
    }
}

enum Place {
    File(String),
    Directory(String),
}

impl Listing {
    /// Creates a listing.
    pub fn new(nodes: BTreeMap<String, Node>) -> Self {
        Self(nodes)
    }

    /// Returns the directory that a path means, without links on it; `None` if there is none.
    pub fn directory(&self, path: &str) -> Option<String> {
        match self.resolve("", path) {
            Ok(Place::Directory(directory)) => Some(directory),
            _ => None,
        }
    }

    /// Returns the directories below one that have a file of one of these names. What is below a
    /// package belongs to it, unless its file `is_package` not: one such as an index hides nothing.
    /// What nearly is a package, because of its name, is none either.
    pub fn packages(
        &self,
        below: &str,
        names: &[&str],
        is_package: &dyn Fn(&str) -> bool,
    ) -> Packages {
        let named = |(path, node): (&String, &Node)| {
            let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
            let is_file = !matches!(node, Node::Refused(_)) && names.contains(&name);
            is_file.then(|| directory.to_owned())
        };
        let named: BTreeSet<String> = self.below(below).filter_map(named).collect();
        let around: BTreeSet<_> = named.iter().flat_map(|it| parents(it)).collect();
        let mut packages = Packages::default();
        for directory in &named {
            let is_whole = |it: &&str| packages.found.get(*it) == Some(&true);
            let Some(outer) = parents(directory).find(is_whole) else {
                let is_whole = !around.contains(&**directory) || is_package(directory);
                packages.found.insert(directory.clone(), is_whole);
                continue;
            };
            let place = if outer.is_empty() { "the whole source" } else { &format!("`{outer}`") };
            let reason = format!(
                "it is a part of the skill in {place}; to install it alone, name the directory \
                 `{directory}` of the source"
            );
            packages.inside.push((directory.clone(), reason));
        }
        let is_alone = |directory: &str| {
            let is_whole = |it: &str| packages.found.get(it) == Some(&true);
            !packages.found.contains_key(directory) && !parents(directory).any(is_whole)
        };
        let nearly = self.below(below).filter_map(|(path, node)| {
            let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
            if *node == Node::Refused(DIRECTORY_NOT_UTF8) && is_alone(path) {
                return Some((path.clone(), format!("`{path}` {DIRECTORY_NOT_UTF8}")));
            }
            let usual = names.first().filter(|it| it.eq_ignore_ascii_case(name))?;
            let reason = format!("`{path}` is read by no client: rename it to `{usual}`");
            let is_nearly = !names.contains(&name) && is_alone(directory);
            is_nearly.then(|| (directory.to_owned(), reason))
        });
        let nearly: Vec<_> = nearly.collect();
        packages.inside.extend(nearly);
        packages
    }

    /// Returns the file of one of these names in a directory, without links on its path.
    ///
    /// # Errors
    ///
    /// It is a link that leads to no file of the listing.
    pub fn file(&self, directory: &str, names: &[&str]) -> Result<String, String> {
        let paths = names.iter().map(|name| join(directory, name));
        let path = paths.into_iter().find(|path| self.0.contains_key(path)).unwrap_or_default();
        match self.resolve("", &path) {
            Ok(Place::File(path)) => Ok(path),
            Ok(Place::Directory(_)) => Err(format!("`{path}` leads to a directory")),
            Err(reason) => Err(format!("`{path}` {reason}")),
        }
    }

    /// Returns the files of the package in a directory. A link to a file or a directory of the
    /// listing stands for copies of it.
    ///
    /// # Errors
    ///
    /// Something in it must not be in a package, or there are more files than `most`.
    pub fn package(&self, directory: &str, most: usize) -> Result<ListedPackage, String> {
        let mut package = ListedPackage::default();
        self.add(directory, "", &mut Vec::new(), most, &mut package)?;
        Ok(package)
    }

    /// Adds what is below a directory under another path, `behind` these linked directories.
    fn add(
        &self,
        directory: &str,
        under: &str,
        behind: &mut Vec<String>,
        most: usize,
        package: &mut ListedPackage,
    ) -> Result<(), String> {
        for (path, node) in self.below(directory) {
            let relative = path[directory.len()..].trim_start_matches('/');
            let under = join(under, relative);
            let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
            let place = match node {
                Node::Refused(reason) => return Err(format!("`{path}` {reason}")),
                Node::File { .. } => Ok(Place::File(path.clone())),
                Node::Link(target) => self.resolve(parent, target),
            };
            match place {
                Ok(Place::File(content)) => {
                    let node = self.0.get(&content);
                    let is_executable = matches!(node, Some(Node::File { is_executable: true }));
                    package.files.push(ListedFile { path: under, content, is_executable });
                }
                Ok(Place::Directory(linked)) if behind.len() < MAX_NESTED => {
                    if is_at_or_below(parent, &linked) || behind.contains(&linked) {
                        package.left_out.push(format!("`{path}` leads to a directory around it"));
                        continue;
                    }
                    behind.push(linked);
                    let linked = &behind[behind.len() - 1].clone();
                    self.add(linked, &under, behind, most, package)?;
                    behind.pop();
                }
                Ok(Place::Directory(_)) => {
                    package.left_out.push(format!("`{path}` is behind too many links"));
                }
                Err(reason) => package.left_out.push(format!("`{path}` {reason}")),
            }
            if package.files.len() + package.left_out.len() > most {
                return Err(format!("it has more than {most} files"));
            }
        }
        Ok(())
    }

    fn below(&self, directory: &str) -> impl Iterator<Item = (&String, &Node)> {
        let start = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        self.0.range(start.clone()..).take_while(move |(path, _)| path.starts_with(&start))
    }

    /// Returns what a path means that starts at a directory, or the rest of a sentence.
    fn resolve(&self, start: &str, path: &str) -> Result<Place, String> {
        let mut real: Vec<String> = parts(start).map(str::to_owned).collect();
        let mut left: Vec<String> = parts(path).rev().map(str::to_owned).collect();
        let (mut links, mut file) = (0, None);
        let outside = || "is a link that leads out of the source".to_owned();
        if path.starts_with('/') {
            return Err(outside());
        }
        while let Some(part) = left.pop() {
            let nothing = || "is a link that leads to nothing".to_owned();
            if part == ".." && file.is_none() {
                real.pop().ok_or_else(outside)?;
                continue;
            }
            if file.is_some() {
                return Err(nothing());
            }
            real.push(part);
            let here = real.join("/");
            match self.0.get(&here) {
                Some(Node::Link(target)) => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err("is a link that leads to itself".to_owned());
                    }
                    if target.starts_with('/') {
                        return Err(outside());
                    }
                    real.pop();
                    left.extend(parts(target).rev().map(str::to_owned));
                }
                Some(Node::File { .. }) => file = Some(here),
                Some(Node::Refused(reason)) => {
                    return Err(format!("is a link to `{here}`, which {reason}"));
                }
                None if self.below(&here).next().is_none() => return Err(nothing()),
                None => {}
            }
        }
        Ok(file.map_or_else(|| Place::Directory(real.join("/")), Place::File))
    }
}

/// Returns the directories around one, from the root on.
fn parents(directory: &str) -> impl Iterator<Item = &str> {
    let root = Some("").filter(|_| !directory.is_empty());
    root.into_iter().chain(directory.match_indices('/').map(|(end, _)| &directory[..end]))
}

fn is_at_or_below(directory: &str, other: &str) -> bool {
    let rest = directory.strip_prefix(other);
    other.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// Returns the parts of a path that mean something.
fn parts(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split('/').filter(|part| !matches!(*part, "" | "."))
}
