//! The policy of proposals.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The policy of proposals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProposalPolicy {
    /// The directory of the files, for a program that reads this policy. A relative path in a file
    /// starts at the directory of that file, and any other one at the working directory. By default
    /// `None`: models cannot propose updates.
    pub directory: Option<PathBuf>,
    /// The agents that may review proposals of others, as the host names them. By default, none:
    /// people review. No key of a file: the host knows its agents.
    #[serde(skip)]
    pub reviewers: Vec<String>,
    /// The maximum number of proposals of agents that wait for a review, and that of people: agents
    /// leave room for people. By default 100. No key of a file: it protects the disk.
    #[serde(skip)]
    pub waiting: usize,
    /// The maximum size of a diff, in bytes. By default 262,144 (256 KiB). No key of a file: it
    /// protects the disk.
    #[serde(skip)]
    pub diff_bytes: usize,
    /// The maximum size of the justification, and that of the evidence, in bytes. By default 16,384
    /// (16 KiB). No key of a file: it protects the disk.
    #[serde(skip)]
    pub text_bytes: usize,
}

impl Default for ProposalPolicy {
    fn default() -> Self {
        Self {
            directory: None,
            reviewers: Vec::new(),
            waiting: 100,
            diff_bytes: 256 * 1024,
            text_bytes: 16 * 1024,
        }
    }
}
