//! Deliveries of proposals to reviewers: each once, also by a notifier that was away. The proposals
//! themselves are the spool; next to them are notes about deliveries and the next attempts.

use std::collections::BTreeMap;

use prowess_core::{Digest, Timestamp};
use prowess_dir::{Dir, ErrorKind, Permissions};
use serde::{Deserialize, Serialize};

use crate::error::unwritten;
use crate::{FileProposals, ReviewError, StoredProposal};

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

/// A channel to reviewers, such as a command or a URL. One program at a time delivers to it.
#[derive(Debug)]
pub struct Channel<'p> {
    proposals: &'p FileProposals,
    directory: Dir,
    file: String,
    notes: Notes,
}

impl FileProposals {
    /// Opens a channel by its name.
    ///
    /// # Errors
    ///
    /// Returns an error if the notes about it cannot be read.
    pub fn channel(&self, name: &str) -> Result<Channel<'_>, ReviewError> {
        let directory = self.open()?.open_or_create_dir(NOTIFIED)?;
        let digest = Digest::of(name.as_bytes()).to_string();
        let file = format!("{}.json", digest.trim_start_matches("sha256:"));
        let notes = match directory.read(&file, MOST_BYTES) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| unwritten(&format!("the notes of deliveries: {error}")))?,
            Err(error) if error.kind() == ErrorKind::NotFound => Notes::new(),
            Err(error) => return Err(error.into()),
        };
        Ok(Channel { proposals: self, directory, file, notes })
    }
}

impl Channel<'_> {
    /// Delivers each waiting proposal that was not delivered, or whose repetition is due. `deliver`
    /// returns whether it was received. Returns the time of the next repetition, if there is one.
    ///
    /// A program that is killed during a delivery repeats it; otherwise each is received once.
    ///
    /// # Errors
    ///
    /// Returns an error if the proposals cannot be read, or the notes cannot be written.
    pub fn deliver(
        &mut self,
        now: Timestamp,
        mut deliver: impl FnMut(&StoredProposal) -> bool,
    ) -> Result<Option<Timestamp>, ReviewError> {
        let waiting: Vec<_> = self.proposals.waiting()?.into_iter().flatten().collect();
        self.notes.retain(|name, _| waiting.iter().any(|proposal| proposal.name == *name));
        for proposal in waiting {
            let mut note = self.notes.get(&proposal.name).copied().unwrap_or_default();
            if note.is_delivered || note.next > now {
                continue;
            }
            note.is_delivered = deliver(&proposal);
            if !note.is_delivered {
                let pause = FIRST_PAUSE.saturating_mul(1 << note.failures.min(20));
                note.next = Timestamp(now.0.saturating_add(pause.min(LONGEST_PAUSE)));
                note.failures += 1;
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
