//! The codes of decisions that are not made, besides those of [`codes`](crate::codes). The page of
//! codes lists them.

prowess_core::declare_codes! {
    /// The file of a proposal is not as it was written.
    PROPOSAL_TAMPERED = "proposal-tampered";
    /// No proposal of this name waits for a review.
    PROPOSAL_NOT_FOUND = "proposal-not-found";
    /// The proposal is not the one that was reviewed.
    PROPOSAL_CHANGED = "proposal-changed";
    /// This agent or person may not decide on the proposal.
    REVIEWER_NOT_ALLOWED = "reviewer-not-allowed";
    /// The files of the skill cannot be read.
    SKILL_UNREADABLE = "skill-unreadable";
    /// The files of the skill could not be changed. They are as before.
    CHANGE_NOT_WRITTEN = "change-not-written";
    /// Warning: the notes of what a channel has received cannot be read, and are written again.
    DELIVERY_NOTES_DAMAGED = "delivery-notes-damaged";
}
