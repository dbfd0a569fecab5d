//! Tests of walks.

use std::fs;

use prowess_dir::{Dir, Kind, WalkBounds};

use crate::Place;

#[track_caller]
fn check(place: &Place, bounds: WalkBounds, paths: &[&str], is_complete: bool) {
    for directory in place.opened() {
        let walk = directory.walk(bounds, |name| name != "skipped").unwrap();
        let found: Vec<_> = walk.found.iter().map(|walked| walked.path.as_str()).collect();
        assert_eq!(found, paths, "what is below");
        assert_eq!(walk.is_complete, is_complete, "whether that is all");
    }
}

#[test]
fn paths_are_complete_and_sorted() {
    let place = Place::new();
    fs::create_dir(place.inside("skipped")).unwrap();
    fs::write(place.inside("skipped/no"), "").unwrap();
    check(&place, WalkBounds::default(), &["file.md", "references/notes.md"], true);
}

#[test]
fn links_are_listed_and_not_followed() {
    let place = Place::new();
    place.link("out", "..");
    place.link("round", ".");
    let paths = ["file.md", "out", "references/notes.md", "round"];
    check(&place, WalkBounds::default(), &paths, true);
    let walk = Dir::open(place.inside("")).unwrap().walk(WalkBounds::default(), |_| true).unwrap();
    assert_eq!(walk.found[1].kind, Kind::Link, "a link is called one");
}

#[test]
fn exceeded_limit_makes_the_walk_incomplete() {
    let place = Place::new();
    fs::create_dir(place.inside("references/deep")).unwrap();
    fs::write(place.inside("references/deep/x"), "").unwrap();
    let bounds = |depth, entries| WalkBounds { depth, entries };
    check(&place, bounds(0, 100), &["file.md"], false);
    check(&place, bounds(1, 100), &["file.md", "references/notes.md"], false);
    let all = ["file.md", "references/deep/x", "references/notes.md"];
    check(&place, bounds(2, 100), &all, true);
    check(&place, bounds(2, 5), &all, true);
    for entries in [0, 4] {
        let walk = Dir::open(place.inside("")).unwrap().walk(bounds(2, entries), |_| true).unwrap();
        assert!(!walk.is_complete && walk.found.len() <= entries, "{entries} of five entries");
    }
}
