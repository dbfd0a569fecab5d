//! Files that may hold credentials by their contents, and archives by the files in them.

use std::borrow::Cow;

use super::MAY_HOLD_CREDENTIALS;
#[cfg(feature = "archives")]
use super::withheld_path;
use crate::credentials::{named, url_secrets};
use crate::known_tokens::{is_random, is_word, positions, private_key, token};
use crate::other_keys::{other_key, password_hash};
use crate::secret_words::secret_word;
use crate::strength::{is_mixed, is_placeholder, is_random_word, is_strong};

/// The addresses that are credentials themselves, and the length of the secret part.
const WEBHOOKS: [(usize, &str); 5] = [
    (16, "&secret= ?secret="),
    (30, "/open-apis/bot/v2/hook/ /webhook/send?key= webhook.office.com/webhookb2/"),
    (35, "hooks.slack.com/services/T hooks.slack.com/triggers/T hooks.slack.com/workflows/T"),
    (40, "&sig= ?sig= api.telegram.org/bot"),
    (
        60,
        "discord.com/api/webhooks/ discordapp.com/api/webhooks/ /api/v10/webhooks/ /api/v9/webhooks/",
    ),
];

/// A part of each of these addresses: most texts have none of them.
const WEBHOOK_PARTS: [&str; 4] = ["hook", "secret=", "sig=", "telegram"];

/// The most bytes in a hundred of a text in another encoding that a reader may do without.
const MOST_WRONG: usize = 30;

/// The most bytes in a hundred of a text in any encoding that are no text.
const MOST_CONTROLS: usize = 2;

/// Returns why a file is withheld by its content, as the rest of a sentence. Headers without a key
/// and placeholders are documentation; a file for keys has to have a public one. With the feature
/// `archives`, one is as the files in it, and withheld where those cannot be seen.
pub fn withheld_content(path: &str, content: &[u8]) -> Option<&'static str> {
    let itself = withheld_itself(path, content);
    #[cfg(feature = "archives")]
    let itself = itself.or_else(|| withheld_inside(content));
    itself
}

#[cfg(feature = "archives")]
fn withheld_inside(archive: &[u8]) -> Option<&'static str> {
    let mut has_secret = false;
    let limits = prowess_archive::Limits::default();
    let is_whole = prowess_archive::look(archive, &limits, &mut |name, content| {
        has_secret = has_secret
            || withheld_path(name) == Some(MAY_HOLD_CREDENTIALS)
            || withheld_itself(name, content).is_some();
    });
    let unseen = (!is_whole).then_some("is packed in a way that hides what is in it");
    if has_secret { Some("has a file in it that may hold credentials") } else { unseen }
}

/// Returns why a file is withheld, whatever is packed in it.
fn withheld_itself(path: &str, content: &[u8]) -> Option<&'static str> {
    let path = path.to_ascii_lowercase();
    let has = |text: &str| positions(content, text.as_bytes()).next().is_some();
    // Presentations have the same end as keys, and are archives.
    let is_for_keys =
        path.ends_with(".pem") || (path.ends_with(".key") && !content.starts_with(b"PK"));
    if is_for_keys && !has("BEGIN CERTIFICATE") && !has("PUBLIC KEY-----") {
        return Some(MAY_HOLD_CREDENTIALS);
    }
    secret_in(content).map(|(_, reason)| reason)
}

/// Returns where a content has a secret, and what, as the rest of a sentence: a private key, a
/// token or a password that no placeholder is.
pub fn secret_in(content: &[u8]) -> Option<(usize, &'static str)> {
    const CREDENTIAL: &str = "has a credential";
    if let Some(at) = private_key(content).or_else(|| other_key(content)) {
        return Some((at, "has a private key"));
    }
    let token = token(content, 0).map(|range| range.start);
    if let Some(at) = token.or_else(|| webhook(content)).or_else(|| password_hash(content)) {
        return Some((at, CREDENTIAL));
    }
    let text = match str::from_utf8(content) {
        Ok(text) if memchr::memchr(0, content).is_none() => Cow::Borrowed(text),
        _ => match in_utf16(content) {
            Some(text) => return secret_in(text.as_bytes()),
            None => Cow::Owned(in_any_encoding(content)?),
        },
    };
    let text = &*text;
    let mut named = named(text).into_iter().filter(|range| {
        let is_quoted = text[..range.start].ends_with(['"', '\'', '`']);
        is_strong(&text[range.clone()], is_quoted)
    });
    let mut urls = url_secrets(text).filter(|range| is_strong_in_url(&text[range.clone()]));
    let found = named.next().or_else(|| urls.next()).map(|range| range.start);
    found.or_else(|| secret_word(text)).map(|at| (at, CREDENTIAL))
}

/// Returns a text in an older encoding, or with a wrong byte, where all is ASCII that names and
/// passwords have; each byte stays where it is. A compiled file is none: it has no passwords that
/// people have written.
fn in_any_encoding(content: &[u8]) -> Option<String> {
    let is_control = |byte: &&u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    let controls = content.iter().filter(is_control).count();
    let plain = |&byte: &u8| match byte {
        0 => '\n',
        byte if byte.is_ascii() => char::from(byte),
        _ => '?',
    };
    (controls <= 1 + content.len() * MOST_CONTROLS / 100)
        .then(|| content.iter().map(plain).collect())
}

/// Returns a text that is not in UTF-8: in UTF-16, as PowerShell writes it, or with a few bytes of
/// another encoding, for which U+FFFD stands.
pub fn foreign_text(content: &[u8]) -> Option<String> {
    let is_control = |c: char| c.is_control() && !c.is_whitespace();
    let is_text = |text: &String| !text.contains(is_control);
    let is_whole = |text: &String| is_text(text) && !text.contains('\u{fffd}');
    if let Some(text) = in_utf16(content).filter(is_whole) {
        return Some(text.trim_start_matches('\u{feff}').to_owned());
    }
    let wrong: usize = content.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    let is_legible = wrong * 100 <= content.len() * MOST_WRONG;
    is_legible.then(|| String::from_utf8_lossy(content).into_owned()).filter(is_text)
}

/// Returns a text in UTF-16, as PowerShell writes it.
fn in_utf16(content: &[u8]) -> Option<String> {
    let big = match content {
        [0xff, 0xfe, ..] | [1..=255, 0, 1..=255, 0, ..] => false,
        [0xfe, 0xff, ..] | [0, 1..=255, 0, 1..=255, ..] => true,
        _ => return None,
    };
    let units = content.chunks_exact(2).map(|pair| match (pair, big) {
        (&[high, low], true) | (&[low, high], false) => u16::from_be_bytes([high, low]),
        _ => 0,
    });
    let text: String = char::decode_utf16(units).map(|it| it.unwrap_or('\u{fffd}')).collect();
    (!text.contains('\0')).then_some(text)
}

/// Returns whether the password of a URL is a real one: strong, or random letters.
fn is_strong_in_url(value: &str) -> bool {
    let is_plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_mixed = is_mixed(value.as_bytes());
    let is_random = value.len() >= 12 && is_plain && (is_mixed || is_random_word(value));
    is_strong(value, true) || (is_random && !is_placeholder(value))
}

/// Returns where an address begins whose secret part is all that a writer needs.
fn webhook(content: &[u8]) -> Option<usize> {
    let starts = |(least, starts): &(usize, &'static str)| {
        let least = *least;
        starts.split(' ').map(move |start| (least, start))
    };
    let has = |part: &&&str| positions(content, part.as_bytes()).next().is_some();
    WEBHOOK_PARTS.iter().find(has)?;
    WEBHOOKS.iter().flat_map(starts).find_map(|(least, start)| {
        positions(content, start.as_bytes()).find(|at| {
            let secret = &content[at + start.len()..];
            let is_secret = |byte: &&u8| is_word(**byte) || matches!(byte, b'/' | b':' | b'%');
            let length = secret.iter().take_while(is_secret).count();
            let secret = &secret[..length];
            let last = secret.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
            let is_made_up = || str::from_utf8(last).is_ok_and(is_placeholder);
            length >= least && is_random(secret) && !is_made_up()
        })
    })
}
