//! A build without the shell parser reads no command.

use super::{SimpleCommand, Unreadable, UnreadableKind};

pub(super) fn commands(_: &str) -> Result<Vec<SimpleCommand>, Unreadable> {
    Err(Unreadable::of(UnreadableKind::NoParser))
}
