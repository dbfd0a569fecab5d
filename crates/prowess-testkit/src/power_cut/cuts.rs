//! The parts of unsynced changes that a disk may hold.

use super::disk::{Change, Disk, Entry, Inode};
use crate::Random;

/// A disk, and the changes that it may or may not hold.
pub(super) struct Pending {
    disk: Disk,
    changes: Vec<Change>,
}

impl Pending {
    pub(super) fn new(disk: Disk) -> Self {
        Self { disk, changes: Vec::new() }
    }

    pub(super) fn push(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// Writes the changes of a file or directory to the disk, or all.
    pub(super) fn sync(&mut self, inode: Option<Inode>) {
        let is_synced = |change: &Change| inode.is_none_or(|inode| change.is_of(inode));
        let wanted: Vec<_> = self.changes.iter().map(is_synced).collect();
        let synced = self.closed(&wanted);
        let mut is_synced = synced.iter();
        let Self { disk, changes } = self;
        changes.retain(|change| {
            let is_synced = is_synced.next().copied().unwrap_or_default();
            if is_synced {
                disk.apply(change);
            }
            !is_synced
        });
    }

    /// Calls `check` with the disk and each part of the changes, and a name of the part.
    pub(super) fn for_each_part(&self, most: usize, mut check: impl FnMut(&Disk, &str)) {
        for part in parts(self.changes.len(), most) {
            let part = self.closed(&part);
            let disk = self.with(&part);
            let names: String =
                part.iter().map(|is_held| if *is_held { '1' } else { '0' }).collect();
            check(&disk, &format!("changes [{names}]"));
        }
        if let Some(disk) = self.with_half_a_write() {
            check(&disk, "half of the last write");
        }
    }

    fn with(&self, part: &[bool]) -> Disk {
        let mut disk = self.disk.clone();
        for (change, _) in self.changes.iter().zip(part).filter(|(_, is_held)| **is_held) {
            disk.apply(change);
        }
        disk
    }

    /// Returns the disk with all changes, of which the last write is cut in its middle.
    fn with_half_a_write(&self) -> Option<Disk> {
        let is_write = |change: &Change| matches!(change, Change::Write { .. });
        let last = self.changes.iter().rposition(is_write)?;
        let mut disk = self.disk.clone();
        for (number, change) in self.changes.iter().enumerate() {
            match change {
                Change::Write { inode, offset, bytes } if number == last => {
                    let half = bytes[..bytes.len() / 2].to_vec().into();
                    disk.apply(&Change::Write { inode: *inode, offset: *offset, bytes: half });
                }
                change => disk.apply(change),
            }
        }
        Some(disk)
    }

    /// Adds the changes that come before those of a part, because they are of the same names.
    fn closed(&self, part: &[bool]) -> Vec<bool> {
        let mut part = part.to_vec();
        for (later, change) in self.changes.iter().enumerate().rev() {
            if part[later] {
                for (is_held, earlier) in part.iter_mut().zip(&self.changes[..later]) {
                    *is_held |= change.follows(earlier);
                }
            }
        }
        part
    }
}

impl Change {
    fn names(&self) -> Vec<&Entry> {
        match self {
            Self::Name(entry, _) | Self::Remove(entry) => vec![entry],
            Self::Rename { from, to } => vec![from, to],
            Self::Write { .. } | Self::Truncate { .. } => Vec::new(),
        }
    }

    fn follows(&self, earlier: &Self) -> bool {
        let earlier = earlier.names();
        self.names().iter().any(|name| earlier.contains(name))
    }

    /// Returns whether a sync of this file or directory covers the change.
    fn is_of(&self, synced: Inode) -> bool {
        match self {
            Self::Write { inode, .. } | Self::Truncate { inode, .. } => *inode == synced,
            _ => self.names().iter().any(|(directory, _)| *directory == synced),
        }
    }
}

/// Returns every part of `count` changes, or about `most` of them: none, all, the first ones, all
/// but one, one alone, and others by chance.
fn parts(count: usize, most: usize) -> Vec<Vec<bool>> {
    if count < 32 && 1 << count <= most {
        let bit = |part: usize| move |number: usize| part >> number & 1 == 1;
        return (0..1 << count).map(|part| (0..count).map(bit(part)).collect()).collect();
    }
    let part = |is_held: &dyn Fn(usize) -> bool| (0..count).map(is_held).collect::<Vec<_>>();
    let mut parts = vec![part(&|_| false), part(&|_| true)];
    for number in (0..count).rev() {
        parts.push(part(&|other| other != number));
        parts.push(part(&|other| other < number));
        parts.push(part(&|other| other == number));
    }
    let first = 2 * most / 3;
    parts.truncate(first.max(2));
    let mut random = Random::new(7, count as u64);
    while parts.len() < most {
        parts.push((0..count).map(|_| random.below(2) == 1).collect());
    }
    parts
}
