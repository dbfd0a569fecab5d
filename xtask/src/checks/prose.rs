//! `cargo xtask prose`: counts the habits of language in comments that the house style avoids, per
//! 10,000 words. Modules of tests at the end of a source file are left out.

use super::tidy::repository::{Repository, TextFile};
use crate::process::Failure;

/// The habits: a form of the first verb that the house style avoids, a pronoun for persons, a
/// paragraph that opens with "What" and is no question, and a comment of more than 100 columns.
const HABITS: [&str; 4] = ["told/tell", "who", "What …", "wide"];

const TELL: [&str; 4] = ["told", "tell", "tells", "telling"];
const WHO: [&str; 5] = ["who", "whoever", "whom", "nobody", "somebody"];
const WIDEST: usize = 100;

/// The parts of the repository, each with the numbers to stay at or below. They are only lowered.
const TREES: [(&str, [f64; HABITS.len()]); 6] = [
    ("crates", [2.0, 3.0, 3.0, 0.0]),
    ("tests", [2.0, 9.0, 27.0, 17.0]),
    ("plugins", [2.0, 3.0, 3.0, 9.0]),
    ("examples", [2.0, 3.0, 3.0, 0.0]),
    ("benches", [2.0, 3.0, 3.0, 0.0]),
    ("xtask", [2.0, 3.0, 3.0, 0.0]),
];

/// Returns the tree of a file.
fn tree_of(file: &TextFile) -> Option<&str> {
    if !file.path.ends_with(".rs") {
        return None;
    }
    match file.path.split('/').collect::<Vec<_>>()[..] {
        ["crates" | "plugins" | "examples", _, "tests", ..] | ["xtask", "tests", ..] => {
            Some("tests")
        }
        [tree @ ("crates" | "plugins" | "examples"), _, "src", ..]
        | [tree @ ("benches" | "xtask"), "src", ..] => Some(tree),
        _ => None,
    }
}

/// Prints the counts of each tree, or each hit in one.
pub(crate) fn run(name: Option<&str>) -> Result<(), Failure> {
    let repository = Repository::read(&crate::root())?;
    if let Some(name) = name {
        for file in repository.files.iter().filter(|file| tree_of(file) == Some(name)) {
            for (habit, line, text) in hits(&file.text) {
                println!("{}:{line}: {}: {text}", file.path, HABITS[habit]);
            }
        }
        return Ok(());
    }
    println!("{:<10}{:>8}{}", "tree", "words", HABITS.map(|habit| format!("{habit:>10}")).concat());
    for (tree, limits) in TREES {
        let (words, rates) = rates(&repository, tree);
        println!("{tree:<10}{words:>8}{}", rates.map(|rate| format!("{rate:>10.1}")).concat());
        println!("{:<18}{}", "  at most", limits.map(|limit| format!("{limit:>10}")).concat());
    }
    Ok(())
}

/// Reports each habit of which a tree has too much.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let mut problems = Vec::new();
    for (tree, limits) in TREES {
        let (_, rates) = rates(repository, tree);
        for ((habit, rate), limit) in HABITS.iter().zip(rates).zip(limits) {
            if rate > limit {
                problems.push(format!(
                    "{habit} in {tree}: {rate:.1} per 10,000 words, at most {limit}; \
                     `cargo xtask prose {tree}` lists them"
                ));
            }
        }
    }
    problems
}

/// Returns the number of words of a tree, and how often each habit occurs per 10,000 of them.
fn rates(repository: &Repository, tree: &str) -> (usize, [f64; HABITS.len()]) {
    let mut words = 0;
    let mut counts = [0; HABITS.len()];
    for file in repository.files.iter().filter(|file| tree_of(file) == Some(tree)) {
        words += comment_lines(&file.text).map(|line| words_of(line.text).count()).sum::<usize>();
        hits(&file.text).iter().for_each(|(habit, ..)| counts[*habit] += 1);
    }
    (words, counts.map(|count: usize| count as f64 * 10_000.0 / words.max(1) as f64))
}

/// A line of a comment, without its marker.
struct CommentLine<'a> {
    number: usize,
    text: &'a str,
    /// Whether a paragraph begins here.
    is_first: bool,
}

/// Returns the habits in a text, each as its index, the line and the text there.
fn hits(text: &str) -> Vec<(usize, usize, &str)> {
    let mut hits = Vec::new();
    for (line, number) in shipped(text).lines().zip(1..) {
        // An address in a string has no blank after its slashes.
        let is_comment = line.contains("// ") || line.trim_start().starts_with("//");
        if is_comment && line.chars().count() > WIDEST {
            hits.push((3, number, line.trim()));
        }
    }
    for CommentLine { number, text, is_first } in comment_lines(text) {
        for word in words_of(text) {
            let word = word.to_lowercase();
            for (habit, words) in [&TELL[..], &WHO].into_iter().enumerate() {
                hits.extend(words.contains(&&*word).then_some((habit, number, text)));
            }
        }
        if is_first && words_of(text).next() == Some("What") && !text.ends_with('?') {
            hits.push((2, number, text));
        }
    }
    hits
}

/// Returns the lines that are nothing but a comment, without the code of examples.
fn comment_lines(text: &str) -> impl Iterator<Item = CommentLine<'_>> {
    let mut is_in_example = false;
    let mut is_first = true;
    shipped(text).lines().zip(1..).filter_map(move |(line, number)| {
        let Some(comment) = line.trim_start().strip_prefix("//") else {
            (is_first, is_in_example) = (true, false);
            return None;
        };
        let text = comment.trim_start_matches(['/', '!']).trim();
        let is_fence = text.starts_with("```");
        is_in_example ^= is_fence;
        if is_in_example || is_fence || text.is_empty() {
            is_first = true;
            return None;
        }
        Some(CommentLine { number, text, is_first: std::mem::take(&mut is_first) })
    })
}

/// Returns the text as far as its module of tests, which stands last in a file.
pub(crate) fn shipped(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod ").next().unwrap_or(text)
}

fn words_of(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '_');
    words.filter(|word| word.chars().any(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::super::tidy::tests::expect;
    use super::*;

    #[test]
    fn habits_are_counted_in_comments() {
        for (text, expected) in [
            ("/// Reports a change.\nlet told = 1;\n", &[][..]),
            ("// It is told, and who hears?\n", &[0, 1]),
            ("/// ```\n/// told\n/// ```\n", &[]),
            ("/// What is kept.\n/// What else.\n", &[2]),
            ("/// Text.\n///\n/// What is kept.\n", &[2]),
            ("// What is it?\n", &[]),
            ("#[cfg(test)]\nmod tests {\n    // Nobody.\n}\n", &[]),
        ] {
            assert_eq!(
                hits(text).iter().map(|hit| hit.0).collect::<Vec<_>>(),
                expected,
                "{text:?}"
            );
        }
        let wide = format!("let x = 1; // {}\n", "x".repeat(WIDEST));
        assert_eq!(hits(&wide).len(), 1, "a comment behind code may be wide, too");
    }

    #[test]
    fn tree_over_its_limit_is_reported() {
        let mut repository = Repository::sample();
        repository.write("plugins/own/src/lib.rs", "//! Words that nobody reads.\n");
        expect(check, &repository, &["who in plugins: 2500.0 per 10,000 words, at most 3"]);
    }
}
