//! Each ranker keeps the rules of the trait.

use prowess_search::{Searcher, Substring};
use prowess_testkit::check_ranker;

#[test]
fn the_searcher_keeps_the_rules() {
    check_ranker(&Searcher::new());
}

#[test]
fn the_filter_keeps_the_rules() {
    check_ranker(&Substring);
}
