//! A generated corpus on disk, and the registry over it.

use std::path::Path;
use std::sync::Arc;

use prowess_core::{Layer, RecordSet, SkillSource, Timestamp, Trust};
use prowess_registry::Registry;
use prowess_source_fs::{FsConfig, FsSource};
use prowess_testkit::{Corpus, ManualClock};
use tempfile::TempDir;

/// The seed of every benchmark.
pub(crate) const SEED: u64 = 1;

/// A time long after the corpus is written: a stamp is relied on once its file has been left alone
/// for a while.
const LATER: Timestamp = Timestamp(4_000_000_000_000);

/// The first `count` skills in a temporary directory.
///
/// # Panics
///
/// The disk refuses.
pub fn on_disk(count: usize) -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    write(directory.path(), count);
    directory
}

/// Writes the first `count` skills as directories of `root`.
///
/// # Panics
///
/// The disk refuses.
pub fn write(root: &Path, count: usize) {
    Corpus::new(SEED).write(root, count).expect("the corpus can be written");
}

/// A registry over one skills directory, not yet loaded.
///
/// # Panics
///
/// Never: its one layer is there.
pub fn registry(root: &Path) -> Registry {
    registry_that_recalls(root, |_| None)
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
    let clock = Arc::new(ManualClock::at(LATER));
    let source: Arc<dyn SkillSource> = Arc::new(FsSource::new(FsConfig::new(root), clock));
    Registry::builder()
        .layer(Layer::new("user", Trust::Trusted))
        .source("user", source)
        .recall(earlier)
        .build()
        .expect("the layer is there")
}

/// Writes one skill of the corpus anew, with this number in its description.
///
/// # Panics
///
/// The disk refuses.
pub fn touch(root: &Path, version: usize) {
    let skill = Corpus::new(SEED).skill(0);
    let text = skill.skill_md.replacen("description: ", &format!("description: {version} "), 1);
    std::fs::write(root.join(&skill.name).join("SKILL.md"), text).expect("it can be written");
}
