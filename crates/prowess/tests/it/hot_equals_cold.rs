//! Whatever happens to the files, a catalog that was reloaded says what a fresh one would say.
//!
//! Random edits of real files, from a seed; after each batch of them the catalog that has lived through
//! all of them is compared with one that sees the tree for the first time.

mod edits;
mod place;
mod view;

use std::sync::Arc;

use prowess::CatalogProvider;
use prowess_testkit::Random;

use edits::edit;
use place::Place;
use view::{difference, view};

/// The seeds, how many edits each makes, and how many come between two reloads at most.
const SEEDS: [u64; 2] = [1, 2];
const EDITS: usize = 500;
const MOST_IN_A_BATCH: usize = 8;

/// Makes the edits of a seed and compares after each batch.
#[track_caller]
fn check(seed: u64) {
    let place = Place::new();
    let hot = place.registry();
    let mut random = Random::new(seed, 0);
    let mut made = 0;
    let mut generations = 0;
    while made < EDITS {
        let batch: Vec<_> = (0..=random.below(MOST_IN_A_BATCH))
            .filter_map(|_| edit(&place, &mut random).ok())
            .collect();
        made += batch.len();
        place.choose_clock(&mut random);
        let pinned = hot.catalog();
        let before = view(&pinned);
        let reloaded = hot.reload().catalog;
        let cold = place.registry().reload().catalog;
        let story = || format!("seed {seed}, edit {made}, after\n{}", batch.join("\n"));
        let (hot_view, cold_view) = (view(&reloaded), view(&cold));
        let differ = || format!("{}\n{}", story(), difference(&hot_view, &cold_view));
        assert!(hot_view == cold_view, "hot equals cold: {}", differ());
        assert!(view(&pinned) == before, "a pinned catalog stays as it is: {}", story());
        assert!(Arc::ptr_eq(&reloaded, &hot.catalog()), "the reloaded catalog is the current one");
        generations = reloaded.generation();
        place.settle();
    }
    assert!(generations > 50, "the edits amount to something: {generations} generations");
}

#[test]
fn a_catalog_of_many_reloads_equals_a_fresh_one() {
    SEEDS.into_iter().for_each(check);
}
