//! The secrets in the tags around loaded bodies, one for each session.

use prowess_core::{Boundary, Digest, SessionId};

/// The digits of a digest in a boundary: 64 bits cannot be guessed within a conversation.
const BOUNDARY_DIGITS: usize = 16;

/// Derives the boundary of each session from a random key that never leaves the process.
///
/// A session has the same boundary for as long as the key exists, so that its prompts stay equal
/// from turn to turn. The boundary cannot be derived from the session's id alone.
pub struct Boundaries([u8; 32]);

impl Boundaries {
    /// Creates a random key.
    ///
    /// # Errors
    ///
    /// The operating system provides no random bytes.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        Ok(Self(key))
    }

    /// Returns the boundary of a session.
    pub fn of(&self, session: &SessionId) -> Boundary {
        let digest = Digest::of(&[&self.0[..], session.as_str().as_bytes()].concat()).to_string();
        let digits = digest.rsplit(':').next().unwrap_or_default();
        Boundary::new(&digits[..BOUNDARY_DIGITS.min(digits.len())])
    }
}
