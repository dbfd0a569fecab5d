//! Session ids.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::Digest;

/// The number of characters of a random id.
const RANDOM: usize = 32;

/// The characters of an id that are neither letters nor digits.
const PUNCTUATION: &str = "-_.:@/+=~#";

/// The number of characters of an id that a message shows.
const SHOWN: usize = 48;

/// The name of one session. It is opaque and unique, but not a secret.
///
/// A host that gives ids to its clients may take the knowledge of one for the right to its session.
/// So ids that the runtime chooses are 128 random bits, and logs, traces and messages show them by
/// [`SessionId::log_name`]. Stores find a session by the whole id.
///
/// An id has 1 to [`SessionId::MAX_LENGTH`] characters: ASCII letters, digits and `-_.:@/+=~#`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "Arc<str>")]
pub struct SessionId(Arc<str>);

impl SessionId {
    /// The maximum length of an id in characters.
    pub const MAX_LENGTH: usize = 128;

    /// Checks the text of an id that the host chose.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is empty, is longer than [`Self::MAX_LENGTH`], or has another
    /// character than the listed ones.
    pub fn new(text: impl AsRef<str>) -> Result<Self, SessionIdError> {
        let text = text.as_ref();
        if text.is_empty() {
            return Err(SessionIdError::Empty);
        }
        if text.len() > Self::MAX_LENGTH {
            return Err(SessionIdError::TooLong { bytes: text.len() });
        }
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || PUNCTUATION.contains(c);
        match text.chars().position(|c| !is_allowed(c)) {
            Some(index) => Err(SessionIdError::Character { position: index + 1 }),
            None => Ok(Self(text.into())),
        }
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the id for a log: an id of 32 hexadecimal digits, as the runtime chooses them, by
    /// the start of its digest, and any other id, which a host has named, as it is.
    pub fn log_name(&self) -> Cow<'_, str> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if self.0.len() != RANDOM || !self.0.bytes().all(is_digit) {
            return Cow::Borrowed(&self.0);
        }
        let digest = Digest::of(self.0.as_bytes());
        let start = digest.as_bytes()[..8].iter().map(|byte| format!("{byte:02x}"));
        Cow::Owned(format!("session-{}", start.collect::<String>()))
    }

    /// Returns the start of the id for a message, with `…` after it if there is more.
    pub(crate) fn shown(&self) -> String {
        let name = self.log_name();
        match name.get(..SHOWN) {
            Some(start) if name.len() > SHOWN => format!("{start}…"),
            _ => name.into_owned(),
        }
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TryFrom<String> for SessionId {
    type Error = SessionIdError;

    fn try_from(text: String) -> Result<Self, SessionIdError> {
        Self::new(text)
    }
}

impl From<SessionId> for Arc<str> {
    fn from(id: SessionId) -> Self {
        id.0
    }
}

/// The error of an invalid session id. The message does not contain the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionIdError {
    /// The text is empty.
    #[error("a session id is not empty; choose 1 to {} characters", SessionId::MAX_LENGTH)]
    Empty,
    /// The text is too long.
    #[error(
        "a session id has at most {} bytes and this one has {bytes}; choose a shorter one",
        SessionId::MAX_LENGTH
    )]
    TooLong {
        /// The length in bytes.
        bytes: usize,
    },
    /// The text has a character that an id may not have.
    #[error(
        "character {position} of the session id is not allowed; use ASCII letters, digits and `{PUNCTUATION}`"
    )]
    Character {
        /// The position of the character, counted from 1.
        position: usize,
    },
}

impl SessionIdError {
    /// Returns the code of the error.
    pub fn code(&self) -> &'static str {
        "session-id-invalid"
    }
}
