//! A catalog file answers as a scan of what was published.

use std::fs;
use std::sync::Arc;

use prowess_core::{
    Audience, Caller, Cancel, Catalog, CatalogProvider, Layer, Ranker, ReadLimit, Record,
    ResourcePath, Trust,
};
use prowess_registry::Registry;
use prowess_search::Searcher;
use prowess_source_catalog::CatalogFileError;
use prowess_testkit::{Random, catalog_over};

use crate::{catalog_of, published, skills, source};

/// Queries of every kind: one word, several, typos, beginnings, stopwords, none.
const QUERIES: &str = include_str!("../data/queries.txt");

/// Returns everything that a catalog says of a skill, but where it is.
fn shown(record: Record<'_>) -> String {
    let mut value = serde_json::to_value(record).unwrap();
    let shown = value.as_object_mut().unwrap();
    ["location", "source"].iter().for_each(|field| drop(shown.remove(*field)));
    let (package, conditions) = (record.package(), record.conditions());
    format!("{value} {package:?} {} {} {conditions:?}", record.file(), record.priority())
}

#[test]
fn registry_over_it_answers_as_over_a_scan() {
    let place = tempfile::tempdir().unwrap();
    let scanned = catalog_of(skills(300));
    let result = published(&scanned, place.path());
    assert_eq!(result.offered, scanned.len());
    assert_eq!(result.packages, scanned.len() + 2, "those for users and for a tenant, too");
    let source = Arc::new(source(place.path()));
    let served = catalog_of(source);
    let all = |catalog: &Catalog| catalog.skills().map(shown).collect::<Vec<_>>();
    assert_eq!(all(&served), all(&scanned));
    for reference in ["mail", "Mail", "hidden", "tenant", "broken", "deep/er/mail", "user:mail"] {
        let find = |catalog: &Catalog, caller| format!("{:?}", catalog.find(reference, caller));
        for caller in [Caller::Model, Caller::User] {
            assert_eq!(find(&served, caller), find(&scanned, caller), "{reference}");
        }
    }
    let cancel = Cancel::default();
    for (one, other) in scanned.skills().zip(served.skills()) {
        let listing = scanned.list(one, 100).unwrap();
        assert_eq!(served.list(other, 100).unwrap(), listing, "{}", one.id());
        let digests = (scanned.package_digest(one, &cancel), served.package_digest(other, &cancel));
        assert_eq!(digests.0, digests.1, "an approval of the one is one of the other");
        let files = listing.resources.iter().map(|resource| resource.path.clone());
        for path in files.chain([ResourcePath::new("SKILL.md").unwrap()]) {
            let read = |catalog: &Catalog, record| catalog.read(record, &path, ReadLimit(1 << 20));
            assert_eq!(read(&served, other), read(&scanned, one), "{path}");
        }
    }
    let (one, other) = (Searcher::new(), Searcher::new());
    for query in QUERIES.lines() {
        let hits = |searcher: &Searcher, catalog| {
            let hits = searcher.rank(catalog, query, 20);
            hits.iter().map(|hit| (hit.record.id().to_owned(), hit.score)).collect::<Vec<_>>()
        };
        assert_eq!(hits(&one, &served), hits(&other, &scanned), "{query}");
    }
}

#[test]
fn file_answers_as_the_searcher_without_a_catalog() {
    let place = tempfile::tempdir().unwrap();
    let scanned = catalog_of(skills(300));
    published(&scanned, place.path());
    let file = source(place.path()).poll(&Cancel::default()).unwrap();
    let searcher = Searcher::new();
    let mut random = Random::new(1, 1);
    let words = "extract plan chart budget review terraform schema gradient mail policy survey";
    let words: Vec<_> = words.split(' ').collect();
    let random = (0..200).map(|_| format!("{} {}", random.choose(&words), random.choose(&words)));
    for query in QUERIES.lines().map(str::to_owned).chain(random) {
        let expected = searcher.rank(&scanned, &query, 25);
        let expected: Vec<_> =
            expected.iter().map(|hit| (hit.record.id().to_owned(), hit.score)).collect();
        let found = file.search(&query, 25).unwrap();
        let found: Vec<_> = found.into_iter().map(|(skill, score)| (skill.id, score)).collect();
        assert_eq!(found, expected, "{query}");
    }
    for (position, record) in scanned.skills().enumerate() {
        let skill = file.get(record.id()).unwrap().unwrap();
        assert_eq!(file.entry(position).unwrap().as_ref(), Some(&skill));
        assert_eq!(skill.description, record.description());
        assert_eq!(skill.tags, record.tags().collect::<Vec<_>>());
        assert_eq!(file.position_after(record.id()).unwrap(), position + 1);
    }
    let ids: Vec<_> = scanned.skills().map(|record| record.id().to_owned()).collect();
    let page = file.page(60, 10).unwrap();
    assert_eq!(page.into_iter().map(|skill| skill.id).collect::<Vec<_>>(), ids[60..70]);
    assert_eq!(file.page(ids.len() - 1, 10).unwrap().len(), 1);
    for unknown in ["", "0", "hidden", "tenant", "broken", "zzz"] {
        assert_eq!(file.get(unknown).unwrap(), None, "{unknown}");
    }
    assert_eq!(file.position_after("").unwrap(), 0);
}

#[test]
fn provider_has_the_skills_without_conditions() {
    let place = tempfile::tempdir().unwrap();
    let scanned = catalog_of(skills(50));
    published(&scanned, place.path());
    let source = source(place.path());
    assert!(source.catalog().is_empty(), "nothing was polled yet");
    source.poll(&Cancel::default()).unwrap();
    let provided = source.catalog();
    assert!(Arc::ptr_eq(&provided, &source.catalog()), "it is made once");
    assert_eq!(provided.generation(), 1);
    let is_free = |record: &Record<'_>| record.id() != "needy";
    let ids = |catalog: &Catalog| {
        catalog.skills().filter(is_free).map(|record| record.id().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&provided), ids(&scanned));
    assert!(provided.get("needy").is_none(), "what it requires is for a registry to check");
    let mail = provided.get("mail").unwrap();
    let path = ResourcePath::new("SKILL.md").unwrap();
    let body = provided.read(mail, &path, ReadLimit::default()).unwrap();
    assert!(body.ends_with(b"Body of deep/er/mail\n"));
}

#[test]
fn host_decides_about_audiences() {
    let place = tempfile::tempdir().unwrap();
    published(&catalog_of(skills(3)), place.path());
    let registry = Registry::builder().layer(Layer::new("user", Trust::Trusted));
    let audience = Audience { tenant: Some("acme".to_owned()), ..Audience::default() };
    let registry = registry.source("user", Arc::new(source(place.path()))).audience(audience);
    let registry = registry.build().unwrap();
    registry.reload();
    assert!(registry.catalog().get("tenant").is_some(), "the publisher is not of the tenant");
}

#[test]
fn credentials_are_not_published() {
    let place = tempfile::tempdir().unwrap();
    published(&catalog_of(skills(3)), place.path());
    let files = fs::read_dir(place.path().join("files")).unwrap();
    let files = files.flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
    for file in files {
        let content = fs::read(file.unwrap().path()).unwrap();
        assert!(!content.starts_with(b"PASSWORD"), "a file of credentials is left out");
    }
}

#[test]
fn equal_catalogs_give_equal_files() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let first = published(&catalog_of(skills(100)), one.path());
    let second = published(&catalog_of(skills(100)), other.path());
    assert_eq!(first.pointer, second.pointer);
    let name = format!("catalog-{}.prowess", &first.pointer.digest.to_string()[7..]);
    let read = |place: &tempfile::TempDir| fs::read(place.path().join(&name)).unwrap();
    assert_eq!(read(&one), read(&other));
    let again = published(&catalog_of(skills(100)), one.path());
    assert!(!again.is_new && again.pointer == first.pointer, "nothing has changed");
}

#[test]
fn package_that_cannot_be_read_is_not_published() {
    let place = tempfile::tempdir().unwrap();
    let empty = prowess_core::MemorySource::builder("empty").build().unwrap();
    let catalog = catalog_over(Arc::new(empty), [("gone", "Is not there.", &[][..])]);
    let options = crate::options(1);
    let error =
        prowess_source_catalog::publish(&catalog, place.path(), &options, &Cancel::default());
    let error = error.unwrap_err();
    assert!(matches!(&error, CatalogFileError::Skill { id, .. } if id == "gone"), "{error}");
    assert!(!place.path().join("catalog.json").exists(), "there is no pointer to half a catalog");
    // Next to others, it alone is left out.
    let memory = prowess_core::MemorySource::builder("memory");
    let text = |name| format!("---\nname: {name}\ndescription: d\n---\n");
    let memory =
        memory.file("a/SKILL.md", text("a")).file("z/SKILL.md", text("z")).build().unwrap();
    let skills = [("a", "Reads.", &[][..]), ("gone", "Is not there.", &[]), ("z", "Writes.", &[])];
    let built = published(&catalog_over(Arc::new(memory), skills), place.path());
    let left_out: Vec<_> = built.left_out.iter().map(|it| (&*it.skill, it.is_fault)).collect();
    assert_eq!((built.offered, built.packages, left_out), (2, 2, vec![("gone", true)]));
    let file = source(place.path()).poll(&Cancel::default()).unwrap();
    let found = file.search("writes", 5).unwrap();
    assert!(
        format!("{found:?}").contains("\"z\"") && file.get("gone").unwrap().is_none(),
        "{found:?}"
    );
}
