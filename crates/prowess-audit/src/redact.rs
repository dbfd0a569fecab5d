//! Removes secrets from texts.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use prowess_core::{REDACTED, without_secrets};
use prowess_text::visible_lines;
use serde_json::Value;

/// The shortest beginning of a registered secret that is removed at the end of a text, where a
/// limit may have cut off the rest.
const SHORTEST_BEGINNING: usize = 6;

/// The shortest line of a registered secret of several lines that is removed alone.
const SHORTEST_LINE: usize = 12;

/// Removes secrets from texts: the values of names such as `api_key`, `password` and `token`, what
/// [`prowess_core::find_credential`] finds, and the values that the host registers, wherever they
/// occur.
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

    /// Returns the text without secrets.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let redacted = match self.redact_registered(text) {
            Cow::Borrowed(text) => without_secrets(text),
            Cow::Owned(text) => without_secrets(&text).into_owned().into(),
        };
        // A secret stays readable where a hidden character or a wide one stands in it.
        let plain = (!redacted.is_ascii()).then(|| plain(&redacted)).flatten();
        match plain.as_deref().map(|plain| self.redact(plain)) {
            Some(found) if plain.as_deref() != Some(&*found) => found.into_owned().into(),
            _ => redacted,
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

/// Returns a text without hidden characters and with ASCII in place of its wide forms, if that is
/// another one.
fn plain(text: &str) -> Option<String> {
    let narrow = |wide: char| match u32::from(wide) {
        code @ 0xff01..=0xff5e => char::from_u32(code - 0xfee0).unwrap_or(wide),
        _ => wide,
    };
    let plain: String = visible_lines(text).chars().map(narrow).collect();
    (plain != text).then_some(plain)
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
