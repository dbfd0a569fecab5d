//! Tests that take long: `cargo xtask test` leaves them out and `cargo xtask nightly` runs them.

use crate::hot_equals_cold::{check, check_inside, check_watch};

/// The seeds of random edits.
const SEEDS: [u64; 2] = [1, 2];

#[test]
fn reloaded_catalog_equals_a_fresh_one() {
    SEEDS.into_iter().for_each(|seed| check(seed, 500));
}

#[test]
fn catalog_of_a_root_that_is_not_listed_again_equals_a_fresh_one() {
    SEEDS.into_iter().for_each(|seed| check_inside(seed, 60));
}

#[test]
fn watched_catalog_comes_to_equal_a_fresh_one() {
    SEEDS.into_iter().for_each(|seed| check_watch(seed, 200));
}
