//! The arguments of `search`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};

/// The arguments of `search`.
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// Words to search for; without them, all skills are listed
    #[arg(value_name = "WORD")]
    pub(crate) query: Vec<String>,
    /// Maximum number of skills [default: 10, or 5 per query of `--probe`]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// How to match: ranked words, or plain substring
    #[arg(long = "match", value_enum, default_value_t = Matching::Words, value_name = "HOW")]
    pub(crate) matching: Matching,
    /// Evaluate the search with the queries of this file, or see `prowess probe`
    ///
    /// FILE is a JSON list of `{"query": "...", "expect": ["ID", ...], "not": ["ID", ...]}`. A
    /// skill that is not offered on this machine counts as missed, and its reason is printed.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["query", "matching"])]
    pub(crate) probe: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) judging: Judging,
}

/// The arguments of `probe`.
#[derive(Debug, Args)]
pub(crate) struct Probe {
    /// Id of the skill that the messages are for, or a file as that of `search --probe`
    #[arg(value_name = "SKILL")]
    pub(crate) skill: String,
    /// What people would write, such as 'the average of a column'
    #[arg(value_name = "MESSAGE")]
    pub(crate) messages: Vec<String>,
    /// Maximum number of skills per message [default: 5]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    #[command(flatten)]
    pub(crate) judging: Judging,
}

/// What becomes of the result of an evaluation.
#[derive(Debug, Args)]
pub(crate) struct Judging {
    /// Minimum recall, from 0 to 1; the exit code is 1 below it
    #[arg(long, value_name = "SHARE", hide_short_help = true)]
    pub(crate) min_recall: Option<Share>,
    /// Propose words for the descriptions of skills that others outrank
    #[arg(long, hide_short_help = true)]
    pub(crate) suggest: bool,
}

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
