//! The runtime of a server, whose commands need none of their own.

use std::fmt;

use prowess::Runtime;

/// A runtime whose catalog follows the files.
#[derive(Clone)]
pub(crate) struct Running(pub(crate) Runtime);

impl fmt::Debug for Running {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Running").field(&self.0.catalog().generation()).finish()
    }
}
