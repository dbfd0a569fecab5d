//! Credentials in texts that other parts store or show: passwords, tokens and keys.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::iter::Peekable;
use std::ops::Range;

use crate::known_tokens::{MASKED, find_credential, is_word, positions};
use crate::strength::{SCHEMES, is_scheme, is_strong};

/// The text in place of a secret.
pub const REDACTED: &str = "[REDACTED]";

/// The ends of the names whose values are secrets, in lower case and without `-` and `_`.
const SECRET_NAMES: [&str; 14] = [
    "apikey", "accesskey", "accountkey", "encryptionkey", "privatekey", "secretkey",
    "secretkeybase", "signingkey", "password", "passwd", "passphrase", "secret", "token",
    "authorization",
];

/// Further words in the names of parameters of URLs that are credentials, such as
/// `X-Amz-Signature`.
const PARAMETERS: [&str; 7] = ["auth", "credential", "jwt", "key", "pwd", "sig", "signature"];

/// The shortest user of a URL that is a token.
const LEAST_USER: usize = 20;

/// How often a text with percent signs is decoded.
const MOST_DECODED: usize = 3;

/// Returns whether values of this name are secrets, such as of `API_KEY` and `db-password`.
pub fn is_secret_name(name: &str) -> bool {
    let letters = || name.bytes().rev().filter(|byte| !b"-_.".contains(byte));
    let ends_with = |secret: &&str| {
        let mut letters = letters().map(|byte| byte.to_ascii_lowercase());
        secret.bytes().rev().all(|byte| letters.next() == Some(byte))
    };
    SECRET_NAMES.iter().any(ends_with)
}

/// Returns whether values of this name are secrets if they look like one, such as of `DB_PASS` and
/// `Pwd`.
fn is_short_name(name: &str) -> bool {
    let last = name.rsplit(['-', '_', '.']).next().unwrap_or_default();
    let is_plural = name.strip_suffix('s').is_some_and(is_secret_name);
    let is_word = ["kennwort", "pass", "passwort", "psw", "pwd", "senha"]
        .iter()
        .any(|word| last.eq_ignore_ascii_case(word));
    is_plural || is_word || last.ends_with("Pass") || last.ends_with("Pwd")
}

/// Returns whether the line of a `value`, or one next to it, names a secret, such as
/// `name: DB_PASSWORD`.
fn is_near_name(text: &str, line: &Range<usize>) -> bool {
    let start = text[..line.start].trim_end().rfind('\n').unwrap_or(0);
    let end = text[line.end..].find('\n').map_or(text.len(), |at| line.end + at);
    let mut words = text[start..end].split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.any(|word| is_secret_name(word) || is_short_name(word))
}

/// Returns whether a source that a user has written, such as a URL, contains credentials: whatever
/// stores or shows it would repeat them.
pub fn has_credentials(source: &str) -> bool {
    // `user:password@host:path`
    let place = source.split_once('@').map_or("", |(before, _)| before);
    let is_scp = place.contains(':') && !place.contains('/');
    // A host may be in front of a path with a reference.
    let is_host = source.split(':').next().is_some_and(|first| first.contains('.'));
    is_scp
        || !urls(source).is_empty()
        || (!is_host && !bare(source).is_empty())
        || find_credential(source, 0).is_some()
}

/// Returns a URL of `https` or `http` without the name of a user, which sites such as Azure DevOps
/// write in front of their host and no server needs. A password stays, and so does what may be a
/// token: [`has_credentials`] finds them.
///
/// ```
/// use prowess_core::without_user;
///
/// let url = "https://org@dev.azure.com/org/project/_git/repo";
/// assert_eq!(without_user(url), "https://dev.azure.com/org/project/_git/repo");
/// ```
pub fn without_user(url: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = url.split_once("://") else { return url.into() };
    let own = scheme.strip_prefix("git+").unwrap_or(scheme);
    let is_web = ["http", "https"].iter().any(|web| own.eq_ignore_ascii_case(web));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match authority.rsplit_once('@') {
        Some((user, _)) if is_web && is_user_name(user) => {
            format!("{scheme}://{}", &rest[user.len() + 1..]).into()
        }
        _ => url.into(),
    }
}

/// Returns whether a text is the name of a user. A long one with digits may be a token.
fn is_user_name(text: &str) -> bool {
    let is_short = text.len() < 20 || !text.contains(|c: char| c.is_ascii_digit());
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "-_.+%@".contains(c);
    is_short && text.chars().all(is_letter) && find_credential(text, 0).is_none()
}

/// Returns the text without the credentials of URLs and without tokens that are known by their
/// form. No other word of a sentence is changed.
///
/// ```
/// use prowess_core::without_credentials;
///
/// let text = without_credentials("`https://me:hunter2@example.com/a?sig=f00` is away");
/// assert_eq!(text, "`https://[REDACTED]@example.com/a?sig=[REDACTED]` is away");
/// ```
pub fn without_credentials(text: &str) -> Cow<'_, str> {
    without(text, |text| [urls(text), bare(text), of_known_form(text).collect()].concat())
}

/// Returns the text without credentials, and without the values of names such as `api_key`,
/// `password` and `token`.
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    let find =
        |text: &str| [named(text), urls(text), bare(text), of_known_form(text).collect()].concat();
    without(text, find)
}

/// Replaces what is found in a text, also where it is written with percent signs. Of two ranges,
/// the earlier one has what they share.
fn without(text: &str, find: impl Fn(&str) -> Vec<Range<usize>>) -> Cow<'_, str> {
    let mut ranges = find(text);
    let mut last = percent_decoded(text);
    let mut at: Vec<_> = last.iter().flat_map(|(_, at)| at.clone()).collect();
    for _ in 0..MOST_DECODED {
        let Some((decoded, _)) = &last else { break };
        ranges.extend(find(decoded).into_iter().map(|range| at[range.start]..at[range.end]));
        last = percent_decoded(decoded);
        at = last.iter().flat_map(|(_, inner)| inner).map(|&inner| at[inner]).collect();
    }
    ranges.sort_by_key(|range| range.start);
    let mut redacted = String::new();
    let mut copied = 0;
    for Range { start, end } in ranges.into_iter().filter(|range| !range.is_empty()) {
        if start >= copied {
            redacted.push_str(&text[copied..start]);
            redacted.push_str(REDACTED);
        }
        copied = copied.max(end);
    }
    if redacted.is_empty() { text.into() } else { (redacted + &text[copied..]).into() }
}

/// Decodes the escapes of a URL that stand for ASCII, if there are any. Returns also where each
/// byte comes from, and the end.
fn percent_decoded(text: &str) -> Option<(String, Vec<usize>)> {
    let escaped = |at: usize| {
        let digits = text[at..].strip_prefix('%')?.get(..2)?;
        let is_hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        u8::from_str_radix(digits, 16).ok().filter(|byte| is_hexadecimal && byte.is_ascii())
    };
    let mut escapes = text.match_indices('%').filter_map(|(at, _)| Some((at, escaped(at)?)));
    let mut next = Some(escapes.next()?);
    let mut decoded = String::with_capacity(text.len());
    let mut places = Vec::with_capacity(text.len() + 1);
    let mut end = 0;
    for (at, character) in text.char_indices() {
        if at < end {
            continue;
        }
        let (shown, length) = match next.filter(|(escape, _)| *escape == at) {
            Some((_, byte)) => {
                next = escapes.next();
                (char::from(byte), 3)
            }
            None => (character, character.len_utf8()),
        };
        decoded.push(shown);
        places.extend(std::iter::repeat_n(at, shown.len_utf8()));
        end = at + length;
    }
    places.push(text.len());
    Some((decoded, places))
}

/// Iterates over the tokens and keys that are known by their form, one kind after the other.
fn of_known_form(text: &str) -> impl Iterator<Item = Range<usize>> {
    MASKED.into_iter().flat_map(move |find| {
        std::iter::successors(find(text, 0), move |found| find(text, found.end))
    })
}

/// Returns the credentials of URLs: what is in front of their hosts, and the values of parameters.
/// A word of many URLs is read once: each has what stands before the next one.
fn urls(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut end, mut last_at, mut covered) = (0, None, 0);
    let mut schemes = positions(text.as_bytes(), b"://").peekable();
    while let Some(at) = schemes.next() {
        let start = at + b"://".len();
        if start >= end {
            let is_end = |c: char| c.is_whitespace() || "\"'`<>".contains(c);
            end = text[start..].find(is_end).map_or(text.len(), |length| start + length);
            last_at = text[start..end].rfind('@').map(|length| start + length);
        }
        if start < covered {
            continue;
        }
        let last_at = last_at.and_then(|at| at.checked_sub(start));
        let user = user_of(&text[start..end], last_at, text[..at].ends_with("ssh"));
        found.extend(user.map(|user| start..start + user));
        let mut part = start + user.unwrap_or(0);
        let next = schemes.peek().map_or(end, |&next| next.min(end));
        for parameter in text.get(part..next).unwrap_or_default().split(SEPARATORS) {
            if let Some((name, _)) =
                parameter.split_once('=').filter(|(name, _)| is_parameter(name))
            {
                let value = part + name.len() + 1;
                // It may have a URL in it.
                covered = text[value..end].find(SEPARATORS).map_or(end, |length| value + length);
                found.push(value..covered);
            }
            part += parameter.len() + 1;
        }
    }
    found.retain(|range| !range.is_empty() && text[range.clone()] != *REDACTED);
    found
}

/// The characters between the parameters of URLs.
const SEPARATORS: [char; 4] = ['?', '#', '&', ';'];

/// The words in front of a colon that are no user: schemes of addresses.
const NO_USERS: [&str; 5] = ["acct", "mailto", "sip", "ssh", "xmpp"];

/// Returns what is in front of the host in words such as `user:password@host`, without a scheme.
fn bare(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for word in text.split_inclusive(|c: char| c.is_whitespace() || "\"'`<>".contains(c)) {
        let parts = word.rsplit_once('@').filter(|_| !word.contains("://"));
        let parts = parts.and_then(|(before, host)| Some((before, before.split_once(':')?, host)));
        if let Some((before, (user, password), host)) = parts {
            let is_user = !user.is_empty() && !user.contains(['/', '@']);
            let is_known = || is_host(host) || (is_path(host) && !password.contains('/'));
            if is_user && !NO_USERS.contains(&user) && !password.is_empty() && is_known() {
                found.push(start..start + before.len());
            }
        }
        start += word.len();
    }
    found
}

/// Returns whether a text begins with the name of a host, and not with a version.
fn is_host(text: &str) -> bool {
    let name = text.split(|c: char| !c.is_alphanumeric() && !"-._".contains(c)).next();
    let name = name.unwrap_or_default().trim_end_matches('.');
    let last = name.rsplit_once('.').map_or("", |(_, last)| last);
    let is_domain = last.len() > 1 && last.chars().all(char::is_alphabetic);
    is_domain || name == "localhost" || name.parse::<std::net::Ipv4Addr>().is_ok()
}

/// Returns whether a text begins with a word and a path, and not with a version or a digest.
fn is_path(text: &str) -> bool {
    let (name, rest) = text.split_at(text.find([':', '/']).unwrap_or(text.len()));
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '-';
    !rest.is_empty()
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(is_letter)
        && !name.starts_with("sha")
}

/// Returns the end of the user and the password in front of a host; `last_at` is the position of
/// the last `@` of the word. A user of `ssh` without a password is no secret; one of a site may be
/// a token.
fn user_of(word: &str, last_at: Option<usize>, is_ssh: bool) -> Option<usize> {
    let authority = word.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    // A port that is no number is the start of a password with a slash.
    let is_cut = || {
        let port = authority.rsplit_once(':').map_or("", |(_, port)| port);
        !authority.starts_with('[') && !is_port(port)
    };
    let end = authority.rfind('@').or_else(|| last_at.filter(|_| is_cut()))?;
    (!is_ssh || word[..end].contains(':')).then_some(end)
}

fn is_parameter(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| PARAMETERS.contains(&word) || SECRET_NAMES.contains(&word))
        || is_secret_name(name)
}

/// Iterates over the passwords of URLs, and the tokens that stand for a user. An address of Sentry
/// has a public one.
pub(crate) fn url_secrets(text: &str) -> impl Iterator<Item = Range<usize>> {
    urls(text).into_iter().filter_map(|range| {
        let host = text[range.end..].strip_prefix('@')?;
        let host = host.split(['/', '"', '\'', ' ']).next().unwrap_or_default();
        match text[range.clone()].split_once(':') {
            Some((user, _)) => Some(range.start + user.len() + 1..range.end),
            None => (range.len() >= LEAST_USER && !host.contains("sentry")).then_some(range),
        }
    })
}

/// Returns the values of secret names. Most lines have nothing that stands before values, next to
/// names: a separator, a flag or the scheme of a header.
pub(crate) fn named(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let is_scheme = |at: usize, scheme: &str| {
        bytes[at..].get(..scheme.len()).is_some_and(|it| it.eq_ignore_ascii_case(scheme.as_bytes()))
    };
    let mut separators = memchr::memchr2_iter(b':', b'=', bytes).peekable();
    let flags = memchr::memchr_iter(b'-', bytes);
    let mut flags = flags.filter(|at| bytes[*at..].starts_with(b"--")).peekable();
    let schemes = memchr::memchr2_iter(b'b', b'B', bytes);
    let mut schemes =
        schemes.filter(|at| SCHEMES.iter().any(|scheme| is_scheme(*at, scheme))).peekable();
    let mut found = Vec::new();
    let mut at = 0;
    let mut line = Line { range: 0..0, is_near_name: OnceCell::new() };
    loop {
        let first = [next(&mut separators, at), next(&mut flags, at), next(&mut schemes, at)];
        let Some(sign) = first.into_iter().flatten().min() else { return found };
        if sign >= line.range.end {
            let start = memchr::memrchr(b'\n', &bytes[at..sign]).map_or(at, |line| at + line + 1);
            let length = memchr::memchr(b'\n', &bytes[sign..]);
            let end = length.map_or(bytes.len(), |length| sign + length + 1);
            line = Line { range: start..end, is_near_name: OnceCell::new() };
        }
        let start = at.max(line.range.start);
        let value = value_in_line(text, start, &line).map(|(value, end)| value..end);
        at = value.as_ref().map_or(line.range.end, |value| value.end);
        found.extend(value);
    }
}

/// Returns the first position that is not before another one.
fn next(positions: &mut Peekable<impl Iterator<Item = usize>>, from: usize) -> Option<usize> {
    while positions.next_if(|at| *at < from).is_some() {}
    positions.peek().copied()
}

/// A line with its end, and whether a line near it names a secret, once that has been asked: no
/// question about a value looks through all of a long line again.
struct Line {
    range: Range<usize>,
    is_near_name: OnceCell<bool>,
}

/// The longest part of a line with nothing but signs in front of a value in the next one, in bytes.
const LONGEST_SIGNS: usize = 256;

/// The longest value of a name that may be that of a secret, in bytes.
const LONGEST_VALUE: usize = 512;

fn value_in_line(text: &str, mut at: usize, line: &Line) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let end_of_line = line.range.end;
    while at < end_of_line {
        if !is_name(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        at += bytes[at..].iter().take_while(|&&byte| is_name(byte)).count();
        let name = &text[start..at];
        let value = if is_scheme(name) {
            after_blanks(bytes, at)
        } else {
            value_of(name, bytes, at, end_of_line)
        };
        if let Some(value) = value.filter(|&value| value < bytes.len()) {
            let is_secret = is_scheme(name) || is_secret_name(name);
            if is_secret && value < end_of_line {
                return Some(value_range(text, name, value));
            }
            // `compass` and `PWD` have other values, and the next line may have other keys.
            let is_near_name =
                || *line.is_near_name.get_or_init(|| is_near_name(text, &line.range));
            let may_be = is_secret || is_short_name(name) || is_near_name();
            let most = text.floor_char_boundary(value + LONGEST_VALUE);
            let (start, end) = value_range(&text[..most], name, value);
            let is_quoted = text[..start].ends_with(['"', '\'']);
            if may_be
                && (end < most || most == text.len())
                && is_strong(&text[start..end], is_quoted)
            {
                return Some((start, end));
            }
        }
    }
    None
}

/// Returns the position of the value of a secret name that ends at `at`.
fn value_of(name: &str, bytes: &[u8], at: usize, end_of_line: usize) -> Option<usize> {
    // `"password": x` in JSON, also where it is escaped in another text.
    let is_quote = |byte: &&u8| matches!(byte, b'\\' | b'"' | b'\'' | b'`');
    let quotes = bytes[at..].iter().take_while(is_quote).count();
    let separator = skip_blanks(bytes, at + quotes);
    let value = match bytes.get(separator) {
        Some(b'=' | b':') => {
            let more = bytes[separator..].iter().take_while(|byte| b"=:>".contains(byte)).count();
            let value = behind_signs(bytes, skip_blanks(bytes, separator + more));
            Some(in_next_line(bytes, value, end_of_line))
        }
        // `--password x`
        Some(_) if quotes == 0 && name.starts_with("--") => after_blanks(bytes, at),
        _ => None,
    };
    // Hardly any word has a value, which is found out first.
    value.filter(|_| {
        is_secret_name(name) || is_short_name(name) || name.eq_ignore_ascii_case("value")
    })
}

/// Returns the position behind anchors and tags of YAML: `password: &main !!str x`.
fn behind_signs(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b'&' | b'!') = bytes.get(at) {
        let is_sign = |byte: &&u8| is_word(**byte) || b"&!".contains(byte);
        let end = at + bytes[at..].iter().take_while(is_sign).count();
        let Some(next) = after_blanks(bytes, end) else { break };
        at = next;
    }
    at
}

/// Returns where a value begins that the line has only signs of YAML or a comment for, as in
/// `password: >-`, or nothing.
fn in_next_line(bytes: &[u8], at: usize, end_of_line: usize) -> usize {
    let line = bytes.get(at..end_of_line).and_then(|line| line.strip_suffix(b"\n"));
    let Some(line) = line else { return at };
    let start = &line[..line.len().min(LONGEST_SIGNS)];
    let words = || start.split(u8::is_ascii_whitespace).filter(|it| !it.is_empty());
    let is_comment = |word: &[u8]| word.starts_with(b"#");
    let is_sign = |word: &[u8]| match word[0] {
        b'|' | b'>' => word[1..].iter().all(|byte| b"+-123456789".contains(byte)),
        b'!' | b'&' => word[1..].iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'!'),
        first => b"(\\".contains(&first) && word.len() == 1,
    };
    let is_whole = start.len() == line.len() || words().any(is_comment);
    if !is_whole || !words().take_while(|word| !is_comment(word)).all(is_sign) {
        return at;
    }
    let is_before = |byte: &&u8| byte.is_ascii_whitespace() || **byte == b'-';
    let end = at + line.len();
    end + bytes[end..].iter().take_while(is_before).count()
}

/// Returns the range of a value without its quotes.
fn value_range(text: &str, name: &str, at: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let quotes = bytes[at..].iter().take_while(|byte| b"\\\"'`".contains(byte)).count();
    let start = at + quotes;
    if text[start..].starts_with(REDACTED) {
        return (start + REDACTED.len(), start + REDACTED.len());
    }
    if let Some(&quote) = quotes.checked_sub(1).and_then(|last| bytes.get(at + last)) {
        let length = bytes[start..].iter().take_while(|&&byte| byte != quote).count();
        return (start, start + length);
    }
    if name.to_ascii_lowercase().ends_with("authorization") {
        let length = bytes[start..].iter().take_while(|&&byte| byte != b'\n').count();
        return (start, start + length);
    }
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b",;&\"'`)]}".contains(byte);
    let length = bytes[start..].iter().take_while(|byte| !is_end(byte)).count();
    (start, start + length)
}

fn is_name(byte: u8) -> bool {
    is_word(byte) || byte == b'.'
}

fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count()
}

/// Returns the position after at least one blank.
fn after_blanks(bytes: &[u8], at: usize) -> Option<usize> {
    Some(skip_blanks(bytes, at)).filter(|&next| next > at)
}
