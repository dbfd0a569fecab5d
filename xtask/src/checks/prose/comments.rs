//! The words of comments.

use super::{Habit, Hit, shipped};

const TELL: [&str; 4] = ["told", "tell", "tells", "telling"];
const WHO: [&str; 5] = ["who", "whoever", "whom", "nobody", "somebody"];
const WIDEST: usize = 100;

/// A line of a comment, without its marker.
struct CommentLine<'a> {
    number: usize,
    text: &'a str,
    /// Whether a paragraph begins here.
    is_first: bool,
}

/// The number of words in comments.
pub(super) fn words(text: &str) -> usize {
    comment_lines(text).map(|line| words_of(line.text).count()).sum()
}

/// The habits in comments.
pub(super) fn hits(text: &str) -> Vec<Hit> {
    let mut hits = wide_lines(text);
    for line in comment_lines(text) {
        let mut push = |habit| {
            hits.push(Hit { habit, line: line.number, excerpt: line.text.to_owned() });
        };
        for word in words_of(line.text) {
            let word = word.to_lowercase();
            if TELL.contains(&word.as_str()) {
                push(Habit::Tell);
            } else if WHO.contains(&word.as_str()) {
                push(Habit::Who);
            }
        }
        let opens = words_of(line.text).next() == Some("What");
        if line.is_first && opens && !line.text.trim_end().ends_with('?') {
            push(Habit::What);
        }
    }
    hits
}

fn wide_lines(text: &str) -> Vec<Hit> {
    let lines = shipped(text).lines().enumerate();
    // An address in a string has no blank after its slashes.
    let is_comment = |line: &str| line.contains("// ") || line.trim_start().starts_with("//");
    let wide = lines.filter(|(_, line)| is_comment(line) && line.chars().count() > WIDEST);
    wide.map(|(index, line)| Hit {
        habit: Habit::Wide,
        line: index + 1,
        excerpt: line.trim().to_owned(),
    })
    .collect()
}

/// The lines that are nothing but a comment, without the code of examples.
fn comment_lines(text: &str) -> impl Iterator<Item = CommentLine<'_>> {
    let mut is_in_example = false;
    let mut is_first = true;
    shipped(text).lines().enumerate().filter_map(move |(index, line)| {
        let Some(comment) = line.trim_start().strip_prefix("//") else {
            is_first = true;
            is_in_example = false;
            return None;
        };
        let comment = comment.trim_start_matches(['/', '!']).trim();
        if comment.starts_with("```") {
            is_in_example = !is_in_example;
        }
        if is_in_example || comment.is_empty() || comment.starts_with("```") {
            is_first = true;
            return None;
        }
        let line = CommentLine { number: index + 1, text: comment, is_first };
        is_first = false;
        Some(line)
    })
}

fn words_of(line: &str) -> impl Iterator<Item = &str> {
    let word = |word: &&str| word.chars().any(char::is_alphabetic);
    line.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '_').filter(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[Habit]) {
        let found: Vec<_> = hits(text).iter().map(|hit| hit.habit).collect();
        assert!(found == expected, "{text:?} has {} hits", found.len());
    }

    #[test]
    fn habits_are_counted_in_comments_only() {
        check("/// Reports a change.\nlet told = 1;\n", &[]);
        check("// It is told, and who hears?\n", &[Habit::Tell, Habit::Who]);
        check("/// ```\n/// told\n/// ```\n", &[]);
    }

    #[test]
    fn a_paragraph_that_opens_with_what_is_counted_once() {
        check("/// What is kept.\n/// What else.\n", &[Habit::What]);
        check("/// Text.\n///\n/// What is kept.\n", &[Habit::What]);
        check("// What is it?\n", &[]);
    }

    #[test]
    fn modules_of_tests_are_left_out() {
        check("#[cfg(test)]\nmod tests {\n    // Nobody.\n}\n", &[]);
    }
}
