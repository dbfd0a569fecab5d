//! Private keys that are neither in PEM form nor tokens, and hashes of passwords.

use crate::known_tokens::{is_random, is_word, positions};
use crate::strength::is_placeholder;

/// The starts of secret keys of minisign in base64, encrypted and not, and the length of the least
/// rest.
const MINISIGN: [&[u8]; 2] = [b"RWRTY0Iy", b"RWQAAEIy"];
const LEAST_KEY: usize = 100;

/// The shortest secret member of a JSON web key, and the shortest hash of a password.
const LEAST_MEMBER: usize = 40;
const LEAST_HASH: usize = 24;

/// The forms of hashes of passwords in lines of `.htpasswd` and `/etc/shadow`.
const HASHES: &str = ":$1$ :$2a$ :$2b$ :$2y$ :$5$ :$6$ :$apr1$ :$argon2id$ :$y$ :{SHA}";

/// Returns where the first private key in such a form is.
pub(crate) fn other_key(content: &[u8]) -> Option<usize> {
    let is_base64 = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    let is_key = |at: &usize| content[*at..].iter().take_while(is_base64).count() >= LEAST_KEY;
    let minisign = || MINISIGN.iter().find_map(|start| positions(content, start).find(is_key));
    der_key(content).or_else(|| web_key(content)).or_else(minisign)
}

/// Returns the start of a content that is a private key in DER form.
fn der_key(content: &[u8]) -> Option<usize> {
    // The tag of a sequence, then its length.
    let (&[0x30, length], rest) = content.split_first_chunk()? else { return None };
    let key = rest.get(usize::from(length.saturating_sub(0x80))..)?;
    // The version of RSA, of PKCS#8, of elliptic curves and of PKCS#12, and what follows it.
    let is_key = matches!(
        key,
        [2, 1, 0, 2, 0x81 | 0x82, ..]
            | [2, 1, 0, 0x30, 5 | 0x0d | 0x10 | 0x13, 6, ..]
            | [2, 1, 1, 4, 0x20 | 0x30 | 0x42, ..]
            | [2, 1, 3, 0x30, ..]
    );
    is_key.then_some(0)
}

/// Returns where the private member of the first JSON web key is.
fn web_key(content: &[u8]) -> Option<usize> {
    positions(content, b"\"kty\"").next()?;
    let is_secret = |at: &usize| {
        let rest = content[at + 3..].trim_ascii_start().strip_prefix(b":");
        let value = rest.and_then(|rest| rest.trim_ascii_start().strip_prefix(b"\""));
        let length = |value: &[u8]| value.iter().take_while(|byte| is_word(**byte)).count();
        value.is_some_and(|it| length(it) >= LEAST_MEMBER && is_random(&it[..length(it)]))
    };
    ["\"d\"", "\"k\""].iter().find_map(|name| positions(content, name.as_bytes()).find(is_secret))
}

/// Returns where the first hash of a password is that follows the name of its user.
pub(crate) fn password_hash(content: &[u8]) -> Option<usize> {
    let is_hash = |byte: &&u8| byte.is_ascii_alphanumeric() || b"./$=,+-_".contains(byte);
    let starts = positions(content, b":$").chain(positions(content, b":{SHA}"));
    let mut hashes = starts.filter(|at| {
        let start = &content[*at..];
        let form = HASHES.split(' ').find(|form| start.starts_with(form.as_bytes()));
        let rest = &start[form.map_or(start.len(), str::len)..];
        let hash = &rest[..rest.iter().take_while(is_hash).count()];
        let is_made_up = || str::from_utf8(hash).is_ok_and(is_placeholder);
        let has_user = at.checked_sub(1).is_some_and(|before| is_word(content[before]));
        has_user && hash.len() >= LEAST_HASH && is_random(hash) && !is_made_up()
    });
    hashes.next()
}
