//! What was typed as terms of an index.

use crate::SearchIndex;
use crate::stopwords::is_stopword;
use crate::terms::Near;
use crate::words::{Stems, Words};

/// Where a longer query is cut: a few paragraphs.
const MOST_BYTES: usize = 4_096;
/// How many different words of a query count.
const MOST_WORDS: usize = 64;
/// How many unknown words are looked up by their neighbours, which costs a walk over all terms.
const MOST_UNKNOWN: usize = 8;

/// A term of the index that a query asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Its number.
    pub(crate) term: usize,
    /// What it counts beside others: 1 for what was typed, less for what was perhaps meant.
    pub(crate) share: f32,
}

/// The terms that a query asks for, in the order of their numbers, each once.
pub(crate) fn wanted(index: &SearchIndex, query: &str) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    let mut unknown = 0;
    for Asked { word, term } in asked(query) {
        if let Some(term) = index.dictionary().find(&term) {
            wanted.push(Wanted { term, share: 1.0 });
        } else if unknown < MOST_UNKNOWN {
            unknown += 1;
            let frequency = |term| index.frequency(term);
            let near = index.dictionary().corrections(&word, &term, frequency);
            wanted.extend(near.iter().map(|near| Wanted::instead(*near)));
        }
    }
    // The greater share stays.
    wanted.sort_by(|one, other| one.term.cmp(&other.term).then(other.share.total_cmp(&one.share)));
    wanted.dedup_by_key(|wanted| wanted.term);
    wanted
}

impl Wanted {
    fn instead(near: Near) -> Self {
        let share = if near.distance == 1 { 0.5 } else { 0.25 };
        Self { term: near.term, share }
    }
}

/// A word of a query.
struct Asked {
    word: String,
    term: String,
}

/// As much of a query as counts.
pub(crate) fn cut(query: &str) -> &str {
    &query[..query.floor_char_boundary(MOST_BYTES)]
}

/// The words of a query with different terms. Stopwords count where there is nothing else: a skill may
/// be called `how-to`.
fn asked(query: &str) -> Vec<Asked> {
    let query = cut(query);
    let stems = Stems::default();
    let (mut telling, mut idle): (Vec<Asked>, Vec<Asked>) = (Vec::new(), Vec::new());
    Words::default().each(query, |word| {
        let asked = if is_stopword(word) { &mut idle } else { &mut telling };
        let term = stems.term(word);
        if asked.len() < MOST_WORDS && asked.iter().all(|known| known.term != *term) {
            asked.push(Asked { word: word.to_owned(), term: term.into_owned() });
        }
    });
    if telling.is_empty() { idle } else { telling }
}
