//! The skills of a catalog as mounts.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use prowess_core::{Catalog, Record, ShellError, SourceError};

use crate::messages::Line;
use crate::policy::{Materialize, is_path_component};
use crate::tree::{MountedFile, Tree, not_mounted, size, unreadable};
use crate::{ShellPolicy, codes};

/// A skill that is mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MountedSkill {
    /// The skill's id, which is the name of its directory.
    pub id: String,
    /// The name in its frontmatter.
    pub name: String,
    /// The description.
    pub description: String,
    /// The path of its directory.
    pub mount_path: String,
    /// The author's version, if there is one.
    pub version: Option<String>,
    /// The tags.
    pub tags: Vec<String>,
}

/// The mounts of one catalog, whose trees are built when they are first needed.
pub(crate) struct Mounts {
    origin: Origin,
    policy: Arc<ShellPolicy>,
    /// In mount order: that of the sources, and of the packages in each.
    skills: Vec<Mount>,
    by_name: HashMap<String, usize>,
    /// The size of all copies, in bytes.
    copied: AtomicU64,
}

/// Where the files of skills come from.
enum Origin {
    Catalog(Arc<Catalog>),
    /// The host of this process.
    Host(Arc<Line>),
}

pub(crate) struct Mount {
    pub(crate) name: String,
    tree: OnceLock<Result<Tree, ShellError>>,
}

impl Mounts {
    /// Returns the mounts of the skills that a model sees.
    pub(crate) fn new(catalog: &Arc<Catalog>, policy: &Arc<ShellPolicy>) -> Self {
        let names = mountable(catalog, policy).map(|record| record.id().to_owned()).collect();
        Self::of(Origin::Catalog(Arc::clone(catalog)), names, policy)
    }

    /// Returns the mounts of the skills that a host has.
    pub(crate) fn of_host(names: Vec<String>, host: &Arc<Line>, policy: &Arc<ShellPolicy>) -> Self {
        Self::of(Origin::Host(Arc::clone(host)), names, policy)
    }

    fn of(origin: Origin, names: Vec<String>, policy: &Arc<ShellPolicy>) -> Self {
        let mount = |name| Mount { name, tree: OnceLock::new() };
        let skills: Vec<Mount> = names.into_iter().map(mount).collect();
        let names = skills.iter().enumerate();
        let by_name = names.map(|(position, mount)| (mount.name.clone(), position)).collect();
        let mounts =
            Self { origin, policy: Arc::clone(policy), skills, by_name, copied: AtomicU64::new(0) };
        if policy.materialize == Materialize::AtMount {
            for mount in &mounts.skills {
                // A skill that is not mounted says so when its files are used.
                let _ = mounts.tree(mount);
            }
        }
        mounts
    }

    /// Returns whether these are the mounts of this catalog.
    pub(crate) fn is_of(&self, catalog: &Catalog) -> bool {
        matches!(&self.origin, Origin::Catalog(own) if own.serial() == catalog.serial())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.skills.is_empty()
    }

    /// Returns the names of the directories.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.skills.iter().map(|mount| mount.name.as_str())
    }

    pub(crate) fn mount(&self, name: &str) -> Option<&Mount> {
        self.by_name.get(name).map(|&position| &self.skills[position])
    }

    /// Returns the tree of a skill.
    pub(crate) fn tree<'m>(&'m self, mount: &'m Mount) -> Result<&'m Tree, &'m ShellError> {
        mount.tree.get_or_init(|| self.build(mount)).as_ref()
    }

    fn build(&self, mount: &Mount) -> Result<Tree, ShellError> {
        let limits = &self.policy.limits;
        let tree = match &self.origin {
            Origin::Catalog(catalog) => Tree::new(catalog, record(catalog, mount), limits)?,
            Origin::Host(host) => {
                let tree = host.list(&mount.name).and_then(|files| Tree::listed(files, limits));
                tree.map_err(|message| ShellError::new(codes::SKILL_NOT_MOUNTED, message))?
            }
        };
        if self.policy.materialize == Materialize::AtMount {
            for file in tree.files() {
                self.read(mount, file).map_err(|error| unreadable(&mount.name, &error))?;
            }
        }
        Ok(tree)
    }

    /// Returns the copy of a file, which is made when it is first read.
    pub(crate) fn read<'f>(
        &self,
        mount: &Mount,
        file: &'f MountedFile,
    ) -> Result<&'f [u8], SourceError> {
        if let Some(copy) = file.copied() {
            return Ok(copy);
        }
        let limits = &self.policy.limits;
        let left = limits.total_bytes.saturating_sub(self.copied());
        let most = limits.file_bytes.min(left);
        let copy = match &self.origin {
            Origin::Catalog(catalog) => file.copy(catalog, record(catalog, mount), most)?,
            Origin::Host(host) => file.keep(host.read(&mount.name, file.path(), most)?),
        };
        self.copied.fetch_add(size(copy), Ordering::Relaxed);
        Ok(copy)
    }

    /// Returns the size of all copies, in bytes.
    pub(crate) fn copied(&self) -> u64 {
        self.copied.load(Ordering::Relaxed)
    }
}

fn record<'c>(catalog: &'c Catalog, mount: &Mount) -> Record<'c> {
    catalog.get(&mount.name).expect("the catalog that the mount was made of has its record")
}

/// Returns the skills that a model sees and that are mounted, in mount order.
pub(crate) fn mountable<'c>(
    catalog: &'c Catalog,
    policy: &ShellPolicy,
) -> impl Iterator<Item = Record<'c>> {
    let mut records: Vec<_> = catalog.skills().collect();
    records.retain(|record| may_be_mounted(*record, policy).is_ok());
    records.sort_by_key(Record::index);
    records.into_iter()
}

/// Describes the mounted skills, in mount order.
pub(crate) fn describe(catalog: &Catalog, policy: &ShellPolicy) -> Vec<MountedSkill> {
    let described = mountable(catalog, policy).map(|record| MountedSkill {
        id: record.id().to_owned(),
        name: record.name().to_owned(),
        description: record.description().to_owned(),
        mount_path: path(policy, record.id()),
        version: record.version().map(str::to_owned),
        tags: record.tags().map(str::to_owned).collect(),
    });
    described.collect()
}

/// Returns the path of a mounted skill.
fn path(policy: &ShellPolicy, name: &str) -> String {
    format!("{}/{name}", policy.mount.as_str())
}

/// Returns the path at which a skill is mounted, after a check of its files.
pub(crate) fn mount_path(
    catalog: &Catalog,
    record: Record<'_>,
    policy: &ShellPolicy,
) -> Result<String, ShellError> {
    may_be_mounted(record, policy)?;
    Tree::new(catalog, record, &policy.limits)?;
    Ok(path(policy, record.id()))
}

pub(crate) fn may_be_mounted(record: Record<'_>, policy: &ShellPolicy) -> Result<(), ShellError> {
    if record.trust() < policy.trust {
        return Err(not_mounted(record.id(), "it is from a source that is not trusted enough"));
    }
    if !is_path_component(record.id()) {
        return Err(not_mounted(record.id(), "its id cannot be the name of a directory"));
    }
    Ok(())
}
