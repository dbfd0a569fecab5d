//! When an index is built, kept and left.

use std::sync::Arc;

use prowess_core::Ranker;
use prowess_search::Searcher;

use crate::{catalog, ids};

#[test]
fn an_index_is_built_once_and_kept_with_its_catalog() {
    let searcher = Searcher::new();
    let one = catalog(&[("pdf", "Fills forms.")]);
    let index = searcher.index(&one);
    assert!(Arc::ptr_eq(&index, &searcher.index(&one)), "the second time it is there");
    let next = catalog(&[("pdf", "Fills forms."), ("sql", "Asks tables.")]);
    assert_eq!(searcher.index(&next).len(), 2, "another catalog has another index");
    let is_kept = Arc::ptr_eq(&index, &searcher.index(&one));
    assert!(is_kept, "turns that keep to the catalog before find its index");
}

#[test]
fn only_two_indexes_are_kept() {
    let searcher = Searcher::new();
    let catalogs = [1, 2, 3].map(|_| catalog(&[("pdf", "Fills forms.")]));
    let first = Arc::downgrade(&searcher.index(&catalogs[0]));
    for catalog in &catalogs[1..] {
        searcher.index(catalog);
    }
    assert!(first.upgrade().is_none(), "the index of the oldest catalog is gone");
}

#[test]
fn an_index_does_not_keep_a_catalog_alive() {
    let searcher = Searcher::new();
    let old = catalog(&[("pdf", "Fills forms.")]);
    let index = Arc::downgrade(&searcher.index(&old));
    let catalog_alive = Arc::downgrade(&old);
    drop(old);
    assert!(catalog_alive.upgrade().is_none(), "the catalog is gone when its readers are");
    searcher.index(&catalog(&[("sql", "Asks tables.")]));
    assert!(index.upgrade().is_none(), "and its index with the next catalog");
}

#[test]
fn each_thread_gets_the_answer_of_its_catalog() {
    let searcher = Searcher::new();
    let catalogs = ["pdf", "sql", "git"].map(|name| catalog(&[(name, "Asks or fills.")]));
    std::thread::scope(|scope| {
        for turn in 0..6 {
            let (searcher, catalogs) = (&searcher, &catalogs);
            scope.spawn(move || {
                for at in 0..200 {
                    let catalog = &catalogs[(turn + at) % catalogs.len()];
                    let expected = catalog.skill_at(0).map(|skill| skill.id().to_owned());
                    let found = ids(searcher, catalog, "fill");
                    assert_eq!(found.first(), expected.as_ref(), "a hit is of the catalog asked");
                }
            });
        }
    });
}

#[test]
fn an_index_can_be_built_ahead() {
    let searcher = Searcher::new();
    let catalog = catalog(&[("pdf", "Fills forms.")]);
    assert_eq!(searcher.index(&catalog).len(), 1);
    assert_eq!(searcher.rank(&catalog, "forms", 1).len(), 1);
}
