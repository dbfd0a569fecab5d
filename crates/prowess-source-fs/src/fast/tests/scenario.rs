//! Random trees of skills, and edits of them.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::sample::select;
use prowess_core::PackagePath;
use tempfile::TempDir;

use crate::{FsConfig, Links, Nested};

/// The names of directories: plain, skipped, hidden, and with characters that a package's path may
/// not have or that look alike.
const NAMES: [&[u8]; 14] = [
    b"pdf",
    b"forms",
    b"group",
    b"skill-17",
    b".claude",
    b".git",
    b"node_modules",
    b"SKILL.md",
    b"c:drive",
    b"back\\slash",
    "\u{fc}ber".as_bytes(),
    "u\u{308}ber".as_bytes(),
    b"not-utf8-\xff",
    b"with space",
];

const FILES: [&str; 6] =
    ["SKILL.md", "skill.md", "Skill.MD", "README.md", ".gitignore", "\u{fc}.md"];

/// A path from the root, as the indices of its names.
type Parts = Vec<usize>;

/// An addition to a tree.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// A file with this text, and the directories above it.
    File(Parts, usize, u8),
    /// A directory with nothing in it.
    Directory(Parts),
    /// A directory that cannot be entered.
    Closed(Parts),
    /// A link to a directory or a file of the tree, or to nothing.
    Link(Parts, Parts),
    /// A link in the place of a file, to a file next to it.
    FileLink(Parts, usize, usize),
    /// Packages in the root, more than fit in a batch.
    Packages(usize),
}

/// A change of a tree.
#[derive(Clone, Debug)]
pub(super) enum Edit {
    Add(Node),
    Remove(Parts),
    RemoveFile(Parts, usize),
    Rename(Parts, Parts),
    /// Replaces the text of one of [`Node::Packages`].
    Write(usize, u8),
    /// Removes one of [`Node::Packages`].
    RemovePackage(usize),
    /// Exchanges two of [`Node::Packages`], which changes no file's times.
    Swap(usize, usize),
}

/// A tree, the configuration of its source, and the edits between scans.
#[derive(Clone, Debug)]
pub(super) struct Scenario {
    pub(super) nodes: Vec<Node>,
    pub(super) rounds: Vec<Vec<Edit>>,
    /// Without the root.
    pub(super) config: FsConfig,
    gitignore: bool,
}

fn parts() -> impl Strategy<Value = Parts> {
    prop::collection::vec(0..NAMES.len(), 1..4)
}

fn node() -> impl Strategy<Value = Node> {
    prop_oneof![
        6 => (parts(), 0..2_usize, any::<u8>()).prop_map(|(at, file, text)| Node::File(at, file, text)),
        2 => (parts(), 0..FILES.len(), any::<u8>())
            .prop_map(|(at, file, text)| Node::File(at, file, text)),
        1 => parts().prop_map(Node::Directory),
        1 => parts().prop_map(Node::Closed),
        2 => (parts(), parts()).prop_map(|(at, to)| Node::Link(at, to)),
        1 => (parts(), 0..2_usize, 0..FILES.len())
            .prop_map(|(at, file, to)| Node::FileLink(at, file, to)),
        1 => (0..FILES.len(), any::<u8>())
            .prop_map(|(file, text)| Node::File(Vec::new(), file, text)),
        1 => (1..40_usize).prop_map(Node::Packages),
    ]
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        3 => node().prop_map(Edit::Add),
        1 => parts().prop_map(Edit::Remove),
        1 => (parts(), 0..FILES.len()).prop_map(|(at, file)| Edit::RemoveFile(at, file)),
        1 => (parts(), parts()).prop_map(|(from, to)| Edit::Rename(from, to)),
        3 => (0..40_usize, any::<u8>()).prop_map(|(at, text)| Edit::Write(at, text)),
        1 => (0..40_usize).prop_map(Edit::RemovePackage),
        1 => (0..40_usize, 0..40_usize).prop_map(|(one, other)| Edit::Swap(one, other)),
    ]
}

/// Without the feature, a scan of a tree with `.gitignore` files is refused.
fn gitignore() -> impl Strategy<Value = bool> {
    if cfg!(feature = "gitignore") {
        prop::bool::weighted(0.2).boxed()
    } else {
        Just(false).boxed()
    }
}

/// Generates scenarios, some of them a root of nothing but packages.
pub(super) fn scenarios() -> impl Strategy<Value = Scenario> {
    let nodes = prop_oneof![
        3 => prop::collection::vec(node(), 0..24),
        1 => (0..40_usize).prop_map(|count| vec![Node::Packages(count)]),
    ];
    let rounds = prop::collection::vec(prop::collection::vec(edit(), 0..4), 1..4);
    let config = (
        select(vec![Nested::Stop, Nested::Stop, Nested::Descend]),
        select(vec![Links::Never, Links::WithinRoot, Links::Follow]),
        gitignore(),
        select(vec![1_usize, 2, 3, 16, 16]),
        select(vec![3_usize, 17, 200_000, 200_000]),
        select(vec![2_usize, 20_000, 20_000]),
        prop::bool::ANY,
    );
    (nodes, rounds, config).prop_map(|(nodes, rounds, config)| {
        let (nested, links, gitignore, max_depth, max_skills, max_directories, holds_skills) =
            config;
        let limits = FsConfig { max_depth, max_skills, max_directories, ..FsConfig::new("") };
        let config = FsConfig { nested, links, holds_skills, ..limits };
        Scenario { nodes, rounds, config, gitignore }
    })
}

impl Scenario {
    /// Returns the scenario with a root of nothing but packages. One of them is edited first, then
    /// two are exchanged.
    pub(super) fn of_packages(mut self) -> Self {
        self.rounds.splice(0..0, [vec![Edit::Write(3, 0)], vec![Edit::Swap(5, 7)]]);
        let FsConfig { links, holds_skills, .. } = self.config;
        let config = FsConfig { links, holds_skills, ..FsConfig::new("") };
        Self { nodes: vec![Node::Packages(25)], gitignore: false, config, ..self }
    }

    pub(super) fn config(&self, root: &Path) -> FsConfig {
        FsConfig {
            root: root.to_owned(),
            gitignore: self.gitignore.then(|| root.to_owned()),
            ..self.config.clone()
        }
    }

    /// Returns the paths in the tree that may be packages.
    pub(super) fn package_paths(&self) -> Vec<PackagePath> {
        let parts = self.nodes.iter().flat_map(|node| match node {
            Node::File(at, ..) | Node::Directory(at) | Node::Closed(at) => vec![at],
            Node::FileLink(at, ..) => vec![at],
            Node::Link(at, to) => vec![at, to],
            Node::Packages(_) => Vec::new(),
        });
        parts.filter_map(|parts| PackagePath::new(relative(parts).to_str()?).ok()).collect()
    }
}

fn relative(parts: &Parts) -> PathBuf {
    parts.iter().map(|&name| OsStr::from_bytes(NAMES[name])).collect()
}

/// A tree on the disk.
pub(super) struct World {
    directory: TempDir,
    closed: Vec<PathBuf>,
}

impl World {
    pub(super) fn new(nodes: &[Node]) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut world = Self { directory, closed: Vec::new() };
        for node in nodes {
            // A node that another one prevents is left out.
            let _ = world.add(node);
        }
        world
    }

    pub(super) fn root(&self) -> &Path {
        self.directory.path()
    }

    /// Applies an edit, if the tree allows it.
    pub(super) fn apply(&mut self, edit: &Edit) {
        let _ = match edit {
            Edit::Add(node) => self.add(node),
            Edit::Remove(at) => {
                let path = self.path(at);
                fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path))
            }
            Edit::RemoveFile(at, file) => fs::remove_file(self.path(at).join(FILES[*file])),
            Edit::Rename(from, to) => fs::rename(self.path(from), self.path(to)),
            Edit::Write(at, text) => {
                fs::write(self.package(*at).join("SKILL.md"), format!("text {text}"))
            }
            Edit::RemovePackage(at) => fs::remove_dir_all(self.package(*at)),
            Edit::Swap(one, other) => self.swap(&self.package(*one), &self.package(*other)),
        };
    }

    fn add(&mut self, node: &Node) -> io::Result<()> {
        match node {
            Node::File(at, file, text) => {
                let directory = self.path(at);
                fs::create_dir_all(&directory)?;
                let text = match FILES[*file] {
                    ".gitignore" => {
                        format!("{}\n", ["pdf", "group/", "SKILL.md"][usize::from(text % 3)])
                    }
                    _ => format!("text {text}"),
                };
                fs::write(directory.join(FILES[*file]), text)
            }
            Node::Directory(at) => fs::create_dir_all(self.path(at)),
            Node::Closed(at) => {
                let directory = self.path(at);
                fs::create_dir_all(&directory)?;
                self.closed.push(directory.clone());
                fs::set_permissions(directory, Permissions::from_mode(0o000))
            }
            Node::Link(at, to) => symlink(self.path(to), self.path(at)),
            Node::FileLink(at, file, to) => {
                let directory = self.path(at);
                fs::create_dir_all(&directory)?;
                symlink(FILES[*to], directory.join(FILES[*file]))
            }
            Node::Packages(count) => (0..*count).try_for_each(|at| {
                let directory = self.package(at);
                fs::create_dir_all(&directory)?;
                fs::write(directory.join("SKILL.md"), format!("package {at}"))
            }),
        }
    }

    fn swap(&self, one: &Path, other: &Path) -> io::Result<()> {
        let between = self.root().join("between");
        fs::rename(one, &between)?;
        fs::rename(other, one)?;
        fs::rename(between, other)
    }

    fn path(&self, parts: &Parts) -> PathBuf {
        self.root().join(relative(parts))
    }

    fn package(&self, at: usize) -> PathBuf {
        self.root().join(format!("package-{at}"))
    }
}

impl Drop for World {
    fn drop(&mut self) {
        for directory in self.closed.iter().rev() {
            // It may have been removed. One that was closed later may be around it.
            let _ = fs::set_permissions(directory, Permissions::from_mode(0o755));
        }
    }
}
