//! Deliveries of proposals to reviewers: each once, also by a notifier that was away. The proposals
//! themselves are the spool; next to them are notes about deliveries and the next attempts.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};

use prowess_core::{Clock, Diagnostic, Digest, Severity, Timestamp};
use prowess_dir::{Dir, ErrorKind, Permissions, lock_file};
use serde::{Deserialize, Serialize};

use crate::error::unwritten;
use crate::{FileProposals, ReviewError, StoredProposal, review_codes};

/// The directory of the notes, one for each channel.
const NOTIFIED: &str = "notified";

/// The maximum size of a note, in bytes: that of very many proposals.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// The time until the first repetition, in milliseconds; each further one takes twice as long.
const FIRST_PAUSE: u64 = 1_000;

/// The longest time between two attempts, in milliseconds: an hour.
const LONGEST_PAUSE: u64 = 60 * 60 * 1_000;

/// The deliveries of a channel, by the name of the proposal.
type Notes = BTreeMap<String, Note>;

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Note {
    is_delivered: bool,
    /// The number of failures.
    failures: u32,
    /// When to try again.
    next: Timestamp,
}

/// The outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The proposal was received.
    Received,
    /// It was not, and is repeated after a pause.
    Failed,
    /// The program ends. This proposal and the others are left to the next one.
    Stopped,
}

impl Note {
    /// Returns whether to try now. A time that no pause reaches is of a clock that was wrong.
    fn is_due(self, now: Timestamp) -> bool {
        self.next <= now || self.next.0 - now.0 > LONGEST_PAUSE
    }
}

/// A channel to reviewers, such as a command or a URL. No other program delivers to it until this
/// is dropped.
#[derive(Debug)]
pub struct Channel<'p> {
    proposals: &'p FileProposals,
    directory: Dir,
    file: String,
    notes: Notes,
    finding: Option<Diagnostic>,
    _lock: File,
}

impl FileProposals {
    /// Opens a channel by its name; `None` while another program delivers to it.
    ///
    /// # Errors
    ///
    /// Returns an error if its notes cannot be opened. Damaged ones are no error: see
    /// [`Channel::finding`].
    pub fn channel(&self, name: &str) -> Result<Option<Channel<'_>>, ReviewError> {
        let directory = self.open_own(NOTIFIED)?;
        let digest = Digest::of(name.as_bytes()).to_string();
        let name = digest.trim_start_matches("sha256:");
        let unlocked =
            |error: std::io::Error| unwritten(&format!("the lock of a channel: {error}"));
        let path = self.directory.join(NOTIFIED).join(format!("{name}.lock"));
        let lock = lock_file(&path).map_err(unlocked)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(unlocked(error)),
        }
        let file = format!("{name}.json");
        let (notes, finding) = match directory.read(&file, MOST_BYTES) {
            Ok(bytes) => match serde_json::from_slice(&bytes) {
                Ok(notes) => (notes, None),
                Err(error) => (Notes::new(), Some(damaged(&file, &error.to_string()))),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => (Notes::new(), None),
            Err(error) if error.kind() == ErrorKind::TooLarge => {
                (Notes::new(), Some(damaged(&file, &error.to_string())))
            }
            Err(error) => return Err(error.into()),
        };
        Ok(Some(Channel { proposals: self, directory, file, notes, finding, _lock: lock }))
    }
}

fn damaged(file: &str, reason: &str) -> Diagnostic {
    let message = format!("the notes of deliveries `{file}` were damaged: {reason}");
    let help = "nothing is to be done: they are written again, and what waits is delivered again";
    Diagnostic::new(review_codes::DELIVERY_NOTES_DAMAGED, Severity::Warning, message, help)
}

impl Channel<'_> {
    /// Returns the finding about notes that were damaged, such as by a full disk or by hand. It is
    /// then unknown what was received, so everything that waits is delivered once more.
    pub fn finding(&self) -> Option<&Diagnostic> {
        self.finding.as_ref()
    }

    /// Delivers each waiting proposal that was not delivered, or whose repetition is due. Returns
    /// the time of the next repetition, if there is one.
    ///
    /// A program that is killed during a delivery repeats it; otherwise each is received once.
    ///
    /// # Errors
    ///
    /// Returns an error if the proposals cannot be read, or the notes cannot be written.
    pub fn deliver(
        &mut self,
        clock: &dyn Clock,
        mut deliver: impl FnMut(&StoredProposal) -> Delivery,
    ) -> Result<Option<Timestamp>, ReviewError> {
        let waiting: Vec<_> = self.proposals.waiting()?.into_iter().flatten().collect();
        self.notes.retain(|name, _| waiting.iter().any(|proposal| proposal.name == *name));
        for proposal in waiting {
            let mut note = self.notes.get(&proposal.name).copied().unwrap_or_default();
            if note.is_delivered || !note.is_due(clock.now()) {
                continue;
            }
            let delivery = deliver(&proposal);
            if delivery == Delivery::Stopped {
                break;
            }
            note.is_delivered = delivery == Delivery::Received;
            if !note.is_delivered {
                // The pause begins when the attempt has failed, which may take long.
                let pause = FIRST_PAUSE.saturating_mul(1 << note.failures.min(20));
                let now = clock.now().0;
                note.next = Timestamp(now.saturating_add(pause.min(LONGEST_PAUSE)));
                note.failures = note.failures.saturating_add(1);
            }
            self.notes.insert(proposal.name, note);
            self.save()?;
        }
        let later = self.notes.values().filter(|note| !note.is_delivered);
        Ok(later.map(|note| note.next).min())
    }

    fn save(&self) -> Result<(), ReviewError> {
        let text =
            serde_json::to_vec(&self.notes).map_err(|error| unwritten(&error.to_string()))?;
        let temporary = format!(".{}.tmp", self.file);
        Ok(self.directory.put_file(&self.file, &temporary, &text, Permissions::Private)?)
    }
}
