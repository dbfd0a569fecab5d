//! Queries whose answer is clear.

use prowess_search::SearchIndex;
use prowess_testkit::memory_catalog;

use crate::{catalog, found};

/// The first hits of a query over one small, mixed catalog.
#[track_caller]
fn check(query: &str, expected: &[&str]) {
    let catalog = memory_catalog([
        (
            "pdf-forms",
            "Fill in and flatten forms. Use when a PDF must be completed.",
            &["acrobat"][..],
        ),
        (
            "invoice-checks",
            "Compare invoices with orders and find amounts that differ.",
            &["accounting"],
        ),
        (
            "release-notes",
            "Write what changed between two versions, from commits.",
            &["git", "changelog"],
        ),
        ("sql-tuning", "Explain slow queries and propose indexes for databases.", &["postgres"]),
        ("kubernetes-rollouts", "Deploy services to a cluster and watch the rollout.", &["helm"]),
        ("how-to", "Answer questions about the office.", &[]),
        ("表单填写", "填写 PDF 表单。", &[]),
        ("café-finder", "Suggest a place for lunch.", &["naïve"]),
    ]);
    let found = found(&catalog, query);
    assert_eq!(
        found.get(..expected.len()),
        Some(expected)
            .map(|expected| { expected.iter().map(ToString::to_string).collect::<Vec<_>>() })
            .as_deref(),
        "`{query}` finds {found:?}"
    );
}

#[test]
fn a_word_is_found_in_another_form() {
    check("filling a form", &["pdf-forms"]);
    check("indexing a database", &["sql-tuning"]);
    check("deployed", &["kubernetes-rollouts"]);
    check("the difference of an invoiced amount", &["invoice-checks"]);
}

#[test]
fn case_and_accents_do_not_matter() {
    check("KUBERNETES", &["kubernetes-rollouts"]);
    check("cafe", &["café-finder"]);
    check("CAFE\u{301}", &["café-finder"]);
    check("naive", &["café-finder"]);
    check("ｐｄｆ", &["pdf-forms"]);
}

#[test]
fn a_tag_is_found() {
    check("acrobat", &["pdf-forms"]);
    check("changelog", &["release-notes"]);
    check("postgres is slow", &["sql-tuning"]);
}

#[test]
fn scripts_without_spaces_are_found_by_any_part_of_two_characters() {
    check("表单", &["表单填写"]);
    check("请填写这份表单", &["表单填写"]);
}

#[test]
fn sentences_that_exclude_work_find_nothing() {
    let catalog = memory_catalog([
        ("churn", "Reduce churn. NOT for expansion revenue — use accounts for that.", &[][..]),
        ("accounts", "Grow the revenue of customers that stay.", &[]),
    ]);
    assert_eq!(found(&catalog, "expansion revenue"), ["accounts"]);
}

#[test]
fn the_more_words_suit_the_better() {
    check("write a changelog from git commits", &["release-notes"]);
    check("watch the rollout of services", &["kubernetes-rollouts"]);
}

#[test]
fn stopwords_alone_find_a_name_that_is_made_of_them() {
    check("how to", &["how-to"]);
    assert_eq!(found(&catalog(&[("pdf", "This is how to use it.")]), "how to"), [""; 0]);
}

#[test]
fn stopwords_beside_others_do_not_count() {
    let catalog = catalog(&[("how-to", "Answers."), ("deploy", "Ships.")]);
    assert_eq!(found(&catalog, "how to deploy"), ["deploy"]);
}

#[test]
fn the_name_outweighs_the_description() {
    let catalog = catalog(&[
        ("archive", "Packs pictures and other files into one."),
        ("pictures", "Packs archives and other files into one."),
    ]);
    assert_eq!(found(&catalog, "pictures"), ["pictures", "archive"]);
    assert_eq!(found(&catalog, "archives"), ["archive", "pictures"]);
}

#[test]
fn a_rare_word_outweighs_a_common_one() {
    let catalog = catalog(&[
        ("one", "Makes a report of sales."),
        ("two", "Makes a report of stock."),
        ("three", "Makes a report of genomes."),
        ("four", "Makes a plan of genomes and such."),
    ]);
    assert_eq!(found(&catalog, "report genomes")[..2], ["three", "four"]);
}

#[test]
fn a_short_description_outweighs_a_long_one_with_the_same_word() {
    let long = format!("Draws charts. {}", "It has many options that nobody asked of. ".repeat(20));
    let catalog = catalog(&[("a-long", &long), ("z-short", "Draws charts.")]);
    assert_eq!(found(&catalog, "charts"), ["z-short", "a-long"]);
}

#[test]
fn equal_skills_go_by_id() {
    let catalog = catalog(&[("c", "Same words."), ("a", "Same words."), ("b", "Same words.")]);
    assert_eq!(found(&catalog, "words"), ["a", "b", "c"]);
}

#[test]
fn what_no_skill_has_finds_nothing() {
    let catalog = catalog(&[("pdf", "Fills forms.")]);
    for query in ["zebra crossing", "!!!", "\u{0}\u{202e}", "12345"] {
        assert_eq!(found(&catalog, query), [""; 0], "{query:?} finds nothing");
    }
}

#[test]
fn a_hostile_query_is_cut() {
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
fn a_hostile_description_is_indexed() {
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
    assert_eq!(
        found(&catalog, "react-native")[0],
        "react-native",
        "parts count if the whole is no word"
    );
}

#[test]
fn an_abbreviation_is_found_by_its_long_form_and_back() {
    let catalog = catalog(&[
        ("kubernetes-rollouts", "Deploys services."),
        ("db-tuning", "Finds slow queries."),
        ("k9s", "Watches clusters."),
    ]);
    assert_eq!(found(&catalog, "k8s"), ["kubernetes-rollouts"]);
    assert_eq!(found(&catalog, "database"), ["db-tuning"]);
}

#[test]
fn a_long_form_counts_less_than_what_was_typed() {
    let catalog = catalog(&[("a-repository", "Cleans."), ("repo", "Cleans.")]);
    assert_eq!(found(&catalog, "repo"), ["repo", "a-repository"]);
}
