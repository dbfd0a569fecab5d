//! The store of sessions.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Digest, SessionId, Timestamp};

/// Stores sessions, and the texts that they refer to.
///
/// A store compares ids, operations and times. It does not interpret what a session holds: that is
/// in [`StoredSession::details`], and large texts are contents, which are stored once for all
/// sessions.
///
/// # Behavior
///
/// - `load` returns what the last successful `put` stored, from any thread, with the last use.
/// - `put` stores a session and its new contents completely or not at all, and only if the stored
///   operation is `expected` (`None`: nothing is stored). Of racing calls with one `expected`, at
///   most one returns [`PutOutcome::Stored`].
/// - `put` of the stored operation returns [`PutOutcome::AlreadyStored`], whatever it expects: a
///   writer that got no answer repeats its call. Any other mismatch is a [`PutOutcome::Conflict`].
///   Neither changes anything.
/// - `put` of a session that refers to a content that is neither stored nor passed is an error that
///   changes nothing.
/// - `contents` returns a text for each key, in their order; `None` for one that is not stored. A
///   content is available for as long as a stored session refers to it, and is gone after
///   `expire_before` if none does.
/// - `touch` records the last use of a stored session with its expiry, and returns whether there is
///   one. The rest stays unchanged, and a `put` that expects the stored operation still succeeds.
/// - The last use never moves back: an earlier time in `touch` or `put` changes neither it nor the
///   expiry, which always belongs to the last use.
/// - `list` returns at most `limit` sessions in the order of their ids, those after `after`. A
///   session that is stored all the time is on exactly one page.
/// - `expire_before` deletes the sessions that expire at `now` or earlier, no others, and returns
///   them with their texts. A session that a racing `touch` extends is not deleted. Where many have
///   expired, a call may leave some of them, and some unused contents, to the next calls.
/// - `expire_one` deletes this session if it expires at `now` or earlier, and no session that does
///   not.
/// - `evict` deletes the least recently used sessions until at most `most` are left, but never
///   `keep`, and returns them with their texts.
/// - Of racing calls that delete sessions, one returns each session.
/// - `delete` deletes a session if the stored operation is `expected`, and returns whether it did.
///   A `put` that expects an operation of a deleted session is a conflict, also if another session
///   has the id since.
pub trait SessionStore: Send + Sync {
    /// Returns the stored session.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be reached or read.
    fn load(&self, id: &SessionId) -> Result<Option<StoredSession>, StoreError>;

    /// Returns the texts of these contents.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be reached or read.
    fn contents(&self, keys: &[ContentKey]) -> Result<Vec<Option<Arc<str>>>, StoreError>;

    /// Stores a session if the stored operation is `expected`. `new` are the contents that it
    /// refers to and that may not be stored yet.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be reached or written, or has no text for a content of
    /// the session. After a connection error the session may be stored: repeat the call to find
    /// out.
    fn put(
        &self,
        session: &StoredSession,
        new: &[StoredContent],
        expected: Option<OperationId>,
    ) -> Result<PutOutcome, StoreError>;

    /// Records `at` as the last use of a stored session, which then expires at `expires`; returns
    /// `false` if there is none.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be reached or written.
    fn touch(
        &self,
        id: &SessionId,
        at: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<bool, StoreError>;

    /// Returns one page of the sessions, for operators.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be reached or read.
    fn list(
        &self,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionSummary>, StoreError>;

    /// Deletes expired sessions and unused contents.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be reached or written.
    fn expire_before(&self, now: Timestamp) -> Result<Vec<RemovedSession>, StoreError>;

    /// Deletes one session if it has expired. A request waits for it, so it should cost the same
    /// however many others have expired; by default it is [`Self::expire_before`].
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be reached or written.
    fn expire_one(
        &self,
        _id: &SessionId,
        now: Timestamp,
    ) -> Result<Vec<RemovedSession>, StoreError> {
        self.expire_before(now)
    }

    /// Deletes the least recently used sessions over a limit.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be reached or written.
    fn evict(&self, most: usize, keep: &SessionId) -> Result<Vec<RemovedSession>, StoreError>;

    /// Deletes a session if the stored operation is `expected`; returns `false` if it is not.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be reached or written.
    fn delete(&self, id: &SessionId, expected: OperationId) -> Result<bool, StoreError>;
}

/// A session as a store has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSession {
    /// The session's id.
    pub id: SessionId,
    /// Grows by one with each change.
    pub version: u64,
    /// The operation that stored it.
    pub operation: OperationId,
    /// The contents that it refers to. One may occur several times.
    pub contents: Vec<ContentKey>,
    /// The other state of the session, in an encoding that the store does not interpret.
    pub details: Arc<[u8]>,
    /// The time of the last use.
    pub touched: Timestamp,
    /// The time from which on it counts as deleted; `None` if it does not expire. Readers compare
    /// this time: a store may have the session until the next [`SessionStore::expire_before`].
    pub expires: Option<Timestamp>,
}

/// A session that a store has deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovedSession {
    /// The session as it was stored.
    pub session: StoredSession,
    /// The texts of its contents, in their order; `None` for one that was not stored.
    pub texts: Vec<Option<Arc<str>>>,
}

/// The identity of one `put`, or of one use of an approval: random, so that a host recognizes its
/// own when it repeats the operation because an answer was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OperationId(pub u64);

/// The result of a `put` that reached its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOutcome {
    /// The session is stored now.
    Stored,
    /// The session was stored by an earlier call with the same operation.
    AlreadyStored,
    /// Another operation is stored than the expected one. Nothing was changed.
    Conflict,
}

/// A text that sessions refer to, with its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredContent {
    /// The key, which is computed from the text.
    key: ContentKey,
    text: Arc<str>,
}

impl StoredContent {
    /// Computes the key of a text.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        Self { key: ContentKey::of(&text), text }
    }

    /// Returns the key.
    pub fn key(&self) -> ContentKey {
        self.key
    }

    /// Returns the text.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }
}

/// The key of a content: the first 160 bits of the SHA-256 of its text, so that the references of a
/// session stay small.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentKey([u8; Self::LENGTH]);

impl ContentKey {
    /// The length of a key in bytes.
    pub const LENGTH: usize = 20;

    /// Computes the key of a text.
    pub fn of(text: &str) -> Self {
        let digest = Digest::of(text.as_bytes());
        let start = digest.as_bytes().first_chunk().expect("a digest has 32 bytes");
        Self(*start)
    }

    /// Returns the key with these bytes, as a store has read them.
    pub fn from_bytes(bytes: [u8; Self::LENGTH]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the key.
    pub fn as_bytes(&self) -> &[u8; Self::LENGTH] {
        &self.0
    }
}

impl fmt::Debug for ContentKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

/// A stored session in a list for operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSummary {
    /// The session's id.
    pub id: SessionId,
    /// The number of its changes.
    pub version: u64,
    /// The time of the last use.
    pub touched: Timestamp,
    /// The time from which on it counts as deleted; `None` if it does not expire.
    pub expires: Option<Timestamp>,
}

impl From<&StoredSession> for SessionSummary {
    fn from(stored: &StoredSession) -> Self {
        let StoredSession { id, version, touched, expires, .. } = stored;
        Self { id: id.clone(), version: *version, touched: *touched, expires: *expires }
    }
}

/// The error of a session store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the session store failed: {reason}")]
pub struct StoreError {
    /// The reason.
    pub reason: String,
    /// The time after which the call may be repeated, of a store that is only unavailable.
    pub retry_after: Option<Duration>,
}

impl StoreError {
    /// Creates the error of a call that fails again when it is repeated, as far as is known.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), retry_after: None }
    }
}
