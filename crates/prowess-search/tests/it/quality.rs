//! Queries whose answer is clear.

use prowess_search::SearchIndex;
use prowess_testkit::memory_catalog;

use crate::{catalog, found};

/// Returns the parts of a line of a table.
pub(super) fn parts(line: &str) -> [&str; 3] {
    line.split('¦').map(str::trim).collect::<Vec<_>>().try_into().expect("three parts")
}

#[test]
fn queries_of_a_mixed_catalog_find_the_right_skill() {
    let skills = include_str!("../data/skills.txt").lines().map(|line| {
        let [name, description, tags] = parts(line);
        (name, description, tags.split_whitespace().collect::<Vec<_>>())
    });
    let skills: Vec<_> = skills.collect();
    let catalog = memory_catalog(skills.iter().map(|(name, it, tags)| (*name, *it, &tags[..])));
    for line in include_str!("../data/queries.txt").lines() {
        let [reason, query, expected] = parts(line);
        let found = found(&catalog, query);
        assert_eq!(found.first().map(String::as_str), Some(expected), "{reason}: `{query}`");
    }
}

/// Compares everything that a query finds, the best first.
#[track_caller]
fn check(skills: &[(&str, &str)], query: &str, expected: &[&str]) {
    assert_eq!(found(&catalog(skills), query), expected, "{query:?}");
}

#[test]
fn order_follows_weights() {
    // The name outweighs the description.
    let files = [
        ("archive", "Packs pictures and other files into one."),
        ("pictures", "Packs archives and other files into one."),
    ];
    check(&files, "pictures", &["pictures", "archive"]);
    check(&files, "archives", &["archive", "pictures"]);
    // A rare word outweighs a common one.
    let reports = [
        ("one", "Makes a report of sales."),
        ("two", "Makes a report of stock."),
        ("three", "Makes a report of genomes."),
        ("four", "Makes a plan of genomes and such."),
    ];
    check(&reports, "report genomes", &["three", "four", "one", "two"]);
    // A short description outweighs a long one with the same word.
    let long = format!("Draws charts. {}", "It has many options for rare cases. ".repeat(20));
    check(&[("a-long", &long), ("z-short", "Draws charts.")], "charts", &["z-short", "a-long"]);
    // Equal skills go by id.
    let same = [("c", "Same words."), ("a", "Same words."), ("b", "Same words.")];
    check(&same, "words", &["a", "b", "c"]);
    // What was typed counts more than the long form of an abbreviation.
    check(&[("a-repository", "Cleans."), ("repo", "Cleans.")], "repo", &["repo", "a-repository"]);
}

#[test]
fn words_that_say_nothing_find_nothing() {
    check(&[("pdf", "This is how to use it.")], "how to", &[]);
    check(&[("how-to", "Answers."), ("deploy", "Ships.")], "how to deploy", &["deploy"]);
    for query in ["zebra crossing", "!!!", "\u{0}\u{202e}", "12345"] {
        check(&[("pdf", "Fills forms.")], query, &[]);
    }
    // A sentence that excludes work.
    let exclusion = "Reduce churn. NOT for expansion revenue — use accounts for that.";
    let accounts = ("accounts", "Grow the revenue of customers that stay.");
    check(&[("churn", exclusion), accounts], "expansion revenue", &["accounts"]);
}

#[test]
fn hostile_query_is_cut() {
    let index = SearchIndex::build(&catalog(&[("pdf", "Fills forms."), ("sql", "Asks tables.")]));
    let late = format!("{}sql", "pdf ".repeat(100_000));
    assert_eq!(index.top(&late, 9).len(), 1, "what stands far behind is not read");
    let unknown: String = (0..100_000).map(|at| format!("formz{} ", "y".repeat(at % 7))).collect();
    assert!(index.top(&unknown, 9).len() <= 1, "unknown words without end find what is near");
    let ligatures = "\u{fdfa}".repeat(100_000);
    assert_eq!(index.top(&ligatures, 9), [], "characters that unfold to many are bounded too");
    let one_word = "form".repeat(100_000);
    assert_eq!(index.top(&one_word, 9), [], "a word without end is a word like others");
}

#[test]
fn hostile_description_is_indexed() {
    let text = format!("{} {} needle", "a".repeat(30_000), "x ".repeat(10_000));
    let catalog = catalog(&[("long", &text), ("short", "A needle.")]);
    assert_eq!(found(&catalog, "needle"), ["short", "long"]);
}

/// Many skills with common words, and one with a long description that alone has a name.
fn with_one_rare_word(others: usize) -> std::sync::Arc<prowess_core::Catalog> {
    let long = format!(
        "Shows advertisements of AdMob. {}",
        "It explains banners, consent, mediation and revenue of publishers. ".repeat(8)
    );
    let common: Vec<(String, String)> = (0..others)
        .map(|at| (format!("mobile-{at:03}"), "Add a view to your Android app.".to_owned()))
        .collect();
    let mut skills = vec![("mobile-ads", long.as_str())];
    skills.extend(common.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    for at in 0..4 * others {
        let name: &'static str = Box::leak(format!("other-{at:03}").into_boxed_str());
        skills.push((name, "Writes reports about sales and stock."));
    }
    catalog(&skills)
}

#[test]
fn a_word_that_one_skill_has_beats_common_words() {
    let catalog = with_one_rare_word(40);
    let found = found(&catalog, "add admob to my android app");
    assert_eq!(found[0], "mobile-ads", "the only skill with the name is first");
}

#[test]
fn a_word_with_a_hyphen_is_found_without_it() {
    let catalog = catalog(&[
        ("email-templates", "Builds messages."),
        ("mailing", "Sends letters by mail."),
        ("react-native", "Builds apps."),
    ]);
    assert_eq!(found(&catalog, "an E-mail, please")[0], "email-templates");
    assert_eq!(found(&catalog, "react-native")[0], "react-native", "parts count without a whole");
}

#[test]
fn abbreviation_is_found_by_its_long_form_and_back() {
    let skills = [
        ("kubernetes-rollouts", "Deploys services."),
        ("db-tuning", "Finds slow queries."),
        ("k9s", "Watches clusters."),
    ];
    check(&skills, "k8s", &["kubernetes-rollouts"]);
    check(&skills, "database", &["db-tuning"]);
}
