//! Catalogs without a registry.

use std::borrow::Cow;
use std::sync::Arc;

use prowess_core::{
    Availability, Catalog, CatalogBuilder, CatalogSource, Layer, MemorySource, NewRecord,
    RecordIndex, RecordSet, SkillSource, Trust,
};

/// Creates a catalog of skills from names, descriptions and tags. The ids are the names, the first
/// of equal ones is visible, and there are no files to read.
pub fn memory_catalog<'a>(
    skills: impl IntoIterator<Item = (&'a str, &'a str, &'a [&'a str])>,
) -> Arc<Catalog> {
    let source = MemorySource::builder("memory").build().expect("a source without files is good");
    catalog_over(Arc::new(source), skills)
}

/// Like [`memory_catalog`], for skills whose files are in a source. A package is named like its
/// skill.
pub fn catalog_over<'a>(
    source: Arc<dyn SkillSource>,
    skills: impl IntoIterator<Item = (&'a str, &'a str, &'a [&'a str])>,
) -> Arc<Catalog> {
    let records = records(skills);
    let count = records.len();
    let source = CatalogSource { layer: 0, source, records: Arc::new(records) };
    let mut builder = CatalogBuilder::new(vec![Layer::new("user", Trust::Trusted)], vec![source]);
    for entry in 0..count {
        let at = RecordIndex::new(0, entry);
        if builder.show(at).is_err() {
            builder.exclude(at, Availability::Shadowed, "an earlier one has its name");
        }
    }
    Arc::new(builder.finish(1))
}

fn records<'a>(skills: impl IntoIterator<Item = (&'a str, &'a str, &'a [&'a str])>) -> RecordSet {
    let mut records = prowess_core::RecordSetBuilder::new();
    for (name, description, tags) in skills {
        let tags: Vec<_> = tags.iter().map(|&tag| Cow::Borrowed(tag)).collect();
        records.push(&NewRecord { tags: &tags, ..record(name, name, description) });
    }
    records.finish()
}

/// Creates the record of a package, whose id is its name.
pub fn record<'a>(package: &'a str, name: &'a str, description: &'a str) -> NewRecord<'a> {
    NewRecord {
        package,
        file: "SKILL.md",
        id: name,
        name,
        description,
        tags: &[],
        priority: 0,
        version: None,
        conditions: None,
        stamp: None,
    }
}
