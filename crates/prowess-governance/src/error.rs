//! The error of a review, or of a change of a skill.

use prowess_core::Code;

use crate::{Conflict, StoredProposal, codes, review_codes};

/// The reason why a proposal was not decided, or a skill not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ReviewError {
    /// The code, for programs.
    pub code: Code,
    /// The reason.
    pub message: String,
    /// The parts that do not fit, if the files are others now.
    pub conflicts: Vec<Conflict>,
    /// The stand-in for a file that is not as it was written, without the parts of a proposal.
    pub tampered: Option<Box<StoredProposal>>,
}

impl ReviewError {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), conflicts: Vec::new(), tampered: None }
    }
}

pub(crate) fn changed() -> ReviewError {
    let message = "its files have just been changed by another program; nothing was written";
    ReviewError::new(codes::PROPOSAL_CONFLICT, message)
}

pub(crate) fn unreadable(reason: &str) -> ReviewError {
    ReviewError::new(review_codes::SKILL_UNREADABLE, format!("the skill cannot be read: {reason}"))
}

pub(crate) fn unwritten(reason: &str) -> ReviewError {
    ReviewError::new(
        review_codes::CHANGE_NOT_WRITTEN,
        format!("the change was not written: {reason}"),
    )
}

impl From<prowess_dir::Error> for ReviewError {
    fn from(error: prowess_dir::Error) -> Self {
        match error.kind() {
            prowess_dir::ErrorKind::Changed => changed(),
            _ => ReviewError::new(
                review_codes::CHANGE_NOT_WRITTEN,
                format!("nothing was changed: {error}"),
            ),
        }
    }
}
