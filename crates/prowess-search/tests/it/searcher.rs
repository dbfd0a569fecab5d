//! The rules of rankers, and when an index is built, kept and dropped.

use std::sync::Arc;

use prowess_core::Ranker;
use prowess_search::{Searcher, Substring};
use prowess_testkit::{check_ranker, memory_catalog};

use crate::{catalog, ids};

#[test]
fn rankers_keep_the_rules() {
    check_ranker(&Searcher::new());
    check_ranker(&Substring);
}

#[test]
fn index_is_built_once_for_a_catalog() {
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
fn audiences_in_turn_find_their_indexes() {
    let searcher = Searcher::new();
    let views = [(); 8].map(|()| catalog(&[("pdf", "Fills forms.")]));
    let first = views.each_ref().map(|view| searcher.index(view));
    let second = views.each_ref().map(|view| searcher.index(view));
    let is_same = |(first, second)| Arc::ptr_eq(first, second);
    assert!(first.iter().zip(&second).all(is_same), "no index is built twice");
}

#[test]
fn least_recently_used_index_is_dropped() {
    let searcher = Searcher::new();
    let catalogs = [(); 9].map(|()| catalog(&[("pdf", "Fills forms.")]));
    let first = Arc::downgrade(&searcher.index(&catalogs[0]));
    for catalog in &catalogs[1..] {
        searcher.index(catalog);
    }
    assert!(first.upgrade().is_none(), "the index of the oldest catalog is gone");
}

#[test]
fn index_in_use_stays_beside_many_others() {
    let searcher = Searcher::new();
    let of_all = catalog(&[("pdf", "Fills forms.")]);
    let index = searcher.index(&of_all);
    let views = [(); 20].map(|()| catalog(&[("pdf", "Fills forms.")]));
    for view in &views {
        searcher.index(view);
        assert!(Arc::ptr_eq(&index, &searcher.index(&of_all)), "it is found again");
    }
}

#[test]
fn index_does_not_keep_a_catalog_alive() {
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
fn concurrent_searches_wait_for_one_index() {
    // Many skills, so that the first index is still being built when the others ask.
    let names: Vec<_> = (0..5_000).map(|number| format!("skill-{number}")).collect();
    let catalog = memory_catalog(names.iter().map(|name| (&**name, "Fills forms.", &[][..])));
    let searcher = Searcher::new();
    let barrier = std::sync::Barrier::new(8);
    let indexes: Vec<_> = std::thread::scope(|scope| {
        let ask = || {
            barrier.wait();
            searcher.index(&catalog)
        };
        let asking: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        asking.into_iter().map(|asking| asking.join().expect("no index panics")).collect()
    });
    let is_the_one = |index| Arc::ptr_eq(index, &indexes[0]);
    assert!(indexes.iter().all(is_the_one), "a reader builds at most one index of a catalog");
}

/// A word that few have counts more than one that many have, and a name more than a description.
#[test]
fn ten_thousand_skills_are_ranked() {
    let names: Vec<_> = (0..10_000).map(|number| format!("skill-{number:05}")).collect();
    let text = |number| match number {
        77 => "Fills forms of genomes.",
        7_777 => "Fills forms of genomes, and forms of everything else that has a form.",
        _ if number % 2 == 0 => "Fills forms.",
        _ => "Asks tables.",
    };
    let skills = names.iter().enumerate().map(|(at, name)| (name.as_str(), text(at), &[][..]));
    let catalog = memory_catalog(skills);
    let found = ids(&Searcher::new(), &catalog, "forms of a genome");
    assert_eq!(found[..3], ["skill-00077", "skill-07777", "skill-00000"], "the rare word decides");
    assert_eq!(found.len(), 10, "the rest has only the common word: {found:?}");
    assert_eq!(
        Searcher::new().rank(&catalog, "table", usize::MAX).len(),
        4_998,
        "each that has it"
    );
}

#[test]
fn each_thread_gets_hits_of_its_catalog() {
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
fn next_index_is_prepared_after_a_search() {
    let searcher = Searcher::new();
    let [one, two, three] = [(); 3].map(|()| catalog(&[("pdf", "Fills forms.")]));
    searcher.prepare(&two, &one);
    assert!(searcher.prepared(&two).is_none(), "there was no search, so nothing is built");
    searcher.rank(&two, "forms", 1);
    searcher.prepare(&three, &two);
    assert!(searcher.prepared(&three).is_some(), "the next search finds its index");
    assert!(searcher.prepared(&two).is_some(), "and turns that have begun find theirs");
}
