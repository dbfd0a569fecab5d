//! Turns a query into terms of an index.

use hashbrown::HashSet;

use crate::abbreviations::other_forms;
use crate::dictionary::{Dictionary, reach};
use crate::stopwords::is_stopword;
use crate::terms::Near;
use crate::words::{Stems, Words};

/// Where a longer query is cut: a few paragraphs.
const MOST_BYTES: usize = 4_096;
/// How many different words of a query count.
const MOST_WORDS: usize = 64;
/// How many unknown words are looked up by their neighbours, which costs a walk over all terms.
const MOST_UNKNOWN: usize = 8;

/// The share of the other form of an abbreviation.
const OTHER_FORM: f32 = 0.25;

/// A term of the index that a query asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Its number.
    pub(crate) term: usize,
    /// Its weight: 1 for a word of the query, less for another form of it or a correction.
    pub(crate) share: f32,
}

/// The terms that a query asks for, in the order of their numbers, each once.
/// `frequency` returns how many skills have a term.
pub(crate) fn wanted(
    dictionary: &Dictionary,
    frequency: impl Fn(usize) -> usize,
    query: &str,
) -> Vec<Wanted> {
    let stems = Stems::default();
    let mut wanted = Vec::new();
    let mut unknown = 0;
    for Asked { word, term } in asked(query, |term| dictionary.find(term).is_some()) {
        let others = other_forms(&word).filter_map(|other| dictionary.find(&stems.term(other)));
        wanted.extend(others.map(|term| Wanted { term, share: OTHER_FORM }));
        if let Some(term) = dictionary.find(&term) {
            wanted.push(Wanted { term, share: 1.0 });
        } else if unknown < MOST_UNKNOWN {
            unknown += 1;
            let near = dictionary.corrections(&word, &term, &frequency);
            wanted.extend(near.iter().map(|near| Wanted::instead(*near)));
        }
    }
    // Keep the greater share.
    wanted.sort_by(|one, other| one.term.cmp(&other.term).then(other.share.total_cmp(&one.share)));
    wanted.dedup_by_key(|wanted| wanted.term);
    wanted
}

/// Returns every term that a query may ask for, whichever terms there are.
pub(crate) fn terms(query: &str) -> HashSet<String> {
    let (stems, mut words) = (Stems::default(), Words::default());
    let mut terms = HashSet::new();
    let query = cut(query);
    for text in [query, &query.replace('-', "")] {
        words.each(text, |word| {
            terms.insert(stems.term(word).into_owned());
            terms.extend(other_forms(word).map(|form| stems.term(form).into_owned()));
        });
    }
    terms
}

/// Returns whether [`wanted`] corrects no word of a query.
pub(crate) fn needs_no_other(dictionary: &Dictionary, query: &str) -> bool {
    let is_known = |term: &str| dictionary.find(term).is_some();
    asked(query, is_known).iter().all(|asked| is_known(&asked.term) || reach(&asked.word) == 0)
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

pub(crate) fn cut(query: &str) -> &str {
    &query[..query.floor_char_boundary(MOST_BYTES)]
}

/// The words of a query with different terms. Stopwords count only if there are no other words: a
/// skill may be called `how-to`. `is_known` returns whether a skill has a term.
fn asked(query: &str, is_known: impl Fn(&str) -> bool) -> Vec<Asked> {
    let stems = Stems::default();
    let mut words = Words::default();
    let (mut telling, mut idle): (Vec<Asked>, Vec<Asked>) = (Vec::new(), Vec::new());
    for part in cut(query).split_whitespace() {
        let compound = compound(part, |word| is_known(&stems.term(word)));
        words.each(compound.as_deref().unwrap_or(part), |word| {
            let asked = if is_stopword(word) { &mut idle } else { &mut telling };
            let term = stems.term(word);
            if asked.len() < MOST_WORDS && asked.iter().all(|known| known.term != *term) {
                asked.push(Asked { word: word.to_owned(), term: term.into_owned() });
            }
        });
    }
    if telling.is_empty() { idle } else { telling }
}

/// Returns a word with a hyphen, such as `e-mail`, without it, if that is one known word.
fn compound(part: &str, is_known: impl Fn(&str) -> bool) -> Option<String> {
    if !part.contains('-') {
        return None;
    }
    let mut whole = None;
    Words::default().each(&part.replace('-', ""), |word| {
        whole = (whole.is_none() && is_known(word)).then(|| word.to_owned());
    });
    whole
}
