//! The errors of this crate.

use std::fmt;

/// An error in a table of vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorError {
    /// The line, from 1.
    pub line: usize,
    /// The problem with the line.
    pub problem: &'static str,
}

impl fmt::Display for VectorError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {} of the word vectors {}", self.line, self.problem)
    }
}

impl std::error::Error for VectorError {}
