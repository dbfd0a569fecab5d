//! Proposes words for descriptions that lose against their neighbours.

use std::collections::{BTreeMap, BTreeSet};

use prowess_core::{Caller, Catalog};
use serde::Serialize;

use crate::evaluate::{Evaluation, Question};
use crate::stopwords::is_stopword;
use crate::words::{Stems, Words};

/// The maximum number of proposed words for a skill.
const MOST_WORDS: usize = 8;

/// Words that would bring a skill up for the queries that expect it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    /// The skill that was not first.
    pub id: String,
    /// The queries for which another skill was first.
    pub queries: Vec<String>,
    /// Words of these queries that the skill has not, the most frequent first.
    pub add: Vec<String>,
    /// The skills that were above it.
    pub above: Vec<String>,
}

/// Returns a suggestion for each expected skill that was not first for a query, sorted by id.
///
/// A skill that has every word of its queries has none to add: its neighbours should say what they
/// do not do.
pub fn suggest(
    catalog: &Catalog,
    questions: &[Question],
    evaluation: &Evaluation,
) -> Vec<Suggestion> {
    let mut lost: BTreeMap<String, Lost<'_>> = BTreeMap::new();
    for (question, answer) in questions.iter().zip(&evaluation.answers) {
        for id in &question.expect {
            let Some(record) = catalog.find(id, Caller::User).found() else {
                continue;
            };
            let above = answer.offers.iter().take_while(|offer| offer.id != record.id());
            let above: Vec<&str> =
                above.filter(|offer| !offer.is_expected).map(|offer| &*offer.id).collect();
            if !above.is_empty() {
                let lost = lost.entry(record.id().to_owned()).or_default();
                lost.queries.push(&question.query);
                lost.above.extend(above);
            }
        }
    }
    let suggestion = |(id, lost): (String, Lost<'_>)| lost.suggestion(id, catalog);
    lost.into_iter().map(suggestion).collect()
}

/// The queries that a skill lost, and against which skills.
#[derive(Default)]
struct Lost<'q> {
    queries: Vec<&'q str>,
    above: BTreeSet<&'q str>,
}

impl Lost<'_> {
    fn suggestion(self, id: String, catalog: &Catalog) -> Suggestion {
        let mut own = BTreeSet::new();
        if let Some(record) = catalog.get(&id) {
            let texts = [record.id(), record.name(), record.description()];
            for text in texts.into_iter().chain(record.tags()) {
                each_term(text, |term, _| {
                    own.insert(term);
                });
            }
        }
        let mut missing: BTreeMap<String, (usize, String)> = BTreeMap::new();
        for query in &self.queries {
            each_term(query, |term, word| {
                if !own.contains(&term) {
                    missing.entry(term).or_insert((0, word.to_owned())).0 += 1;
                }
            });
        }
        let mut add: Vec<(usize, String)> = missing.into_values().collect();
        // Stable, so that equally frequent words stay sorted.
        add.sort_by_key(|(times, _)| std::cmp::Reverse(*times));
        Suggestion {
            id,
            queries: self.queries.into_iter().map(str::to_owned).collect(),
            add: add.into_iter().take(MOST_WORDS).map(|(_, word)| word).collect(),
            above: self.above.into_iter().map(str::to_owned).collect(),
        }
    }
}

/// Calls `found` with the term and the spelling of each word that says something.
fn each_term(text: &str, mut found: impl FnMut(String, &str)) {
    let stems = Stems::default();
    Words::default().each(text, |word| {
        if !is_stopword(word) {
            found(stems.term(word).into_owned(), word);
        }
    });
}
