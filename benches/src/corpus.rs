//! A generated corpus on disk, and the registry over it.

use std::fs::{DirEntry, File};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_core::{Clock, Layer, RecordSet, SkillSource, Timestamp, Trust};
use prowess_registry::{Registry, RegistryBuilder};
use prowess_source_fs::{FsConfig, FsSource};
use prowess_testkit::{Corpus, ManualClock};
use tempfile::TempDir;

/// The seed of every benchmark.
pub(crate) const SEED: u64 = 1;

/// A time long after the corpus is written: a stamp is relied on once its file has been left alone
/// for a while.
pub const LATER: Timestamp = Timestamp(4_000_000_000_000);

/// The first `count` skills in a temporary directory.
pub fn on_disk(count: usize) -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    write(directory.path(), count);
    wait_for_the_disk(directory.path());
    directory
}

/// The first `count` skills, as [`write_packages`] writes them, and their root below a temporary
/// directory: watches of the directories above a root cost what is in them.
pub fn packages_on_disk(count: usize) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let root = directory.path().join("project/.agents/skills");
    std::fs::create_dir_all(&root).expect("it can be made");
    write_packages(&root, 0..count);
    wait_for_the_disk(&root);
    (directory, root)
}

/// Writes skills with files as people have them, 3.5 of them and 0.95 directories in a package on
/// average.
pub fn write_packages(root: &Path, numbers: Range<usize>) {
    let skills = Corpus::new(SEED).skills(numbers.end).enumerate();
    for (number, skill) in skills.skip(numbers.start) {
        let package = root.join(&skill.name);
        let files = if number % 20 == 19 { package.clone() } else { package.join("scripts") };
        std::fs::create_dir_all(&files).expect("it can be made");
        let write = |path: PathBuf, text: &str| std::fs::write(path, text).expect("it is written");
        write(package.join("SKILL.md"), &skill.skill_md);
        write(files.join("nothing.sh"), "#!/bin/sh\n");
        (0..2 + number % 2)
            .for_each(|file| write(files.join(format!("part-{file}.md")), "Text.\n"));
        if number % 2 == 0 {
            write(package.join("LICENSE.txt"), "MIT\n");
        }
    }
}

/// Pending writes would reach the disk during the measurement.
fn wait_for_the_disk(root: &Path) {
    let directory = File::open(root).expect("it was made just now");
    rustix::fs::syncfs(directory).expect("the disk takes it");
}

/// Writes the first `count` skills as directories of `root`.
pub fn write(root: &Path, count: usize) {
    Corpus::new(SEED).write(root, count).expect("the corpus can be written");
}

/// The `SKILL.md` files of a tree.
pub fn files(tree: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![tree.to_owned()];
    while let Some(directory) = pending.pop() {
        let file = directory.join("SKILL.md");
        found.extend(file.is_file().then_some(file));
        let entries = std::fs::read_dir(&directory).expect("it can be listed").flatten();
        let is_directory = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        pending.extend(entries.filter(is_directory).map(|entry| entry.path()));
    }
    found
}

/// Copies these files as directories of one temporary directory, by the names of those that they
/// are in; of several with one name the first.
pub fn copied(from: &Path) -> (TempDir, usize) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut count = 0;
    for file in files(from) {
        let name = file.parent().and_then(Path::file_name).unwrap_or_default();
        let copy = directory.path().join(name);
        if std::fs::create_dir(&copy).is_ok() {
            std::fs::copy(file, copy.join("SKILL.md")).expect("it can be copied");
            count += 1;
        }
    }
    wait_for_the_disk(directory.path());
    (directory, count)
}

/// A registry over one skills directory, not yet loaded.
pub fn registry(root: &Path) -> Registry {
    registry_of(source(root))
}

/// The same, by another clock than one that stands still.
pub fn registry_by(root: &Path, clock: Arc<dyn Clock>) -> Registry {
    registry_of(Arc::new(FsSource::new(FsConfig::new(root), clock)))
}

/// The same, with what an earlier run found.
pub fn registry_that_recalls(
    root: &Path,
    earlier: impl FnMut(&dyn SkillSource) -> Option<Arc<RecordSet>>,
) -> Registry {
    over(source(root)).restore(earlier).build().expect("the layer is there")
}

/// A registry over this source, not yet loaded.
pub fn registry_of(source: Arc<dyn SkillSource>) -> Registry {
    over(source).build().expect("the layer is there")
}

fn over(source: Arc<dyn SkillSource>) -> RegistryBuilder {
    Registry::builder().layer(Layer::new("user", Trust::Trusted)).source("user", source)
}

/// The source of one skills directory, by a clock that stands still.
pub fn source(root: &Path) -> Arc<dyn SkillSource> {
    Arc::new(FsSource::new(FsConfig::new(root), Arc::new(ManualClock::at(LATER))))
}

/// The name and the `SKILL.md` of one skill.
pub fn skill(number: usize) -> (String, String) {
    let skill = Corpus::new(SEED).skill(number);
    (skill.name, skill.skill_md)
}

/// Writes one skill of the corpus again, with this number in its description.
pub fn touch(root: &Path, version: usize) {
    let skill = Corpus::new(SEED).skill(0);
    let text = skill.skill_md.replacen("description: ", &format!("description: {version} "), 1);
    std::fs::write(root.join(&skill.name).join("SKILL.md"), text).expect("it can be written");
}
