//! The arguments of `search` and `probe`.

use std::str::FromStr;

use clap::ValueEnum;

/// The condition under which a skill matches a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Matching {
    /// Ranked by the words in name, tags and description
    Words,
    /// Plain substring of id, name or tag, ordered by id
    Substring,
}

/// A share, as a number from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share(pub(crate) f64);

impl FromStr for Share {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(share @ 0.0..=1.0) => Ok(Self(share)),
            _ => Err("expected a number from 0 to 1"),
        }
    }
}
