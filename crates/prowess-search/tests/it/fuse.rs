//! Several rankings as one.

use std::sync::Arc;

use prowess_core::{Catalog, Ranked};
use prowess_search::fuse;

use crate::catalog;

fn ranking<'c>(catalog: &'c Arc<Catalog>, ids: &[&str]) -> Vec<Ranked<'c>> {
    let ranked = |id: &&str| Ranked { record: catalog.get(id).expect("a skill"), score: 1.0 };
    ids.iter().map(ranked).collect()
}

#[track_caller]
fn check(rankings: &[&[&str]], limit: usize, expected: &[&str]) {
    let catalog = catalog(&[("a", "A."), ("b", "B."), ("c", "C."), ("d", "D.")]);
    let rankings: Vec<_> = rankings.iter().map(|ids| ranking(&catalog, ids)).collect();
    let fused = fuse(&rankings, limit);
    let ids: Vec<_> = fused.iter().map(|ranked| ranked.record.id()).collect();
    assert_eq!(ids, expected, "{rankings:?}");
    assert!(fused.iter().all(|ranked| ranked.score.is_finite()), "scores are finite");
}

#[test]
fn rankings_are_joined_by_rank() {
    check(&[&["c", "a", "b"]], 9, &["c", "a", "b"]);
    check(&[&["c", "a", "b"], &[]], 9, &["c", "a", "b"]);
    // What several offer stands above what one offers.
    check(&[&["a", "b"], &["c", "b"]], 9, &["b", "a", "c"]);
    // The higher places count more.
    check(&[&["a", "b", "c"], &["a", "c", "b"], &["d"]], 9, &["a", "b", "c", "d"]);
    // Equal ones go by id.
    check(&[&["d"], &["a"], &["c"]], 9, &["a", "c", "d"]);
    // The limit.
    check(&[&["d", "a"], &["d", "c"]], 2, &["d", "a"]);
    check(&[&["d", "a"]], 0, &[]);
    check(&[], 9, &[]);
}
