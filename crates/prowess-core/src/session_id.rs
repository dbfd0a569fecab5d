//! Session ids.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The characters of an id that are neither letters nor digits.
const PUNCTUATION: &str = "-_.:@/+=~#";

/// The number of characters of an id that a message shows.
const SHOWN: usize = 48;

/// The name of one session. Opaque and unique; never a secret.
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
    /// The text is empty, is longer than [`Self::MAX_LENGTH`], or has another character than the
    /// listed ones.
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

    /// Returns the start of the id for a message, with `…` after it if there is more.
    pub(crate) fn shown(&self) -> String {
        match self.0.get(..SHOWN) {
            Some(start) if self.0.len() > SHOWN => format!("{start}…"),
            _ => self.0.to_string(),
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

/// The reason why a text is no session id. The message does not repeat the text.
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
    /// Returns the code that a tool result carries.
    pub fn code(&self) -> &'static str {
        "session-id-invalid"
    }
}
