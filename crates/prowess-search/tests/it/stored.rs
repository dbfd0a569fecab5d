//! An index that is stored answers as the one that it was stored from.

use proptest::prelude::*;
use prowess_search::{Hit, SearchIndex, StoredIndex};
use prowess_testkit::{Corpus, Random, memory_catalog};

fn index(skills: usize) -> SearchIndex {
    let skills: Vec<_> = Corpus::new(3).skills(skills).collect();
    let skills = skills.iter().map(|skill| (&*skill.name, &*skill.skill_md, &["tagged"][..]));
    SearchIndex::build(&memory_catalog(skills))
}

fn top(words: &[u8], lists: &[Vec<u8>], query: &str) -> Option<Vec<Hit>> {
    let read = |page: usize, to: &mut Vec<u8>| {
        to.clone_from(lists.get(page).ok_or(())?);
        Ok::<_, ()>(())
    };
    StoredIndex::read(words)?.top(query, 20, read).ok()
}

#[test]
fn it_answers_as_the_index() {
    let index = index(600);
    let (words, lists) = (index.stored_words(), index.stored_lists().collect::<Vec<_>>());
    assert!(lists.len() > 2, "the lists are in several pages");
    assert!(lists.iter().all(|page| page.len() <= StoredIndex::PAGE_BYTES));
    let stored = StoredIndex::read(&words).expect("it is an index");
    assert_eq!(stored.len(), index.len());
    let mut random = Random::new(5, 5);
    let words_of_queries = "pdf extract kubernets tagged genom clustr the 00042 user e-mail zzz";
    let choices: Vec<_> = words_of_queries.split(' ').collect();
    for _ in 0..100 {
        let query = [(); 3].map(|()| random.choose(&choices)).join(" ");
        assert_eq!(top(&words, &lists, &query), Some(index.top(&query, 20)), "{query}");
    }
    assert_eq!(top(&words, &lists, " "), Some(index.top(" ", 20)), "a blank one gives the first");
}

#[test]
fn error_of_a_page_is_returned() {
    let index = index(20);
    let words = index.stored_words();
    assert_eq!(top(&words, &[], "pdf extract plan user"), None);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn wrong_bytes_are_harmless(
        cut in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let index = index(5);
        let (mut words, mut lists) =
            (index.stored_words(), index.stored_lists().collect::<Vec<_>>());
        for (at, byte) in changes {
            let at = at.index(words.len());
            words[at] = byte;
            let page = &mut lists[0];
            let at = at % page.len();
            page[at] = byte;
        }
        let _ = top(&words, &lists, "pdf extract kubernets user");
        prop_assert_eq!(top(&words[..cut.index(words.len())], &lists, "pdf"), None);
    }
}
