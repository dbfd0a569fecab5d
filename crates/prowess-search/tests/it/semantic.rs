//! Ranking by meaning, with a model that a person can check.

use std::sync::Arc;

use prowess_core::Ranker;
use prowess_search::{Embedder, Fused, Searcher, Semantic};
use prowess_testkit::{check_ranker, memory_catalog};

use crate::{catalog, ids};

/// A deterministic model: cars lie along the first axis, cooking along the second, paper along the
/// third.
struct Axes;

const AXES: [&[&str]; 3] =
    [&["car", "automobile", "repair"], &["recipe", "dinner"], &["forms", "paperwork"]];

impl Embedder for Axes {
    fn dimensions(&self) -> usize {
        AXES.len()
    }

    fn embed(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; AXES.len()];
        for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()) {
            for (number, axis) in vector.iter_mut().zip(AXES) {
                *number += f32::from(u8::from(axis.contains(&word)));
            }
        }
        vector
    }
}

fn semantic() -> Semantic {
    Semantic::new(Arc::new(Axes))
}

#[test]
fn the_rankers_keep_the_rules() {
    check_ranker(&semantic());
    check_ranker(&Fused::new([Arc::new(Searcher::new()) as Arc<dyn Ranker>, Arc::new(semantic())]));
    check_ranker(&Fused::new([]));
}

#[test]
fn meaning_is_found_without_its_words() {
    let catalog = catalog(&[
        ("garage", "Helps with the car."),
        ("kitchen", "Finds a recipe."),
        ("office", "Fills forms."),
    ]);
    for (query, expected) in
        [("automobile", "garage"), ("what is for dinner", "kitchen"), ("Paperwork!", "office")]
    {
        assert_eq!(ids(&semantic(), &catalog, query)[0], expected, "{query}");
        assert!(ids(&Searcher::new(), &catalog, query).is_empty(), "no word of it is there");
    }
    assert!(ids(&semantic(), &catalog, "quantum").is_empty(), "an unknown word means nothing");
}

#[test]
fn fused_finds_names_without_a_vector() {
    let catalog = catalog(&[("garage", "Helps with the car."), ("zyxml", "Fills forms.")]);
    let fused = Fused::new([Arc::new(Searcher::new()) as Arc<dyn Ranker>, Arc::new(semantic())]);
    assert_eq!(ids(&fused, &catalog, "zyxml"), ["zyxml"], "by its name");
    assert_eq!(ids(&fused, &catalog, "automobile"), ["garage"], "by its meaning");
    assert_eq!(ids(&fused, &catalog, "zyxml paperwork")[0], "zyxml", "both agree on it");
}

/// A foreign embedder that gives what it should not.
struct Broken(Vec<f32>);

impl Embedder for Broken {
    fn dimensions(&self) -> usize {
        2
    }

    fn embed(&self, _: &str) -> Vec<f32> {
        self.0.clone()
    }
}

#[test]
fn a_broken_embedder_breaks_no_rule() {
    for numbers in [vec![f32::NAN, 1.0], vec![f32::INFINITY, 0.0], vec![], vec![1.0; 5]] {
        check_ranker(&Semantic::new(Arc::new(Broken(numbers))));
    }
}

/// A query that says what nearly all skills say asks for the one that it also speaks of.
#[test]
fn shared_words_of_all_skills_do_not_count() {
    let mut skills: Vec<_> =
        (0..20).map(|number| (format!("s{number:02}"), "Recipe car car car.")).collect();
    skills.push(("odd".to_owned(), "Forms."));
    let skills = skills.iter().map(|(name, text)| (name.as_str(), *text, &[][..]));
    let found = ids(&semantic(), &memory_catalog(skills), "car car car paperwork");
    assert_eq!(found[0], "odd", "the rest decides");
}
