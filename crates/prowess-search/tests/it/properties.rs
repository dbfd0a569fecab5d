//! Properties of any catalog and any query.

use std::sync::Arc;

use proptest::prelude::*;
use prowess_core::{Catalog, Ranker};
use prowess_search::{SearchIndex, Searcher, search_once};
use prowess_testkit::memory_catalog;

/// Few words, so that they meet.
const WORDS: [&str; 16] = [
    "form", "forms", "pdf", "sql", "table", "tables", "the", "use", "release", "deploy", "café",
    "表单", "表", "-", "\u{202e}", "x1",
];

fn text() -> impl Strategy<Value = String> {
    let words = prop::collection::vec(prop::sample::select(&WORDS[..]), 0..8);
    words.prop_map(|words| words.join(" "))
}

fn skills() -> impl Strategy<Value = Vec<(String, String, Vec<String>)>> {
    let name = (0..9_u8, prop::sample::select(&WORDS[..3]));
    let name = name.prop_map(|(number, word)| format!("{word}-{number}"));
    prop::collection::vec((name, text(), prop::collection::vec(text(), 0..3)), 0..12)
}

fn catalog(skills: &[(String, String, Vec<String>)]) -> Arc<Catalog> {
    let tags: Vec<Vec<&str>> =
        skills.iter().map(|(.., tags)| tags.iter().map(String::as_str).collect()).collect();
    let skills = skills.iter().zip(&tags);
    memory_catalog(skills.map(|((name, description, _), tags)| (&**name, &**description, &**tags)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn scores_are_finite_and_the_order_is_total(skills in skills(), query in text()) {
        let index = SearchIndex::build(&catalog(&skills));
        let hits = index.top(&query, usize::MAX);
        for hit in &hits {
            prop_assert!(hit.score.is_finite() && hit.score >= 0.0);
            prop_assert!(hit.position < index.len());
        }
        for pair in hits.windows(2) {
            let is_before = pair[0].score > pair[1].score
                || (pair[0].score == pair[1].score && pair[0].position < pair[1].position);
            prop_assert!(is_before, "{:?} stands before {:?}", pair[0], pair[1]);
        }
    }

    #[test]
    fn fewer_hits_are_the_beginning_of_more(skills in skills(), query in text(), limit in 0..9_usize) {
        let index = SearchIndex::build(&catalog(&skills));
        let more = index.top(&query, limit + 1);
        let fewer = index.top(&query, limit);
        prop_assert_eq!(&more[..limit.min(more.len())], &fewer[..]);
    }

    #[test]
    fn equal_catalogs_have_equal_indexes(skills in skills(), query in text()) {
        let indexes = [(); 2].map(|()| SearchIndex::build(&catalog(&skills)));
        prop_assert_eq!(format!("{:?}", indexes[0]), format!("{:?}", indexes[1]));
        prop_assert_eq!(indexes[0].top(&query, 9), indexes[1].top(&query, 9));
    }

    #[test]
    fn the_order_in_which_skills_were_found_does_not_matter(skills in skills(), query in text()) {
        let mut skills = skills;
        skills.sort();
        skills.dedup_by(|one, other| one.0 == other.0);
        let forward = catalog(&skills);
        skills.reverse();
        let backward = catalog(&skills);
        let answer = |catalog: &Arc<Catalog>| -> Vec<_> {
            let ranked = Searcher::new().rank(catalog, &query, 9).into_iter();
            ranked.map(|ranked| (ranked.record.id().to_owned(), ranked.score)).collect()
        };
        prop_assert_eq!(answer(&forward), answer(&backward));
    }

    #[test]
    fn search_without_an_index_gives_the_same_answer(
        skills in skills(),
        query in prop_oneof![text(), "[a-z -]{0,12}", Just("form tabel the".to_owned())],
        limit in 0..9_usize,
    ) {
        let catalog = catalog(&skills);
        let indexed = Searcher::new().rank(&catalog, &query, limit);
        let once = search_once(&catalog, &query, limit);
        let [indexed, once] = [indexed, once].map(|ranked| {
            ranked.iter().map(|hit| (hit.record.id(), hit.score)).collect::<Vec<_>>()
        });
        prop_assert_eq!(once, indexed);
    }

    #[test]
    fn any_text_is_a_query(query in "\\PC{0,200}|[\\x00-\\x{10ffff}]{0,60}") {
        let skills = [("pdf".into(), "Fills forms.".into(), vec![])];
        let hits = SearchIndex::build(&catalog(&skills)).top(&query, 3);
        prop_assert!(hits.len() <= 1);
    }

    #[test]
    fn a_skill_is_found_by_any_word_of_its_own(skills in skills(), at in any::<prop::sample::Index>()) {
        let catalog = catalog(&skills);
        prop_assume!(!catalog.is_empty());
        let skill = catalog.skill_at(at.index(catalog.len())).expect("a skill");
        let searcher = Searcher::new();
        let ranked = searcher.rank(&catalog, skill.id(), usize::MAX);
        prop_assert!(ranked.iter().any(|ranked| ranked.record.id() == skill.id()));
    }
}

/// More skills than are scored at a time: what one window has is neither lost nor counted in another.
#[test]
fn windows_do_not_show() {
    let names: Vec<_> = (0..10_000).map(|at| format!("skill-{at:05}")).collect();
    let description =
        |at: usize| if at.is_multiple_of(977) { "Rare words." } else { "Common words." };
    let skills = names.iter().enumerate().map(|(at, name)| (&**name, description(at), &[][..]));
    let index = SearchIndex::build(&memory_catalog(skills));
    let hits = index.top("rare words", usize::MAX);
    assert_eq!(hits.len(), 10_000, "each has one of the words");
    let rare: Vec<_> = hits[..11].iter().map(|hit| hit.position).collect();
    assert_eq!(rare, (0..11).map(|at| at * 977).collect::<Vec<_>>(), "the rare ones come first");
    let is_equal = |hits: &[prowess_search::Hit]| hits.iter().all(|hit| hit.score == hits[0].score);
    assert!(is_equal(&hits[..11]) && is_equal(&hits[11..]), "equal skills have equal scores");
}
