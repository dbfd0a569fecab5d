//! The skills of a catalog as mounts.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use prowess_core::{Catalog, Record, RecordIndex, ShellError, SourceError};

use crate::ShellPolicy;
use crate::policy::{Materialize, is_path_component};
use crate::tree::{MountedFile, Tree, not_mounted, size, unreadable};

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
    catalog: Arc<Catalog>,
    policy: Arc<ShellPolicy>,
    /// In mount order: that of the sources, and of the packages in each.
    skills: Vec<Mount>,
    by_name: HashMap<String, usize>,
    /// The size of all copies, in bytes.
    copied: AtomicU64,
}

pub(crate) struct Mount {
    name: String,
    index: RecordIndex,
    tree: OnceLock<Result<Tree, ShellError>>,
}

impl Mounts {
    /// Returns the mounts of the skills that a model sees.
    pub(crate) fn new(catalog: &Arc<Catalog>, policy: &Arc<ShellPolicy>) -> Self {
        let mut records: Vec<_> = catalog.skills().collect();
        records.retain(|record| may_be_mounted(*record, policy).is_ok());
        records.sort_by_key(Record::index);
        let mount = |record: &Record<'_>| Mount {
            name: record.id().to_owned(),
            index: record.index(),
            tree: OnceLock::new(),
        };
        let skills: Vec<Mount> = records.iter().map(mount).collect();
        let names = skills.iter().enumerate();
        let by_name = names.map(|(position, mount)| (mount.name.clone(), position)).collect();
        let mounts = Self {
            catalog: Arc::clone(catalog),
            policy: Arc::clone(policy),
            skills,
            by_name,
            copied: AtomicU64::new(0),
        };
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
        self.catalog.serial() == catalog.serial()
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
        let record = self.catalog_record(mount);
        let tree = Tree::new(&self.catalog, record, limits)?;
        if self.policy.materialize == Materialize::AtMount {
            for file in tree.files() {
                self.read(mount, file).map_err(|error| unreadable(record, &error))?;
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
        let copy = file.copy(&self.catalog, self.catalog_record(mount), most)?;
        self.copied.fetch_add(size(copy), Ordering::Relaxed);
        Ok(copy)
    }

    /// Returns the size of all copies, in bytes.
    pub(crate) fn copied(&self) -> u64 {
        self.copied.load(Ordering::Relaxed)
    }

    fn catalog_record(&self, mount: &Mount) -> Record<'_> {
        let record = self.catalog.get(&mount.name);
        let record = record.filter(|record| record.index() == mount.index);
        record.expect("the catalog that the mount was made of has its record")
    }

    /// Describes the mounted skills, in mount order.
    pub(crate) fn describe(&self) -> Vec<MountedSkill> {
        let described = self.skills.iter().map(|mount| {
            let record = self.catalog_record(mount);
            MountedSkill {
                id: record.id().to_owned(),
                name: record.name().to_owned(),
                description: record.description().to_owned(),
                mount_path: path(&self.policy, &mount.name),
                version: record.version().map(str::to_owned),
                tags: record.tags().map(str::to_owned).collect(),
            }
        });
        described.collect()
    }
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

fn may_be_mounted(record: Record<'_>, policy: &ShellPolicy) -> Result<(), ShellError> {
    if record.trust() < policy.trust {
        return Err(not_mounted(record, "it is from a source that is not trusted enough"));
    }
    if !is_path_component(record.id()) {
        return Err(not_mounted(record, "its id cannot be the name of a directory"));
    }
    Ok(())
}
