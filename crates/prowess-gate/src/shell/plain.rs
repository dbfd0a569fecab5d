//! The commonest commands: lists of simple commands whose words are plain, or in quotes as a whole.
//!
//! They take a fifth of the time of the full reader, which tests hold equal to this one.

use super::filter::RESERVED;
use super::{MAX_COMMAND_BYTES, MAX_SIMPLE_COMMANDS, SimpleCommand};

/// Returns the simple commands if each word is literal to every shell at first sight; `None`
/// leaves the command to the full reader.
pub(super) fn commands(command: &str) -> Option<Vec<SimpleCommand>> {
    // `bash -c` takes a command that begins with `-` or `+` for an option.
    if command.len() > MAX_COMMAND_BYTES || command.starts_with(['-', '+']) {
        return None;
    }
    let mut commands = Vec::new();
    let mut rest = Some(command);
    while let Some(command) = rest {
        let (simple, end) = simple_command(command)?;
        commands.push(simple);
        rest = next_command(end)?;
    }
    (commands.len() <= MAX_SIMPLE_COMMANDS).then_some(commands)
}

/// Takes a simple command with a plain name. Returns it and what follows.
fn simple_command(text: &str) -> Option<(SimpleCommand, &str)> {
    let (name, mut rest) = plain_word(text.trim_start_matches(' '))?;
    if name.contains('=') || RESERVED.contains(&name) {
        return None;
    }
    let mut words = vec![name.to_owned()];
    loop {
        // A word ends at a blank or an operator.
        if !rest.is_empty() && !rest.starts_with([' ', ';', '|', '&']) {
            return None;
        }
        rest = rest.trim_start_matches(' ');
        let word = match rest.as_bytes().first() {
            Some(b'\'' | b'"') => quoted_word(rest),
            _ => plain_word(rest),
        };
        let Some((word, end)) = word else { return Some((SimpleCommand { words }, rest)) };
        words.push(word.to_owned());
        rest = end;
    }
}

/// Takes the operator in front of the next simple command. `Some(None)` is the end of the command,
/// and `None` is another operator.
fn next_command(text: &str) -> Option<Option<&str>> {
    if text.is_empty() {
        return Some(None);
    }
    if let Some(next) = text.strip_prefix(';') {
        let is_last = next.trim_start_matches(' ').is_empty();
        return Some((!is_last).then_some(next));
    }
    let operator = ["&&", "||", "|"].into_iter().find_map(|operator| text.strip_prefix(operator));
    operator.map(Some)
}

fn plain_word(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().position(|byte| !is_plain(byte)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// Takes a word in quotes in which each character means itself.
fn quoted_word(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next()?;
    let (word, rest) = text[1..].split_once(quote)?;
    word.bytes().all(|byte| is_plain_in(quote, byte)).then_some((word, rest))
}

/// Returns whether a byte is literal at each position of a word. An `=` is so in each word but the
/// first.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_./:,@%+=".contains(&byte)
}

/// Returns whether a byte between these quotes is literal.
fn is_plain_in(quote: char, byte: u8) -> bool {
    let is_printable = matches!(byte, b' '..=b'~');
    is_printable && (quote == '\'' || !b"$`\\!".contains(&byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{parsed, shell_commands};
    use super::*;

    /// Checks that the full reader agrees with each command that this one reads. Returns whether
    /// it reads the command.
    fn check(text: &str) -> bool {
        let Some(plain) = commands(text) else { return false };
        assert_eq!(parsed(text), Ok(plain), "{text:?}");
        true
    }

    #[test]
    fn corpora_are_read_alike() {
        let files = [
            include_str!("../../tests/data/harmless.txt"),
            include_str!("../../tests/data/hostile.txt"),
        ];
        let lines = files.iter().flat_map(|file| file.lines());
        let read = lines.filter(|line| check(line)).count();
        assert!(read >= 100, "{read} lines of the corpora are plain");
    }

    #[test]
    fn words_of_shells_are_read_alike() {
        let names = RESERVED.iter().copied().chain(["eval", "test", "[", "%1", "a=b", "x:y", "."]);
        for name in names {
            for text in [name.to_owned(), format!("{name} a"), format!("  a  {name} ")] {
                check(&text);
            }
        }
    }

    #[test]
    fn lists_and_quotes_are_read_here() {
        let expected: [(&str, &[&[&str]]); 6] = [
            ("git commit -m 'a; b'", &[&["git", "commit", "-m", "a; b"]]),
            ("git log \"--format=%h (%s)\"", &[&["git", "log", "--format=%h (%s)"]]),
            ("git add -A&&git push", &[&["git", "add", "-A"], &["git", "push"]]),
            ("git log|head -3 || true", &[&["git", "log"], &["head", "-3"], &["true"]]),
            ("git fetch; git status ; ", &[&["git", "fetch"], &["git", "status"]]),
            ("git commit -m ''", &[&["git", "commit", "-m", ""]]),
        ];
        for (text, expected) in expected {
            let read = commands(text).expect("each word is plain or in quotes");
            let words: Vec<_> = read.iter().map(|command| &command.words[..]).collect();
            assert_eq!(words, expected, "{text}");
            check(text);
        }
    }

    #[test]
    fn other_operators_are_left_to_the_full_reader() {
        let texts = [
            "",
            " ",
            ";",
            "a ;; b",
            "a &",
            "a & b",
            "a |& b",
            "a &&& b",
            "a ||| b",
            "a &&",
            "| a",
            "a > b",
            "a 2>b",
            "a 'b",
            "a \"$b\"",
            "a \"`b`\"",
            "a \"\\b\"",
            "a b'c'",
            "a 'b'c",
            "'a' b",
            "a 'b\tc'",
            "a\nb",
            "a # b",
            "a; if b",
            "a && b=c d",
            "a | ! b",
            "-a",
            "+a",
        ];
        for text in texts {
            assert_eq!(commands(text), None, "{text:?}");
        }
    }

    #[test]
    fn builtins_are_not_passed_by() {
        let builtins = ["eval a", "source a", "test -v a", "printf -v a b", "%1", "command rm x"];
        let last = ["git status && eval a", "git log | source 'a b'", "git log; test \"-v\" a"];
        for text in builtins.into_iter().chain(last) {
            assert!(commands(text).is_some(), "{text} has plain words");
            assert!(shell_commands(text).is_err(), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn plain_commands_are_read_alike(text in "[a-z0-9 =:%@+./,_-]{0,24}") {
            check(&text);
        }

        #[test]
        fn commands_of_any_characters_are_read_alike(text in "[ -~\n\t\u{a0}\u{e9}]{0,12}") {
            check(&text);
        }

        #[test]
        fn commands_of_words_are_read_alike(
            words in prop::collection::vec(
                prop::sample::select(vec![
                    "git", "if", "time", "in", "do", "a=b", "--x=y", "=", "-", "1", "2", "function",
                    "coproc", "select", "then", ".", ":", "%", "@", "",
                ]),
                0..5,
            ),
        ) {
            check(&words.join(" "));
        }

        #[test]
        fn lists_of_commands_are_read_alike(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "git", "a=b", "if", "[", "x", "'a b'", "'a; $b'", "\"c d\"", "\"e'f\"", "''", "'", "\"",
                    "\\", "&&", "||", ";", "|", "&", " ", " ", " ", " ", "$x", "#", "\n", "{}", "!", "~",
                ]),
                0..12,
            ),
        ) {
            check(&parts.concat());
        }
    }
}
