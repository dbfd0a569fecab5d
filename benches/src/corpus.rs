//! A generated corpus on disk, and the registry over it.

use std::fs::{DirEntry, File};
use std::path::Path;
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
///
/// # Panics
///
/// The disk refuses.
pub fn on_disk(count: usize) -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    write(directory.path(), count);
    wait_for_the_disk(directory.path());
    directory
}

/// Pending writes would reach the disk during the measurement.
fn wait_for_the_disk(root: &Path) {
    let directory = File::open(root).expect("it was made just now");
    rustix::fs::syncfs(directory).expect("the disk takes it");
}

/// Writes the first `count` skills as directories of `root`.
///
/// # Panics
///
/// The disk refuses.
pub fn write(root: &Path, count: usize) {
    Corpus::new(SEED).write(root, count).expect("the corpus can be written");
}

/// The `SKILL.md` files below `from`, as directories of one temporary directory by the names that
/// they lie under; of several with one name the first.
///
/// # Panics
///
/// The disk refuses.
pub fn copied(from: &Path) -> (TempDir, usize) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut pending = vec![from.to_owned()];
    let mut count = 0;
    while let Some(place) = pending.pop() {
        let file = place.join("SKILL.md");
        let name = place.file_name().unwrap_or_default();
        let copy = directory.path().join(name);
        if file.is_file() && std::fs::create_dir(&copy).is_ok() {
            std::fs::copy(file, copy.join("SKILL.md")).expect("it can be copied");
            count += 1;
        }
        let entries = std::fs::read_dir(&place).expect("it can be listed").flatten();
        let is_directory = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        pending.extend(entries.filter(is_directory).map(|entry| entry.path()));
    }
    wait_for_the_disk(directory.path());
    (directory, count)
}

/// A registry over one skills directory, not yet loaded.
///
/// # Panics
///
/// Never: its one layer is there.
pub fn registry(root: &Path) -> Registry {
    registry_that_recalls(root, |_| None)
}

/// The same, by another clock than one that stands still.
///
/// # Panics
///
/// Never: its one layer is there.
pub fn registry_by(root: &Path, clock: Arc<dyn Clock>) -> Registry {
    put_together(root, clock, |_| None)
}

/// The same, with what an earlier run found.
///
/// # Panics
///
/// Never: its one layer is there.
pub fn registry_that_recalls(
    root: &Path,
    earlier: impl FnMut(&dyn SkillSource) -> Option<Arc<RecordSet>>,
) -> Registry {
    put_together(root, Arc::new(ManualClock::at(LATER)), earlier)
}

fn put_together(
    root: &Path,
    clock: Arc<dyn Clock>,
    earlier: impl FnMut(&dyn SkillSource) -> Option<Arc<RecordSet>>,
) -> Registry {
    over(source_by(root, clock)).restore(earlier).build().expect("the layer is there")
}

/// A registry over this source, not yet loaded.
///
/// # Panics
///
/// Never: its one layer is there.
pub fn registry_of(source: Arc<dyn SkillSource>) -> Registry {
    over(source).build().expect("the layer is there")
}

fn over(source: Arc<dyn SkillSource>) -> RegistryBuilder {
    Registry::builder().layer(Layer::new("user", Trust::Trusted)).source("user", source)
}

/// The source of one skills directory, by a clock that stands still.
pub fn source(root: &Path) -> Arc<dyn SkillSource> {
    source_by(root, Arc::new(ManualClock::at(LATER)))
}

fn source_by(root: &Path, clock: Arc<dyn Clock>) -> Arc<dyn SkillSource> {
    Arc::new(FsSource::new(FsConfig::new(root), clock))
}

/// The name and the `SKILL.md` of one skill.
pub fn skill(number: usize) -> (String, String) {
    let skill = Corpus::new(SEED).skill(number);
    (skill.name, skill.skill_md)
}

/// Writes one skill of the corpus again, with this number in its description.
///
/// # Panics
///
/// The disk refuses.
pub fn touch(root: &Path, version: usize) {
    let skill = Corpus::new(SEED).skill(0);
    let text = skill.skill_md.replacen("description: ", &format!("description: {version} "), 1);
    std::fs::write(root.join(&skill.name).join("SKILL.md"), text).expect("it can be written");
}
