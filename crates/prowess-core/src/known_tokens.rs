//! Credentials that are known by their format: tokens and private keys.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use crate::strength::{MIN_DIFFERENT, is_mixed, is_placeholder};

/// Credentials in texts: the number of letters, digits, `_` and `-` that follow at least, and what
/// they start with.
fn tokens() -> impl Iterator<Item = (usize, &'static str)> {
    include_str!("known_tokens/starts.txt").lines().flat_map(|line| {
        let (least, starts) = line.split_once(' ').unwrap_or_default();
        let least = least.parse().unwrap_or(usize::MAX);
        starts.split(' ').map(move |start| (least, start))
    })
}

/// The same by their first byte: where texts are masked, each position of a word is looked up.
static BY_FIRST_BYTE: LazyLock<[Vec<(usize, &str)>; 128]> = LazyLock::new(|| {
    let mut tokens = [const { Vec::new() }; 128];
    for (least, start) in self::tokens() {
        tokens[usize::from(start.as_bytes()[0])].push((least, start));
    }
    tokens
});

/// Credentials by the form of their parts: a text, or characters of a class and their number, with
/// `+` at the least, and with `!` whatever follows. The classes are `a` of letters and digits, `d`
/// of digits, `h` of small hexadecimal digits, `m` of the letters by which Discord begins, and `w`
/// of the characters of a token.
const SHAPES: &str = include_str!("known_tokens/shapes.txt");

/// The same by their first byte, which each class may have: they are tried at each long word.
static SHAPES_BY_FIRST_BYTE: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
    let shapes: Vec<_> = SHAPES.lines().collect();
    let begins = |shape: &str, byte| [b'%', byte].contains(&shape.as_bytes()[0]);
    (0..128)
        .map(|byte| shapes.iter().copied().filter(|shape| begins(shape, byte)).collect())
        .collect()
});

/// The start of a PEM document in base64, and how those go on that are for everybody:
/// certificates and public keys.
const ENCODED: (&str, [&str; 2]) = ("LS0tLS1CRUdJTi", ["BDRVJU", "BQVUJM"]);

/// The start of each part of a JSON web token, and that of the claims of examples in documents.
const JWT: &[u8] = b"eyJ";
const EXAMPLE_CLAIMS: &[u8] = b"eyJzdWIiOiIxMjM0NTY3ODkw";

/// A private key in PEM form: what the first line has, how it may end, and the length of the next.
const PRIVATE_KEY: (&str, [&str; 3], usize) =
    ("PRIVATE KEY", ["-----", " BLOCK-----", " ----"], 40);

/// How far before the name of a private key its first line may begin, in bytes.
const FARTHEST_START: usize = 256;

/// How far behind the first line of a private key the next one may begin, in bytes.
const FARTHEST_LINE: usize = 32;

/// The length of the shortest token, of which each byte is one of a word or a dot.
const SHORTEST_TOKEN: usize = 20;

/// The shortest part behind a dot that belongs to a token, as in `SG.ID.SECRET`.
const LEAST_PART: usize = 16;

/// The length of the shortest shape, which is without blanks.
const SHORTEST_SHAPE: usize = 27;

/// How much of a token says whether it is random, in bytes.
const MOST_JUDGED: usize = 256;

/// The least number of digits in what has a shape.
const LEAST_DIGITS: usize = 3;

/// The shortest start, and the least behind it, of a token that was cut.
const LEAST_START: usize = 4;
const LEAST_CUT: usize = 10;

/// The length of the shortest token without digits.
const LEAST_LETTERS: usize = 24;

/// Returns where a text has a credential by its format, from a position on: a known token, or a
/// private key.
///
/// ```
/// use prowess_core::find_credential;
///
/// let text = "notes/ghp_a0B1c2D3e4F5a0B1c2D3e4F5a0B1c2D3e4F5.md";
/// assert_eq!(find_credential(text, 0), Some(6..46));
/// assert_eq!(find_credential("notes/ghp_example.md", 0), None);
/// ```
pub fn find_credential(text: &str, from: usize) -> Option<Range<usize>> {
    let found = [token(text.as_bytes(), from), whole_key(text, from)];
    found.into_iter().flatten().min_by_key(|range| range.start)
}

/// Finds a credential from a position on.
type Find = fn(&str, usize) -> Option<Range<usize>>;

/// Finds a credential, for each of their kinds, also one inside of a word: where
/// texts are masked, that costs nothing.
pub(crate) const MASKED: [Find; 3] = [
    |text, from| token_where(text.as_bytes(), from, |_| true),
    |text, from| cut_token(text.get(from..)?).map(|cut| from + cut.start..from + cut.end),
    whole_key,
];

/// Returns the first token whose end an ellipsis stands for, as messages cut long texts.
fn cut_token(text: &str) -> Option<Range<usize>> {
    let starts = || BY_FIRST_BYTE.iter().flatten().map(|(_, start)| *start);
    text.match_indices('…').find_map(|(end, _)| {
        let before = &text.as_bytes()[..end];
        let length = before.iter().rev().take_while(|byte| is_word(**byte)).count();
        let word = &before[end - length..];
        let is_start =
            |start: &&str| start.len() >= LEAST_START && word.starts_with(start.as_bytes());
        let start = starts().find(is_start)?;
        let is_cut = length >= start.len() + LEAST_CUT && is_random(&word[start.len()..]);
        is_cut.then_some(end - length..end)
    })
}

/// Returns where the first private key is, with its end.
fn whole_key(text: &str, from: usize) -> Option<Range<usize>> {
    let start = from + private_key(text.get(from..)?.as_bytes())?;
    let rest = &text[start..];
    let end = rest.find("-----END ").and_then(|at| Some(at + rest[at..].find("KEY-----")? + 8));
    Some(start..end.map_or(text.len(), |end| start + end))
}

/// Whether each byte is one of a word: every byte of every text is looked up.
const WORDS: [bool; 256] = {
    let mut words = [false; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        words[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        byte += 1;
    }
    words
};

pub(crate) fn is_word(byte: u8) -> bool {
    WORDS[usize::from(byte)]
}

/// Returns the first token from a position on that begins a word.
pub(crate) fn token(content: &[u8], from: usize) -> Option<Range<usize>> {
    token_where(content, from, |at| at == 0 || !content[at - 1].is_ascii_alphanumeric())
}

fn token_where(
    content: &[u8],
    from: usize,
    is_start: impl Fn(usize) -> bool,
) -> Option<Range<usize>> {
    // Shapes have slashes and colons as well.
    let is_part = |byte| is_word(byte) || matches!(byte, b'.' | b'/' | b':' | b'~');
    runs(content, from, SHORTEST_TOKEN, is_part).find_map(|run| {
        let mut end = 0;
        (run.start..=run.end - SHORTEST_TOKEN).find_map(|at| {
            // Where a word ends is found out once.
            end = if at < end { end } else { at + word_length(&content[at..]) };
            let length = is_start(at).then(|| token_length(&content[at..], end - at)).flatten();
            length.or_else(|| shaped(content, at)).map(|length| at..at + length)
        })
    })
}

/// Iterates over the parts of a text that have at least `least` bytes, each of a class. Hardly any
/// word is as long, so most are passed over by a look at one of their bytes.
pub(crate) fn runs(
    content: &[u8],
    from: usize,
    least: usize,
    is_part: impl Fn(u8) -> bool,
) -> impl Iterator<Item = Range<usize>> {
    let mut at = from;
    std::iter::from_fn(move || {
        loop {
            let window = content.get(at..at + least)?;
            let Some(other) = window.iter().rposition(|&byte| !is_part(byte)) else { break };
            at += other + 1;
        }
        let start = at;
        at += least;
        at += content[at..].iter().take_while(|&&byte| is_part(byte)).count();
        Some(start..at)
    })
}

/// Returns the length of what has a shape and begins a word here.
fn shaped(content: &[u8], at: usize) -> Option<usize> {
    let rest = &content[at..];
    let is_start = at == 0 || !content[at - 1].is_ascii_alphanumeric();
    let is_long = || rest.get(..SHORTEST_SHAPE)?.iter().all(u8::is_ascii_graphic).then_some(());
    let shapes = || SHAPES_BY_FIRST_BYTE.get(usize::from(rest[0])).into_iter().flatten();
    let length = || shapes().find_map(|shape| shape_length(rest, shape));
    is_start.then(is_long).flatten().and_then(|()| length())
}

/// Returns the length of what has a shape at the start of a text.
fn shape_length(text: &[u8], shape: &str) -> Option<usize> {
    let mut end = 0;
    for part in shape.split(' ') {
        let rest = &text[end..];
        end += match part.strip_prefix('%') {
            None => rest.starts_with(part.as_bytes()).then_some(part.len())?,
            Some(class) => {
                let is_in = |byte: &&u8| match class.as_bytes()[0] {
                    b'a' => byte.is_ascii_alphanumeric(),
                    b'd' => byte.is_ascii_digit(),
                    b'h' => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
                    b'm' => matches!(byte, b'M'..=b'O'),
                    _ => is_word(**byte),
                };
                let least = class[1..].trim_end_matches(['+', '!']).parse().ok()?;
                let most = if class.ends_with('!') { least } else { MOST_JUDGED };
                let length = rest.iter().take(most).take_while(is_in).count();
                let is_right = length == least || (length > least && class.ends_with('+'));
                is_right.then_some(length)?
            }
        };
    }
    let found = &text[..end];
    let digits = found.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_whole = !text.get(end).is_some_and(u8::is_ascii_alphanumeric);
    (is_whole && digits >= LEAST_DIGITS && is_random(found)).then_some(end)
}

fn word_length(text: &[u8]) -> usize {
    text.iter().take_while(|byte| is_word(**byte)).count()
}

/// Returns the length of the token that a text begins with, and of the parts behind its dots.
/// `first` is the length of its first word.
fn token_length(text: &[u8], first: usize) -> Option<usize> {
    let word = word_length;
    if text.starts_with(JWT) {
        let claims = first + 1;
        let rest = text.get(claims..).filter(|rest| rest.starts_with(JWT))?;
        let signature = claims + word(rest) + 1;
        let length = word(text.get(signature..)?);
        let is_token = length >= LEAST_PART && !rest.starts_with(EXAMPLE_CLAIMS);
        return is_token.then_some(signature + length);
    }
    if let Some(rest) = text.strip_prefix(ENCODED.0.as_bytes()) {
        let is_public = ENCODED.1.iter().any(|start| rest.starts_with(start.as_bytes()));
        let is_key = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
        let length = rest.iter().take_while(is_key).count();
        return (!is_public && length >= PRIVATE_KEY.2).then_some(ENCODED.0.len() + length);
    }
    BY_FIRST_BYTE.get(usize::from(*text.first()?))?.iter().find_map(|(least, start)| {
        let start = text.starts_with(start.as_bytes()).then_some(start.len())?;
        let mut end = if start <= first { first } else { start + word(&text[start..]) };
        let body = &text[start..end.min(start + MOST_JUDGED)];
        // An id of AWS has capitals, and one in 28 has no digit.
        let is_id = *least == LEAST_PART && body.len() == LEAST_PART && is_varied(body);
        let is_id = is_id && body.iter().all(u8::is_ascii_uppercase);
        if end < start + *least || !(is_id || is_random(body)) {
            return None;
        }
        while text.get(end) == Some(&b'.') && word(&text[end + 1..]) >= LEAST_PART {
            end += 1 + word(&text[end + 1..]);
        }
        Some(end)
    })
}

/// Returns where the first private key begins, in PEM form or that of PuTTY.
pub(crate) fn private_key(content: &[u8]) -> Option<usize> {
    pem_key(content).or_else(|| {
        let key = positions(content, b"PuTTY-User-Key-File-").next()?;
        positions(&content[key..], b"\nPrivate-Lines: ").next().map(|_| key)
    })
}

fn pem_key(content: &[u8]) -> Option<usize> {
    let (name, ends, length) = PRIVATE_KEY;
    positions(content, name.as_bytes()).find_map(|at| {
        let reach = at.saturating_sub(FARTHEST_START);
        let line = content[reach..at].iter().rposition(|&byte| byte == b'\n');
        let line = line.map_or(reach, |line| reach + line + 1);
        let is_start = |start: &[u8]| start == b"---- BEGIN" || start == b"----BEGIN ";
        let start = line + content[line..at].windows(10).position(is_start)?;
        let behind = &content[at + name.len()..];
        let rest = ends.iter().find_map(|end| behind.strip_prefix(end.as_bytes()))?;
        // A key in a document or a program has signs before its lines: `\n`, `// `, `" + "`.
        let reach = &rest[..rest.len().min(FARTHEST_LINE + length)];
        let is_key = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        let headers = ["Proc-Type:", "DEK-Info:", "Version:", "Comment:"];
        let has_headers =
            headers.iter().any(|header| positions(reach, header.as_bytes()).next().is_some());
        let is_key = has_headers || runs(reach, 0, length, is_key).next().is_some();
        // Of a longer line, the key alone.
        let is_line = line == 0 || content[line - 1] == b'\n';
        is_key.then_some(if is_line { line } else { start })
    })
}

pub(crate) fn is_random(token: &[u8]) -> bool {
    // Some tokens are letters alone, of both cases.
    let is_letters =
        || is_mixed(token) && str::from_utf8(token).is_ok_and(|token| !is_placeholder(token));
    let is_random =
        token.iter().any(u8::is_ascii_digit) || (token.len() >= LEAST_LETTERS && is_letters());
    is_random && is_varied(token)
}

fn is_varied(token: &[u8]) -> bool {
    let is_example = token.windows(7).any(|part| part.eq_ignore_ascii_case(b"example"));
    !is_example && token.iter().collect::<BTreeSet<_>>().len() >= MIN_DIFFERENT
}

/// Returns where a text occurs.
pub(crate) fn positions<'c>(content: &'c [u8], text: &'c [u8]) -> impl Iterator<Item = usize> + 'c {
    memchr::memmem::find_iter(content, text)
}
