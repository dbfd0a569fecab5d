//! Wording that reviewers found hard to read does not come back.

use super::repository::{Repository, TextFile};
use crate::checks::prose::shipped;

/// Sentences of the reviews, in lower case, without those that have a cause or a word below. `…`
/// stands for a few words.
const REVIEWED: [&str; 38] = [
    // The twenty sentences.
    "say everything that is wrong here",
    "has it look again",
    "say what plugins there are",
    "check one, begin one",
    "is no library: it begins like",
    "a file of policies, such as",
    "take the built-in sources from",
    "how a skill suits",
    "is begun: ",
    "are known and not offered",
    "cannot be searched for skills: the operating system refuses",
    "there is no skill in what was named",
    "nothing that it needs is missing",
    "the prompt leaves it out",
    "about in all, for each model call",
    "a bound that bites",
    "takes its place is asked about again",
    "for the next who loads it",
    "for sources that are far away",
    "has taken back the trust in its folder, speaks no more",
    // The runners-up.
    "stands twice",
    "part it by lines such as",
    "a line `---` behind the last field",
    "the bracket of … is not closed",
    "name a folder of one project",
    "keep nothing of it for the next start",
    "lead round in a circle",
    "who ranks skills for",
    "begins a runtime",
    "thread is left to itself",
    "the words of architecture.md, without synonyms",
    "a result to give back",
    // Their recurring causes.
    "told of",
    "heard of",
    "who hears",
    "there is no place",
    "in the stead of",
    "a stranger may stand",
];

/// Single words of the reviews.
const WORDS: [&str; 6] = ["anew", "mend", "mended", "mending", "mends", "shall"];

/// The most characters that `…` stands for.
const GAP: usize = 60;

/// The directories and files whose text a user reads: strings and documentation of libraries and
/// programs, guides, examples and embedded skills. Tests may quote an old sentence, the changelog
/// too, and a fixture is a copy of an old version.
const READ: [&str; 7] = [
    "crates/",
    "plugins/",
    "examples/",
    "README.md",
    "ARCHITECTURE.md",
    "SECURITY.md",
    "CONTRIBUTING.md",
];

const KINDS: [&str; 4] = [".rs", ".md", ".yaml", ".toml"];

/// A list of words, not prose.
const STOP_WORDS: &str = "crates/prowess-search/src/stopwords.rs";

/// Reports each place with a reviewed wording.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    repository.files.iter().filter(is_read).flat_map(problems).collect()
}

fn is_read(file: &&TextFile) -> bool {
    let path = file.path.as_str();
    READ.iter().any(|part| path.starts_with(part))
        && KINDS.iter().any(|kind| path.ends_with(kind))
        && !["/tests/", "/benches/", "/fixtures/", "/fuzz/"].iter().any(|part| path.contains(part))
        && path != STOP_WORDS
}

fn problems(file: &TextFile) -> Vec<String> {
    let prose = Prose::new(file);
    let reviewed = REVIEWED.iter().filter_map(|wording| Some((wording, prose.find(wording)?)));
    let words = WORDS.iter().filter_map(|word| Some((word, prose.find_word(word)?)));
    let found = reviewed.chain(words);
    found.map(|(wording, line)| format!("{}:{line}: reword `{wording}`", file.path)).collect()
}

/// The text of a file on one line and in lower case: a sentence may be wrapped in a comment, in a
/// document or in a string.
struct Prose {
    text: String,
    /// The position in `text` at which each line begins.
    lines: Vec<usize>,
}

impl Prose {
    fn new(file: &TextFile) -> Self {
        let is_code = file.path.ends_with(".rs");
        let shipped = if is_code { shipped(&file.text) } else { &file.text };
        let mut text = String::new();
        let mut lines = Vec::new();
        for line in shipped.lines() {
            lines.push(text.len());
            let line = if is_code { without_marks(line) } else { line.trim() };
            for word in line.to_lowercase().split_whitespace() {
                text.push_str(word);
                text.push(' ');
            }
        }
        Self { text, lines }
    }

    /// Returns the line on which a wording begins.
    fn find(&self, wording: &str) -> Option<usize> {
        let (head, tail) = wording.split_once(" … ").unwrap_or((wording, ""));
        self.text.match_indices(head).find_map(|(at, _)| {
            let rest = &self.text[at + head.len()..];
            let near =
                rest.char_indices().nth(GAP + tail.len()).map_or(rest, |(end, _)| &rest[..end]);
            near.contains(tail).then(|| self.line(at))
        })
    }

    fn find_word(&self, word: &str) -> Option<usize> {
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let (at, _) = self.text.match_indices(word).find(|(at, _)| {
            !self.text[..*at].ends_with(is_letter)
                && !self.text[at + word.len()..].starts_with(is_letter)
        })?;
        Some(self.line(at))
    }

    fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at)
    }
}

/// Returns a line of code without the marks of a comment and of a string that goes on.
fn without_marks(line: &str) -> &str {
    let line = line.trim();
    let line = line.strip_prefix("//").map_or(line, |rest| rest.trim_start_matches(['/', '!']));
    line.strip_suffix('\\').unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::super::tests::expect;
    use super::*;

    fn with(path: &str, text: &str, parts: &[&str]) {
        let mut repository = Repository::sample();
        repository.write(path, text);
        expect(check, &repository, parts);
    }

    #[test]
    fn reviewed_wording_is_reported() {
        let code = "fn f() {\n    say(\"a bound that \\\n         bites\");\n}\n";
        with("crates/low/src/f.rs", code, &["f.rs:2: reword `a bound that bites`"]);
        let macros = "fn f() { format!(\"`{dir}` is begun: {path}\") }\n";
        with("plugins/own/src/lib.rs", macros, &["lib.rs:1: reword `is begun: `"]);
        let docs = "//! Text.\n\n/// Begins\n/// a runtime.\nfn f() {}\n";
        with("crates/low/src/f.rs", docs, &["f.rs:3: reword `begins a runtime`"]);
        with(
            "README.md",
            "A\n\nSay what\nplugins there are.\n",
            &["README.md:3: reword `say what"],
        );
        with("examples/a/README.md", "How a skill suits\n", &["reword `how a skill suits`"]);
        with(
            "crates/low/skills/a/SKILL.md",
            "A result to give back.\n",
            &["a result to give back"],
        );
        with(
            "crates/low/low.example.yaml",
            "a: 1 # for sources that are far away\n",
            &["yaml:1: "],
        );
    }

    #[test]
    fn words_in_the_place_of_the_dots_do_not_matter() {
        let reported = ["crates/low/DIAGNOSTICS.md:1: reword `the bracket of … is not closed`"];
        with(
            "crates/low/DIAGNOSTICS.md",
            "error: the bracket of `tags` is not closed\n",
            &reported,
        );
        let far = format!("the bracket of {} is not closed\n", "x ".repeat(40));
        with("crates/low/DIAGNOSTICS.md", &far, &[]);
    }

    #[test]
    fn single_word_is_reported_where_it_is_a_word() {
        with("README.md", "It is read anew.\n", &["README.md:1: reword `anew`"]);
        with("README.md", "An amendment of `shallow`.\n", &[]);
    }

    #[test]
    fn tests_and_the_changelog_may_quote_it() {
        with("crates/low/tests/it/f.rs", "// It is mended.\n", &[]);
        let tests = "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    // It shall.\n}\n";
        with("crates/low/src/f.rs", tests, &[]);
        let changelog = Repository::sample().text("CHANGELOG.md").unwrap_or_default().to_owned();
        with("CHANGELOG.md", &(changelog + "- `a bound that bites` is reworded.\n"), &[]);
    }
}
