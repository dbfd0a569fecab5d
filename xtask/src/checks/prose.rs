//! `cargo xtask prose`: the habits of language in comments that the house style avoids. Modules of
//! tests at the end of a source file are left out.

use super::tidy::repository::Repository;
use crate::process::Failure;

/// The habits, each with the number to stay at or below, which is only lowered: a form of the first
/// verb that the house style avoids, a pronoun for persons, a paragraph that opens with "What" and
/// is no question, and a comment of more than 100 columns.
const HABITS: [(&str, usize); 4] = [("told/tell", 12), ("who", 45), ("What …", 115), ("wide", 45)];

const TELL: [&str; 4] = ["told", "tell", "tells", "telling"];
const WHO: [&str; 5] = ["who", "whoever", "whom", "nobody", "somebody"];
const WIDEST: usize = 100;

pub(crate) fn run() -> Result<(), Failure> {
    all(&Repository::read(&crate::root())?).concat().iter().for_each(|hit| println!("{hit}"));
    Ok(())
}

/// Reports each habit of which there is too much.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let all = all(repository).into_iter().zip(HABITS);
    let many = all.filter(|(hits, (_, limit))| hits.len() > *limit);
    many.map(|(hits, (habit, limit))| {
        format!("{habit}: {}, at most {limit}; `cargo xtask prose` lists them", hits.len())
    })
    .collect()
}

/// Returns the places of each habit.
fn all(repository: &Repository) -> [Vec<String>; HABITS.len()] {
    let mut all = [const { Vec::new() }; HABITS.len()];
    for file in repository.files.iter().filter(|file| file.path.ends_with(".rs")) {
        for (habit, line, text) in hits(&file.text) {
            all[habit].push(format!("{}:{line}: {}: {text}", file.path, HABITS[habit].0));
        }
    }
    all
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
    fn habit_over_its_limit_is_reported() {
        let mut repository = Repository::sample();
        repository.write("plugins/own/src/lib.rs", &"// Words that nobody reads.\n".repeat(46));
        expect(check, &repository, &["who: 46, at most 45"]);
    }
}
