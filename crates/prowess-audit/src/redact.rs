//! Removes secrets from texts.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use prowess_core::find_credential;
use serde_json::Value;

/// The text in place of a secret.
const REDACTED: &str = "[REDACTED]";

/// The ends of the names whose values are secrets, in lower case and without `-` and `_`.
const SECRET_NAMES: [&str; 10] = [
    "apikey", "accesskey", "privatekey", "secretkey", "password", "passwd", "passphrase", "secret",
    "token", "authorization",
];

/// The words before the credentials in the value of a header.
const SCHEMES: [&str; 2] = ["bearer", "basic"];

/// The shortest beginning of a registered secret that is removed at the end of a text, where a
/// limit may have cut off the rest.
const SHORTEST_BEGINNING: usize = 6;

/// The shortest line of a registered secret of several lines that is removed alone.
const SHORTEST_LINE: usize = 12;

/// Removes secrets from texts: the values of names such as `api_key`, `password` and `token`, what
/// [`find_credential`] finds, and the values that the host registers, wherever they occur.
///
/// ```
/// use prowess_audit::Redactor;
///
/// let redactor = Redactor::new(["hunter2-of-the-host"]);
/// let text = "api_key=\"sk-12345\", then hunter2-of-the-host";
/// assert_eq!(redactor.redact(text), "api_key=\"[REDACTED]\", then [REDACTED]");
/// ```
///
/// Clones share the registered values.
#[derive(Clone, Default)]
pub struct Redactor {
    /// The registered secrets, the longest first.
    secrets: Arc<RwLock<Vec<String>>>,
}

impl Redactor {
    /// Creates a redactor that also removes these values. Ignores empty ones.
    pub fn new<S: Into<String>>(secrets: impl IntoIterator<Item = S>) -> Self {
        let redactor = Self::default();
        secrets.into_iter().for_each(|secret| redactor.register(secret));
        redactor
    }

    /// Also removes this value from now on, in every clone. Ignores an empty one.
    ///
    /// Of a value of several lines, such as a key, each long line is removed too, because programs
    /// print and report lines.
    pub fn register(&self, secret: impl Into<String>) {
        let secret = secret.into();
        if secret.contains('\n') {
            let lines = secret.lines().filter(|line| line.len() >= SHORTEST_LINE);
            lines.for_each(|line| self.register(line));
        }
        let mut secrets = self.secrets.write().unwrap_or_else(PoisonError::into_inner);
        if !secret.is_empty() && !secrets.contains(&secret) {
            let at = secrets.partition_point(|longer| longer.len() > secret.len());
            secrets.insert(at, secret);
        }
    }

    fn secrets(&self) -> RwLockReadGuard<'_, Vec<String>> {
        self.secrets.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the text without the registered values. For texts that a program goes on to use,
    /// such as JSON with a field `token`: nothing else of them changes.
    pub fn redact_registered<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for secret in self.secrets().iter() {
            if text.contains(secret.as_str()) {
                text = text.replace(secret.as_str(), REDACTED).into();
            }
            if let Some(start) = beginning_at_end(&text, secret) {
                text = format!("{}{REDACTED}", &text[..start]).into();
            }
        }
        text
    }

    /// Returns whether values of this name are secrets, such as of `API_KEY` and `db-password`.
    pub fn is_secret_name(name: &str) -> bool {
        is_secret(name)
    }

    /// Returns the text without secrets.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = self.redact_registered(text);
        let mut from = 0;
        while let Some(found) = find_credential(&text, from) {
            from = found.start + REDACTED.len();
            text.to_mut().replace_range(found, REDACTED);
        }
        match without_named_values(&text) {
            Some(redacted) => redacted.into(),
            None => text,
        }
    }

    /// Removes the secrets from each text of a JSON value.
    pub(crate) fn redact_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(redacted) = self.redact(text) {
                    *text = redacted;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_value(item)),
            Value::Object(fields) => {
                fields.values_mut().for_each(|field| self.redact_value(field));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Shows the number of secrets only.
impl fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Redactor({} secrets)", self.secrets().len())
    }
}

/// Returns the position from which on a text is the beginning of a secret.
fn beginning_at_end(text: &str, secret: &str) -> Option<usize> {
    let lengths = (SHORTEST_BEGINNING..secret.len().min(text.len() + 1)).rev();
    let beginnings = lengths.filter_map(|length| secret.get(..length));
    let found = beginnings.into_iter().find(|beginning| text.ends_with(beginning));
    found.map(|beginning| text.len() - beginning.len())
}

/// Returns the text without the values of secret names; `None` if it has none.
fn without_named_values(text: &str) -> Option<String> {
    let mut redacted = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some((value, end)) = next_value(text, at) {
        if value < end {
            redacted.push_str(&text[copied..value]);
            redacted.push_str(REDACTED);
            copied = end;
        }
        at = end;
    }
    (copied > 0).then(|| redacted + &text[copied..])
}

/// Returns the range of the next secret value, after a name that ends after `from`.
fn next_value(text: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        if !is_name(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        at += bytes[at..].iter().take_while(|&&byte| is_name(byte)).count();
        let name = &text[start..at];
        let value =
            if is_scheme(name) { after_blanks(bytes, at) } else { value_of(name, bytes, at) };
        if let Some(value) = value.filter(|&value| value < bytes.len()) {
            return Some(value_range(text, name, value));
        }
    }
    None
}

/// Returns the position of the value of a secret name that ends at `at`.
fn value_of(name: &str, bytes: &[u8], at: usize) -> Option<usize> {
    if !is_secret(name) {
        return None;
    }
    // `"password": x` in JSON, also where it is escaped in another text.
    let quotes = bytes[at..].iter().take_while(|byte| b"\\\"'`".contains(byte)).count();
    let separator = skip_blanks(bytes, at + quotes);
    match bytes.get(separator) {
        Some(b'=' | b':') => {
            let more = bytes[separator..].iter().take_while(|byte| b"=:>".contains(byte)).count();
            Some(skip_blanks(bytes, separator + more))
        }
        // `--password x`
        Some(_) if quotes == 0 && name.starts_with("--") => after_blanks(bytes, at),
        _ => None,
    }
}

/// Returns the range of a value without its quotes.
fn value_range(text: &str, name: &str, at: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let quotes = bytes[at..].iter().take_while(|byte| b"\\\"'`".contains(byte)).count();
    let start = at + quotes;
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

fn is_secret(name: &str) -> bool {
    let letters = name.bytes().filter(|byte| !b"-_.".contains(byte));
    let plain: Vec<u8> = letters.map(|byte| byte.to_ascii_lowercase()).collect();
    SECRET_NAMES.iter().any(|secret| plain.ends_with(secret.as_bytes()))
}

fn is_scheme(name: &str) -> bool {
    SCHEMES.iter().any(|scheme| name.eq_ignore_ascii_case(scheme))
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)
}

fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count()
}

/// Returns the position after at least one blank.
fn after_blanks(bytes: &[u8], at: usize) -> Option<usize> {
    Some(skip_blanks(bytes, at)).filter(|&next| next > at)
}
