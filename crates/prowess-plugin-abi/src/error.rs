//! The errors of this crate.

use std::fmt;

/// The bytes are not a valid manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ManifestError {
    /// The bytes do not start with [`MAGIC`](crate::manifest::MAGIC).
    Magic,
    /// The text is shorter than its declared length, which is the value.
    Length(usize),
    /// The text is invalid, with the position and the reason.
    Text(String),
}

impl fmt::Display for ManifestError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic => formatter.write_str("it does not begin as a manifest does"),
            Self::Length(length) => {
                write!(formatter, "it says that it has {length} bytes, which is past its end")
            }
            Self::Text(why) => write!(formatter, "its text cannot be read: {why}"),
        }
    }
}

impl std::error::Error for ManifestError {}
