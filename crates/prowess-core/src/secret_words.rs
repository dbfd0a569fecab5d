//! Random words of a text that a word before them calls a secret, whatever the syntax is: shells,
//! XML, tables of Markdown, `.netrc`, sentences.

use std::ops::Range;

use crate::credentials::is_secret_name;
use crate::known_tokens::runs;
use crate::strength::{LEAST_OF_KEY, is_random_word, is_strong};

/// Names that are those of a secret before a random word, and may be others elsewhere.
const NAMES: &str = "_auth auth basic bearer convertto-securestring credential credentials \
    identified kennwort pass passcode passwort pwd ssws";

/// Words between a name and its value.
const BETWEEN: &str = "-string a as be by default is set str string the to val value was";
const MOST_BETWEEN: usize = 3;

/// How far before its value a name may begin, in bytes.
const REACH: usize = 80;

/// The shortest such word, and the longest: each of its parts is looked at.
const LEAST: usize = 16;
const LONGEST: usize = 1024;

/// The words before `key` that make it one for everybody, or one of data.
const OTHER_KEYS: &str = "anon cache collection context content custom data dedupe dedup file foreign \
    group hash host idempotency index lookup map object partition primary public publishable query \
    row s3 shard site sort storage unique";

/// Whether each byte may be one of such a word: blanks, brackets, quotes and some signs end it.
static PARTS: [bool; 256] = {
    let mut parts = [true; 256];
    let mut ends: &[u8] = b" \t\n\x0b\x0c\r<>()[]{}\"'`|,;\\";
    while let [end, rest @ ..] = ends {
        parts[*end as usize] = false;
        ends = rest;
    }
    parts
};

/// Returns where the first such word begins.
pub(crate) fn secret_word(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    // The end of the last line with a run, and whether that line has a digit, as few have.
    let (mut end, mut has_digit) = (0, false);
    let is_with_digit = |run: &Range<usize>| {
        if run.start >= end {
            let start = memchr::memrchr(b'\n', &bytes[end..run.start]).map_or(end, |at| end + at);
            let length = memchr::memchr(b'\n', &bytes[run.end..]);
            end = length.map_or(bytes.len(), |length| run.end + length);
            has_digit = bytes[start..end].iter().any(u8::is_ascii_digit);
        }
        has_digit
    };
    // Hardly any word is as long, which is found out first.
    let mut runs = runs(bytes, 0, LEAST, |byte| PARTS[usize::from(byte)]).filter(is_with_digit);
    runs.find_map(|run| secret_in_run(text, run))
}

/// Returns where the first such word begins in a part of a text that only other blanks than those
/// of ASCII split.
fn secret_in_run(text: &str, run: Range<usize>) -> Option<usize> {
    let mut at = run.start;
    text[run].split_inclusive(char::is_whitespace).find_map(|piece| {
        let (start, word) = (at, piece.trim_end());
        at += piece.len();
        let parts = || {
            let behind = word.match_indices([':', '=']).map(|(at, _)| at + 1);
            let flag = word.starts_with("-p").then_some(2);
            [0].into_iter().chain(flag).chain(behind)
        };
        let is_secret = |part: &usize| {
            let value = &word[*part..];
            let is_long = || value.len() >= LEAST && is_named(&text[..start + part], value);
            is_random_word(value)
                && is_strong(value, false)
                && (is_given(&text[..start], word, *part) || is_long())
        };
        if !(LEAST..=LONGEST).contains(&word.len()) || word.contains("://") {
            return None;
        }
        parts().find(is_secret).map(|part| start + part)
    })
}

/// Returns whether the text before a value ends with the name of a secret.
fn is_named(before: &str, value: &str) -> bool {
    let reach = &before[before.ceil_char_boundary(before.len().saturating_sub(REACH))..];
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let is_any = |word: &&str| word.contains(|c: char| c.is_ascii_alphanumeric());
    let mut words = reach.rsplit(|c: char| !is_word(c)).filter(is_any);
    let mut between = 0;
    let last = loop {
        let Some(word) = words.next() else { return false };
        if between == MOST_BETWEEN || !has(BETWEEN, word) {
            break word;
        }
        between += 1;
    };
    let gap = reach.rfind(last).map_or("", |at| &reach[at + last.len()..]);
    // In another line, only a word such as `value` leads on to it.
    let is_near = between > 0 || !gap.contains('\n');
    let mut is_two = || words.next().is_some_and(|first| is_secret_name(&format!("{first}{last}")));
    is_near
        && (is_secret_name(last)
            || has(NAMES, last)
            || (value.len() >= LEAST_OF_KEY && is_key_name(last))
            || is_two())
}

/// Returns whether a name is that of some key, such as `ADMIN_KEY` and `fernetKey`.
fn is_key_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let start = lower.strip_suffix("key").map(|start| start.trim_end_matches(['_', '-', '.']));
    let is_other = |start: &str| OTHER_KEYS.split(' ').any(|word| start.ends_with(word));
    start.is_some_and(|start| !start.is_empty() && !is_other(start))
}

/// Returns whether a part of a word is the password that a command is given, or that of a line of
/// `.pgpass`.
fn is_given(before: &str, word: &str, part: usize) -> bool {
    let reach = &before[before.ceil_char_boundary(before.len().saturating_sub(LONGEST))..];
    let line = reach.rsplit('\n').next().unwrap_or_default();
    let option = line.split_whitespace().next_back().unwrap_or_default();
    let runs = |programs: &str| line.split_whitespace().any(|word| has(programs, word));
    let is_account = part > 0 && matches!(option, "-u" | "--user" | "--proxy-user");
    let is_attached =
        part == 2 && word.starts_with("-p") && runs("mysql mysqldump mysqladmin mariadb");
    let is_option = part == 0 && option == "-p" && runs("login sshpass");
    let fields: Vec<_> = word[..part].split(':').collect();
    let is_port = |field: &&str| *field == "*" || field.bytes().all(|byte| byte.is_ascii_digit());
    let is_pgpass = matches!(fields[..], [host, port, _, _, ""] if !host.is_empty() && is_port(&port))
        && !word[part..].contains(':');
    is_account || is_attached || is_option || is_pgpass
}

fn has(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known.eq_ignore_ascii_case(word))
}
