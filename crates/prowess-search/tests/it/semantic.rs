//! Ranking by meaning, with vectors that a person can check.

use std::sync::Arc;

use prowess_core::Ranker;
use prowess_search::{Embedder, Fused, Searcher, Semantic, WordVectors};
use prowess_testkit::{check_ranker, memory_catalog};

use crate::{catalog, ids};

/// Cars lie along the first axis, cooking along the second, paper along the third.
const TABLE: &str = "\
car 1 0 0
automobile 0.9 0.1 0
repair 0.8 0 0.2
recipe 0 1 0
dinner 0.1 0.9 0
forms 0 0 1
paperwork 0 0.1 0.9
";

fn vectors() -> Arc<WordVectors> {
    Arc::new(WordVectors::parse(TABLE).expect("the table is one"))
}

fn semantic() -> Semantic {
    Semantic::new(vectors())
}

#[test]
fn the_rankers_keep_the_rules() {
    check_ranker(&semantic());
    check_ranker(&Fused::new([Arc::new(Searcher::new()) as Arc<dyn Ranker>, Arc::new(semantic())]));
    check_ranker(&Fused::new([]));
}

#[test]
fn what_is_meant_is_found_without_its_words() {
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
    assert!(ids(&semantic(), &catalog, "the and of").is_empty(), "nor does a stopword");
}

#[test]
fn fused_finds_names_without_a_vector() {
    let catalog = catalog(&[("garage", "Helps with the car."), ("zyxml", "Fills forms.")]);
    let fused = Fused::new([Arc::new(Searcher::new()) as Arc<dyn Ranker>, Arc::new(semantic())]);
    assert_eq!(ids(&fused, &catalog, "zyxml"), ["zyxml"], "by its name");
    assert_eq!(ids(&fused, &catalog, "automobile"), ["garage"], "by its meaning");
    assert_eq!(ids(&fused, &catalog, "zyxml paperwork")[0], "zyxml", "both agree on it");
}

/// A host's own scorer: the same text has the same vector, whatever it means.
struct Lengths;

impl Embedder for Lengths {
    fn dimensions(&self) -> usize {
        2
    }

    fn embed(&self, text: &str) -> Vec<f32> {
        #[expect(clippy::cast_precision_loss, reason = "a test's texts are short")]
        let length = text.chars().count() as f32;
        vec![length, 10.0]
    }
}

#[test]
fn the_host_chooses_the_embedder() {
    let catalog = catalog(&[("long", "A description of many words."), ("s", "It.")]);
    let ranker = Semantic::new(Arc::new(Lengths));
    assert_eq!(ids(&ranker, &catalog, "Short"), ["s", "long"]);
    assert_eq!(ids(&ranker, &catalog, &"long ".repeat(40)), ["long", "s"]);
    check_ranker(&ranker);
}

/// An embedder of somebody else's that gives what it should not.
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
fn what_all_skills_share_does_not_count() {
    let mut skills: Vec<_> =
        (0..20).map(|number| (format!("s{number:02}"), "Recipe car car car.")).collect();
    skills.push(("odd".to_owned(), "Forms."));
    let skills = skills.iter().map(|(name, text)| (name.as_str(), *text, &[][..]));
    let found = ids(&semantic(), &memory_catalog(skills), "car car car paperwork");
    assert_eq!(found[0], "odd", "the rest decides");
}

#[test]
fn one_of_ten_thousand_skills_is_found() {
    let names: Vec<_> = (0..10_000).map(|number| format!("skill-{number:05}")).collect();
    let text =
        |number| if number == 4_321 { "Repair of the automobile." } else { "Recipe of a dinner." };
    let skills = names.iter().enumerate().map(|(at, name)| (name.as_str(), text(at), &[][..]));
    assert_eq!(ids(&semantic(), &memory_catalog(skills), "car")[0], "skill-04321");
}

#[test]
fn a_table_is_read_with_and_without_a_first_line_of_counts() {
    for (text, words, dimensions) in [
        ("one 1 2\ntwo 3 4\n", 2, 2),
        ("2 3\none 1 2 3\ntwo 4 5 6\n", 2, 3),
        ("one 1\none 2\nOne 3\none-two 4\n, 5\n", 1, 1),
    ] {
        let vectors = WordVectors::parse(text).expect("it is a table");
        assert_eq!((vectors.len(), vectors.dimensions()), (words, dimensions), "{text:?}");
        assert!(!vectors.is_empty(), "{text:?}");
    }
}

#[test]
fn an_invalid_table_is_reported_with_its_line() {
    for (text, message) in [
        ("", "line 1 of the word vectors has no word"),
        ("2 3\n", "line 1 of the word vectors has no word"),
        ("one\n", "line 1 of the word vectors has no numbers"),
        ("one 1 2\ntwo 3\n", "line 2 of the word vectors has not as many numbers as the first"),
        ("one 1\n\n", "line 2 of the word vectors is empty"),
        ("one x\n", "line 1 of the word vectors has something that is no number"),
        ("one inf\n", "line 1 of the word vectors has a number without end"),
    ] {
        let error = WordVectors::parse(text).expect_err("it is no table");
        assert_eq!(error.to_string(), message, "{text:?}");
    }
}
