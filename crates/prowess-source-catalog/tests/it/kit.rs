//! The rules that every source keeps.

use std::borrow::Cow;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use prowess_core::{
    Catalog, CatalogBuilder, CatalogSource as Scanned, Layer, MemorySource, NewRecord, RecordIndex,
    RecordSetBuilder, SkillSource, Trust,
};
use prowess_source_catalog::CatalogSource;
use prowess_testkit::{
    OverriddenSource, ScanRecorder, SourceFixture, SourceOverrides, Unreadable, check_source,
    record,
};

use crate::{published, source};

struct Fixture;

/// A source that removes its directory.
struct Temporary(CatalogSource, #[expect(dead_code)] tempfile::TempDir);

/// Returns a catalog of every package of a source, whatever is in it.
fn any_catalog(files: &[(&str, &[u8])]) -> Catalog {
    let builder = MemorySource::builder("kit");
    let builder = files.iter().fold(builder, |it, (path, bytes)| it.file(path, bytes));
    let source: Arc<dyn SkillSource> = Arc::new(builder.build().unwrap());
    let mut records = RecordSetBuilder::new();
    for found in ScanRecorder::scan(&*source).unwrap().found {
        let id = if found.package.is_empty() { "root" } else { &found.package };
        let (file, tags) = (&*found.file, &[Cow::Borrowed("kit")]);
        records.push(&NewRecord { file, tags, ..record(&found.package, id, "") });
    }
    let source = Scanned { layer: 0, source, records: Arc::new(records.finish()) };
    let count = source.records.len();
    let mut builder = CatalogBuilder::new(vec![Layer::new("user", Trust::Trusted)], vec![source]);
    (0..count).for_each(|at| builder.show(RecordIndex::new(0, at)).unwrap());
    builder.finish(1)
}

/// Replaces bytes in the only catalog file of a directory.
fn damage(place: &Path, text: &str) {
    let is_catalog = |path: &std::path::PathBuf| path.extension().is_some_and(|it| it == "prowess");
    let file = fs::read_dir(place).unwrap().map(|it| it.unwrap().path()).find(is_catalog).unwrap();
    let mut bytes = fs::read(&file).unwrap();
    let at = bytes.windows(text.len()).position(|part| part == text.as_bytes()).unwrap();
    bytes[at] ^= 1;
    fs::write(file, bytes).unwrap();
}

impl SourceFixture for Fixture {
    fn source(&self, files: &[(&str, &[u8])]) -> Arc<dyn SkillSource> {
        let place = tempfile::tempdir().unwrap();
        published(&any_catalog(files), place.path());
        Arc::new(OverriddenSource(Temporary(source(place.path()), place)))
    }

    fn with_unreadable(&self, files: &[(&str, &[u8])]) -> Option<Unreadable> {
        let place = tempfile::tempdir().unwrap();
        let files = [files, &[("unreadable/SKILL.md", b"cannot be read")]].concat();
        published(&any_catalog(&files), place.path());
        damage(place.path(), "cannot be read");
        let source = Arc::new(OverriddenSource(Temporary(source(place.path()), place)));
        Some(Unreadable { source, path: "catalog://team/unreadable/SKILL.md".to_owned() })
    }
}

#[test]
fn source_keeps_the_rules() {
    check_source(&Fixture);
}

impl SourceOverrides for Temporary {
    fn inner(&self) -> &dyn SkillSource {
        &self.0
    }
}
