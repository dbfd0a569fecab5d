//! The commonest commands: a single simple command whose words need no quotes.
//!
//! They take a fifth of the time of the full reader, which tests hold equal to this one.

use super::filter::RESERVED;
use super::{MAX_COMMAND_BYTES, SimpleCommand};

/// Returns the command if each of its characters is a blank or means only itself to every shell;
/// `None` leaves it to the full reader.
pub(super) fn command(command: &str) -> Option<SimpleCommand> {
    let is_short = command.len() <= MAX_COMMAND_BYTES;
    // `bash -c` takes a command that begins with `-` or `+` for an option.
    if !is_short || command.starts_with(['-', '+']) || !command.bytes().all(is_plain) {
        return None;
    }
    let words: Vec<_> =
        command.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    let name = words.first()?;
    let is_command = !name.contains('=') && !RESERVED.contains(&name.as_str());
    is_command.then_some(SimpleCommand { words })
}

/// Returns whether a byte is a blank, or is literal at each position of a word. An `=` is so in
/// each word but the first.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b" -_./:,@%+=".contains(&byte)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{parsed, shell_commands};
    use super::*;

    /// Checks that the full reader agrees with each command that this one reads. Returns whether
    /// it reads the command.
    fn check(text: &str) -> bool {
        let Some(plain) = command(text) else { return false };
        assert_eq!(parsed(text), Ok(vec![plain]), "{text:?}");
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
    fn builtins_are_not_passed_by() {
        for text in ["eval a", "source a", "test -v a", "printf -v a b", "%1", "command rm x"] {
            assert!(command(text).is_some(), "{text} has plain words");
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
    }
}
