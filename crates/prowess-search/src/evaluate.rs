//! Measures a ranker by questions with known answers.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use prowess_core::{Caller, Catalog, Ranker};
use serde::{Deserialize, Serialize};

/// A query with the skills that should be offered for it, and those that should not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The text that a user types.
    pub query: String,
    /// The ids of the skills that suit, in any of their forms. By default, none does.
    #[serde(default)]
    pub expect: Vec<String>,
    /// The ids of skills that must not be offered. By default, any may.
    #[serde(default)]
    pub not: Vec<String>,
}

/// How a ranker did on some questions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluation {
    /// How many skills were asked for each time.
    pub limit: usize,
    /// The share of what was offered that was expected; 1 if nothing was offered.
    pub precision: f64,
    /// The share of what was expected that was offered; 1 if nothing was expected.
    pub recall: f64,
    /// The mean of `1 / rank` of the first expected skill, over the questions that expect one, 0
    /// where it was not offered; 1 if nothing was expected.
    pub mean_reciprocal_rank: f64,
    /// How often a skill was offered that must not be.
    pub forbidden: usize,
    /// Expected or forbidden ids that the catalog has not, sorted. They count like the others.
    pub unknown: Vec<String>,
    /// The skills that were ranked above an expected one, the most frequent first.
    pub confusions: Vec<Confusion>,
    /// Each question, in the order of the questions.
    pub answers: Vec<Answer>,
}

/// The result of a ranker for one question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// The question.
    pub query: String,
    /// The offered skills, the best first.
    pub offers: Vec<Offer>,
    /// Expected skills that were not offered.
    pub missing: Vec<String>,
}

/// One skill that was offered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Offer {
    /// Its id.
    pub id: String,
    /// Its rank, from 1.
    pub rank: usize,
    /// The score that the ranker gave it.
    pub score: f32,
    /// Whether it was expected.
    pub is_expected: bool,
    /// Whether it must not be offered.
    pub is_forbidden: bool,
}

/// A skill that was ranked above an expected one, or offered instead of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Confusion {
    /// The skill that was expected.
    pub expected: String,
    /// The skill that was ranked above it.
    pub offered: String,
    /// For how many questions.
    pub times: usize,
}

/// Asks a ranker each question and compares the `limit` best with what was expected.
pub fn evaluate(
    ranker: &dyn Ranker,
    catalog: &Arc<Catalog>,
    questions: &[Question],
    limit: usize,
) -> Evaluation {
    let answers: Vec<_> =
        questions.iter().map(|question| answer(ranker, catalog, question, limit)).collect();
    let offers = || answers.iter().flat_map(|answer| &answer.offers);
    let found = offers().filter(|offer| offer.is_expected).count();
    let expected = found + answers.iter().map(|answer| answer.missing.len()).sum::<usize>();
    Evaluation {
        limit,
        precision: share(found, offers().count()),
        recall: share(found, expected),
        mean_reciprocal_rank: mean_reciprocal_rank(&answers),
        forbidden: offers().filter(|offer| offer.is_forbidden).count(),
        unknown: unknown(catalog, questions),
        confusions: confusions(&answers),
        answers,
    }
}

fn answer(
    ranker: &dyn Ranker,
    catalog: &Arc<Catalog>,
    question: &Question,
    limit: usize,
) -> Answer {
    let meant = |ids: &[String]| ids.iter().map(|id| meant(catalog, id)).collect::<Vec<_>>();
    let expect = meant(&question.expect);
    let not = meant(&question.not);
    let ranked = ranker.rank(catalog, &question.query, limit);
    let offers: Vec<_> = (1..)
        .zip(ranked)
        .map(|(rank, ranked)| {
            let id = ranked.record.id().to_owned();
            let is_expected = expect.contains(&id);
            let is_forbidden = not.contains(&id);
            Offer { id, rank, score: ranked.score, is_expected, is_forbidden }
        })
        .collect();
    // A skill that is named twice is expected once.
    let missing: BTreeSet<_> =
        expect.iter().filter(|&id| offers.iter().all(|offer| offer.id != *id)).cloned().collect();
    Answer { query: question.query.clone(), offers, missing: missing.into_iter().collect() }
}

#[expect(clippy::cast_precision_loss, reason = "there are far fewer questions than 2^52")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

#[expect(clippy::cast_precision_loss, reason = "there are far fewer questions than 2^52")]
fn mean_reciprocal_rank(answers: &[Answer]) -> f64 {
    let mut total = 0.0;
    let mut count = 0;
    for answer in answers {
        let first = answer.offers.iter().find(|offer| offer.is_expected);
        if first.is_some() || !answer.missing.is_empty() {
            total += first.map_or(0.0, |offer| 1.0 / offer.rank as f64);
            count += 1;
        }
    }
    if count == 0 { 1.0 } else { total / f64::from(count) }
}

/// The id of the skill that a question means: it may be qualified, or an alias.
fn meant(catalog: &Catalog, typed: &str) -> String {
    let found = catalog.find(typed, Caller::User).found();
    found.map_or_else(|| typed.to_owned(), |record| record.id().to_owned())
}

fn unknown(catalog: &Catalog, questions: &[Question]) -> Vec<String> {
    let ids = questions.iter().flat_map(|question| question.expect.iter().chain(&question.not));
    let unknown: BTreeSet<_> =
        ids.filter(|id| catalog.get(&meant(catalog, id)).is_none()).cloned().collect();
    unknown.into_iter().collect()
}

fn confusions(answers: &[Answer]) -> Vec<Confusion> {
    let mut times: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for Answer { offers, missing, .. } in answers {
        let offered = offers.iter().filter(|offer| offer.is_expected);
        let expected = offered.map(|offer| (&*offer.id, offer.rank));
        let expected = expected.chain(missing.iter().map(|id| (&**id, usize::MAX)));
        for (id, rank) in expected {
            let above = offers.iter().filter(|other| !other.is_expected && other.rank < rank);
            for other in above {
                *times.entry((id, &other.id)).or_default() += 1;
            }
        }
    }
    let mut confusions: Vec<_> = times
        .into_iter()
        .map(|((expected, offered), times)| Confusion {
            expected: expected.to_owned(),
            offered: offered.to_owned(),
            times,
        })
        .collect();
    // Stable, so that equally frequent ones stay sorted by id.
    confusions.sort_by_key(|confusion| Reverse(confusion.times));
    confusions
}
