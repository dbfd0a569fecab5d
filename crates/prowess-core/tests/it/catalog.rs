//! Tests of catalogs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use expect_test::expect_file;
use prowess_core::{
    Availability, Caller, Catalog, CatalogBuilder, CatalogSource, Layer, MemorySource, NewRecord,
    ReadLimit, Record, RecordIndex, RecordSet, RecordSetBuilder, ResourcePath, SkillSource, Trust,
};
use prowess_testkit::{OverriddenSource, SourceOverrides, record};

fn records(skills: &[(&str, &str)]) -> Arc<RecordSet> {
    let mut builder = RecordSetBuilder::new();
    for (package, description) in skills {
        let name = package.rsplit('/').next().unwrap_or(package);
        let tags = &["one".into(), "two".into()];
        builder.push(&NewRecord { tags, ..record(package, name, description) });
    }
    Arc::new(builder.finish())
}

fn source(layer: usize, skills: &[(&str, &str)]) -> CatalogSource {
    let files = skills.iter().fold(MemorySource::builder("memory"), |builder, (package, _)| {
        builder.file(&format!("{package}/SKILL.md"), format!("the file of {package}"))
    });
    let source = Arc::new(files.build().expect("the paths are valid"));
    CatalogSource { layer, source, records: records(skills) }
}

fn builder() -> CatalogBuilder {
    let layers = vec![Layer::new("user", Trust::Trusted), Layer::new("embedded", Trust::Trusted)];
    let user = source(0, &[("office/pdf", "The user's."), ("zip", "Packs.")]);
    let embedded = source(1, &[("pdf", "The program's."), ("audio", "Listens.")]);
    CatalogBuilder::new(layers, vec![user, embedded])
}

fn catalog() -> Catalog {
    let mut builder = builder();
    for at in [(0, 0), (0, 1), (1, 1)] {
        assert_eq!(builder.show(RecordIndex::new(at.0, at.1)), Ok(()));
    }
    let other = RecordIndex::new(1, 0);
    assert_eq!(builder.show(other), Err(RecordIndex::new(0, 0)), "the id is taken");
    builder.exclude(other, Availability::Shadowed, "the user's is used");
    builder.finish(7)
}

#[test]
fn skills_are_sorted_and_found_by_id() {
    let catalog = catalog();
    assert_eq!(catalog.generation(), 7);
    let ids: Vec<_> = catalog.skills().map(|skill| skill.id()).collect();
    assert_eq!(ids, ["audio", "pdf", "zip"]);
    for id in ids {
        assert_eq!(catalog.get(id).map(|skill| skill.id()), Some(id), "each listed skill is found");
    }
    assert!(catalog.get("nothing").is_none());
    assert_eq!(catalog.get("pdf").map(|skill| skill.description()), Some("The user's."));
    let aside: Vec<_> = catalog
        .excluded()
        .map(|record| (record.description(), record.availability(), record.reason()))
        .collect();
    assert_eq!(aside, [("The program's.", Availability::Shadowed, Some("the user's is used"))]);
}

/// Counts how often the root of its files is read, which the location of each record needs.
struct Counted(MemorySource, AtomicUsize);

impl SourceOverrides for Counted {
    fn inner(&self) -> &dyn SkillSource {
        &self.0
    }

    fn root(&self) -> &str {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.root()
    }
}

#[test]
fn lookup_makes_no_location_of_other_skills() {
    let packages: Vec<_> = (0..1000).map(|at| format!("pack/skill-{at}")).collect();
    let packages: Vec<_> = packages.iter().map(|package| (&**package, "One of many.")).collect();
    let files = MemorySource::builder("memory").build().expect("it has no paths");
    let counted = OverriddenSource(Counted(files, AtomicUsize::new(0)));
    let source = Arc::new(counted);
    let reads = || source.0.1.load(Ordering::Relaxed);
    let records = records(&packages);
    let sources = vec![CatalogSource { layer: 0, source: Arc::clone(&source) as _, records }];
    let mut builder = CatalogBuilder::new(vec![Layer::new("user", Trust::Trusted)], sources);
    for index in (0..1000).map(|at| RecordIndex::new(0, at)) {
        match index.entry() % 2 {
            0 => builder.show(index).expect("the id is free"),
            _ => builder.exclude(index, Availability::Hidden, "for the test"),
        }
    }
    let catalog = builder.finish(1);
    assert_eq!(catalog.len_of(0), 500);
    for record in catalog.skills().chain(catalog.excluded()).skip(499).take(2) {
        let (location, directory) = (record.location(), record.root_directory());
        for reference in [record.id(), &format!("user:{}", record.id()), &location, &directory] {
            let before = reads();
            let named: Vec<_> = catalog.all_named(reference).iter().map(Record::index).collect();
            let _ = catalog.find_exact(reference, Caller::User);
            assert_eq!(named, [record.index()], "{reference}");
            assert!(reads() - before < 20, "{reference} is compared with other locations");
        }
        let again = catalog.record(record.index()).expect("it is in this catalog");
        assert_eq!((again.id(), again.reason()), (record.id(), record.reason()));
        assert!(catalog.all_named(&format!("{directory}x")).is_empty(), "another path");
    }
}

/// Returns the sources of a catalog after one record of a source has changed.
fn edited(catalog: &Catalog, source: usize, package: &str) -> Vec<CatalogSource> {
    let mut sources = catalog.sources().to_vec();
    let earlier = Arc::clone(&sources[source].records);
    let mut builder = RecordSetBuilder::after(Arc::clone(&earlier));
    for at in 0..earlier.len() {
        if earlier.package(at) != package {
            builder.keep(&earlier, at..at + 1);
            continue;
        }
        let edited_records = records(&[(package, "Edited.")]);
        builder.reuse(&edited_records, 0, None);
    }
    sources[source].records = Arc::new(builder.finish());
    sources
}

#[test]
fn edited_skill_makes_a_revision() {
    let catalog = catalog();
    let revised =
        catalog.revised(&edited(&catalog, 0, "zip"), 8).expect("only a description changes");
    assert_eq!(revised.generation(), 8);
    assert_eq!(revised.get("zip").map(|skill| skill.description()), Some("Edited."));
    assert_eq!(catalog.get("zip").map(|skill| skill.description()), Some("Packs."), "it is kept");
    let all = |catalog: &Catalog| -> Vec<_> {
        catalog.skills().chain(catalog.excluded()).map(|skill| skill.location()).collect()
    };
    assert_eq!(all(&revised), all(&catalog), "the same skills in the same states");
    let skills = revised.revised_since(&catalog).expect("the catalog is a revision");
    let descriptions = skills.iter().map(|skill| skill.map(|skill| skill.description()));
    assert_eq!(descriptions.collect::<Vec<_>>(), [["Packs.", "Edited."]], "what it revises");
    assert!(revised.revised_since(&self::catalog()).is_none(), "only the previous one is compared");
}

#[test]
fn edit_that_may_change_resolution_is_no_revision() {
    let contenders = [(0, "office/pdf"), (1, "pdf")];
    let mut distinct = builder();
    let [one, other] = [RecordIndex::new(0, 0), RecordIndex::new(1, 0)];
    distinct.show(one).expect("the id is free");
    distinct.show_as(other, "embedded:pdf").expect("the id is free");
    let mut refused = builder();
    for at in [one, other] {
        refused.exclude(at, Availability::Rejected, "the id is taken");
    }
    for catalog in [catalog(), distinct.finish(7), refused.finish(7)] {
        for (source, package) in contenders {
            let sources = edited(&catalog, source, package);
            assert!(catalog.revised(&sources, 8).is_none(), "two skills have the id `pdf`");
        }
    }
    let catalog = catalog();
    let mut gone = catalog.sources().to_vec();
    gone[0].records = records(&[("zip", "Packs.")]);
    assert!(catalog.revised(&gone, 8).is_none(), "a skill was removed");
    assert!(catalog.revised(&catalog.sources()[..1], 8).is_none(), "a source was removed");
    let mut other = edited(&catalog, 0, "zip");
    other[0].source = Arc::clone(&other[1].source);
    assert!(catalog.revised(&other, 8).is_none(), "a source was replaced");
}

#[test]
fn supersede_replaces_the_offered_record() {
    let mut builder = builder();
    let (first, second) = (RecordIndex::new(1, 0), RecordIndex::new(0, 0));
    builder.show(first).expect("the id is free");
    assert_eq!(builder.show(second), Err(first));
    builder.supersede(first, second);
    assert_eq!(builder.holder("pdf"), Some(second));
    let catalog = builder.finish(1);
    assert_eq!(catalog.get("pdf").map(|skill| skill.description()), Some("The user's."));
}

#[test]
fn record_has_its_location_and_reads_its_files() {
    let catalog = catalog();
    let skill = catalog.get("pdf").expect("the skill is offered");
    let path = ResourcePath::new("SKILL.md").expect("the path is valid");
    let text = catalog.read(skill, &path, ReadLimit::default()).expect("the file exists");
    assert_eq!(text, b"the file of office/pdf");
    assert_eq!((skill.rank(), skill.source(), skill.trust()), (0, "memory", Trust::Trusted));
    assert_eq!(skill.root_directory(), "memory://memory/office/pdf");
}

#[test]
fn record_serialises_to_stable_json() {
    let catalog = catalog();
    let json = |record| serde_json::to_string_pretty(&record).expect("a record is serializable");
    expect_file!["../data/catalog.txt"]
        .assert_eq(&json(catalog.get("pdf").expect("the skill is offered")));
    let shadowed = json(catalog.excluded().next().expect("one record is excluded"));
    assert!(shadowed.contains(r#""state": "shadowed""#), "{shadowed}");
    assert!(shadowed.contains(r#""reason": "the user's is used""#), "{shadowed}");
}

#[test]
fn empty_catalog_has_no_skills() {
    let catalog = Catalog::empty();
    assert!(
        catalog.is_empty() && catalog.get("x").is_none() && catalog.diagnostics().next().is_none()
    );
    assert_eq!((catalog.len(), catalog.generation()), (0, 0));
}
